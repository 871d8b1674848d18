# SPDX-License-Identifier: Apache-2.0
"""Bulk copies: plain ranges both ways, and boxes of tensors, loaded, stored and reduced, in part out of bounds."""
import re

from cases import Case, TensorMapSpec, rng_of, untouched
from driver import DATA_BYTES
from memory import REGISTERS, SHARED, inputs_of

LANES = 32
TILE = 4096
DECLARATIONS = SHARED.replace("4096", "4096") + REGISTERS + "\t.shared .align 8 .b8 full[8];\n\t.reg .b32 %bar, %tile;\n\t.reg .b64 %hint;\n"
SETUP = ("\tmul.wide.u32 %lane, %tx, 16;\n\tadd.u64 %src, %in, %lane;\n\tadd.u64 %dst, %out, %lane;\n\tmov.u32 %bar, full;\n"
         "\tmov.u32 %tile, tile;\n\tsetp.ne.u32 %p, %tx, 0;\n\tmov.u64 %hint, 0x1000000000000000;\n"
         "\t@!%p mbarrier.init.shared.b64 [%bar], 1;\n\tfence.mbarrier_init.release.cluster;\n\tbar.sync 0;\n")
OUTGOING = "\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n"
FINISH = "\t@!%p cp.async.bulk.commit_group;\n\t@!%p cp.async.bulk.wait_group 0;\n\tbar.sync 0;\n"


def copy_tile(is_in, num_bytes, offset=0):
    """All lanes copy between global memory and the tile."""
    lines = []
    for at in range(0, num_bytes, 512):
        lines.append(f"\tmad.lo.u32 %w5, %tx, 16, %tile;\n")
        if is_in:
            lines.append(f"\tld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%src+{offset + at}];\n\tst.shared.v4.b32 [%w5+{at}], {{%w0, %w1, %w2, %w3}};\n")
        else:
            lines.append(f"\tld.shared.v4.b32 {{%w0, %w1, %w2, %w3}}, [%w5+{at}];\n\tst.global.v4.b32 [%dst+{offset + at}], {{%w0, %w1, %w2, %w3}};\n")
    return "".join(lines)


def wait(parity, number):
    """Until the phase of `parity` is complete."""
    return (f"WAIT_{number}:\n\tmbarrier.try_wait.parity.shared.b64 %p, [%bar], {parity};\n\t@!%p bra WAIT_{number};\n"
            "\tsetp.ne.u32 %p, %tx, 0;\n\tbar.sync 0;\n")


def range_case(forms):
    """cp.async.bulk without a tensor, and its groups."""
    found = [form for form in forms if form[0].startswith("cp.async.bulk") and ".tensor" not in form[0] and "shared::cluster.shared" not in form[0]
             and "prefetch" not in form[0]]
    loads = [form for form in found if ".mbarrier::" in form[0]]
    stores = [form for form in found if ".bulk_group" in form[0]]
    body, number = [SETUP], 0
    for opcode, _ in loads:
        for size in (16, 1024):
            body.append(copy_tile(True, 1024) + OUTGOING + f"\t@!%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%bar], {size};\n"
                        f"\t@!%p {opcode} [%tile], [%in+{1024}], {size}, [%bar];\n" + wait(number % 2, number) + copy_tile(False, 1024, 1024 * number))
            number += 1
    for opcode, _ in stores:
        for size in (16, 1008):
            body.append(copy_tile(True, 1024) + OUTGOING + f"\t@!%p {opcode} [%out+{1024 * number}], [%tile], {size};\n"
                        "\t@!%p cp.async.bulk.commit_group;\n\t@!%p cp.async.bulk.wait_group.read 0;\n\t@!%p cp.async.bulk.wait_group 0;\n"
                        "\tbar.sync 0;\n")
            number += 1
    return Case("bulk ranges", found, DECLARATIONS, "".join(body), inputs_of("bulk ranges", 2048), untouched(1024 * number), LANES)


DIMS = {1: (40,), 2: (16, 6), 3: (8, 5, 3), 4: (8, 3, 3, 2), 5: (8, 3, 2, 2, 2)}
BOXES = {1: (32,), 2: (16, 4), 3: (8, 2, 2), 4: (4, 2, 2, 2), 5: (4, 2, 2, 2, 2)}
# The innermost coordinate begins on 16 bytes.
PLACES = {1: [(4,), (-8,)], 2: [(0, 1), (8, -2)], 3: [(0, 1, 1), (4, -1, 2)], 4: [(0, 1, 1, 0), (8, 2, -1, 1)],
          5: [(4, 1, 0, 0, 1), (-4, 2, 1, 1, 0)]}
