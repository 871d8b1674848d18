#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of w4a8_gemm on the emulator, on short problems with edges: options.py WARPWRIGHT."""
import subprocess
import sys

SPEC = "configs/kernels/w4a8_gemm/llama2_7b_qkv.json"
TILE = ["tile.m=16", "tile.n=128", "compute_warpgroups=2", "split_k=1", "problem.n=256", "problem.k=512"]
SCHEDULES = "lazy,eager,random:1"

# Fields that differ from TILE, and the tokens of the launch.
CASES = [
    (['quant.group="128"'], 33),
    (["quant.group=channel"], 17),
    (["quant.dequant=lqq"], 1),
    (['quant.group="128"', "quant.dequant=lqq"], 16),
    (["problem.k=704"], 15),
    (["problem.n=192"], 20),
    (["tile.m=8"], 9),
    (["tile.m=64"], 65),
    (["tile.m=96"], 97),
    (["tile.n=256", "compute_warpgroups=4", "problem.n=576"], 31),
    (["epilogue.bias=true", "epilogue.output=fp16"], 7),
    (["epilogue.column_scale=true"], 17),
    (["epilogue.column_scale=true", "epilogue.bias=true", "quant.group=channel"], 16),
    (["lora.rank=32", "problem.n=192"], 19),
    (["lora.rank=128", "lora.type=fp16", "epilogue.bias=true", "epilogue.output=fp16"], 9),
    (["lora.rank=16", "epilogue.column_scale=true", "epilogue.bias=true", "split_k=2", "problem.n=192"], 33),
    (["lora.rank=48", "tile.m=64", "epilogue.column_scale=true"], 65),
    (["programmatic_dependent_launch=false"], 16),
    (["split_k=2"], 19),
    (["split_k=4", "epilogue.output=fp16", "problem.n=192"], 5),
    (["split_k=4", "quant.group=channel", "epilogue.bias=true"], 16),
]


def main():
    tool = sys.argv[1]
    total = 0
    for fields, tokens in CASES:
        # The last of a tile's splits, as its ticket says, sums: every CTA takes both paths.
        forces = ["--force-branches"] if any(field.startswith("split_k") for field in fields) else []
        arguments = [word for field in [*TILE, *fields] for word in ("--set", field)]
        result = subprocess.run([tool, "run", SPEC, "--on", "emulator", "--inputs", "exact", "--schedule", SCHEDULES, "--sms", "3",
                                 "--shape", f"m={tokens}", *forces, *arguments], capture_output=True, text=True, check=False)
        rows = result.stdout.splitlines()[1:]
        right = sum(row.endswith(" ok") for row in rows)
        if result.returncode != 0 or right != len(rows) or right < len(SCHEDULES.split(",")) * (3 if forces else 1):
            print(f"FAILED: {fields}, {tokens} tokens: exit {result.returncode}, {right} of {len(rows)} launches right\n"
                  f"{result.stdout[:1000]}\n{result.stderr[:3000]}")
            return 1
        total += right
    print(f"{total} launches, all right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
