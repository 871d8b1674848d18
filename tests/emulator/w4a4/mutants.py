#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeded faults in the PTX of shipped kernels; each must be found: mutants.py WARPWRIGHT [--sample N | --match PATTERN].

A mutant changes one instruction of what nvcc made. It is killed when `run` exits 4 under one of the schedules, or under the policy
ptx-strict with the waiver that the kernel itself needs. A survivor must be listed in equivalents.txt beside this file with a reason, and what is listed there must survive.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
KERNELS = pathlib.Path("configs/kernels/w4a4_lora_gemm")
SPECS = ["flux1_qkv", "flux1_mlp_up", "z_image_3840_to_3072"]
SHORT = ["--set", "problem.n=768", "--set", "problem.k=512", "--set", "problem.m=dynamic", "--shape", "m=600", "--sms", "2"]
POLICIES = [["--schedule", "lazy,eager,random:1,random:2"],
            ["--schedule", "lazy", "--policy", "ptx-strict", "--waive", "order.tensor-pipe"]]

# class, name, pattern, replacement: each match in the file is a mutant of its own.
RULES = [
    ("protocol", "drop wait", r"@!p bra WAIT;", ""),
    ("protocol", "flip parity of a wait", r"(mbarrier\.try_wait\.parity\S*) p, (\[%r\d+\]), (%r\d+);",
     r"{ .reg .b32 q; xor.b32 q, \3, 1; \1 p, \2, q; }"),
    ("protocol", "drop commit", r"tcgen05\.commit\.[^;]*;", ""),
    ("protocol", "drop arrive", r"mbarrier\.arrive\.[^;]*;", ""),
    ("protocol", "count + 1", r"(mbarrier\.init\.shared::cta\.b64 \[%r\d+\]), (%r\d+);",
     r"{ .reg .b32 q; add.s32 q, \2, 1; \1, q; }"),
    ("protocol", "drop init", r"mbarrier\.init\.shared::cta\.b64 [^;]*;", ""),
    ("protocol", "multicast to one CTA", r"(tcgen05\.commit\.[^;]*multicast[^;]*), (%rs\d+);",
     r"{ .reg .b16 q; and.b16 q, \2, 1; \1, q; }"),
    ("protocol", "drop cluster barrier", r"barrier\.cluster\.arrive\.release\.aligned;\s*barrier\.cluster\.wait\.acquire\.aligned;", ""),
    ("bytes", "expect + 16", r"(mbarrier\.arrive\.expect_tx\S*) _, (\[%r\d+\]), (%r\d+);",
     r"{ .reg .b32 q; add.s32 q, \3, 16; \1 _, \2, q; }"),
    ("bytes", "expect - 16", r"(mbarrier\.arrive\.expect_tx\S*) _, (\[%r\d+\]), (%r\d+);",
     r"{ .reg .b32 q; sub.s32 q, \3, 16; \1 _, \2, q; }"),
    ("bytes", "drop a copy", r"cp\.async\.bulk\.tensor\.\dd\.shared[^;]*;", ""),
    ("ordering", "drop fence.proxy.async", r"fence\.proxy\.async\.shared::cta;", ""),
    ("ordering", "drop wait::ld", r"tcgen05\.wait::ld\.sync\.aligned;", ""),
    ("ordering", "drop wait_group", r"cp\.async\.bulk\.wait_group[^;]*;", ""),
    ("ordering", "drop commit_group", r"cp\.async\.bulk\.commit_group;", ""),
    ("ordering", "drop fence.mbarrier_init", r"fence\.mbarrier_init\.release\.cluster;", ""),
    ("ordering", "drop before_thread_sync", r"tcgen05\.fence::before_thread_sync;", ""),
    ("ordering", "drop after_thread_sync", r"tcgen05\.fence::after_thread_sync;", ""),
    ("ordering", "drop named barrier", r"barrier\.cta\.sync %r\d+, %r\d+;", ""),
    ("layout", "descriptor bit", r"(tcgen05\.mma\.[^;]*\[%r\d+\]), (%rd\d+), ", r"{ .reg .b64 q; xor.b64 q, \2, 8; \1, q, "),
    ("layout", "instruction descriptor bit", r"(tcgen05\.mma\.[^;]*\[%r\d+\], %rd\d+, %rd\d+), (%r\d+), ",
     r"{ .reg .b32 q; xor.b32 q, \2, 0x20000; \1, q, "),
    ("layout", "column of a load", r"(tcgen05\.ld\.[^;]*)\[(%r\d+)\];", r"\1[\2+1];"),
    ("layout", "scale column", r"(tcgen05\.cp\.\S*) \[(%r\d+)\]", r"\1 [\2+1]"),
    ("layout", "box coordinate", r"(cp\.async\.bulk\.tensor\.2d\.shared[^;]*\{)(%r\d+), (%r\d+)\}", r"\1\3, \2}"),
    ("resource", "drop dealloc", r"tcgen05\.dealloc\.[^;]*;", ""),
]


