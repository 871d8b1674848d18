#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test behind each museum exhibit; fails if one does not exist or does not pass."""
import json
import os
import subprocess
import sys


def main() -> int:
    exhibits_file, programs_folder = sys.argv[1:3]
    with open(exhibits_file, encoding="utf-8") as file:
        exhibits = [json.loads(line) for line in file if line.strip()]
    failed = 0
    for exhibit in exhibits:
        # Catch2 reads a comma in a name as "or".
        name = exhibit["test"].replace(",", "\\,")
        program = os.path.join(programs_folder, exhibit["program"])
        result = subprocess.run([program, "-w", "NoTests", name], capture_output=True, text=True)
        is_found = result.returncode == 0 and "1 test case" in result.stdout
        print(f"{'found' if is_found else 'NOT FOUND'}  {exhibit['name']}: {exhibit['bug']} ({exhibit['finds']})")
        if not is_found:
            print(result.stdout + result.stderr)
            failed += 1
    return 1 if failed or not exhibits else 0


if __name__ == "__main__":
    sys.exit(main())
