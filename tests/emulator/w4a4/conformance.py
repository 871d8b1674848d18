#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PTX that is not a path of its final IR is found, by the right slug: conformance.py WARPWRIGHT [--all].

A mutant is one edit of what nvcc made of a shipped kernel; without --all the first place of each rule is edited, with it every
place of four kernels. Of the findings of a run those of conformance must be the one slug that the rule names.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

KERNELS = pathlib.Path("configs/kernels/w4a4_lora_gemm")
SPECS = ["flux1_qkv", "qwen3_32b_qkv_one_cta", "flux1_mlp_up", "z_image_3840_to_3072"]
PROBLEM = {"n": 768, "k": 512}
COMMIT = r"tcgen05\.commit\.[^;]*;"
COPY = r"cp\.async\.bulk\.tensor\.\dd\.shared::\w+\.global[^;]*;"
TEXT = r"[^$@]*?"  # without labels and branches

# name, slugs of which one is found, pattern, replacement.
RULES = [
    ("swap two commits", "order", rf"({COMMIT})({TEXT})({COMMIT})", r"\2\3\1"),
    ("swap two scale copies", "order", rf"(tcgen05\.cp\.[^;]*;)({TEXT})(tcgen05\.cp\.[^;]*;)", r"\2\3\1"),
    ("swap expect and copy", "order", rf"(mbarrier\.arrive\.expect_tx[^;]*;)({TEXT})({COPY})", r"\2\3\1"),
    ("drop an expect", "missing", r"mbarrier\.arrive\.expect_tx[^;]*;", ""),
    ("drop an arrive", "missing", r"mbarrier\.arrive\.release[^;]*;", ""),
    ("drop a wait", "missing", r"@!p bra WAIT;", ""),
    ("drop a copy", "missing", COPY, ""),
    ("drop a scale copy", "missing", r"tcgen05\.cp\.[^;]*;", ""),
    ("drop an MMA", "missing", r"tcgen05\.mma\.[^;]*;", ""),
    ("drop a commit", "missing", COMMIT, ""),
    ("drop the last bulk wait", "missing", r"cp\.async\.bulk\.wait_group 0;", ""),
    ("drop the wait for staging", "missing", r"cp\.async\.bulk\.wait_group\.read \d;", ""),
    ("drop a bulk group's end", "missing", r"cp\.async\.bulk\.commit_group;", ""),
    ("drop a named barrier", "missing", r"barrier\.cta\.sync %r\d+, %r\d+;", ""),
    ("drop a wait for loads", "missing", r"tcgen05\.wait::ld\.sync\.aligned;", ""),
    ("drop the release of columns", "missing", r"tcgen05\.dealloc\.[^;]*;", ""),
    ("one more commit", "extra", rf"({COMMIT})", r"\1 \1"),
    ("one more arrive", "extra", r"(mbarrier\.arrive\.release[^;]*;)", r"\1 \1"),
    ("bytes of an expect", "bytes", r"(mbarrier\.arrive\.expect_tx\S* _, \[%r\d+\]), (%r\d+);", r"{ .reg .b32 q; add.s32 q, \2, 16; \1, q; }"),
    ("count of an init", "count", r"(mbarrier\.init\.shared::cta\.b64 \[%r\d+\]), (%r\d+);", r"{ .reg .b32 q; add.s32 q, \2, 1; \1, q; }"),
    ("threads of a named barrier", "count", r"barrier\.cta\.sync (%r\d+), %r\d+;", r"barrier.cta.sync \1, 32;"),
    ("groups that may be left", "count", r"cp\.async\.bulk\.wait_group 0;", "cp.async.bulk.wait_group 1;"),
    ("other slot of a commit", "barrier", r"(tcgen05\.commit\.\S* \[%r\d+)\]", r"\1+8]"),
    ("other slot of an expect", "barrier", r"(mbarrier\.arrive\.expect_tx\S* _, \[%r\d+)\]", r"\1+8]"),
    ("other parity of a wait", "parity", r"(mbarrier\.try_wait\.parity\S* p, \[%r\d+\]), (%r\d+);", r"{ .reg .b32 q; xor.b32 q, \2, 1; \1, q; }"),
    ("other buffer of a copy", "operand", r"(cp\.async\.bulk\.tensor\.\dd\.shared::\w+\.global\S* \[%r\d+)\]", r"\1+1024]"),
    ("other columns of a scale copy", "operand", r"(tcgen05\.cp\.\S* \[%r\d+)\]", r"\1+1]"),
    ("overwrite the accumulator", "operand", r"setp\.ne\.b32 p, (%r\d+), 0;", r"setp.eq.b32 p, \1, 0;"),
]


