#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole processes of the tool against the targets of its README; medians, on two cores."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECS = ROOT / "configs/kernels/w4a4_lora_gemm"
SPEC = SPECS / "flux1_qkv.json"
KERNELS = 64
CORES = 2
GRID = ["tile.n=64,128,192,256", "lora.rank=0,16,32,48,64,96,128,256", "epilogue.output=bf16,fp16,fp32",
        "epilogue.activation=none,silu,gelu", "quant.scheme=nvfp4,mxfp4", "cta_pairing=1,2",
        "lora.placement=ring,dedicated"]  # 2,304 points, every other field left to the planner
GRID_POINTS = 4 * 8 * 3 * 3 * 2 * 2 * 2


class Timing:
    """One process: wall and processor seconds, and what it printed."""

    def __init__(self, argv, env, expected=0):
        started = time.perf_counter()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(argv, stdout=out, stderr=err, env=env)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall_s = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != expected:
                err.seek(0)
                sys.exit(f"bench: exit {process.returncode} of {' '.join(argv)}\n{err.read().decode()}")
            out.seek(0)
            self.output = out.read().decode()
        self.cpu_s = usage.ru_utime + usage.ru_stime


class Row:
    """One line of the table. `prepare` runs before each timed process and is not timed."""

    def __init__(self, name, text, argv, target_s, runs, scale=1.0, prepare=lambda: None, env=None):
        self.name, self.text, self.argv, self.target_s = name, text, argv, target_s
        self.runs, self.scale, self.prepare, self.env = runs, scale, prepare, env or {}
        self.wall, self.cpu = [], []

    def measure(self, runs, warm_up):
        env = {**os.environ, **self.env}
        for number in range(runs + (1 if warm_up else 0)):
            self.prepare()
            timing = Timing(self.argv, env)
            if number == 0 and warm_up:
                continue  # the first one reads the program from disk
            self.wall.append(timing.wall_s * self.scale)
            self.cpu.append(timing.cpu_s * self.scale)

    @property
    def median_s(self):
        return statistics.median(self.wall)

    def as_json(self):
        return {"name": self.name, "text": self.text, "runs": len(self.wall), "min_s": min(self.wall),
                "median_s": self.median_s, "max_s": max(self.wall), "median_cpu_s": statistics.median(self.cpu),
                "target_s": self.target_s, "met": self.median_s <= self.target_s}


def copies_of_specs(folder):
    """64 specs with 64 different kernels: the shipped ones, then the same with wider outputs."""
    shipped = sorted(SPECS.glob("*.json"))
    for number in range(KERNELS):
        spec = json.loads(shipped[number % len(shipped)].read_text())
        turn = number // len(shipped)
        spec["problem"]["n"] += 768 * turn  # a multiple of every tile.n
        spec.pop("$schema", None)
        (folder / f"{shipped[number % len(shipped)].stem}_{turn}.json").write_text(json.dumps(spec))


def rows(tool, folder):
    specs = folder / "specs"
    specs.mkdir()
    copies_of_specs(specs)
    cache = folder / "cache"
    out = ["-o", str(folder / "out")]
    one = [tool, "build", str(SPEC), *out, "--no-cache", "-j", "1"]
    many = [tool, "build", str(specs), *out, "--archive", str(folder / "all.wwa"), "-j", str(CORES)]
    cached = {"WARPWRIGHT_CACHE": str(cache)}

    def forget():
        shutil.rmtree(cache, ignore_errors=True)

    return [
        Row("plan", "plan one spec", [tool, "plan", str(SPEC)], 0.020, 20),
        Row("emit", "emit one spec", [tool, "emit", str(SPEC)], 0.050, 20),
        Row("nvrtc", "one spec to cubin, NVRTC", [*one, "--backend", "nvrtc"], 0.300, 8),
        Row("nvcc", "one spec to cubin, nvcc", one, 0.600, 8),
        Row("cold", f"{KERNELS} kernels, {CORES} cores, no cache", many, 40.0, 1, prepare=forget, env=cached),
        Row("warm", f"{KERNELS} kernels, {CORES} cores, all cached", many, 1.0, 5, env=cached),
        Row("sweep", f"one grid of {GRID_POINTS:,} points planned, its time for 2,000", [tool, "plan", str(SPEC), "--grid", *GRID, "--json"], 2.0, 3,
            scale=2000 / GRID_POINTS),
    ]


def duration(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def table(measured):
    lines = [("", "min", "median", "max", "cpu", "target", "")]
    for row in measured:
        lines.append((row.text, duration(min(row.wall)), duration(row.median_s), duration(max(row.wall)),
                      duration(statistics.median(row.cpu)), "≤ " + duration(row.target_s),
                      "" if row.median_s <= row.target_s else "MISSED"))
    return aligned(lines)


def aligned(lines):
    """Lines of cells as a table: the first and the last column to the left, figures to the right."""
    last = len(lines[0]) - 1
    widths = [max(len(line[column]) for line in lines) for column in range(last + 1)]
    return "\n".join("  ".join(cell.ljust(width) if column in (0, last) else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def newest_tool():
    built = sorted(ROOT.glob("build/*/bin/warpwright"), key=lambda file: file.stat().st_mtime)
    release = ROOT / "build/release/bin/warpwright"
    return str(release if release.exists() else built[-1]) if built or release.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: tools/bench/bench.py --only plan,emit")
    parser.add_argument("--tool", default=newest_tool(), help="the program to time; default: build/release, else the newest")
    parser.add_argument("--only", help="rows to measure: plan,emit,nvrtc,nvcc,cold,warm,sweep")
    parser.add_argument("--runs", type=int, help="runs of every row, instead of each row's own number")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    parser.add_argument("--check", action="store_true", help="exit 4 if a target is missed")
    options = parser.parse_args()
    if options.tool is None:
        sys.exit("bench: no build of warpwright; try: cmake --preset release && cmake --build --preset release")
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="warpwright-bench-") as folder:
        chosen = rows(options.tool, pathlib.Path(folder))
        if options.only:
            unknown = set(options.only.split(",")) - {row.name for row in chosen}
            if unknown:
                parser.error(f"no row is named {', '.join(sorted(unknown))}")
            chosen = [row for row in chosen if row.name in options.only.split(",")]
        for row in chosen:
            print(f"{row.text} …", file=sys.stderr)
            row.measure(options.runs or row.runs, warm_up=row.name != "cold")
    print(table(chosen))
    if load > 0.5:
        print(f"Other work was running (load {load:.1f} at the start): wall times are too high, see the cpu column.")
    missed = [row.name for row in chosen if row.median_s > row.target_s]
    if options.json:
        version = subprocess.run([options.tool, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        report = {"tool": version, "cores": CORES, "load_at_start": load, "rows": [row.as_json() for row in chosen]}
        pathlib.Path(options.json).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    return 4 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
