#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpwright` prints and the repository keeps is the same: schemas, and the field tables of the families' READMEs.

usage: generated.py ROOT WARPWRIGHT [--write]
"""
import pathlib
import subprocess
import sys

import tree

BEGIN = "<!-- fields: begin; from `warpwright schema {family} --table` -->"
END = "<!-- fields: end -->"


def output(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def with_table(text, family, table):
    """The README with the marked region replaced, or None where the marks are missing."""
    begin = BEGIN.format(family=family)
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(END)
    return f"{head}{begin}\n{table}{END}{tail}" if found and closed else None


def wanted(root, program):
    """(path, text that it should have) of everything generated."""
    for folder in sorted((pathlib.Path(root) / "generator/families").iterdir()):
        if not folder.is_dir():
            continue
        family = folder.name
        yield f"configs/schemas/{family}.schema.json", output(program, "schema", family)
        readme = f"generator/families/{family}/README.md"
        present = tree.read(root, readme) if (pathlib.Path(root) / readme).exists() else ""
        yield readme, with_table(present, family, output(program, "schema", family, "--table"))


def find_problems(root, program, write=False):
    for path, text in wanted(root, program):
        file = pathlib.Path(root) / path
        if text is None:
            yield f"{path}: has no region between \"{BEGIN.format(family='…')}\" and \"{END}\""
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            if write:
                file.write_text(text, encoding="utf-8")
            else:
                yield f"{path}: is not what warpwright prints; run tools/check/generated.py . build/tests/bin/warpwright --write"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tree.run("generated", find_problems, (sys.argv[2], "--write" in sys.argv))
