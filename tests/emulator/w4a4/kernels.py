#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every shipped spec on the emulator, on problems with edges: kernels.py WARPWRIGHT [--schedules N | --whole].

The shapes are shortened (n 768, k 512), so that the whole set takes a minute; everything that a spec chooses stays. With --schedules
three of them run under N random schedules instead, with --whole all have the k that they are written for, and an n that gives
every CTA group of a small device several tiles.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SHORT = ["--set", "problem.n=768", "--set", "problem.k=512", "--set", "problem.m=dynamic"]
KERNELS = pathlib.Path("configs/kernels/w4a4_lora_gemm")


def specs_by_arch():
    """Specs for the emulated sm_100a, which runs sm_100f too, and for sm_103a."""
    by_arch = {"sm_100a": [], "sm_103a": []}
    for spec in sorted(KERNELS.glob("*.json")):
        by_arch["sm_103a" if '"sm_103a"' in spec.read_text() else "sm_100a"].append(str(spec))
    return by_arch


def run(tool, what, specs, arguments):
    """One run; the number of launches that were right."""
    result = subprocess.run([tool, "run", *specs, "--on", "emulator", *arguments], capture_output=True, text=True, check=False)
    rows = result.stdout.splitlines()[1:]
    right = sum(row.endswith(" ok") for row in rows)
    if result.returncode != 0 or right != len(rows) or not rows:
        print(f"FAILED: {what}: exit {result.returncode}, {right} of {len(rows)} launches right\n{result.stderr[:4000]}")
        return None
    print(f"{what}: {right} launches right")
    return right


def check_policies(tool, specs):
    """Under ptx-strict the specs that ask for strict ordering are clean; the others rely on the order of issue, and on nothing else."""
    strict = [spec for spec in specs if '"strict"' in pathlib.Path(spec).read_text()]
    common = ["--inputs", "exact", "--shape", "m=300", "--sms", "4", "--policy", "ptx-strict", *SHORT]
    right = run(tool, "ptx-strict, strict ordering", strict, common)
    others = sorted(set(specs) - set(strict))
    waived = run(tool, "ptx-strict, the order of the tensor pipe waived", others, [*common, "--waive", "order.tensor-pipe"])
    if not right or not waived:
        return None
    result = subprocess.run([tool, "run", *others, "--on", "emulator", *common], capture_output=True, text=True, check=False)
    failed = sum(row.endswith("FAILED") for row in result.stdout.splitlines())
    found = set(re.findall(r"\b((?:order|race|async|mbarrier|memory|tmem)\.[a-z0-9-]+):", result.stderr))
    if result.returncode != 4 or failed != len(others) or found != {"order.tensor-pipe"}:
        print(f"FAILED: {failed} of {len(others)} rely on the order of issue; found {found}")
        return None
    print(f"{failed} specs rely on the order of the tensor pipe, {len(strict)} do not")
    return right + waived


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--schedules", type=int, default=0)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    tool = options.tool
    if options.schedules:
        specs = [str(KERNELS / f"{name}.json") for name in ("flux1_qkv", "flux1_mlp_up", "z_image_3840_to_3072")]
        schedules = ",".join(f"random:{seed}" for seed in range(options.schedules))
        return 0 if run(tool, "random schedules", specs, ["--inputs", "exact", "--schedule", schedules, "--shape", "m=300", "--sms", "2", *SHORT]) else 1
    if options.whole:
        whole = ["--inputs", "random", "--set", "problem.m=dynamic", "--set", "problem.n=1536", "--shape", "m=257", "--sms", "4", "-j", "2"]
        launches = [run(tool, f"{arch}, whole k", specs, whole) for arch, specs in specs_by_arch().items()]
        return 0 if all(launches) else 1
    total = 0
    for arch, specs in specs_by_arch().items():
        # An odd m: the last tile is partial, and there are more tiles than CTA groups.
        cases = [
            ("exact inputs", ["--inputs", "exact", "--schedule", "lazy,random:1", "--shape", "m=300", "--sms", "4", *SHORT]),
            ("random inputs, one tile row", ["--inputs", "random", "--shape", "m=77", "--sms", "148", *SHORT]),
        ]
        for what, arguments in cases:
            right = run(tool, f"{arch}, {what}", specs, arguments)
            if right is None:
                return 1
            total += right
    right = check_policies(tool, specs_by_arch()["sm_100a"])
    if right is None:
        return 1
    total += right
    # K of one tile, and the ladder as it is written but shorter.
    one_k = [str(KERNELS / "flux1_qkv.json"), str(KERNELS / "flux1_mlp_up.json")]
    extra = [("one K tile", one_k, ["--set", "problem.k=128", "--set", "problem.n=512", "--shape", "m=256", "--schedule", "eager,lazy"]),
             ("ladder", ["configs/ladder"], ["--set", "problem.k=512", "--set", "problem.m=400", "--schedule", "random:5"])]
    for what, specs, arguments in extra:
        right = run(tool, what, specs, arguments)
        if right is None:
            return 1
        total += right
    if total < 100:
        print(f"FAILED: only {total} launches")
        return 1
    print(f"{total} launches, all right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
