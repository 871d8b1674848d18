# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown and in text from the measured JSON, and their place in a README. Needs nothing but Python."""
from shapes import BATCHES, LARGEST_MEMORY_BOUND_BATCH, LAYER, LAYER_BATCHES, SHAPES

BEGIN, END = "<!-- w4a8 on the H200: begin, written by tools/bench/w4a8 -->", "<!-- w4a8 on the H200: end -->"


class MarkersMissing(Exception):
    """A README without the two markers."""


def by_place(results):
    """{(shape, m): point}."""
    return {(point["shape"], point["m"]): point for point in results["points"]}


def our_us(point):
    """With an early start where the kernel has one, else whole."""
    return point["us"].get("ours", point["us"].get("ours_whole"))


def ratio(point, peer):
    """How many times as fast as the peer we are, or None."""
    ours = our_us(point)
    return point["us"][peer] / ours if ours and peer in point["us"] else None


def share(point, results, key=None):
    """Of the read ceiling, or None."""
    us = point["us"].get(key) if key else our_us(point)
    return point["bytes_moved"] / us / 1e6 / results["read_ceiling_tbps"] if us and point.get("bytes_moved") else None


def markdown(heading, rows):
    """A table whose first column is text."""
    lines = ["| " + " | ".join(heading) + " |", "|---|" + "---:|" * (len(heading) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def grid(results, batches, cell):
    """A row a shape, a column a batch; only what was measured."""
    places = by_place(results)
    batches = [m for m in batches if any((shape, m) in places for shape in SHAPES)]
    rows = []
    for shape, (n, k) in SHAPES.items():
        if not any((shape, m) in places for m in batches):
            continue
        cells = [cell(places[shape, m]) if (shape, m) in places else None for m in batches]
        rows.append([f"{shape} {n}×{k}"] + ["–" if c is None else c for c in cells])
    return markdown(["N×K \\ M"] + [str(m) for m in batches], rows) if rows else ""


def formatted(value, form="{:.2f}"):
    """A cell, or None."""
    return None if value is None else form.format(value)


def layer_table(results):
    """Microseconds of the linear part of one LLaMA-2-70B decoder layer; None where a product was not measured."""
    places = by_place(results)
    rows = []
    for m in LAYER_BATCHES:
        points = [places.get((shape, m)) for shape in LAYER]
        if None in points or any(our_us(p) is None or "fp8" not in p["us"] or "bf16" not in p["us"] for p in points):
            continue
        bf16, fp8, ours = (sum(p["us"]["bf16"] for p in points), sum(p["us"]["fp8"] for p in points), sum(our_us(p) for p in points))
        rows.append([str(m), f"{bf16:.1f}", f"{fp8:.1f}", f"{ours:.1f}", f"{bf16 / ours:.2f}", f"{fp8 / ours:.2f}"])
    heading = ["batch", "bf16, µs", "fp8, µs", "w4a8, µs", "times as fast as bf16", "times as fast as fp8"]
    return markdown(heading, rows) if rows else ""


def clocks(results):
    """The span of SM clocks and power under load, in words."""
    words = []
    for key, unit in (("sm_mhz", "MHz"), ("watts", "W")):
        values = [p["loaded"][key] for p in results["points"] if key in p.get("loaded", {})]
        if values:
            words.append(f"{min(values):.0f} to {max(values):.0f} {unit}")
    return ", ".join(words) if words else "clocks unknown"


def readme_text(results):
    """Everything between the markers."""
    device = results["device"]
    head = (f"Measured on {device['name']} (driver {device['driver']}, CUDA {device['cuda']}, torch {device['torch']}; {clocks(results)}), "
            f"{results['date']}, by `{results['command']}`: medians of graphs of many launches over weights of "
            f"{results['multiple_of_l2']} times the L2, all competitors of a problem in turn in one process.")
    parts = [head]
    for title, table in (
            ("Times as fast as cuBLASLt fp8 (one scale, fast accumulation), with programmatic dependent launch:",
             grid(results, BATCHES, lambda p: formatted(ratio(p, "fp8")))),
            ("The same with every launch whole:",
             grid(results, BATCHES, lambda p: formatted(p["us"]["fp8"] / p["us"]["ours_whole"]
                                                        if "fp8" in p["us"] and "ours_whole" in p["us"] else None))),
            ("Times as fast as cuBLASLt int8 (s32 results, M at least 32):", grid(results, BATCHES, lambda p: formatted(ratio(p, "int8")))),
            ("Microseconds:", grid(results, BATCHES, lambda p: formatted(our_us(p), "{:.1f}"))),
            (f"Share of the read ceiling of {results['read_ceiling_tbps']} TB/s:",
             grid(results, [m for m in BATCHES if m <= LARGEST_MEMORY_BOUND_BATCH], lambda p: formatted(share(p, results), "{:.0%}"))),
            ("The linear part of one LLaMA-2-70B decoder layer (qkv, o, gate and up, down):", layer_table(results))):
        if table:
            parts += [title, table]
    return "\n\n".join(parts)


def with_tables(text, results):
    """A README with what is between its markers replaced."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise MarkersMissing(f"one \"{BEGIN}\" and one \"{END}\" behind it are needed")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{readme_text(results)}\n{END}{rest.split(END)[1]}"


def short_text(results):
    """A line a point, for the end of a run."""
    lines = [f"{'shape':<12} {'M':>5} {'ours':>8} {'whole':>8} {'fp8':>8} {'rowwise':>8} {'int8':>8} {'bf16':>8}  fp8/ours  int8/ours  read ceiling"]
    for p in results["points"]:
        us = [formatted(p["us"].get(key), "{:8.1f}") or f"{'–':>8}" for key in ("ours", "ours_whole", "fp8", "fp8_rowwise", "int8", "bf16")]
        told = [formatted(ratio(p, "fp8")) or "–", formatted(ratio(p, "int8")) or "–", formatted(share(p, results), "{:.0%}") or "–"]
        lines.append(f"{p['shape']:<12} {p['m']:>5} {' '.join(us)}  {told[0]:>8}  {told[1]:>9}  {told[2]:>12}" + ("" if p["agree"] else "  FAILED" if "error" in p else "  OUTPUTS DIFFER"))
    return "\n".join(lines)