def mutants_of(ptx):
    """(class, name with its number, line, text) of every mutant."""
    for kind, name, pattern, replacement in RULES:
        for number, match in enumerate(re.finditer(pattern, ptx)):
            changed = match.expand(replacement)
            end = match.end()
            if changed.startswith("{") and not changed.rstrip().endswith("}"):
                # The pattern ends inside the instruction: its block closes after it.
                stop = ptx.index(";", end) + 1
                changed += ptx[end:stop] + " }"
                end = stop
            yield kind, f"{name} {number}", ptx.count("\n", 0, match.start()) + 1, ptx[:match.start()] + changed + ptx[end:]


def is_killed(tool, spec, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        for policy in POLICIES:
            result = subprocess.run([tool, "run", str(KERNELS / f"{spec}.json"), "--on", "emulator", "--ptx", file.name, "--inputs", "exact",
                                     *policy, *SHORT], capture_output=True, text=True, check=False, timeout=300)
            if result.returncode not in (0, 4):
                raise RuntimeError(f"exit {result.returncode}: {result.stderr[:500]}")
            if result.returncode == 4:
                return True
    return False


def build(tool, folder):
    specs = [str(KERNELS / f"{spec}.json") for spec in SPECS]
    result = subprocess.run([tool, "build", *specs, "-o", folder, *SHORT[:6]], capture_output=True, text=True, check=False)
    if result.returncode == 5:
        print(result.stderr)
        sys.exit(77)
    if result.returncode != 0:
        print(f"FAILED: build: {result.stderr}")
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--match", default="", help="only mutants whose SPEC:NAME matches")
    options = parser.parse_args()
    known = {tuple(line.split(":", 2)[:2]) for line in (HERE / "equivalents.txt").read_text().splitlines()
             if line and not line.startswith("#")}
    with tempfile.TemporaryDirectory() as folder:
        build(options.tool, folder)
        all_mutants = [(spec, *mutant) for spec in SPECS
                       for mutant in mutants_of((pathlib.Path(folder) / f"{spec}.ptx").read_text())]
    all_mutants = [m for m in all_mutants if re.search(options.match, f"{m[0]}:{m[2]}")]
    if options.sample:
        all_mutants = random.Random(1).sample(all_mutants, min(options.sample, len(all_mutants)))
    with ThreadPoolExecutor(2) as pool:
        killed = list(pool.map(lambda m: is_killed(options.tool, m[0], m[4]), all_mutants))
    counts, problems = {}, []
    for (spec, kind, name, line, _), dead in zip(all_mutants, killed):
        made, found, equivalent = counts.get(kind, (0, 0, 0))
        is_known = (spec, name) in known
        counts[kind] = (made + 1, found + dead, equivalent + (is_known and not dead))
        if dead == is_known:
            what = "listed as equivalent, but killed" if dead else "survived"
            problems.append(f"{what}: {spec}:{name}: PTX line {line} ({kind})")
    for kind, (made, found, equivalent) in sorted(counts.items()):
        print(f"{kind}: {found} of {made} killed" + (f", {equivalent} equivalent" if equivalent else ""))
    print("\n".join(problems))
    return 4 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
