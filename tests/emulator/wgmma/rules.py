#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What wgmma forbids, a kernel a rule: the emulator must find it, and find nothing in the kernels that keep the rules.

rules.py EMULATOR
"""
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "differential")]
import cases  # noqa: E402
import data  # noqa: E402
import driver  # noqa: E402

SHARED = cases.Case("f32", "f16", "f16", 8)
REGISTERS = cases.Case("f32", "f16", "f16", 8, True)
FENCE, COMMIT, WAIT = (f"wgmma.{word};" for word in ("fence.sync.aligned", "commit_group.sync.aligned", "wait_group.sync.aligned 0"))
BASE = (cases.descriptor(0, 128, 256, 16), cases.descriptor(data.A_BYTES, 128, 256, 16), 1, 0)


def mma(case):
    """The line of the MMA."""
    return re.search(r"wgmma\.mma_async[^;]*;", case.text()).group(0)


def other_shape(case):
    """An MMA of another N on the same first accumulators."""
    return re.sub(r"n8k", "n16k", mma(case)).replace("{%d0, %d1, %d2, %d3}", "{%d0, %d1, %d2, %d3, %e0, %e1, %e2, %e3}")


def edit(case, *changes):
    """The kernel's PTX with each (text, replacement) done."""
    text = case.text().replace(".reg .pred ", ".reg .b32 %e<4>;\n\t.reg .pred %q, ", 1)
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{text.count(old)} times {old}")
        text = text.replace(old, new)
    return text


def between(case, *lines):
    """Lines after the MMA's commit, before its wait."""
    return (COMMIT, "\n\t".join([COMMIT, *lines]))


