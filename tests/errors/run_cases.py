#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tool on every case and compares exit code and standard error with the stored text.

A case is cases/NAME.stderr with cases/NAME.json (the bad spec) or cases/NAME.args (arguments, one a line, `@` at the
start of a line standing for the rest as a JSON string), or both. Without .args the tool lists the spec, which loads it.
The first line of the golden is "exit N". WARPWRIGHT_UPDATE_GOLDENS=1 rewrites goldens.
"""
import argparse
import difflib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "cases"
# Slugs of these stages must have a case each; unreadable ones and the like are cases with arguments only.
COVERED_STAGES = ("spec.", "cli.")


def arguments_of(name):
    file = CASES / f"{name}.args"
    if not file.exists():
        return ["list", "specs", f"{name}.json"]
    lines = file.read_text(encoding="utf-8").splitlines()
    return [json.loads(line[1:]) if line.startswith("@") else line for line in lines]


def snapshot(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def run_case(tool, name):
    """Returns the golden's text for the case, and what the case wrote."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        spec = CASES / f"{name}.json"
        if spec.exists():
            shutil.copy(spec, folder)
        before = snapshot(folder)
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR",)}
        result = subprocess.run([tool, *arguments_of(name)], cwd=folder, env=environment, capture_output=True, timeout=60,
                                stdin=subprocess.DEVNULL, check=False)
        written = sorted(set(snapshot(folder).items()) ^ set(before.items()))
    return f"exit {result.returncode}\n" + result.stderr.decode("utf-8"), [file for file, _ in written]


def covered(text):
    return {line.split("error[", 1)[1].split("]", 1)[0] for line in text.splitlines() if "error[" in line}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    tool = str(pathlib.Path(parser.parse_args().tool).resolve())
    update = os.environ.get("WARPWRIGHT_UPDATE_GOLDENS") == "1"
    names = sorted({p.stem for p in CASES.iterdir() if p.suffix in (".json", ".args")})
    stray = {p.stem for p in CASES.iterdir()} - set(names)
    problems = [f"{name}: a golden without a case" for name in sorted(stray)]
    seen = set()
    for name in names:
        text, written = run_case(tool, name)
        seen |= covered(text)
        golden = CASES / f"{name}.stderr"
        if update:
            golden.write_text(text, encoding="utf-8")
        if written:
            problems.append(f"{name}: wrote {', '.join(written)}")
        if text.startswith("exit 0") or text.startswith("exit 3") or "error[" not in text:
            problems.append(f"{name}: not an error of the user\n{text}")
        if not golden.exists():
            problems.append(f"{name}: no golden; review and run WARPWRIGHT_UPDATE_GOLDENS=1 ctest -R errors.cases\n{text}")
        elif golden.read_text(encoding="utf-8") != text:
            diff = difflib.unified_diff(golden.read_text(encoding="utf-8").splitlines(), text.splitlines(), "stored", "now",
                                        lineterm="")
            problems.append(f"{name}: differs\n" + "\n".join(diff))
    slugs = json.loads(subprocess.run([tool, "list", "slugs", "--json"], capture_output=True, check=True).stdout)
    for entry in slugs:
        if entry["slug"].startswith(COVERED_STAGES) and entry["slug"] not in seen:
            problems.append(f"{entry['slug']}: no case provokes it")
    for problem in problems:
        print(problem)
    print(f"{len(names)} cases, {len(seen)} slugs, {len(problems)} problems")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
