#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every slug that a source file can report has an `explain` entry, and every entry is reported somewhere.

A slug is a string literal "stage.some-words" of a known stage. parse_json's slugs are composed: "<stage>" with
".not-json" and ".duplicate-key", the stage being the literal given to it.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

STAGES = "spec|plan|laws|ir|lower|emit|prove|run|compile|archive|environment|cli|diff|conformance|pack"
LITERAL = re.compile(rf'"((?:{STAGES})\.[a-z0-9]+(?:-[a-z0-9]+)*)"')
PARSE_JSON = re.compile(rf'parse_json\([^;]*?"({STAGES})"')
NOT_SLUGS = re.compile(r"\.(json|cpp|h|td|cu|mlir|md)$")
FOLDERS = ("generator", "tools/cli", "tools/pack")
# Findings of the emulator. Its sources also name instructions, which look like slugs.
EMULATOR = "tools/emulator"
FINDING = re.compile(r'"((?:async|barrier|bulk|cluster|descriptor|kernel|launch|mbarrier|memory|mma|order|ptx|race|run|tcgen05|tma|tmem|'
                     r'warp|wgmma)\.[a-z0-9]+(?:-[a-z0-9]+)*)"')
INSTRUCTIONS = {"barrier.arrive", "barrier.sync", "mbarrier.arrive", "mbarrier.init", "mbarrier.inval", "tcgen05.alloc",
                "tcgen05.commit", "tcgen05.cp", "tcgen05.dealloc", "tcgen05.fence", "tcgen05.ld", "tcgen05.mma", "tcgen05.shift", "wgmma.fence"}
README = "tools/emulator/README.md"


def used_slugs(source):
    slugs = {}
    for folder in FOLDERS:
        for file in sorted((source / folder).rglob("*")):
            if file.suffix not in (".cpp", ".h") or file.name.startswith("explain_"):
                continue
            text = "\n".join(re.sub(r"(^|\s)//.*", "", line) for line in file.read_text(encoding="utf-8").splitlines())
            found = {m for m in LITERAL.findall(text) if not NOT_SLUGS.search(m)}
            found |= {f"{stage}{end}" for stage in PARSE_JSON.findall(text) for end in (".not-json", ".duplicate-key")}
            for slug in found:
                slugs.setdefault(slug, str(file.relative_to(source)))
    return slugs


def emulator_slugs(source):
    slugs = {}
    for file in sorted((source / EMULATOR).rglob("*")):
        if file.suffix not in (".cpp", ".h"):
            continue
        text = "\n".join(re.sub(r"(^|\s)//.*", "", line) for line in file.read_text(encoding="utf-8").splitlines())
        for slug in set(FINDING.findall(text)) - INSTRUCTIONS:
            slugs.setdefault(slug, str(file.relative_to(source)))
    return slugs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    args = parser.parse_args()
    listed = json.loads(subprocess.run([args.tool, "list", "slugs", "--json"], capture_output=True, check=True).stdout)
    explained = [entry["slug"] for entry in listed]
    used = used_slugs(args.source)
    findings = emulator_slugs(args.source)
    used.update(findings)
    # What a run finds against the IR: the emulator tells, generator/prove judges.
    findings.update({slug: file for slug, file in used.items() if slug.startswith("conformance.")})
    problems = [f"{slug}: used in {used[slug]}, not explained (tools/cli/explain_*.cpp)" for slug in sorted(used)
                if slug not in explained]
    problems += [f"{slug}: explained, used nowhere" for slug in explained if slug not in used]
    problems += [f"{slug}: explained twice" for slug in sorted(set(explained)) if explained.count(slug) > 1]
    table = set(re.findall(r"^\| `([a-z0-9]+\.[a-z0-9-]+)` \|", (args.source / README).read_text(encoding="utf-8"), re.MULTILINE))
    problems += [f"{slug}: not in the table of {README}" for slug in sorted(findings.keys() - table)]
    problems += [f"{slug}: in the table of {README}, used nowhere" for slug in sorted(table - findings.keys())]
    for slug in explained:
        text = json.loads(subprocess.run([args.tool, "explain", slug, "--json"], capture_output=True, check=True).stdout)
        problems += [f"{slug}: `{key}` is empty" for key in ("what", "why", "fix") if not text[key]]
    for problem in problems:
        print(problem)
    print(f"{len(explained)} slugs, {len(problems)} problems")
    return 1 if problems or not explained else 0


if __name__ == "__main__":
    sys.exit(main())
