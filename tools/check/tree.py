# SPDX-License-Identifier: Apache-2.0
"""The repository's files, as every check sees them, and the way in which a check reports."""
import os
import pathlib
import re
import sys

SKIPPED_FOLDERS = {".git", ".cuda", ".cache", "build", "__pycache__"}
CODE_ENDINGS = (".h", ".cpp", ".c", ".td", ".cuh", ".cu", ".in")
INCLUDE = re.compile(r'^\s*#?\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def files(root, *tops, endings=None):
    """Paths below `tops` (default: everything), relative to `root`, with "/" and in order."""
    found = []
    for top in tops or (".",):
        for folder, folders, names in os.walk(pathlib.Path(root) / top):
            folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
            for name in names:
                path = pathlib.Path(folder, name)
                if path.is_symlink() or (endings and not name.endswith(endings)):
                    continue
                found.append(path.relative_to(root).as_posix())
    return sorted(found)


def read(root, path):
    """Text of a file; nothing for one that is not UTF-8."""
    try:
        return (pathlib.Path(root) / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def includes(text):
    """[(line, name, is_quoted)] of a C++ or TableGen text."""
    return [(text.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1, match.group(1) or match.group(2),
             bool(match.group(1))) for match in INCLUDE.finditer(text)]


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def run(name, find_problems, arguments=()):
    """Runs a check on the folder named on the command line (default: the repository); exit 1 lists the problems."""
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    problems = list(find_problems(root, *arguments))
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problems")
    sys.exit(1 if problems else 0)
