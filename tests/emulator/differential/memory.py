# SPDX-License-Identifier: Apache-2.0
"""Loads, stores, atomics and addresses in every space: forms of one operation share a kernel, each with its own bytes."""
import re

from cases import Case, rng_of, untouched

LANES = 32
CELL = 16  # bytes that each lane owns
FORM_BYTES = LANES * CELL
SHARED = "\t.shared .align 1024 .b8 tile[4096];\n"
LOAD = re.compile(r"^(ld|st)(?=\.)(?!\.async)(.*?)(\.v[248])?\.([bsuf])(8|16|32|64)$")
REGISTERS = ("\t.reg .b16 %h<8>;\n\t.reg .b32 %w<16>;\n\t.reg .b64 %l<8>;\n\t.reg .b64 %src, %dst, %at, %lane, %sh;\n"
             "\t.reg .b32 %s32;\n\t.reg .pred %p;\n")
SETUP = ("\tmul.wide.u32 %lane, %tx, 16;\n\tadd.u64 %src, %in, %lane;\n\tadd.u64 %dst, %out, %lane;\n"
         "\tmov.u64 %sh, tile;\n\tadd.u64 %sh, %sh, %lane;\n\tcvt.u32.u64 %s32, %sh;\n")
FILL = "\tld.global.v4.b32 {%w12, %w13, %w14, %w15}, [%src];\n\tst.shared.v4.b32 [%s32], {%w12, %w13, %w14, %w15};\n\tbar.sync 0;\n"


def space_of(opcode):
    """The space that an opcode's address lies in; "" for the generic one."""
    for word in opcode.split("."):
        space = word.split("::")[0]
        if space in ("global", "param", "local", "const", "shared"):
            return space
    return ""


def group_by(forms, key):
    """{key: forms}, in the order of their first."""
    groups = {}
    for form in forms:
        groups.setdefault(key(form), []).append(form)
    return groups


def inputs_of(name, num_bytes):
    """Random bytes."""
    return rng_of(name).randbytes(num_bytes)


def addresses(space):
    """[(text that makes %at, the address)] to try a space at."""
    if space == "shared":
        return [("", "%s32"), ("", "%sh")]
    if space == "":
        return [("\tmov.u64 %at, %GLOBAL;\n", "%at"), ("\tcvta.shared.u64 %at, %sh;\n", "%at")]
    return [("\tmov.u64 %at, %GLOBAL;\n", "%at")]


def vector(names):
    """One register or a vector."""
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def load_case(key, forms):
    """Loads of one space, vector and type: their values as words."""
    space, count, kind, bits = key
    name = f"ld {space or 'generic'} {count} {kind}{bits}"
    body, number = [SETUP + FILL], 0
    for opcode, _ in forms:
        for setup, at in addresses(space):
            wide = "l" if bits == 64 else "w"
            places = ["%l", "%w"] if bits == 64 else ["%w", "%h"] if bits < 32 else ["%w"]
            for place in places[:1] if bits >= 32 else places:
                names = [f"{place}{i}" for i in range(count)]
                address = "[map0+16]" if space == "param" else f"[{at}]"
                body.append(setup.replace("%GLOBAL", "%src") + f"\t{opcode} {vector(names)}, {address};\n")
                if place == "%h":
                    body.append("".join(f"\tcvt.u32.u16 %w{i}, %h{i};\n" for i in range(count)))
                width = 8 if bits == 64 else 4
                body.append("".join(f"\tst.global.b{8 * width} [%dst+{number * FORM_BYTES + i * width}], %{wide}{i};\n" for i in range(count)))
                number += 1
    maps = (inputs_of(name + " parameter", 128),) if space == "param" else ()
    return Case(name, forms, SHARED + REGISTERS, "".join(body), inputs_of(name, FORM_BYTES), untouched(number * FORM_BYTES), LANES, maps=maps)


