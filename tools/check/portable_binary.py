#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program needs only glibc 2.36 or older, and holds no path of the machine that built it.

usage: portable_binary.py SOURCE_FOLDER PROGRAM
"""
import pathlib
import re
import subprocess
import sys

NEWEST_GLIBC = (2, 36)
ALLOWED_LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2"}


def needed_problems(dynamic):
    """From `readelf -d`: libraries that glibc does not bring, and search paths."""
    for library in re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic):
        if library not in ALLOWED_LIBRARIES:
            yield f"needs {library}"
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.+?)\]", dynamic):
        yield f"searches libraries in {path}"


def version_problems(versions):
    """From `readelf -V`: symbol versions newer than the oldest glibc that is served."""
    for text in sorted(set(re.findall(r"GLIBC_(\d+(?:\.\d+)+)", versions))):
        if tuple(int(part) for part in text.split(".")) > NEWEST_GLIBC:
            yield f"needs glibc {text}"


def path_problems(source, content):
    if source.encode() + b"/" in content:
        at = content.index(source.encode() + b"/")
        yield f"holds a path of this machine: {content[at:at + 120].split(bytes(1))[0].decode(errors='replace')}"


def find_problems(source, program):
    def readelf(flag):
        return subprocess.run(["readelf", "-W", flag, program], check=True, capture_output=True, text=True).stdout
    yield from needed_problems(readelf("-d"))
    yield from version_problems(readelf("-V"))
    yield from path_problems(source, pathlib.Path(program).read_bytes())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    problems = list(find_problems(sys.argv[1], sys.argv[2]))
    for problem in problems:
        print(f"{sys.argv[2]}: {problem}")
    print(f"portable_binary: {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
