#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GEMM of gemm.cu: its values as an H200 gave them, and what the emulator finds when a wait or a fence is taken out.

gemm.py record DRIVER PTX FOLDER   writes FOLDER/gemm.txt, the digests of what the device gives
gemm.py check DRIVER PTX FOLDER    on the emulator: the same digests, exact values, a finding for every mistake
"""
import ctypes
import hashlib
import pathlib
import random
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "differential")]
import data  # noqa: E402
import driver  # noqa: E402

M, N, K = 256, 256, 320  # two by two tiles, and more turns than the ring has stages
TILE, TILE_K, STAGES, THREADS = 128, 64, 3, 384
SHARED_BYTES = STAGES * 2 * TILE * TILE_K * 2
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
F16, SWIZZLE_128B = 6, 3  # CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_SWIZZLE_128B
SCHEDULES = ("lazy", "eager", "random:1")
# What is taken out, and how the slug of a finding may begin, under every schedule.
MISTAKES = {
    "wgmma.fence": (r"wgmma\.fence\.sync\.aligned;", ("order.no-wgmma-fence",)),
    "the wait for the last group": (r"wgmma\.wait_group\.sync\.aligned 0;", ("race.wgmma-registers",)),
    "the wait for the groups before": (r"wgmma\.wait_group\.sync\.aligned 1;", ("race.",)),
    "commit_group": (r"wgmma\.commit_group\.sync\.aligned;", ("race.wgmma-registers",)),
    "the wait for full stages": (r"// begin full.*?// end full", ("race.", "memory.uninitialised")),
    "the wait for empty stages": (r"// begin empty.*?// end empty", ("race.",)),
}


def tensor_map(device, address, rows):
    """K-major FP16 rows in boxes of TILE rows of TILE_K elements."""
    raw = ctypes.create_string_buffer(128 + 64)
    start = (ctypes.addressof(raw) + 63) // 64 * 64
    device.call("cuTensorMapEncodeTiled", ctypes.c_void_p(start), F16, 2, ctypes.c_uint64(address), (ctypes.c_uint64 * 2)(K, rows),
                (ctypes.c_uint64 * 1)(2 * K), (ctypes.c_uint32 * 2)(TILE_K, TILE), (ctypes.c_uint32 * 2)(1, 1), 0, SWIZZLE_128B, 0, 0)
    return ctypes.string_at(start, 128)


def run(device, text, a, b):
    """The product, row by row; DriverError when the emulator has findings."""
    module, function = device.load(text), ctypes.c_void_p()
    device.call("cuModuleGetFunction", ctypes.byref(function), module, b"gemm")
    device.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, SHARED_BYTES)
    addresses = [device.allocate(a), device.allocate(b), device.allocate(b"\xff" * (4 * M * N))]
    parameters = [tensor_map(device, addresses[0], M), tensor_map(device, addresses[1], N), struct.pack("<Q", addresses[2]),
                  struct.pack("<I", N), struct.pack("<I", K)]
    buffers = []
    for value in parameters:
        raw = ctypes.create_string_buffer(len(value) + 64)  # a tensor map is aligned to 64 bytes
        start = (ctypes.addressof(raw) + 63) // 64 * 64
        ctypes.memmove(start, value, len(value))
        buffers.append((raw, start))
    pointers = (ctypes.c_void_p * len(buffers))(*[start for _, start in buffers])
    device.call("cuLaunchKernel", function, N // TILE, M // TILE, 1, THREADS, 1, 1, SHARED_BYTES, None, pointers, None)
    device.call("cuCtxSynchronize")
    out = device.read(addresses[2], 4 * M * N)
    for address in addresses:
        device.free(address)
    return out


def integers(rows):
    """Small whole numbers: their products add up without rounding."""
    rng = random.Random(rows)
    return [rng.randint(-4, 4) for _ in range(rows * K)]


def operands():
    """{name: A and B}"""
    rng = random.Random(7)
    made = {mode: (bytes(data.codes(rng, "f16", mode, M * K)), bytes(data.codes(rng, "f16", mode, N * K)))
            for mode in ("near", "finite", "wide")}
    made["integers"] = (struct.pack(f"<{M * K}e", *integers(M)), struct.pack(f"<{N * K}e", *integers(N)))
    return made


def digests(device, text):
    """A line for each pair of operands."""
    return "".join(f"{name} {hashlib.sha256(run(device, text, a, b)).hexdigest()}\n" for name, (a, b) in operands().items())


def wrong_values(device, text):
    """How many of some elements of the product of whole numbers are wrong."""
    a, b = integers(M), integers(N)
    out = struct.unpack(f"<{M * N}f", run(device, text, *operands()["integers"]))
    rng = random.Random(3)
    places = [(rng.randrange(M), rng.randrange(N)) for _ in range(500)]
    return sum(out[i * N + j] != sum(x * y for x, y in zip(a[i * K:(i + 1) * K], b[j * K:(j + 1) * K])) for i, j in places)


def check(library, text, folder):
    """One schedule, which the environment names."""
    device, failures = driver.Driver(library), []
    if digests(device, text) != (folder / "gemm.txt").read_text(encoding="utf-8"):
        failures.append("other values than the H200 gave")
    if wrong := wrong_values(device, text):
        failures.append(f"{wrong} of 500 elements are not the exact product")
    for what, (pattern, slugs) in MISTAKES.items():
        changed, count = re.subn(pattern, "", text, flags=re.DOTALL)
        try:
            if not count:
                raise ValueError(f"nothing in the PTX is {what}")
            run(device, changed, *operands()["near"])
            failures.append(f"without {what} there is no finding")
        except driver.DriverError as error:
            if not any(slug in str(error) for slug in slugs):
                failures.append(f"without {what}: no {' or '.join(slugs)} in: {str(error)[:600]}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


def main():
    action, library, ptx, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    text = ptx.read_text(encoding="utf-8")
    if action == "record":
        (folder / "gemm.txt").write_text(digests(driver.Driver(library), text), encoding="utf-8")
        return 0
    if action == "check-one":
        return check(library, text, folder)
    results = [subprocess.run([sys.executable, __file__, "check-one", *sys.argv[2:]], check=False,
                              env={"WARPWRIGHT_EMULATOR_ARCH": "sm_90a", "WARPWRIGHT_EMULATOR_SCHEDULE": schedule}).returncode
               for schedule in SCHEDULES]
    print(f"{len(SCHEDULES)} schedules, {len(MISTAKES)} mistakes, {sum(map(bool, results))} schedules with failures")
    return 1 if any(results) else 0


if __name__ == "__main__":
    sys.exit(main())
