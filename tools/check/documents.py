#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the READMEs name exists: paths, tools, verbs and options; what they quote is still printed.

usage: documents.py [ROOT [WARPWRIGHT]]    without the program, verbs and options are not looked at
"""
import pathlib
import re
import shlex
import subprocess
import sys

import tree

TOPS = ("generator/", "templates/", "configs/", "runtime/", "tests/", "tools/", ".ci/")
QUOTED = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```(?:sh|console|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"^[\w./-]+$")
# A block below `<!-- excerpt: VERB ARGUMENTS -->` holds lines of what the program prints.
EXCERPT = re.compile(r"<!-- excerpt: (.+?) -->\n```\n(.*?)^```", re.MULTILINE | re.DOTALL)
TABLE_HEADING = "## Where is …?"


def code_lines(text):
    """(line number, command) of every line in a shell block, continued lines joined."""
    for block in BLOCK.finditer(text):
        first = tree.line_of(text, block.start(1))
        waiting = ""
        for offset, line in enumerate(block.group(1).splitlines()):
            line = waiting + line.strip()
            waiting = line[:-1] if line.endswith("\\") else ""
            if not waiting and line and not line.startswith("#"):
                yield first + offset, line.removeprefix("$ ")


def exists(root, name):
    path = pathlib.Path(root) / name.rstrip("/")
    return path.exists() or ("*" in name and any(pathlib.Path(root).glob(name)))


def path_problems(root, document, text):
    spans = [(tree.line_of(text, match.start()), match.group(1)) for match in QUOTED.finditer(text)]
    spans += [(line, word) for line, command in code_lines(text) for word in command.split()]
    for line, word in spans:
        word = word.split(":")[0].rstrip(".,;")
        if word.startswith(TOPS) and (PATH.match(word) or "*" in word) and not exists(root, word):
            yield f"{document}:{line}: there is no {word}"


def table_problems(root, document, text):
    if document != "README.md":
        return
    _, heading, rest = text.partition(TABLE_HEADING)
    rows = [row for row in rest.partition("\n## ")[0].splitlines() if row.startswith("| ") and "---" not in row][1:]
    if not heading or len(rows) < 8:
        yield f"{document}: the table under \"{TABLE_HEADING}\" has {len(rows)} rows"
    for row in rows:
        paths = QUOTED.findall(row)
        if not paths:
            yield f"{document}: a row of \"{TABLE_HEADING}\" names no path: {row}"
        for path in paths:
            if PATH.match(path) and not exists(root, path):
                yield f"{document}: \"{TABLE_HEADING}\": there is no {path}"


def command_problems(document, text, help_of):
    """Every `warpwright VERB --option` of the shell blocks and of inline code is in the program's own help."""
    commands = list(code_lines(text)) + [(tree.line_of(text, match.start()), match.group(1)) for match in QUOTED.finditer(text)]
    for line, command in commands:
        match = re.search(r"(?:^|[\s/(])warpwright ([a-z][a-z-]*)\b(.*)", command.split(" #")[0])
        if not match:
            continue
        verb, rest = match.groups()
        words = help_of(verb)
        if words is None:
            yield f"{document}:{line}: there is no verb {verb}"
            continue
        for option in re.findall(r"(?<!\S)(--[a-z][a-z-]*|-[a-zA-Z]\b)", rest.split("|")[0].split(";")[0]):
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", words):
                yield f"{document}:{line}: warpwright {verb} has no option {option}"


def excerpt_problems(root, document, text, program):
    for match in EXCERPT.finditer(text):
        done = subprocess.run([program, *shlex.split(match.group(1))], cwd=root, capture_output=True, text=True, check=False)
        printed = set(done.stdout.splitlines())
        for offset, line in enumerate(match.group(2).splitlines()):
            if line.strip() and line not in printed:
                number = tree.line_of(text, match.start(2)) + offset
                yield f"{document}:{number}: warpwright {match.group(1)} does not print: {line}"


def verb_problems(document, text, program):
    """The README names every verb that the program has."""
    if document != "README.md":
        return
    words = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout
    for verb in re.findall(r"^  ([a-z]+)  ", words.partition("Subcommands:")[2].partition("\n\n")[0], re.MULTILINE):
        if f"`{verb}`" not in text:
            yield f"{document}: does not name the verb {verb}"


def helper(program):
    known = {}

    def help_of(verb):
        if verb not in known:
            done = subprocess.run([program, verb, "--help"], capture_output=True, text=True, check=False)
            known[verb] = done.stdout if done.returncode == 0 else None
        return known[verb]
    return help_of


def find_problems(root, program=None):
    for document in tree.files(root, endings=("README.md",)):
        text = tree.read(root, document)
        yield from path_problems(root, document, text)
        yield from table_problems(root, document, text)
        if program:
            yield from command_problems(document, text, helper(program))
            yield from verb_problems(document, text, program)
            yield from excerpt_problems(root, document, text, program)


if __name__ == "__main__":
    tree.run("documents", find_problems, sys.argv[2:3])