TENSOR = 2048  # bytes that each tensor may take
TYPES = {"add": ("u32", "s32", "u64", "f16", "bf16", "f32"), "min": ("u32", "s32", "u64", "s64", "f16", "bf16"),
         "max": ("u32", "s32", "u64", "s64", "f16", "bf16"), "inc": ("u32",), "dec": ("u32",), "and": ("u32", "u64"), "or": ("u32", "u64"),
         "xor": ("s32", "u64")}
NAME = re.compile(r"^cp\.(reduce\.)?async\.bulk\.tensor\.(\d)d")


def rank_of(opcode):
    """The tensor's rank."""
    return int(NAME.match(opcode)[2])


def box_bytes(spec):
    """Bytes of a box."""
    size = DATA_BYTES[spec.dtype]
    for extent in spec.box:
        size *= extent
    return size


# Stores and reductions from a negative place are an illegal instruction on an H200, so they reach over the other edge.
OUT_PLACES = {1: [(4,), (20,)], 2: [(0, 1), (8, 4)], 3: [(0, 1, 1), (4, 4, 2)], 4: [(0, 1, 1, 0), (8, 2, 1, 1)],
              5: [(4, 1, 0, 0, 1), (4, 2, 1, 1, 0)]}


def store_case(opcode, signature):
    """A store or a reduction of every type that it has, twice: inside the tensor and across its edges."""
    rank, hint = rank_of(opcode), ", %hint" if "cache_hint" in opcode else ""
    words = opcode.split(".")
    operation = words[words.index("shared::cta") + 1]
    maps, body = [], [SETUP]
    for dtype in TYPES.get(operation, ("u32", "f16") if rank == 2 else ("u32",)) if rank == 2 else ("u32",):
        swizzle = 2 if rank == 2 and dtype == "u32" else 0
        spec = TensorMapSpec(dtype, DIMS[rank], BOXES[rank], "out", TENSOR * len(maps), swizzle)
        maps.append(spec)
        for at in OUT_PLACES[rank]:
            place = "{" + ", ".join(map(str, at)) + "}"
            body.append(copy_tile(True, 512) + OUTGOING + f"\tmov.u64 %at, map{len(maps) - 1};\n\tcvta.param.u64 %at, %at;\n"
                        f"\t@!%p {opcode} [%at, {place}], [%tile]{hint};\n" + FINISH)
    name = f"{opcode} {signature}"
    data = bytearray(inputs_of(name, 512))
    output = bytearray(rng_of(name + " before").randbytes(TENSOR * len(maps)))
    return Case(name, [(opcode, signature)], DECLARATIONS, "".join(body), bytes(data), bytes(output), LANES, maps=tuple(maps))


def load_case(opcode, signature):
    """A load, twice: inside the tensor and across its edges; to both CTAs of a cluster where it has a mask."""
    rank, hint = rank_of(opcode), ", %hint" if "cache_hint" in opcode else ""
    is_multicast = "multicast" in opcode
    spec = TensorMapSpec("u32", DIMS[rank], BOXES[rank], "in", 0, 2 if rank == 2 else 0)
    num_bytes = box_bytes(spec)
    body = [SETUP, "\tmov.u64 %at, map0;\n\tcvta.param.u64 %at, %at;\n"]
    if is_multicast:
        body.append("\tmov.u32 %w8, %cluster_ctarank;\n\tmad.wide.u32 %dst, %w8, 1024, %dst;\n\tmov.b16 %h0, 3;\n")
    for number, at in enumerate(PLACES[rank]):
        place = "{" + ", ".join(map(str, at)) + "}"
        body.append(copy_tile(True, 512, 1024) + OUTGOING + f"\t@!%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%bar], {num_bytes};\n")
        if is_multicast:
            body.append("\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n\tadd.u32 %w9, %w8, %tx;\n\tsetp.ne.u32 %p, %w9, 0;\n")
        body.append(f"\t@!%p {opcode} [%tile], [%at, {place}], [%bar]{', %h0' if is_multicast else ''}{hint};\n\tsetp.ne.u32 %p, %tx, 0;\n" +
                    wait(number, number) + copy_tile(False, 512, 512 * number))
    if is_multicast:
        body.append("\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n")
    name = f"{opcode} {signature}"
    ctas = 2 if is_multicast else 1
    return Case(name, [(opcode, signature)], DECLARATIONS, "".join(body), inputs_of(name, 2048), untouched(1024 * ctas), LANES, ctas, ctas,
                (spec,))


def cases(forms):
    """Every bulk case."""
    yield range_case(forms)
    for opcode, signature in forms:
        if not NAME.match(opcode) or ".cta_group" in opcode:
            continue
        yield (load_case if ".mbarrier::" in opcode else store_case)(opcode, signature)
