#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of cases.py on a GPU or the emulator, and records what they give or compares it with the record, byte for byte.

vectors.py record DRIVER FOLDER          writes FOLDER/digests.txt and FOLDER/outputs.bin
vectors.py compare DRIVER FOLDER [STEP]  STEP: only each STEP-th kernel of those that have few CTAs
"""
import concurrent.futures
import hashlib
import os
import pathlib
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "differential")]
import cases  # noqa: E402
import data  # noqa: E402
import driver  # noqa: E402


class Operands:
    """The operands of the multiplications that have been asked for last, on the device."""

    def __init__(self, device):
        self.device = device
        self.kinds = None
        self.addresses = []

    def of(self, case):
        """Addresses of shared memory, A's registers and the accumulators of every mode."""
        kinds = (case.a, case.b, case.d)
        if kinds != self.kinds:
            for address in self.addresses:
                self.device.free(address)
            parts = zip(*(data.operands(*kinds, mode) for mode in data.modes_of(case.a)))
            self.addresses = [self.device.allocate(b"".join(part)) for part in parts]
            self.kinds = kinds
        return self.addresses


def run_case(device, module, case, entries, operands):
    """The outputs of all CTAs."""
    table = device.allocate(cases.table_of(entries))
    num_bytes = case.registers * 512 * len(entries)
    out = device.allocate(b"\xa5" * num_bytes)
    arguments = [struct.pack("<Q", address) for address in (table, *operands.of(case), out)]
    device.launch(module, "k", len(entries), data.THREADS, arguments)
    result = device.read(out, num_bytes)
    device.free(table)
    device.free(out)
    return result


def run_all(device, chosen):
    """Yields each case and its outputs; modules are made beforehand by as many threads as there are cores."""
    operands = Operands(device)

    def load(case):
        device.make_current()
        return device.load(case.text())

    threads = 1 if device.is_emulator else os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(chosen), 64):
            part = chosen[first:first + 64]
            modules = list(pool.map(load, part))
            for case, module in zip(part, modules):
                yield case, run_case(device, module, case, cases.blocks(case, cases.block_count(case)), operands)
                device.call("cuModuleUnload", module)


def digests_of(case, output):
    """Eight bytes of each CTA's SHA-256."""
    num_bytes = case.registers * 512
    return [hashlib.sha256(output[i:i + num_bytes]).hexdigest()[:16] for i in range(0, len(output), num_bytes)]


def kept_of(case, output):
    """The outputs that are kept whole: of one CTA a mode, where a case has all modes."""
    if cases.block_count(case) != cases.MANY_BLOCKS:
        return b""
    return output[:case.registers * 512 * len(data.modes_of(case.a))]


def record(device, folder):
    """Writes what the device gives: digests of every CTA, and some outputs."""
    lines, outputs = [f"# {device.device_name()}\n"], []
    for case, output in run_all(device, cases.all_cases()):
        lines.append(" ".join([case.name.replace(" ", "_"), *digests_of(case, output)]) + "\n")
        outputs.append(kept_of(case, output))
    (folder / "digests.txt").write_text("".join(lines), encoding="utf-8")
    (folder / "outputs.bin").write_bytes(zlib.compress(b"".join(outputs), 9))
    print(f"{len(lines) - 1} kernels recorded")


def describe(case, output, wanted):
    """The first register that differs."""
    for i in range(0, len(wanted), 4):
        if output[i:i + 4] != wanted[i:i + 4]:
            block, rest = divmod(i // 4, case.registers * data.THREADS)
            register, thread = divmod(rest, data.THREADS)
            return (f"CTA {block}, mode {data.modes_of(case.a)[block]}, thread {thread}, register {register}: "
                    f"0x{output[i:i + 4][::-1].hex()} instead of 0x{wanted[i:i + 4][::-1].hex()}")
    return "the outputs that were kept are equal"


def compare(device, folder, step):
    """Whether the device gives what the record says, for the chosen kernels."""
    wanted = dict(line.split(" ", 1) for line in (folder / "digests.txt").read_text(encoding="utf-8").splitlines())
    kept = zlib.decompress((folder / "outputs.bin").read_bytes())
    everything = cases.all_cases()
    chosen = [case for i, case in enumerate(everything) if i % step == 0 or cases.block_count(case) == cases.MANY_BLOCKS]
    offsets, offset = {}, 0
    for case in everything:
        offsets[case] = offset
        offset += len(kept_of(case, bytes(case.registers * 512 * cases.MANY_BLOCKS)))
    blocks, failures = 0, 0
    for case, output in run_all(device, chosen):
        found, right = digests_of(case, output), wanted[case.name.replace(" ", "_")].split()
        blocks += len(found)
        if found == right:
            continue
        failures += 1
        whole = kept_of(case, output)
        print(f"FAILED: {case.name}: {sum(a != b for a, b in zip(found, right))} of {len(found)} CTAs differ; "
              f"{describe(case, whole, kept[offsets[case]:offsets[case] + len(whole)])}")
    print(f"{len(chosen)} kernels, {blocks} CTAs, {failures} kernels that differ")
    return failures == 0 and offset == len(kept)


def main():
    action, device, folder = sys.argv[1], driver.Driver(sys.argv[2]), pathlib.Path(sys.argv[3])
    if action == "record":
        record(device, folder)
        return 0
    return 0 if compare(device, folder, int(sys.argv[4]) if len(sys.argv) > 4 else 1) else 1


if __name__ == "__main__":
    sys.exit(main())
