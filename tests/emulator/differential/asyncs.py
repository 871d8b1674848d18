# SPDX-License-Identifier: Apache-2.0
"""Asynchronous stores, reductions and copies inside a cluster of two, mbarriers that track cp.async, registers of 128 bits."""
from cases import Case, untouched
from memory import LANES, REGISTERS, SHARED, inputs_of

CELL = 16
BYTES = LANES * CELL
DECLARATIONS = SHARED + REGISTERS + "\t.shared .align 8 .b8 full[8];\n\t.reg .b32 %bar, %peer, %peerbar, %rank;\n\t.reg .b64 %gpeer, %gbar;\n\t.reg .b128 %q<4>;\n"
SYNC = "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n"
# Each CTA has its half of the inputs and outputs; %s32 is the lane's cell, %peer the peer's cell of that place.
SETUP = ("\tmov.u32 %rank, %cluster_ctarank;\n\tmul.wide.u32 %lane, %tx, 16;\n\tmad.wide.u32 %src, %rank, 512, %in;\n\tadd.u64 %src, %src, %lane;\n"
         "\tmad.wide.u32 %dst, %rank, HALF, %out;\n\tadd.u64 %dst, %dst, %lane;\n\tmov.u64 %sh, tile;\n\tadd.u64 %sh, %sh, %lane;\n"
         "\tcvt.u32.u64 %s32, %sh;\n\txor.b32 %w15, %rank, 1;\n\tmapa.shared::cluster.u32 %peer, %s32, %w15;\n\tmov.u32 %bar, full;\n"
         "\tmapa.shared::cluster.u32 %peerbar, %bar, %w15;\n\tcvta.shared.u64 %l0, %sh;\n\tmapa.u64 %gpeer, %l0, %w15;\n\tmov.u64 %l0, full;\n"
         "\tcvta.shared.u64 %l0, %l0;\n\tmapa.u64 %gbar, %l0, %w15;\n\tsetp.ne.u32 %p, %tx, 0;\n"
         "\t@!%p mbarrier.init.shared.b64 [%bar], 1;\n\tfence.mbarrier_init.release.cluster;\n" + SYNC)
FILL = "\tld.global.v4.b32 {%w8, %w9, %w10, %w11}, [%src+1024];\n\tst.shared.v4.b32 [%s32], {%w8, %w9, %w10, %w11};\n"


class Text:
    """A kernel's text; every step has 512 bytes of output a CTA."""

    def __init__(self):
        self.lines, self.steps = [], 0

    def step(self, num_bytes, text):
        """Cells are filled, `text` brings `num_bytes` to the peer, and both look at their own cells."""
        self.lines.append(FILL + "\tfence.proxy.async.shared::cta;\n" + SYNC + f"\t@!%p mbarrier.arrive.expect_tx.shared.b64 %l7, [%bar], {num_bytes};\n" + text +
                          f"WAIT_{self.steps}:\n\tmbarrier.try_wait.parity.shared.b64 %p, [%bar], {self.steps % 2};\n\t@!%p bra WAIT_{self.steps};\n"
                          "\tsetp.ne.u32 %p, %tx, 0;\n\tld.shared.v4.b32 {%w8, %w9, %w10, %w11}, [%s32];\n"
                          f"\tst.global.v4.b32 [%dst+{BYTES * self.steps}], {{%w8, %w9, %w10, %w11}};\n" + SYNC)
        self.steps += 1

    def case(self, name, forms):
        """The finished case."""
        body = SETUP.replace("HALF", str(BYTES * self.steps)) + "".join(self.lines)
        return Case(name, forms, DECLARATIONS, body, inputs_of(name, 2048), untouched(2 * BYTES * self.steps), LANES, 2, 2)


def places(opcode):
    """The peer's cell and its mbarrier as the opcode takes them."""
    return ("%peer", "%peerbar") if ".shared::cluster" in opcode else ("%gpeer", "%gbar")


def store_case(forms):
    """st.async of every vector and type."""
    text = Text()
    for opcode, signature in forms:
        at, bar = places(opcode)
        letter, count = signature.split()[1][0], int(signature.split()[1][1:] or 1)
        width = 8 if letter == "l" else 4
        names = [f"%{letter}{i}" for i in range(count)]
        loads = "".join(f"\tld.global.b{8 * width} {reg}, [%src+{width * i}];\n" for i, reg in enumerate(names))
        values = "{" + ", ".join(names) + "}" if count > 1 else names[0]
        text.step(LANES * width * count, loads + f"\t{opcode} [{at}], {values}, [{bar}];\n")
    return text.case("st.async", forms)


def reduce_case(forms):
    """red.async: each lane on a cell of its own, then, where the order does not matter, all lanes on one."""
    text = Text()
    for opcode, signature in forms:
        at, bar = places(opcode)
        letter = signature.split()[1]
        width = 8 if letter == "l" else 4
        load = f"\tld.global.b{8 * width} %{letter}0, [%src];\n"
        text.step(LANES * width, load + f"\t{opcode} [{at}], %{letter}0, [{bar}];\n")
        if ".inc." in opcode or ".dec." in opcode:
            continue
        base = "\tshl.b32 %w14, %tx, 4;\n\tsub.u32 %w14, %peer, %w14;\n" if at == "%peer" else "\tsub.u64 %l6, %gpeer, %lane;\n"
        text.step(LANES * width, load + base + f"\t{opcode} [{'%w14' if at == '%peer' else '%l6'}], %{letter}0, [{bar}];\n")
    return text.case("red.async", forms)