def store_case(key, forms):
    """Stores of one space, vector and type, over cells that hold something else."""
    space, count, kind, bits = key
    name = f"st {space or 'generic'} {count} {kind}{bits}"
    width = bits // 8
    loads = "".join(f"\tld.global.b{bits if bits >= 32 else 32} %{'l' if bits == 64 else 'w'}{i}, [%src+{FORM_BYTES + i * max(width, 4)}];\n"
                    for i in range(count))
    if bits < 32:
        loads += "".join(f"\tcvt.u16.u32 %h{i}, %w{i};\n" for i in range(count))
    body, number = [SETUP + loads], 0
    for opcode, _ in forms:
        for setup, at in addresses(space):
            is_shared = space == "shared" or "cvta" in setup
            for place in ["%l"] if bits == 64 else ["%w"] if bits == 32 else ["%w", "%h"]:
                if is_shared:
                    body.append(FILL)
                place_of_global = f"%dst;\n\tadd.u64 %at, %at, {number * FORM_BYTES}"
                body.append(setup.replace("%GLOBAL", place_of_global) + f"\t{opcode} [{at}], {vector([f'{place}{i}' for i in range(count)])};\n")
                if is_shared:
                    body.append("\tld.shared.v4.b32 {%w12, %w13, %w14, %w15}, [%s32];\n"
                                f"\tst.global.v4.b32 [%dst+{number * FORM_BYTES}], {{%w12, %w13, %w14, %w15}};\n")
                number += 1
    return Case(name, forms, SHARED + REGISTERS, "".join(body), inputs_of(name, 2 * FORM_BYTES), untouched(number * FORM_BYTES), LANES)


ATOM = re.compile(r"^(atom|red)((?:\.(?:relaxed|acquire|release|acq_rel))?(?:\.(?:cta|cluster|gpu|sys))?)(\.global|\.shared(?:::c\w+)?|)\.(.*)$")
FLOAT_CELLS = [0x00000000, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001, 0x807FFFFF, 0x00800000,
               0x7F7FFFFF, 0x00400000, 0xBF800000, 0x3F000001]


def atomic_inputs(name, operation):
    """Cells, then operands: random ones, with equal ones for compare-and-swap and special ones for floats."""
    rng = rng_of(name)
    data = bytearray(rng.randbytes(2 * FORM_BYTES))
    for lane in range(LANES):
        cell, operand = lane * CELL, FORM_BYTES + lane * CELL
        if "f32" in operation and "x2" not in operation:
            # Lane 2n and 2n + 1: the same cell value against a special and an ordinary number.
            for word in range(4):
                data[cell + 4 * word:cell + 4 * word + 4] = FLOAT_CELLS[(lane + word) % 14].to_bytes(4, "little")
                other = FLOAT_CELLS[(lane * 5 + word) % 14] if lane % 2 else rng.randrange(0x3E000000, 0x42000000)
                data[operand + 4 * word:operand + 4 * word + 4] = other.to_bytes(4, "little")
        elif lane % 3 == 0:
            data[operand:operand + 8] = data[cell:cell + 8]
        elif lane % 3 == 1:
            data[operand:operand + 8] = rng.choice([bytes(8), b"\xff" * 8, bytes(3) + b"\x80" + bytes(3) + b"\x80"])
    return bytes(data)


def atomic_case(key, forms):
    """Atomics of one space and operation, each lane on its own cell: the old values and what the cells hold then."""
    space, operation = key
    name = f"atomic {space or 'generic'} {operation}"
    parts = operation.split(".")
    count = int(parts[-2][1:]) if parts[-2] in ("v2", "v4", "v8") else 1
    bits = {"f16x2": 32, "bf16x2": 32, "f16": 16, "bf16": 16}.get(parts[-1]) or int(re.sub(r"\D", "", parts[-1]))
    letter = {16: "h", 32: "w", 64: "l"}[bits]
    width = bits // 8
    body = [SETUP] + [f"\tld.global.b{bits} %{letter}{i}, [%src+{FORM_BYTES + i * width}];\n" for i in range(count)]
    body.append(f"\tld.global.b{bits} %{letter}7, [%src+{FORM_BYTES + (8 if width == 4 else 0)}];\n" if parts[0] == "cas" else "")
    number = 0
    for opcode, signature in forms:
        for setup, at in addresses(space):
            is_shared = space == "shared" or "cvta" in setup
            cell = 2 * number * FORM_BYTES
            body.append(FILL if is_shared else "\tld.global.v4.b32 {%w12, %w13, %w14, %w15}, [%src];\n"
                        f"\tst.global.v4.b32 [%dst+{cell}], {{%w12, %w13, %w14, %w15}};\n")
            operand = vector([f"%{letter}{i}" for i in range(count)]) + (f", %{letter}7" if parts[0] == "cas" else "")
            body.append(setup.replace("%GLOBAL", f"%dst;\n\tadd.u64 %at, %at, {cell}"))
            old = [f"%{letter}{i + 4 if letter != 'w' else i + 8}" for i in range(count)]
            hint = ", %l3" if "cache_hint" in opcode else ""
            if opcode.startswith("atom"):
                body.append(f"\t{opcode} {vector(old)}, [{at}], {operand}{hint};\n")
                body += [f"\tst.global.b{bits} [%dst+{cell + FORM_BYTES + i * width}], {reg};\n" for i, reg in enumerate(old)]
            else:
                body.append(f"\t{opcode} [{at}], {operand}{hint};\n")
            if is_shared:
                body.append("\tbar.sync 0;\n\tld.shared.v4.b32 {%w12, %w13, %w14, %w15}, [%s32];\n"
                            f"\tst.global.v4.b32 [%dst+{cell}], {{%w12, %w13, %w14, %w15}};\n\tbar.sync 0;\n")
            number += 1
    return Case(name, forms, SHARED + REGISTERS, "".join(body), atomic_inputs(operation, operation), untouched(2 * number * FORM_BYTES), LANES)


