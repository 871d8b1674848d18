#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The emulator's speed against its targets: warp instructions a second of one core, and whole kernels in seconds."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import bench

LOOPS = pathlib.Path(__file__).with_name("emulator_loops.ptx")
WARPS = 4
TRIPS = 400_000
RATE_TARGET = {False: 50e6, True: 15e6}  # warp instructions a second, by whether races are checked


class Launch:
    """One process of `run`: its processor seconds, and from its table the launch's warp instructions and seconds."""

    def __init__(self, argv, checks_races):
        timing = bench.Timing([*argv, *([] if checks_races else ["--no-races"])], os.environ)
        heads, cells = timing.output.replace("warp instr.", "instructions").splitlines()[:2]
        row = dict(zip(heads.split(), cells.split()))
        self.cpu_s, self.wall_s, self.instructions = timing.cpu_s, float(row["seconds"]), int(row["instructions"])


class Row:
    """One line of the table: figures of several processes."""

    def __init__(self, name, text, checks_races, target):
        self.name, self.text = name, text + (", races checked" if checks_races else "")
        self.checks_races, self.target = checks_races, target
        self.figures = []

    @property
    def median(self):
        return statistics.median(self.figures)

    def as_json(self):
        return {"name": self.name, "text": self.text, "checks_races": self.checks_races, "unit": self.unit, "runs": len(self.figures),
                "min": min(self.figures), "median": self.median, "max": max(self.figures), "target": self.target, "met": self.met}


class Loop(Row):
    """A rate: what a long run has more than a short one, so that neither the process nor the set-up counts."""
    unit = "warp instructions / s"

    def __init__(self, tool, folder, entry, text, checks_races):
        super().__init__(entry, text, checks_races, RATE_TARGET[checks_races])
        self.argv = [tool, "run", "--on", "emulator", "--launch"]
        self.files = {}
        for trips in (1, TRIPS):
            description = {"ptx": str(LOOPS), "entry": entry, "arch": "sm_100a", "grid": [1], "block": [32 * WARPS],
                           "buffers": {"data": {"bytes": 65536, "contents": {"constant": 1, "type": "u32"}}},
                           "arguments": [{"buffer": "data"}, {"u32": trips}]}
            self.files[trips] = folder / f"{entry}_{trips}.json"
            self.files[trips].write_text(json.dumps(description))

    def measure(self, runs):
        for _ in range(runs):
            short, long = (Launch([*self.argv, str(self.files[trips])], self.checks_races) for trips in (1, TRIPS))
            self.figures.append((long.instructions - short.instructions) / (long.cpu_s - short.cpu_s))

    @property
    def met(self):
        return self.median >= self.target

    def shown(self, figure):
        return f"{figure / 1e6:.1f} M/s"

    bound = "≥"


class Kernel(Row):
    """The seconds of a launch of a shipped spec, its values compared with the reference."""
    unit, bound = "s", "≤"

    def __init__(self, tool, name, text, arguments, checks_races, target_s):
        super().__init__(name, text, checks_races, target_s)
        self.argv = [tool, "run", *arguments, "--on", "emulator", "--inputs", "random"]

    def measure(self, runs):
        Launch(self.argv, self.checks_races)  # the compiler's cache has it afterwards
        self.figures = [Launch(self.argv, self.checks_races).wall_s for _ in range(runs)]

    @property
    def met(self):
        return self.median <= self.target

    def shown(self, figure):
        return bench.duration(figure)


def rows(tool, folder, has_full):
    loops = [("alu", "arithmetic"), ("shared_words", "shared memory, 4 bytes a lane side by side"),
             ("shared_vectors", "shared memory, 16 bytes a lane in swizzled rows"), ("global_loads", "global loads"),
             ("branches", "predicates and branches"), ("mbarriers", "mbarriers")]
    tile = [str(bench.SPEC), "--set", "problem.n=256", "--set", "problem.k=4096", "--shape", "m=256", "--sms", "2"]
    full = [str(bench.SPECS / "z_image_3840_to_3072.json"), "--shape", "m=4352", "-j", str(bench.CORES)]
    chosen = []
    for checks_races in (False, True):
        chosen += [Loop(tool, folder, entry, text, checks_races) for entry, text in loops]
        chosen.append(Kernel(tool, "tile", "256 x 256 x 4096, a pair, NVFP4", tile, checks_races, 0.3))
        if has_full:
            chosen.append(Kernel(tool, "full", f"4352 x 3072 x 3840, NVFP4, {bench.CORES} cores", full, checks_races,
                                 90.0 if checks_races else 30.0))
    return chosen


def table(measured):
    lines = [("", "min", "median", "max", "target", "")]
    for row in measured:
        figures = (min(row.figures), row.median, max(row.figures))
        lines.append((row.text, *map(row.shown, figures), f"{row.bound} {row.shown(row.target)}", "" if row.met else "MISSED"))
    return bench.aligned(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: tools/bench/emulator.py --only alu,shared_words")
    parser.add_argument("--tool", default=bench.newest_tool(), help="the program to time; default: build/release, else the newest")
    parser.add_argument("--only", help="rows to measure: alu,shared_words,shared_vectors,global_loads,branches,mbarriers,tile,full")
    parser.add_argument("--full", action="store_true", help="the row `full` too: minutes")
    parser.add_argument("--runs", type=int, default=5, help="runs of every row; `full` has one")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    parser.add_argument("--check", action="store_true", help="exit 4 if a target is missed")
    options = parser.parse_args()
    if options.tool is None:
        sys.exit("bench: no build of warpwright; try: cmake --preset release && cmake --build --preset release")
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:bench.CORES]))
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="warpwright-bench-") as folder:
        chosen = rows(options.tool, pathlib.Path(folder), options.full or "full" in (options.only or "").split(","))
        if options.only:
            unknown = set(options.only.split(",")) - {row.name for row in chosen}
            if unknown:
                parser.error(f"no row is named {', '.join(sorted(unknown))}")
            chosen = [row for row in chosen if row.name in options.only.split(",")]
        for row in chosen:
            print(f"{row.text} …", file=sys.stderr)
            row.measure(1 if row.name == "full" else options.runs)
    print(table(chosen))
    if load > 0.5:
        print(f"Other work was running (load {load:.1f} at the start): rates count processor seconds, kernels wall time.")
    missed = [row.name for row in chosen if not row.met]
    if options.json:
        version = subprocess.run([options.tool, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        report = {"tool": version, "cores": bench.CORES, "load_at_start": load, "rows": [row.as_json() for row in chosen]}
        pathlib.Path(options.json).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    return 4 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