def hand_over_case(forms):
    """Bulk copies to the peer, of a granule and of the whole."""
    text = Text()
    for opcode, _ in forms:
        for size in (16, 512):
            fill = ("\tld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%src];\n\tst.shared.v4.b32 [%s32+1024], {%w0, %w1, %w2, %w3};\n"
                    "\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n\tadd.u32 %w14, %s32, 1024;\n")
            text.step(size, fill + f"\t@!%p {opcode} [%peer], [%w14], {size}, [%peerbar];\n")
    return text.case("bulk copies to the peer", forms)


def track_case(forms):
    """An mbarrier that waits for cp.async: each lane reads what another one copied."""
    declarations = SHARED + REGISTERS + "\t.reg .b32 %bar;\n\t.shared .align 8 .b8 full[64];\n"
    body = ["\tmul.wide.u32 %lane, %tx, 16;\n\tadd.u64 %src, %in, %lane;\n\tadd.u64 %dst, %out, %lane;\n\tmov.u64 %sh, tile;\n"
            "\tadd.u64 %l0, %sh, %lane;\n\tcvt.u32.u64 %s32, %l0;\n\txor.b32 %w15, %tx, 21;\n\tmad.wide.u32 %l1, %w15, 16, %sh;\n"
            "\tcvt.u32.u64 %w14, %l1;\n\tsetp.ne.u32 %p, %tx, 0;\n"]
    for number, (opcode, _) in enumerate(forms):
        is_noinc = ".noinc" in opcode
        at = "%bar" if ".shared" in opcode else "%at"
        body.append(f"\tmov.u32 %bar, full;\n\tadd.u32 %bar, %bar, {8 * number};\n\tmov.u64 %at, full;\n\tadd.u64 %at, %at, {8 * number};\n"
                    f"\tcvta.shared.u64 %at, %at;\n\t@!%p mbarrier.init.shared.b64 [%bar], {LANES if is_noinc else 1};\n\tbar.sync 0;\n"
                    f"\tcp.async.ca.shared.global [%s32], [%src+{BYTES * number}], 8;\n\tcp.async.ca.shared.global [%s32+8], [%src+{BYTES * number + 8}], 8;\n"
                    f"\t{opcode} [{at}];\n" + ("" if is_noinc else "\t@!%p mbarrier.arrive.shared.b64 %l7, [%bar];\n") +
                    f"WAIT_{number}:\n\tmbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;\n\t@!%p bra WAIT_{number};\n\tsetp.ne.u32 %p, %tx, 0;\n"
                    "\tld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%w14];\n"
                    f"\tst.global.v4.b32 [%dst+{BYTES * number}], {{%w0, %w1, %w2, %w3}};\n\tbar.sync 0;\n")
    name = "cp.async and mbarriers"
    return Case(name, forms, declarations, "".join(body), inputs_of(name, BYTES * len(forms)), untouched(BYTES * len(forms)), LANES)


def wide_case(forms):
    """Registers of 128 bits: loads, stores and moves."""
    declarations = SHARED + REGISTERS + "\t.reg .b128 %q<4>;\n"
    body = ["\tmul.wide.u32 %lane, %tx, 16;\n\tadd.u64 %src, %in, %lane;\n\tadd.u64 %dst, %out, %lane;\n\tmov.u64 %sh, tile;\n"
            "\tadd.u64 %sh, %sh, %lane;\n\tcvt.u32.u64 %s32, %sh;\n\tld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%src];\n"
            "\tst.shared.v4.b32 [%s32], {%w0, %w1, %w2, %w3};\n\tld.global.v2.b64 {%l0, %l1}, [%src+512];\n\tmov.b128 %q0, {%l0, %l1};\n\tmov.b128 %q1, %q0;\n"]
    number = 0
    for opcode, _ in forms:
        place = BYTES * number
        if opcode.startswith("ld."):
            body.append(f"\t{opcode} %q2, [{'%s32' if '.shared' in opcode else '%src'}];\n\tmov.b128 {{%l2, %l3}}, %q2;\n"
                        f"\tst.global.v2.b64 [%dst+{place}], {{%l3, %l2}};\n")
        elif opcode.startswith("st.") and ".shared" in opcode:
            body.append(f"\t{opcode} [%s32+1024], %q1;\n\tld.shared.v2.b64 {{%l2, %l3}}, [%s32+1024];\n\tst.global.v2.b64 [%dst+{place}], {{%l2, %l3}};\n")
        elif opcode.startswith("st."):
            body.append(f"\tadd.u64 %at, %dst, {place};\n\t{opcode} [%at], %q1;\n")
        number += 1
    name = "registers of 128 bits"
    return Case(name, forms, declarations, "".join(body), inputs_of(name, 1024), untouched(BYTES * number), LANES)


def is_wide(opcode):
    """A load, store or move of 128 bits in one register."""
    return opcode.endswith(".b128") and opcode.split(".")[0] in ("ld", "st", "mov")


def cases(forms):
    """Every case of this family."""
    def of(word):
        return [form for form in forms if form[0].startswith(word)]
    yield store_case(of("st.async."))
    yield reduce_case(of("red.async."))
    yield hand_over_case(of("cp.async.bulk.shared::cluster.shared::cta."))
    yield track_case(of("cp.async.mbarrier.arrive"))
    yield wide_case([form for form in forms if is_wide(form[0])])
