#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the translation units that took longest, from a build folder's .ninja_log."""
import pathlib
import sys

SHOWN = 10


def durations(log_text):
    """Seconds by object file; the last entry of an output is the one that counts."""
    seconds = {}
    for line in log_text.splitlines():
        fields = line.split("\t")
        if line.startswith("#") or len(fields) < 5 or not fields[3].endswith(".o"):
            continue
        seconds[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return seconds


def main():
    log = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/tests") / ".ninja_log"
    if not log.exists():
        sys.exit(f"dearest_units: there is no {log}")
    seconds = durations(log.read_text(encoding="utf-8"))
    for name, duration in sorted(seconds.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"  {duration:6.1f} s  {name.replace('CMakeFiles/', '').replace('.dir/', '/')}")
    print(f"  {sum(seconds.values()):6.1f} s  in all, {len(seconds)} units")


if __name__ == "__main__":
    main()
