#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test file is registered and tests something; nothing passes by matching nothing."""
import fnmatch
import pathlib
import re

import tree

WORD = re.compile(r"[\w./*${}-]+")
TESTS = {
    ".cpp": re.compile(r"\b(TEST_CASE|SCENARIO|int main)\b"),
    ".py": re.compile(r"\bdef test_\w+"),
    ".mlir": re.compile(r"\bRUN:"),
    ".test": re.compile(r"\bRUN:"),
}


def registered(root, path):
    """Whether a CMakeLists.txt at or above the file's folder names it, or a pattern that it matches."""
    folder = pathlib.PurePosixPath(path).parent
    while True:
        file = pathlib.Path(root) / folder / "CMakeLists.txt"
        if file.exists():
            inner = pathlib.PurePosixPath(path).relative_to(folder).as_posix()
            for word in WORD.findall(file.read_text(encoding="utf-8")):
                word = re.sub(r"^\$\{\w+\}/", "", word)
                if fnmatch.fnmatch(inner, word) or ("*" in word and fnmatch.fnmatch(path.rsplit("/", 1)[-1], word)):
                    return True
        if folder == pathlib.PurePosixPath("tests") or len(folder.parts) <= 1:
            return False
        folder = folder.parent


def find_problems(root):
    for path in tree.files(root, "tests", endings=tuple(TESTS)):
        ending = "." + path.rsplit(".", 1)[-1]
        is_test = TESTS[ending].search(tree.read(root, path))
        if path.endswith("_test.cpp") and not is_test:
            yield f"{path}: has no test"
        if (is_test or ending == ".cpp") and not registered(root, path):
            yield f"{path}: no CMakeLists.txt registers it"
    for path in tree.files(root, "tools/check", endings=(".py",)):
        name = path.rsplit("/", 1)[-1]
        if "find_problems" in tree.read(root, path) and name != "tree.py":
            listing = tree.read(root, "tests/check/CMakeLists.txt")
            if not re.search(rf"\b{name[:-3]}\b", listing):
                yield f"{path}: tests/check/CMakeLists.txt does not run it"


if __name__ == "__main__":
    tree.run("test_lists", find_problems)
