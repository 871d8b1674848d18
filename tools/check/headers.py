#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence, then says in a sentence what it is for (a CMakeLists.txt: its folder)."""
import re

import tree

ENDINGS = (".h", ".cpp", ".c", ".td", ".cuh", ".cu", ".py", ".sh", ".cmake", "CMakeLists.txt", ".mlir", ".test", ".fbs")
LICENCE = "SPDX-License-Identifier: Apache-2.0"
# A frame is printed into the emitted file as it stands, below that file's own banner.
FRAMES = "templates/kernel/"
COMMENT = re.compile(r'^(//|#(?!!)|"""|/\*)\s*\S')


def find_problems(root):
    scripts = [path for path in tree.files(root, "tools", ".ci") if "." not in path.rsplit("/", 1)[-1]]
    for path in tree.files(root, endings=ENDINGS) + scripts:
        if path.startswith(FRAMES):
            continue
        lines = tree.read(root, path).splitlines()
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or LICENCE not in lines[0]:
            yield f"{path}:1: no \"{LICENCE}\""
        elif not path.endswith("CMakeLists.txt") and (len(lines) < 2 or not COMMENT.match(lines[1])):
            yield f"{path}:2: no sentence that says what the file is for"


if __name__ == "__main__":
    tree.run("headers", find_problems)
