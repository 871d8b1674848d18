#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""W4A8 operators of an archive against cuBLASLt's fp8, int8 and bf16 on one GPU, in one process.

Measures: python3 tools/bench/w4a8 --archive w4a8.wwa --runtime libwarpwright_runtime.so --json results.json
Writes:   python3 tools/bench/w4a8 --from results.json --readme generator/families/w4a8_gemm/README.md
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tables  # noqa: E402
from archive import Runtime, RuntimeFailure, open_archive  # noqa: E402
from monitor import Monitor  # noqa: E402
from shapes import BATCHES, SHAPES  # noqa: E402

PEERS = ("bf16", "fp8", "fp8_rowwise", "int8")


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(prog="w4a8", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archive", action="append", default=[], help="operators to measure, by their n and k; may be given again")
    parser.add_argument("--runtime", help="libwarpwright_runtime.so")
    parser.add_argument("--only", default="", metavar="REGEX", help="operators by name; the first that fits n and k is \"ours\"")
    parser.add_argument("--at", action="append", default=[], metavar="LOW-HIGH=REGEX",
                        help="for these M \"ours\" is the first that fits of the operators with such a name; may be given again")
    parser.add_argument("--extra", action="append", default=[], metavar="REGEX", help="operators that get a column of their own, by name")
    parser.add_argument("--shapes", default=",".join(SHAPES), help="comma-separated, of " + ", ".join(SHAPES))
    parser.add_argument("--batches", default=",".join(map(str, BATCHES)), help="values of M")
    parser.add_argument("--peers", default=",".join(PEERS), help="of " + ", ".join(PEERS) + "; empty: none")
    parser.add_argument("--no-pdl", action="store_true", help="only whole launches: no programmatic dependent launch")
    parser.add_argument("--runs", type=int, default=15, help="samples, one graph each")
    parser.add_argument("--read-ceiling-tbps", type=float, default=4.71, help="default: an H200's, read by bulk copies")
    parser.add_argument("--budget-s", type=float, default=480, help="no new problem after so many seconds")
    parser.add_argument("--json", metavar="FILE", help="write every sample there")
    parser.add_argument("--from", dest="source", metavar="FILE", help="take these results instead of measuring")
    parser.add_argument("--readme", metavar="FILE", help="write the tables between its markers")
    parser.add_argument("--check-readme", metavar="FILE", help="exit 4 unless its tables are those of --from")
    return parser.parse_args()


def operators_of(options):
    """Operators by column: ("ours" or a name, operator)."""
    runtime = Runtime(options.runtime or "libwarpwright_runtime.so")
    found = [op for path in options.archive for op in open_archive(runtime, path)]
    extras = [re.compile(pattern) for pattern in options.extra]
    named = [(op.name, op) for op in found if any(p.search(op.name) for p in extras)]
    ours = [("ours", op) for op in found if re.search(options.only, op.name) and not any(p.search(op.name) for p in extras)]
    return ours, named


def fits(op, n, k):
    """Whether an operator computes this problem."""
    return all(op.fixed.get(name, value) == value for name, value in (("n", n), ("k", k))) and set(op.free) <= {"m", "n", "k"}


def ours_at(m, n, k, ours, options):
    """The column "ours" of one problem: the first operator that fits, of those named for this M."""
    patterns = []
    for word in options.at:
        low, high, pattern = re.fullmatch(r"(\d+)-(\d+)=(.*)", word).groups()
        if int(low) <= m <= int(high):
            patterns.append(pattern)
    fitting = [pair for pair in ours if fits(pair[1], n, k) and all(re.search(p, pair[1].name) for p in patterns)]
    return fitting[:1]


def measure_shape(shape, options, columns, results, started, monitor):
    """All batches of one shape. Tensors are freed with it."""
    import torch
    from measure import OurWeights, Weights, measure
    n, k = SHAPES[shape]
    ours, named = columns
    held = {}  # by operator: its weights
    wanted = [p for p in options.peers.split(",") if p]
    peers = Weights(n, k) if wanted else None
    for m in map(int, options.batches.split(",")):
        if (datetime.datetime.now() - started).total_seconds() > options.budget_s:
            print(f"the budget of {options.budget_s:.0f} s is spent: {shape} from M = {m} on is left out", file=sys.stderr)
            break
        point = {"shape": shape, "n": n, "k": k, "m": m, "us": {}, "samples_us": {}, "agree": False}
        results["points"].append(point)
        try:
            competitors = peers.competitors(m, wanted) if peers else []
            for name, op in ours_at(m, n, k, ours, options) + [pair for pair in named if fits(pair[1], n, k)]:
                weights = held.setdefault(op.name, None) or OurWeights(op, n, k)
                held[op.name] = weights
                made, kernels, moved = weights.competitors(m, name, True)
                competitors += [c for c in made if c.name.endswith("_whole") or not options.no_pdl]
                if name == "ours":
                    point |= {"operator": weights.op.name, "kernels": kernels, "bytes_moved": moved}
            point["loaded"], point["agree"] = measure(competitors, m, n, k, options.runs, monitor)
        except RuntimeError as problem:  # the runtime's, torch's, the driver's: what has been measured is kept
            point["error"] = str(problem).splitlines()[0]
            print(f"{shape}, M = {m}: {point['error']}", file=sys.stderr)
            if "CUDA error" in str(problem) or "CUDA_ERROR" in str(problem):
                raise
            continue
        for c in competitors:
            point["us"][c.name] = round(c.median_us(), 3)
            point["samples_us"][c.name] = [round(us, 3) for us in c.samples_us]
        point["sets"] = {c.name: c.sets for c in competitors}
        point["launches_per_graph"] = {c.name: c.launches for c in competitors}
        print(tables.short_text({**results, "points": [point]}).splitlines()[1], flush=True)
    del peers, held
    torch.cuda.empty_cache()


def command_of(options):
    """The command line that says what was measured; files without their folders."""
    words = ["tools/bench/w4a8"]
    for archive in options.archive:
        words += ["--archive", pathlib.Path(archive).name]
    defaults = {"only": "", "shapes": ",".join(SHAPES), "batches": ",".join(map(str, BATCHES)), "peers": ",".join(PEERS), "runs": 15}
    for name, default in defaults.items():
        if getattr(options, name) != default:
            words += ["--" + name, str(getattr(options, name))]
    for word in options.at:
        words += ["--at", word]
    for pattern in options.extra:
        words += ["--extra", pattern]
    return shlex.join(words + ["--no-pdl"] * options.no_pdl)


def measure_all(options):
    """The results as JSON's objects."""
    import torch
    from measure import MULTIPLE_OF_L2
    torch.manual_seed(0)
    started = datetime.datetime.now()
    about = torch.cuda.get_device_properties(0)
    columns = operators_of(options)
    bus = f"{getattr(about, 'pci_domain_id', 0):08x}:{getattr(about, 'pci_bus_id', 0):02x}:{getattr(about, 'pci_device_id', 0):02x}.0"
    monitor = Monitor(bus)
    try:
        driver = pathlib.Path("/sys/module/nvidia/version").read_text(encoding="utf-8").strip()
    except OSError:
        driver = "unknown"
    results = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "command": command_of(options),
               "device": {"name": about.name, "sms": about.multi_processor_count, "l2_bytes": about.L2_cache_size, "driver": driver,
                          "torch": torch.__version__, "cuda": torch.version.cuda},
               "read_ceiling_tbps": options.read_ceiling_tbps, "multiple_of_l2": MULTIPLE_OF_L2, "before": monitor.read(), "points": []}
    try:
        for shape in options.shapes.split(","):
            measure_shape(shape, options, columns, results, started, monitor)
            write_json(options, results)
    except RuntimeError as problem:
        print(f"{problem}\nwhat was still to be measured was not", file=sys.stderr)
        results["error"] = str(problem).splitlines()[0]
    results["after"] = monitor.read()
    results["seconds"] = round((datetime.datetime.now() - started).total_seconds(), 1)
    return results


