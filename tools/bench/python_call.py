#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host time of a launch from Python beside the same launch from C: python_call.py ARCHIVE GPU_MULTI [--json FILE].

ARCHIVE is gpu_smoke.wwa and GPU_MULTI the program that times the C calls on it (m = 256, one tensor map, a cluster of two); the
Python calls use torch tensors of that shape on the first device. Medians over 20 rounds of 100 launches, the queue emptied between
rounds. The torch line is an elementwise multiplication into a given tensor, for comparison.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys
import time

ROUNDS, LAUNCHES, ROWS, COLS = 20, 100, 256, 96


def median_us(call, synchronise):
    """Of single calls; the clock's own cost, measured the same way, is subtracted."""
    clock = time.perf_counter_ns
    times, empty = [], []
    for _ in range(ROUNDS):
        for _ in range(LAUNCHES):
            begin = clock()
            call()
            end = clock()
            times.append(end - begin)
            empty.append(clock() - end)
        synchronise()
    return (statistics.median(times) - statistics.median(empty)) / 1000


def c_medians(program, archive):
    """The lines "wwOperatorLaunch: median 3.21 us" of gpu_multi."""
    done = subprocess.run([program, archive], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return {name: float(value) for name, value in re.findall(r"^(ww\w+): median ([0-9.]+) us", done.stdout, re.MULTILINE)}


def try_every_way(torch, op, counted, x, scale, y):
    """Values of a launch, a bound call, a captured graph of both, and a launch on another stream of torch's."""
    expected = x * scale[:, None]

    def check(what):
        torch.cuda.synchronize()
        if not torch.equal(y, expected):
            sys.exit(f"{what}: wrong values")
        y.fill_(-12345.0)
        torch.cuda.synchronize()  # the next launch may be on another stream

    op(x=x, scale=scale, y=y)
    check("op(...)")
    call = op.bind(x=x, scale=scale, y=y)
    call()
    check("call()")
    side = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=side):
        for _ in range(3):
            op(x=x, scale=scale, y=y)
            call()
            counted(x=x, scale=scale, y=y)  # its workspace is torch's, from the graph's pool
    for _ in range(3):
        graph.replay()
        check("a replay of captured launches")
    with torch.cuda.stream(side):
        counted(x=x, scale=scale, y=y)
    check("a launch on torch's current stream")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("gpu_multi")
    parser.add_argument("--json", help="write the figures there too")
    arguments = parser.parse_args()
    in_c = c_medians(arguments.gpu_multi, arguments.archive)

    import torch
    import warpwright
    x = torch.randint(-100, 100, (ROWS, COLS), device="cuda:0").float()
    scale = 2.0 ** -torch.arange(ROWS, device="cuda:0").remainder(7).float()
    y = torch.empty_like(x)
    archive = warpwright.open(arguments.archive)
    op = archive["row_scale"]
    counted = archive["row_scale_counted"]
    op.preload(0)
    counted.preload(0)
    try_every_way(torch, op, counted, x, scale, y)
    call = op.bind(x=x, scale=scale, y=y)
    factors = scale[:, None]
    figures = {
        "c_operator_launch_us": in_c["wwOperatorLaunch"],
        "c_call_launch_us": in_c["wwCallLaunch"],
        "python_op_us": median_us(lambda: op(x=x, scale=scale, y=y), torch.cuda.synchronize),
        "python_bound_us": median_us(call, torch.cuda.synchronize),
        "python_op_with_workspace_us": median_us(lambda: counted(x=x, scale=scale, y=y), torch.cuda.synchronize),
        "torch_multiply_us": median_us(lambda: torch.mul(x, factors, out=y), torch.cuda.synchronize),
    }
    figures["python_op_over_c_us"] = figures["python_op_us"] - figures["c_operator_launch_us"]
    figures["python_bound_over_c_us"] = figures["python_bound_us"] - figures["c_call_launch_us"]
    has_table = hasattr(type(x), "__dlpack_c_exchange_api__")
    print(f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}, Python {sys.version.split()[0]}, "
          f"tensors by {'the DLPack exchange table' if has_table else 'attributes'}")
    for name, value in figures.items():
        print(f"{name:30} {value:7.2f}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({key: round(value, 3) for key, value in figures.items()}, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
