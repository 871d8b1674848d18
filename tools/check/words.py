#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No machine's paths or package hosts, no loose ends without an issue, no trailing blanks or tabs."""
import re

import tree

WORDS = [
    (re.compile(r"(?<![\w.])/(?:work|root)/"), "a path of somebody's machine"),
    (re.compile(r"\b(?:deb|pypi|registry|files|security)\.[a-z]+\.(?:org|com)\b"), "the host of a package registry"),
    (re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!\(#\d+\))"), "a loose end without an issue, as in TO" "DO(#12)"),
    (re.compile(r"\bnot (?:yet )?implemented\b|\bunimplemented\b", re.IGNORECASE), "unfinished work: leave it out instead"),
    (re.compile(r"[ \t]+$", re.MULTILINE), "a blank at the end of a line"),
]
EXEMPT = ("tools/check/words.py", "tests/check/checks_test.py", "LICENSE")
# Stored output may end a line with blanks: a caret line below an empty source line.
STORED = "tests/errors/cases/"


def find_problems(root):
    for path in tree.files(root):
        if path in EXEMPT:
            continue
        text = tree.read(root, path)
        for pattern, what in WORDS[:-1] if path.startswith(STORED) else WORDS:
            for match in pattern.finditer(text):
                yield f"{path}:{tree.line_of(text, match.start())}: {what}: {match.group().strip()}"


if __name__ == "__main__":
    tree.run("words", find_problems)