def write_json(options, results):
    """Whole or not at all."""
    if not options.json:
        return
    staged = pathlib.Path(options.json + ".part")
    staged.write_text(json.dumps(results), encoding="utf-8")
    os.replace(staged, options.json)


def update_readme(options, results):
    """Writes or checks; the exit code."""
    file = pathlib.Path(options.readme or options.check_readme)
    text = file.read_text(encoding="utf-8")
    try:
        wanted = tables.with_tables(text, results)
    except tables.MarkersMissing as problem:
        print(f"{file}: {problem}", file=sys.stderr)
        return 1
    if options.readme:
        file.write_text(wanted, encoding="utf-8")
        return 0
    if wanted != text:
        print(f"{file}: the tables are not those of {options.source}; --readme writes them", file=sys.stderr)
        return 4
    return 0


def main():
    """Exit codes: 0 ok, 1 bad input, 2 usage, 4 our outputs or a README differ or a call failed, 5 no GPU or no torch."""
    options = arguments()
    unknown = set(options.shapes.split(",")) - set(SHAPES)
    if unknown:
        print(f"no shape is named {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    if options.source:
        results = json.loads(pathlib.Path(options.source).read_text(encoding="utf-8"))
    else:
        try:
            import torch
        except ImportError:
            print("torch is needed to measure", file=sys.stderr)
            return 5
        if not torch.cuda.is_available():
            print("torch sees no GPU", file=sys.stderr)
            return 5
        try:
            results = measure_all(options)
        except RuntimeFailure as problem:
            print(problem, file=sys.stderr)
            return 1
        write_json(options, results)
    code = update_readme(options, results) if options.readme or options.check_readme else 0
    if not options.check_readme and not options.readme:
        print(tables.short_text(results))
        if layer := tables.layer_table(results):
            print("\nLinear part of one LLaMA-2-70B decoder layer\n" + layer)
    return code or (0 if all(p["agree"] for p in results["points"]) and "error" not in results else 4)


if __name__ == "__main__":
    sys.exit(main())
