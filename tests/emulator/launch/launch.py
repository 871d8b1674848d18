#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --launch` on kernels.ptx: every kind of argument and of contents, comparison, and every refusal.

launch.py WARPWRIGHT
"""
import copy
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

PTX = pathlib.Path(__file__).resolve().parent / "kernels.ptx"
FAILURES = []

SCALARS = {
    "ptx": "kernels.ptx", "entry": "scalars", "grid": [1], "block": [1],
    "buffers": {"out": {"bytes": 64, "contents": {"constant": 0, "type": "u8"}, "output": "out.bin"}},
    "arguments": [{"buffer": "out", "offset_bytes": 8}, {"u8": 255}, {"s16": -2}, {"u32": 4294967295}, {"s64": -5}, {"f32": 1.5},
                  {"f64": -0.25}, {"bf16": 3}],
}
SCALE = {
    "ptx": "kernels.ptx", "entry": "scale", "grid": [2], "block": [32],
    "buffers": {
        "in": {"bytes": 256, "contents": {"iota": {"start": -3, "step": 2}, "type": "s32"}},
        "out": {"bytes": 256, "expected": {"iota": {"start": -9, "step": 6}, "type": "s32"}},
    },
    "arguments": [{"bytes": 32, "struct": [{"at": 8, "buffer": "out"}, {"at": 16, "s32": 3}, {"at": 24, "buffer": "in"}]}],
    "schedules": ["lazy", "eager", "random:3"],
}
BOX = {
    "ptx": "kernels.ptx", "entry": "box", "grid": [1], "block": [1], "cluster": [1], "dynamic_shared_bytes": 128,
    "buffers": {
        "in": {"bytes": 512, "contents": {"iota": {}, "type": "u16"}},
        "out": {"bytes": 64, "output": "out.bin"},
    },
    "tensor_maps": {"map": {"buffer": "in", "offset_bytes": 256, "type": "u16", "dims": [8, 8], "strides_bytes": [32], "box": [8, 4]}},
    "arguments": [{"tensor_map": "map"}, {"buffer": "out"}, {"u32": 5}],
}
LANES = {"ptx": "kernels.ptx", "entry": "lanes", "grid": [1], "block": [64], "dynamic_shared_bytes": 4,
         "buffers": {"out": {"bytes": 256, "expected": {"iota": {}, "type": "u32"}}}, "arguments": [{"buffer": "out"}]}

PICK = {"ptx": "kernels.ptx", "entry": "pick", "grid": [1], "block": [32],
        "buffers": {"out": {"bytes": 128, "contents": {"iota": {"start": 8}, "type": "u32"},
                            "expected": {"iota": {"start": 16, "step": 2}, "type": "u32"}}},
        "arguments": [{"buffer": "out"}]}


def run(tool, folder, description, arguments=()):
    (folder / "kernels.ptx").write_text(PTX.read_text(encoding="utf-8"), encoding="utf-8")
    text = description if isinstance(description, str) else json.dumps(description, indent=1)
    (folder / "launch.json").write_text(text, encoding="utf-8")
    return subprocess.run([tool, "run", "--launch", "launch.json", "--on", "emulator", *arguments], cwd=folder, capture_output=True,
                          text=True, timeout=30, check=False)


def check(what, condition, result):
    if not condition:
        FAILURES.append(f"{what}: exit {result.returncode}\n{result.stdout}{result.stderr}")


def test_arguments(tool, folder):
    result = run(tool, folder, SCALARS)
    wanted = bytes(8) + b"".join(
        value.ljust(8, b"\0") for value in (b"\xff", struct.pack("<h", -2), b"\xff" * 4, struct.pack("<q", -5),
                                             struct.pack("<f", 1.5), struct.pack("<d", -0.25), b"\x40\x40"))
    check("scalars", result.returncode == 0 and (folder / "out.bin").read_bytes() == wanted, result)
    result = run(tool, folder, SCALE)
    check("struct", result.returncode == 0 and result.stdout.count(" ok\n") == 3, result)
    result = run(tool, folder, SCALE, ["--schedule", "random:9"])
    check("--schedule", result.returncode == 0 and "random:9" in result.stdout and "lazy" not in result.stdout, result)
    result = run(tool, folder, BOX)
    # Rows 5 to 7 of the map, 16 words apart from word 128 on, and a row beyond it.
    rows = [struct.pack("<8H", *(range(128 + 16 * row, 136 + 16 * row))) if row < 8 else bytes(16) for row in range(5, 9)]
    check("tensor map", result.returncode == 0 and (folder / "out.bin").read_bytes() == b"".join(rows), result)


def copied(tool, folder, bytes_of_buffer, contents):
    """What a buffer of these contents holds: scale() by one copies it."""
    description = copy.deepcopy(SCALE)
    description["schedules"] = ["eager"]
    description["grid"] = [bytes_of_buffer // 128]
    description["arguments"][0]["struct"][1] = {"at": 16, "u32": 1}
    description["buffers"] = {"in": {"bytes": bytes_of_buffer, "contents": contents}, "out": {"bytes": bytes_of_buffer, "output": "out.bin"}}
    result = run(tool, folder, description)
    check(f"contents {contents}", result.returncode == 0, result)
    return (folder / "out.bin").read_bytes() if result.returncode == 0 else b""


def test_contents(tool, folder):
    (folder / "in.bin").write_bytes(bytes(range(128)))
    cases = {
        "file": ({"file": "in.bin"}, bytes(range(128))),
        "bf16": ({"iota": {}, "type": "bf16"}, b"".join(struct.pack("<f", i)[2:] for i in range(64))),
        "f16": ({"iota": {"step": 0.5}, "type": "f16"}, b"".join(struct.pack("<e", i / 2) for i in range(64))),
        "e2m1": ({"iota": {"start": -6}, "type": "e2m1"}, bytes([0xef, 0xde, 0xac, 0x20, 0x54, 0x66]) + b"\x77" * 122),
        "e4m3": ({"constant": -1.5, "type": "e4m3"}, b"\xbc" * 128),
        "e4m3 saturates": ({"constant": 1e9, "type": "e4m3"}, b"\x7e" * 128),
        "e5m2": ({"constant": 2, "type": "e5m2"}, b"\x40" * 128),
        "ue8m0": ({"constant": 4, "type": "ue8m0"}, b"\x81" * 128),
        "s8 saturates": ({"constant": -200, "type": "s8"}, b"\x80" * 128),
        "u64": ({"constant": 2 ** 40 + 1, "type": "u64"}, struct.pack("<Q", 2 ** 40 + 1) * 16),
    }
    for name, (contents, wanted) in cases.items():
        found = copied(tool, folder, 128, contents)
        if found != wanted:
            FAILURES.append(f"contents {name}: {found.hex()} instead of {wanted.hex()}")
    random = {"random": {"seed": 5, "min": -2, "max": 2}, "type": "s32"}
    first, again = copied(tool, folder, 4096, random), copied(tool, folder, 4096, random)
    other = copied(tool, folder, 4096, {"random": {"seed": 6, "min": -2, "max": 2}, "type": "s32"})
    drawn = set(struct.unpack("<1024i", first)) if first else set()
    if first != again or first == other or drawn != {-2, -1, 0, 1, 2}:
        FAILURES.append(f"random: values {drawn}, equal again {first == again}, equal with another seed {first == other}")
    chosen = copied(tool, folder, 4096, {"random": {"seed": 1, "values": [1, 8]}, "type": "u32"})
    if set(struct.unpack("<1024I", chosen)) != {1, 8}:
        FAILURES.append("random values: others were drawn")


def test_comparison(tool, folder):
    wrong = copy.deepcopy(SCALE)
    wrong["arguments"][0]["struct"][1]["s32"] = 4
    result = run(tool, folder, wrong, ["--schedule", "lazy"])
    check("wrong values", result.returncode == 4 and "error[run.failed]" in result.stderr and
          "buffer out: 64 of 64 values are wrong, the first at 0: -12 (0xfffffff4) instead of -9 (0xfffffff7)" in result.stderr, result)
    near = copy.deepcopy(wrong)
    near["buffers"]["out"]["absolute_tolerance"] = 122
    result = run(tool, folder, near)
    check("beyond the tolerance", result.returncode == 4 and "1 of 64 values are wrong, the first at 63" in result.stderr, result)
    near["buffers"]["out"]["absolute_tolerance"] = 123
    result = run(tool, folder, near)
    check("within the tolerance", result.returncode == 0, result)
    relative = copy.deepcopy(wrong)
    relative["buffers"]["out"]["relative_tolerance"] = 0.34
    result = run(tool, folder, relative)
    check("relative tolerance", result.returncode == 0, result)
    hangs = {"ptx": "kernels.ptx", "entry": "waits_forever", "grid": [1], "block": [32], "dynamic_shared_bytes": 8, "arguments": []}
    result = run(tool, folder, hangs)
    check("deadlock", result.returncode == 4 and "run.deadlock" in result.stderr and "FAILED" in result.stdout, result)


def test_waivers(tool, folder):
    result = run(tool, folder, LANES)
    check("a warp beyond its lanes", result.returncode == 4 and "ldst.lane-window: tcgen05.st" in result.stderr and
          "ldst.lane-window: tcgen05.ld" in result.stderr, result)
    waiver = {"finding": "ldst.lane-window", "text": "tcgen05.ld", "reason": "a test"}
    result = run(tool, folder, {**LANES, "waivers": [waiver]})
    check("waived by its text", result.returncode == 4 and "ldst.lane-window: tcgen05.st" in result.stderr and
          "ldst.lane-window: tcgen05.ld" not in result.stderr, result)
    del waiver["text"]
    result = run(tool, folder, {**LANES, "waivers": [waiver]})
    check("waived, with each warp's own lanes", result.returncode == 0 and " ok" in result.stdout, result)
    result = run(tool, folder, {**LANES, "waivers": [{"finding": "ldst.lane-window"}]})
    check("a waiver without a reason", result.returncode == 1 and "waivers[0].reason: missing" in result.stderr, result)
    result = run(tool, folder, {**LANES, "waivers": [{"finding": "run.deadlock", "reason": "never"}]})
    check("what cannot be waived", result.returncode == 1 and "waivers[0].finding" in result.stderr, result)


def test_races(tool, folder):
    text = PTX.read_text(encoding="utf-8").replace("tcgen05.fence::after_thread_sync;", "")
    (folder / "unfenced.ptx").write_text(text, encoding="utf-8")
    unfenced = {**LANES, "ptx": "unfenced.ptx", "waivers": [{"finding": "ldst.lane-window", "reason": "a test"}]}
    result = run(tool, folder, unfenced)
    check("without a fence", result.returncode == 4 and "order.no-tcgen05-fence" in result.stderr, result)
    result = run(tool, folder, unfenced, ["--no-races"])
    check("--no-races", result.returncode == 0 and " ok" in result.stdout, result)


def changed(description, path, value):
    """A copy with the value at the path of keys replaced, or removed for None."""
    made = copy.deepcopy(description)
    at = made
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return made


def test_forced_branches(tool, folder):
    result = run(tool, folder, PICK)
    check("branches as their data says", result.returncode == 0 and result.stdout.count(" ok\n") == 1, result)
    result = run(tool, folder, PICK, ["--force-branches", "--schedule", "eager"])
    rows = {line.split()[0]: line.split()[-1] for line in result.stdout.splitlines()[1:]}
    check("--force-branches", result.returncode == 4 and "kernel.trap" in result.stderr and
          rows == {"eager": "ok", "eager+taken": "FAILED", "eager+not-taken": "ok"}, result)
    calm = copy.deepcopy(PICK)
    calm["buffers"]["out"]["contents"]["iota"]["start"] = 0
    calm["buffers"]["out"]["expected"]["iota"] = {"start": 0, "step": 1}
    # Wrong values: the launch as its data says has the trap; the forced one is not judged by its values.
    result = run(tool, folder, calm, ["--schedule", "lazy+not-taken"])
    check("a forced launch's values", result.returncode == 0 and "lazy+not-taken" in result.stdout, result)
    result = run(tool, folder, PICK, ["--schedule", "lazy+sometimes"])
    check("no such way", result.returncode == 2 and "lazy+sometimes" in result.stderr, result)


def test_refusals(tool, folder):
    (folder / "short.bin").write_bytes(b"abc")
    (folder / "cut.ptx").write_text(PTX.read_text(encoding="utf-8")[:2000], encoding="utf-8")
    (folder / "binary.ptx").write_bytes(b"\x7fELF\0\0\0")
    (folder / "new.ptx").write_text(PTX.read_text(encoding="utf-8").replace("mul.lo.s32", "mul.huge.s32"), encoding="utf-8")
    cases = [
        ("no PTX file", changed(SCALE, ["ptx"], "none.ptx"), "launch.json:2:9: error[run.unreadable]"),
        ("PTX cut off", changed(SCALE, ["ptx"], "cut.ptx"), "cut.ptx:"),
        ("PTX cut off, slug", changed(SCALE, ["ptx"], "cut.ptx"), "error[run.bad-ptx]"),
        ("no text", changed(SCALE, ["ptx"], "binary.ptx"), "error[run.bad-ptx]: binary.ptx is no text"),
        ("unknown instruction", changed(SCALE, ["ptx"], "new.ptx"), "error[run.refused-launch]: ptx.unknown-instruction"),
        ("no kernel", changed(SCALE, ["entry"], "scales"), 'has no kernel "scales"; did you mean "scale"?'),
        ("which kernel", changed(SCALE, ["entry"], None), 'kernels.ptx has 6 kernels; "entry" names one'),
        ("grid of zero", changed(SCALE, ["grid"], [0]), "grid[0]: expected an integer from 1 to 2147483647, found 0"),
        ("block too large", changed(SCALE, ["block"], [1024, 2]), "error[run.refused-launch]: launch.threads"),
        ("no whole clusters", changed(SCALE, ["cluster"], [4]), "error[run.refused-launch]: launch.cluster"),
        ("too much shared memory", changed(SCALE, ["dynamic_shared_bytes"], 232449), "expected an integer from 0 to 232448, found 232449"),
        ("huge buffer", changed(SCALE, ["buffers", "in", "bytes"], 10 ** 15), "buffers.in.bytes: expected an integer from 1 to 8589934592"),
        ("file too short", changed(SCALE, ["buffers", "in", "contents"], {"file": "short.bin"}), "short.bin has 3 bytes, the buffer 256"),
        ("no file", changed(SCALE, ["buffers", "in", "contents"], {"file": "no.bin"}), "error[run.unreadable]: cannot read no.bin"),
        ("half an element", changed(SCALE, ["buffers", "in", "bytes"], 255), "255 bytes are no whole number of s32 elements"),
        ("unknown key", changed(SCALE, ["buffers", "in", "byte"], 3), 'buffers.in.byte: unknown key; did you mean "bytes"?'),
        ("two contents", changed(SCALE, ["buffers", "in", "contents", "constant"], 3), "found 2"),
        ("unknown format", changed(SCALE, ["buffers", "in", "contents", "type"], "e4m2"), 'did you mean "e4m3"?'),
        ("unknown buffer", changed(BOX, ["arguments", 1], {"buffer": "outt"}), 'there is no buffer "outt"; did you mean "out"?'),
        ("argument missing", changed(BOX, ["arguments"], BOX["arguments"][:2]), "2 arguments; box takes 3"),
        ("argument too long", changed(BOX, ["arguments", 2], {"u64": 1}), "argument 2 has 8 bytes; the parameter of box has 4"),
        ("scalar too large", changed(BOX, ["arguments", 2], {"u32": 4294967296}), "found 4294967296"),
        ("member beyond the struct", changed(SCALE, ["arguments", 0, "struct", 2, "at"], 28), "ends at byte 36 of 32"),
        ("stride", changed(BOX, ["tensor_maps", "map", "strides_bytes"], [20]), "error[run.bad-tensor-map]: tensor_maps.map: tma.stride"),
        ("swizzle", changed(BOX, ["tensor_maps", "map", "swizzle"], "128"), '"128" is not'),
        ("no JSON", '{"ptx": "kernels.ptx", "grid": [1,]}', "error[run.not-json]"),
        ("two grids", '{"ptx": "a", "grid": [1], "grid": [2], "block": [1], "arguments": []}', "error[run.duplicate-key]"),
        ("a list", "[]", "error[run.wrong-type]"),
    ]
    for what, description, words in cases:
        result = run(tool, folder, description, ["--schedule", "lazy"])
        check(what, result.returncode == 1 and words in result.stderr, result)
    result = run(tool, folder, SCALE, ["--schedule", "late"])
    check("schedule", result.returncode == 2 and 'there is no schedule "late"' in result.stderr, result)
    result = run(tool, folder, SCALE, ["--ptx", "cut.ptx"])
    check("--ptx", result.returncode == 1 and "cut.ptx:" in result.stderr, result)


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for test in (test_arguments, test_contents, test_comparison, test_waivers, test_races, test_forced_branches, test_refusals):
            test(tool, folder)
    for failure in FAILURES:
        print(f"FAILED: {failure}")
    print(f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