def sets(**problem):
    return [word for name, value in {**PROBLEM, **problem, "m": "dynamic"}.items() for word in ("--set", f"problem.{name}={value}")]


def build(tool, folder, specs, problem):
    result = subprocess.run([tool, "build", *[str(KERNELS / f"{spec}.json") for spec in specs], "-o", folder, *problem],
                            capture_output=True, text=True, check=False)
    if result.returncode == 5:
        print(result.stderr)
        sys.exit(77)
    if result.returncode != 0:
        print(f"FAILED: build: {result.stderr}")
        sys.exit(1)
    return {spec: (pathlib.Path(folder) / f"{spec}.ptx").read_text() for spec in specs}


def mutants_of(kernels, takes_all):
    """(spec, name, slug, text): of each rule every place, or the first one of the first kernel that has one."""
    for name, slug, pattern, replacement in RULES:
        places = [(spec, ptx, number, match) for spec, ptx in kernels.items() for number, match in enumerate(re.finditer(pattern, ptx))]
        for spec, ptx, number, match in places if takes_all else places[:1]:
            yield spec, f"{name} {number}", slug, ptx[:match.start()] + match.expand(replacement) + ptx[match.end():]


def findings_of(tool, spec, ptx, problem):
    """Exit code, conformance slugs and text of a run of `ptx` in the place of the spec's own."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        result = subprocess.run([tool, "run", str(KERNELS / f"{spec}.json"), "--on", "emulator", "--ptx", file.name, "--inputs", "exact",
                                 "--shape", "m=300", "--sms", "4", *problem], capture_output=True, text=True, check=False, timeout=120)
    return result.returncode, set(re.findall(r"\bconformance\.([a-z-]+):", result.stderr)), result.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    tool, specs = options.tool, SPECS if options.all else SPECS[:2]
    with tempfile.TemporaryDirectory() as folder:
        kernels = build(tool, folder, specs, sets())
        cases = [(*mutant, sets()) for mutant in mutants_of(kernels, options.all)]
        # Each turn of k and each tile counts: the same kernel for a problem with more of them.
        first = specs[0]
        cases += [(first, "k loop", "missing", kernels[first], sets(k=640)), (first, "tiles", "trips", kernels[first], sets(n=1536))]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: findings_of(tool, case[0], *case[3:]), cases))
    problems = 0
    for (spec, name, slug, _, _), (code, found, text) in zip(cases, results):
        # In another problem's PTX each role deviates where it does.
        is_right = slug in found if name in ("k loop", "tiles") else found == {slug}
        if code != 4 or not is_right:
            problems += 1
            print(f"FAILED: {spec}: {name}: exit {code}, found {sorted(found)} instead of {slug}\n{text[:600] if not options.all else ''}")
    missed = {rule[0] for rule in RULES} - {case[1].rsplit(" ", 1)[0] for case in cases}
    if missed:
        print(f"FAILED: rules that fit no kernel: {sorted(missed)}")
    print(f"{len(cases)} mutants, {len(cases) - problems} found by their slug")
    return 1 if problems or missed else 0


if __name__ == "__main__":
    sys.exit(main())
