#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No stage that serves every family contains a family's name."""
import pathlib
import re

import tree

STAGES = ["generator/" + stage for stage in ("support", "target", "isa", "spec", "plan", "laws", "ir", "lower", "emit", "prove",
                                             "compile", "archive")] + ["runtime"]


def find_problems(root):
    families = sorted(path.name for path in (pathlib.Path(root) / "generator/families").iterdir() if path.is_dir())
    name = re.compile("|".join(re.escape(family) for family in families))
    for path in tree.files(root, *STAGES):
        text = tree.read(root, path)
        for match in name.finditer(text):
            yield f"{path}:{tree.line_of(text, match.start())}: names the family {match.group()}"


if __name__ == "__main__":
    tree.run("family_names", find_problems)
