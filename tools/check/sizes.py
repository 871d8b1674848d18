#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files stay near 400 lines and functions near 60; the exceptions stand, with a reason, in sizes_allowed.txt."""
import ast
import pathlib
import re

import tree

FILE_LINES = 400
FUNCTION_LINES = 60
ENDINGS = (".h", ".cpp", ".c", ".td", ".cuh", ".cu", ".py", ".cmake", "CMakeLists.txt")
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*',
                     re.DOTALL | re.MULTILINE)
NOT_A_FUNCTION = re.compile(r"^\s*(if|for|while|switch|catch|else|do|namespace|enum|return|=)\b|\b(class|struct|union)\b[^()]*$|=\s*$")
NAME = re.compile(r"([~\w:]+|operator\W{1,3})\s*\(")


def blank(match):
    return "".join(c if c == "\n" else " " for c in match.group())


def cpp_functions(text):
    """(name, first line, lines) of each function body, found by braces after a parameter list."""
    text = BLANKED.sub(blank, text)
    stack, head_start, inside = [], 0, 0
    for match in re.finditer(r"[{};]", text):
        at, mark = match.start(), match.group()
        if mark == "{":
            head = text[head_start:at]
            is_function = not inside and ")" in head and not NOT_A_FUNCTION.search(head)
            stack.append((at, head, is_function))
            inside += is_function
        elif mark == "}" and stack:
            begin, head, is_function = stack.pop()
            inside -= is_function
            if is_function:
                name = NAME.search(head)
                first = tree.line_of(text, begin)
                yield name.group(1) if name else "?", first, tree.line_of(text, at) - first + 1
        head_start = at + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def allowances(root):
    """{path or path:function: most lines}"""
    file = pathlib.Path(root) / "tools/check/sizes_allowed.txt"
    rows = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    fields = [row.split(None, 2) for row in rows if row.strip() and not row.startswith("#")]
    return {row[0]: int(row[1]) for row in fields if len(row) == 3}


def find_problems(root):
    allowed = allowances(root)
    unused = set(allowed)
    for path in tree.files(root, endings=ENDINGS):
        text = tree.read(root, path)
        lines = text.count("\n")
        long = [(path, 1, lines, FILE_LINES)] if lines > FILE_LINES else []
        functions = python_functions(text) if path.endswith(".py") else \
            cpp_functions(text) if path.endswith((".h", ".cpp", ".c", ".cuh", ".cu")) else []
        long += [(f"{path}:{name}", first, count, FUNCTION_LINES) for name, first, count in functions
                 if count > FUNCTION_LINES]
        for key, first, count, limit in long:
            unused.discard(key)
            if count > allowed.get(key, limit):
                yield f"{path}:{first}: {key.partition(':')[2] or 'file'} has {count} lines, {allowed.get(key, limit)} are allowed"
    for key in sorted(unused):
        yield f"tools/check/sizes_allowed.txt: {key} needs no allowance any more"


if __name__ == "__main__":
    tree.run("sizes", find_problems)
