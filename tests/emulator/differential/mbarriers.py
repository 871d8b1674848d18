# SPDX-License-Identifier: Apache-2.0
"""mbarriers: what waits answer before and after each kind of arrival. A state is opaque, so it is seen through a wait alone."""
from cases import Case, untouched
from memory import REGISTERS, SHARED, inputs_of

LANES = 32
SETUP = ("\tmul.wide.u32 %lane, %tx, 4;\n\tadd.u64 %dst, %out, %lane;\n\tmov.u64 %sh, tile;\n\tsetp.ne.u32 %p, %tx, 0;\n")
DECLARATIONS = SHARED.replace("4096", "8192") + REGISTERS + "\t.reg .pred %q;\n\t.reg .b32 %n;\n"


class Text:
    """A kernel's text; every answer of a wait has its place in the output."""

    def __init__(self):
        self.lines, self.answers, self.barriers = [SETUP], 0, 0

    def barrier(self, count, opcode="mbarrier.init.shared.b64"):
        """A new mbarrier in %s32 and, generic, in %at."""
        self.lines.append(f"\tadd.u64 %l7, %sh, {8 * self.barriers};\n\tcvt.u32.u64 %s32, %l7;\n\tcvta.shared.u64 %at, %l7;\n"
                          f"\t@!%p {opcode} [{self.at(opcode)}], {count};\n"
                          "\tfence.mbarrier_init.release.cluster;\n\tbar.sync 0;\n")
        self.barriers += 1

    @staticmethod
    def at(opcode):
        """The register that has the address as the opcode takes it."""
        return "%s32" if ".shared" in opcode else "%at"

    def keep(self):
        """Stores %q."""
        self.lines.append(f"\tselp.b32 %n, 1, 0, %q;\n\tst.global.b32 [%dst+{128 * self.answers}], %n;\n\tbar.sync 0;\n")
        self.answers += 1

    def test(self, parity):
        """Asks, and stores the answer."""
        self.lines.append(f"\tmbarrier.test_wait.parity.shared.b64 %q, [%s32], {parity};\n")
        self.keep()

    def copy(self):
        """512 bytes arrive, and everybody waits for them."""
        number = self.answers
        self.lines.append(f"\tadd.u64 %l6, %sh, 4096;\n\tcvt.u32.u64 %w9, %l6;\n"
                          "\t@!%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%w9], [%in], 512, [%s32];\n"
                          f"WAIT_{number}:\n\tmbarrier.try_wait.parity.shared.b64 %q, [%s32], 0;\n\t@!%q bra WAIT_{number};\n")

    def case(self, name, forms):
        """The finished case."""
        return Case(name, forms, DECLARATIONS, "".join(self.lines), inputs_of(name, 512), untouched(128 * self.answers), LANES)


def arrive_case(forms):
    """Arrivals with and without a count, and arrivals that expect bytes first."""
    text = Text()
    for opcode, _ in forms:
        state = "_" if "shared::cluster" in opcode else "%l0"
        expects = "expect_tx" in opcode
        for number in (["16"] if expects else ["", "2"]):
            text.barrier(64 if number == "2" else 32)
            text.lines.append(f"\t{opcode} {state}, [{text.at(opcode)}]{', ' + number if number else ''};\n\tbar.sync 0;\n")
            text.test(0)
            if state != "_":
                text.lines.append("\tmbarrier.test_wait.shared.b64 %q, [%s32], %l0;\n")
                text.keep()
            if expects:
                text.copy()
            text.test(0)
            text.test(1)
    return text.case("mbarrier.arrive", forms)


def expect_case(forms):
    """Bytes that are expected apart from an arrival."""
    text = Text()
    for opcode, _ in forms:
        text.barrier(1)
        text.lines.append(f"\t@!%p {opcode} [{text.at(opcode)}], 512;\n\t@!%p mbarrier.arrive.shared.b64 %l0, [%s32];\n\tbar.sync 0;\n")
        text.test(0)
        text.copy()
        text.test(0)
    return text.case("mbarrier.expect_tx", forms)


def wait_case(forms):
    """Waits for a parity or a state, in a phase that is open and in one that is complete."""
    text = Text()
    for opcode, _ in forms:
        for hint in ([", 32"] if "try_wait" in opcode else []) + [""]:
            text.barrier(2)
            text.lines.append("\t@!%p mbarrier.arrive.shared.b64 %l0, [%s32];\n\tmov.b64 {%w0, %w1}, %l0;\n"
                              "\tshfl.sync.idx.b32 %w0, %w0, 0, 31, 0xffffffff;\n\tshfl.sync.idx.b32 %w1, %w1, 0, 31, 0xffffffff;\n"
                              "\tmov.b64 %l0, {%w0, %w1};\n\tbar.sync 0;\n")
            wanted = "0" if ".parity" in opcode else "%l0"
            ask = f"\t{opcode} %q, [{text.at(opcode)}], {wanted}{hint};\n"
            text.lines.append(ask)
            text.keep()
            text.lines.append("\t@!%p mbarrier.arrive.shared.b64 %l1, [%s32];\n\tbar.sync 0;\n" + ask)
            text.keep()
            if ".parity" in opcode:
                text.lines.append(f"\t{opcode} %q, [{text.at(opcode)}], 1{hint};\n")
                text.keep()
    return text.case(f"{forms[0][0]} and the like", forms)


def life_case(inits, invals):
    """Storage that becomes an mbarrier, completes phases, and becomes one anew."""
    text = Text()
    for (init, _), (inval, _) in zip(inits, invals):
        text.barrier(32, init)
        for _ in range(3):
            text.lines.append("\tmbarrier.arrive.shared.b64 %l0, [%s32];\n\tbar.sync 0;\n")
            text.test(0)
        text.lines.append(f"\t@!%p {inval} [{text.at(inval)}];\n\t@!%p {init} [{text.at(init)}], 32;\n\tbar.sync 0;\n")
        text.test(0)
        text.test(1)
    return text.case("mbarrier.init", inits + invals)


def cases(forms):
    """Every mbarrier case."""
    def of(*words):
        return [form for form in forms if form[0].startswith(tuple(f"mbarrier.{word}" for word in words))]
    yield life_case(of("init"), of("inval"))
    yield arrive_case(of("arrive"))
    yield expect_case(of("expect_tx"))
    for word in ("try_wait.parity", "test_wait.parity"):
        yield wait_case(of(word))
    for word in ("try_wait", "test_wait"):
        yield wait_case([form for form in of(word) if ".parity" not in form[0]])
