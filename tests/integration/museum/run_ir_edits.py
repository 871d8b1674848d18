#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks printed IR through the command line: shipped specs are clean, each exhibit's edit exits 4 with its slug.

Usage: run_ir_edits.py TOOL SOURCE_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def final_ir(tool, spec):
    """What --dump-after prints after the last pass."""
    passes = json.loads(run(tool, "list", "passes", "--json").stdout)
    emitted = run(tool, "emit", spec, "--dump-after", passes[-1]["pass"], "-o", "/dev/null")
    assert emitted.returncode == 0, emitted.stderr
    return emitted.stderr


def check_clean(tool, spec, file):
    file.write_text(final_ir(tool, spec), encoding="utf-8")
    proved = run(tool, "prove", spec, "--ir", file)
    return [] if proved.returncode == 0 and "no findings" in proved.stdout else [f"{spec}: {proved.stdout}{proved.stderr}"]


def check_misfit(tool, source, file):
    """IR that names what its plan does not have is bad input, not a bug."""
    spec = source / "tests/lit/inputs/pair_ring.json"
    file.write_text(final_ir(tool, spec).replace("mbar_wait @ab_empty", "mbar_wait @nothing"), encoding="utf-8")
    proved = run(tool, "prove", spec, "--ir", file)
    is_told = "error[cli.bad-ir]" in proved.stderr and ".cpp" not in proved.stderr
    return [] if proved.returncode == 1 and is_told else [f"misfit: exit {proved.returncode}\n{proved.stderr}"]


def check_exhibit(tool, source, exhibit, file):
    edit = exhibit["ir_edit"]
    spec = source / edit["spec"]
    ir = final_ir(tool, spec)
    changed, count = re.subn(edit["from"], edit["to"], ir, count=edit["times"], flags=re.MULTILINE)
    if count == 0:
        return [f"{exhibit['name']}: nothing in the IR is like {edit['from']}"]
    file.write_text(changed, encoding="utf-8")
    proved = run(tool, "prove", spec, "--ir", file)
    has_place = re.search(re.escape(str(file)) + r":\d+:\d+: error\[" + re.escape(exhibit["finds"]) + r"\]", proved.stderr)
    return [] if proved.returncode == 4 and has_place else [f"{exhibit['name']}: exit {proved.returncode}\n{proved.stderr}"]


def main() -> int:
    tool, source = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    edits = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "final.mlir"
        specs = sorted((source / "configs/kernels").rglob("*.json"))
        for spec in specs:
            problems += check_clean(tool, spec, file)
        problems += check_misfit(tool, source, file)
        for line in (source / "configs/museum/exhibits.jsonl").read_text(encoding="utf-8").splitlines():
            exhibit = json.loads(line)
            if "ir_edit" in exhibit:
                edits += 1
                problems += check_exhibit(tool, source, exhibit, file)
    print("\n".join(problems))
    print(f"{len(specs)} specs, {edits} edits, {len(problems)} problems")
    return 1 if problems or not specs or not edits else 0


if __name__ == "__main__":
    sys.exit(main())