def contention_case(forms):
    """All lanes of four warps on one cell: sums, minima and bits do not depend on the order."""
    wanted = ["red.global.add.u32", "red.global.add.u64", "red.global.max.s32", "red.global.min.u32", "red.global.xor.b32",
              "red.global.or.b32", "red.global.and.b32"]
    found = [form for form in forms if form[0] in wanted]
    body = [SETUP, "\tld.global.b32 %w0, [%src];\n\tld.global.b64 %l0, [%src];\n"]
    for number, (opcode, _) in enumerate(found):
        body.append(f"\t{opcode} [%out+{16 * number}], {'%l0' if opcode.endswith('64') else '%w0'};\n")
    name = "atomic contention"
    return Case(name, found, SHARED + REGISTERS, "".join(body), inputs_of(name, 128 * CELL), untouched(16 * len(found)), 128)


def address_case(forms):
    """cvta there and back, and prefetches, which have no result."""
    conversions = [form for form in forms if form[0].startswith("cvta.") and space_of(form[0]) not in ("const", "local")]
    prefetches = [form for form in forms if form[0].startswith("prefetch.")]
    body = [SETUP, FILL]
    for number, space in enumerate(("global", "shared", "param")):
        start = {"global": "\tmov.u64 %l0, %src;\n", "shared": "\tmov.u64 %l0, %sh;\n", "param": "\tmov.u64 %l0, map0;\n"}[space]
        body.append(start + f"\tcvta.{space}.u64 %l1, %l0;\n\tld.b32 %w0, [%l1];\n\tst.global.b32 [%dst+{number * FORM_BYTES}], %w0;\n"
                    f"\tcvta.to.{space}.u64 %l2, %l1;\n\tld.{space}.b32 %w1, [%l2];\n\tst.global.b32 [%dst+{number * FORM_BYTES + 4}], %w1;\n")
    for opcode, _ in prefetches:
        body.append("\tmov.u64 %l0, map0;\n" + ("\tcvta.param.u64 %l0, %l0;\n" if ".param." not in opcode else "") +
                    f"\t{opcode} [%l0];\n" if "tensormap" in opcode else f"\t{opcode} [%src];\n")
    name = "addresses"
    return Case(name, conversions + prefetches, SHARED + REGISTERS, "".join(body), inputs_of(name, FORM_BYTES), untouched(3 * FORM_BYTES),
                LANES, maps=(inputs_of(name + " parameter", 128),))


def cases(forms):
    """Every memory case."""
    plain = [form for form in forms if LOAD.match(form[0]) and not form[0].startswith(("ld.param::func", "st.param"))]
    atomics = [form for form in forms if ATOM.match(form[0]) and not form[0].startswith("red.async")]

    def plain_key(form):
        match = LOAD.match(form[0])
        return match[1], space_of(form[0]), int((match[3] or ".v1")[2:]), match[4], int(match[5])
    for key, group in group_by(plain, plain_key).items():
        if key[1] in ("", "global", "param", "shared"):
            yield (load_case if key[0] == "ld" else store_case)(key[1:], group)

    def atomic_key(form):
        return space_of(form[0]), ATOM.match(form[0])[4].replace("L2::cache_hint.", "")
    for key, group in group_by(atomics, atomic_key).items():
        yield atomic_case(key, group)
    yield contention_case(forms)
    yield address_case(forms)
