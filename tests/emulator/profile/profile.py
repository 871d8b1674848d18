#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --profile` and --profile-out: of a launch description with known counts, and of a shipped spec.

profile.py WARPWRIGHT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FAILURES = []
ENVIRONMENT = 5  # exit code where nvcc is missing

# Line 7 stores 32 words of 8 banks, line 8 stores every other word of global memory, line 9 branches on what it loads.
PTX = """.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %d<8>;
.shared .align 128 .b8 s[1024];
.loc 1 6 0
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
.loc 1 7 0
and.b32 %r3, %r1, 7;
shl.b32 %r3, %r3, 7;
add.u32 %r3, %r2, %r3;
st.shared.u32 [%r3], 5;
.loc 1 8 0
mul.wide.u32 %d2, %r1, 8;
add.u64 %d2, %d1, %d2;
st.global.u32 [%d2], %r1;
.loc 1 9 0
ld.global.u32 %r4, [%d2];
setp.lt.u32 %p1, %r4, 24;
@%p1 bra END;
mov.u32 %r5, 0;
END:
ret;
}
.file 1 "folder/small.cu"
"""
LAUNCH = {"ptx": "k.ptx", "entry": "k", "grid": [2], "block": [64],
          "buffers": {"out": {"bytes": 512, "contents": {"constant": 0, "type": "u8"}}}, "arguments": [{"buffer": "out"}],
          "schedules": ["lazy", "eager"]}


def check(what, condition, result):
    if not condition:
        FAILURES.append(f"{what}: exit {result.returncode}\n{result.stdout}{result.stderr}")


def check_sums(launch):
    """Totals are the sums of lines, lines those of instructions, and lines stand in the order of their cost."""
    for key, total in launch["totals"].items():
        if key == "classes":
            for name, count in total.items():
                if count != sum(line["classes"].get(name, 0) for line in launch["lines"]):
                    FAILURES.append(f"class {name} is not the sum of its lines")
        elif key != "cost" and total != sum(line[key] for line in launch["lines"]):
            FAILURES.append(f"total {key} {total} is not the sum of its lines")
    for line in launch["lines"]:
        for key in ("warp_instructions", "wavefronts", "bytes_wasted", "waits", "branches"):
            if line[key] != sum(instruction[key] for instruction in line["instructions"]):
                FAILURES.append(f"line {line}: {key} is not the sum of its instructions")
        if sum(line["classes"].values()) != line["warp_instructions"]:
            FAILURES.append(f"line {line}: classes are not its instructions")
    costs = [line["cost"] for line in launch["lines"]]
    if costs != sorted(costs, reverse=True) or costs[0] == 0:
        FAILURES.append(f"costs are not in order: {costs}")


def test_launch(tool, folder):
    (folder / "k.ptx").write_text(PTX, encoding="utf-8")
    (folder / "k.json").write_text(json.dumps(LAUNCH), encoding="utf-8")
    command = [tool, "run", "--launch", "k.json", "--on", "emulator", "--waive", "race.shared"]
    plain = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    check("without --profile", plain.returncode == 0 and "Profile" not in plain.stdout, plain)
    result = subprocess.run([*command, "--profile", "--profile-out", "out.json"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    check("--profile", result.returncode == 0 and result.stdout.count("Profile of k, schedule") == 2 and "no times" in result.stdout, result)
    check("columns without counts", "wavefronts" in result.stdout and "wait steps" not in result.stdout.split("small.cu")[0].split("line ")[-1], result)
    check("most expensive first", re.search(r"line .*\n +small\.cu:7 ", result.stdout), result)
    for name in ("k.json", "k.ptx"):
        before = (folder / name).read_bytes()
        replacing = subprocess.run([*command, "--profile-out", name], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        check(f"--profile-out {name}", "error[cli.file-exists]" in replacing.stderr and (folder / name).read_bytes() == before, replacing)
    launches = json.loads((folder / "out.json").read_text(encoding="utf-8"))["launches"]
    if [launch["schedule"] for launch in launches] != ["lazy", "eager"]:
        FAILURES.append("schedules of the profiles")
    for launch in launches:
        check_sums(launch)
        lines = {(line["file"], line["line"]): line for line in launch["lines"]}
        wanted = {7: {"wavefronts": 32, "extra_wavefronts": 28, "warp_instructions": 16, "cost": 44},
                  8: {"sectors": 32, "bytes_wanted": 512, "bytes_wasted": 512, "extra_wavefronts": 0, "cost": 12 + 16},
                  9: {"branches": 4, "branches_split": 0, "branch_lanes": 128, "branches_on": "data"}}
        for number, counts in wanted.items():
            line = lines[("small.cu", number)]
            for key, count in counts.items():
                if line[key] != count and not (number == 9 and key == "branches_split"):
                    FAILURES.append(f"line {number}: {key} {line[key]} instead of {count}")
        if (lines[("small.cu", 9)]["branches_split"], lines[("small.cu", 9)]["branch_lanes_taken"]) != (2, 48):
            FAILURES.append(f"branches of line 9: {lines[('small.cu', 9)]}")


def test_spec(tool, folder):
    """Lines of the emitted file, whose waits stand where the file waits."""
    spec, wide = (f"configs/kernels/w4a4_lora_gemm/{name}.json" for name in ("flux1_qkv", "flux1_modulation_fp32"))
    small = ["--set", "problem.n=768", "--set", "problem.k=512", "--set", "problem.m=dynamic"]
    out = folder / "spec.json"
    result = subprocess.run([tool, "run", spec, wide, "--on", "emulator", *small, "--shape", "m=300", "--sms", "4", "--inputs", "exact", "--profile",
                             "--profile-out", str(out)], capture_output=True, text=True, timeout=110, check=False)
    if result.returncode == ENVIRONMENT:
        return False
    check("spec", result.returncode == 0 and "Profile of flux1_qkv, exact inputs, schedule lazy" in result.stdout, result)
    launch, other = json.loads(out.read_text(encoding="utf-8"))["launches"]
    for each in (launch, other):
        check_sums(each)
        # The staging of 16-bit and of 32-bit outputs is swizzled so that its stores do not conflict.
        if each["totals"]["extra_wavefronts"] or each["totals"]["wavefronts"] < 4000:
            FAILURES.append(f"bank conflicts of {each['kernel']}: {each['totals']}")
    totals = launch["totals"]
    for name in ("alu", "control", "shared", "global", "tma", "tensor", "barrier", "fence"):
        if not totals["classes"].get(name):
            FAILURES.append(f"no instruction of class {name} in {totals}")
    source = subprocess.run([tool, "emit", spec, *small], capture_output=True, text=True, timeout=60, check=False).stdout.splitlines()
    waiting = {source[line["line"] - 1].split("(")[0].strip() for line in launch["lines"] if line["tries"] and "line" in line}
    if not waiting or any(not name.startswith("mbarrier_wait") for name in waiting):
        FAILURES.append(f"mbarriers are asked for in {waiting}")
    if not 0 < totals["refusals"] < totals["tries"] or not totals["wait_steps"] or not totals["wavefronts"]:
        FAILURES.append(f"waits {totals}")
    return True


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        test_launch(tool, pathlib.Path(name))
        is_whole = test_spec(tool, pathlib.Path(name))
    for failure in FAILURES:
        print("FAILED:", failure)
    if not FAILURES and not is_whole:
        print("nvcc is missing: the spec was left out")
        return 77
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