def rules():
    """(name, what the finding says or None, PTX): every rule, broken, and its neighbours that are kept."""
    ss, rs = mma(SHARED), mma(REGISTERS)
    chain = f"{FENCE}\n\t{ss}"
    skips = f"{FENCE}\n\tsetp.ge.u32 %q, %thread, 96;\n\t@%q bra REST;\n\t{ss}\nREST:"
    yield "kept", None, edit(SHARED)
    yield "kept with A in registers", None, edit(REGISTERS)
    yield "no fence", "order.no-wgmma-fence", edit(SHARED, (FENCE, ""))
    yield "accumulator written after the fence", "order.no-wgmma-fence", edit(SHARED, (FENCE, f"{FENCE}\n\tmov.b32 %d1, 0;"))
    yield "fragment written after the fence", "order.no-wgmma-fence", edit(REGISTERS, (FENCE, f"{FENCE}\n\tmov.b32 %a3, 0;"))
    yield "accumulator read before the wait", "race.wgmma-registers", edit(SHARED, between(SHARED, "mov.b32 %w0, %d2;"))
    yield "accumulator written before the wait", "race.wgmma-registers", edit(SHARED, between(SHARED, "mov.b32 %d3, 0;"))
    yield "fragment written before the wait", "race.wgmma-registers", edit(REGISTERS, between(REGISTERS, "mov.b32 %a0, 0;"))
    yield "no commit", "race.wgmma-registers", edit(SHARED, (COMMIT, ""))
    yield "a group may be left", "race.wgmma-registers", edit(SHARED, (WAIT, WAIT.replace("0;", "1;")))
    yield "no wait", "race.wgmma-registers", edit(SHARED, (WAIT, ""))
    yield "a chain on one accumulator", None, edit(SHARED, (ss, f"{ss}\n\t{ss}\n\t{COMMIT}\n\t{ss}"))
    yield "a fragment for two MMAs", None, edit(REGISTERS, (rs, f"{rs}\n\t{rs}"))
    yield "another shape in flight", "race.wgmma-registers", edit(SHARED, (ss, f"{ss}\n\t{other_shape(SHARED)}"))
    yield "another shape without a fence", "order.no-wgmma-fence", edit(SHARED, (WAIT, f"{WAIT}\n\t{other_shape(SHARED)}\n\t{COMMIT}\n\t{WAIT} "))
    yield "another shape after wait and fence", None, edit(
        SHARED, (WAIT, f"{WAIT}\n\t{FENCE} \n\t{other_shape(SHARED)}\n\t{COMMIT} \n\t{WAIT} "))
    yield "a read, then an MMA without a fence", "order.no-wgmma-fence", edit(
        SHARED, (WAIT, f"{WAIT}\n\tmov.b32 %w0, %d0;\n\t{ss} \n\t{COMMIT} \n\t{WAIT} "))
    yield "accumulators as fragment", "race.wgmma-registers", edit(
        REGISTERS, (rs, f"{rs}\n\t" + rs.replace("{%d0, %d1, %d2, %d3}", "{%e0, %e1, %e2, %e3}").replace("{%a0, %a1, %a2, %a3}", "{%d0, %d1, %d2, %d3}")))
    yield "no proxy fence", "order.no-proxy-fence", edit(SHARED, ("fence.proxy.async;", ""))
    yield "shared memory stored before the wait", "race.", edit(SHARED, between(SHARED, "st.shared.b32 [%base], %w0;"))
    yield "another MMA in one warp", "wgmma.diverged", edit(
        SHARED, (chain, f"{FENCE}\n\tsetp.ge.u32 %q, %thread, 96;\n\t@%q bra OWN;\n\t{ss}\n\tbra REST;\nOWN:\n\t{ss}\nREST:"))
    yield "a warp that has no part", "has not issued its part", edit(
        SHARED, (chain, skips), (WAIT, f"{WAIT}\n\tbar.sync 1;"))
    yield "a warp that has no part, and nobody waits", "wgmma.diverged", edit(
        SHARED, (chain, skips), (WAIT, "bar.sync 1;"),
        *[(f"st.global.b32 [%to+{512 * i}], %d{i};", "") for i in range(4)])
    yield "a thread that has ended", "wgmma.warpgroup", edit(SHARED, (FENCE, f"{FENCE}\n\tsetp.eq.u32 %q, %thread, 77;\n\t@%q exit;"))
    yield "three warps", "wgmma.warpgroup", edit(SHARED, (".reqntid 128, 1, 1", ".reqntid 96, 1, 1"))
    yield "scale-d by lane", "wgmma.not-uniform", edit(SHARED, (FENCE, f"{FENCE}\n\tsetp.eq.u32 %scale, %thread, 3;"))
    yield "scale-d by warp", "wgmma.not-uniform", edit(SHARED, (FENCE, f"{FENCE}\n\tsetp.lt.u32 %scale, %thread, 32;"))
    yield "descriptor by lane", "wgmma.not-uniform", edit(SHARED, (FENCE, f"{FENCE}\n\tmad.wide.u32 %adesc, %thread, 16, %adesc;"))
    yield "a factor of 2", "wgmma.scale", edit(SHARED, (", 1, 1, 0, 0;", ", 1, 2, 0, 0;"))
    yield "a transposition of 2", "wgmma.trans", edit(SHARED, (", 1, 1, 0, 0;", ", 1, 1, 2, 0;"))
    yield "a descriptor beyond shared memory", "wgmma.shared-range", edit(SHARED, (FENCE, f"{FENCE}\n\tadd.s64 %bdesc, %bdesc, 2560;"))
    yield "a reserved bit of a descriptor", "descriptor.reserved", edit(SHARED, (FENCE, f"{FENCE}\n\tadd.s64 %bdesc, %bdesc, 16384;"))


def launch(device, text, threads):
    """The findings' words; empty when there are none."""
    module = device.load(text)
    parts = [data.operands("f16", "f16", "f32", data.FLOAT_MODES[0])]
    buffers = [cases.table_of([BASE]), *(part for part in parts[0]), bytes(SHARED.registers * 512)]
    addresses = [device.allocate(contents) for contents in buffers]
    try:
        device.launch(module, "k", 1, threads, [struct.pack("<Q", address) for address in addresses])
        return ""
    except driver.DriverError as error:
        return str(error)
    finally:
        for address in addresses:
            device.free(address)


def main():
    device, count, failures = driver.Driver(sys.argv[1]), 0, 0
    for name, slug, text in rules():
        count += 1
        words = launch(device, text, 96 if ".reqntid 96" in text else 128)
        if (slug or "") not in words or (slug is None and words):
            failures += 1
            print(f"FAILED: {name}: expected {slug or 'nothing'}, found: {words[:500] or 'nothing'}")
    print(f"{count} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
