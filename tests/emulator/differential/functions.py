# SPDX-License-Identifier: Apache-2.0
"""Variables in .const and .local, and what passes through the parameters of calls."""
from cases import Case, untouched
from memory import LANES, LOAD, REGISTERS, inputs_of

CELL = 16
BYTES = LANES * CELL
SETUP = "\tmul.wide.u32 %lane, %tx, 16;\n\tadd.u64 %src, %in, %lane;\n\tadd.u64 %dst, %out, %lane;\n"


def operands(opcode):
    """(register names as one operand, their letter, how many, bits) of a load or store."""
    match = LOAD.match(opcode)
    count, bits = int((match[3] or ".v1")[2:]), int(match[5])
    letter = "l" if bits == 64 else "w"
    names = [f"%{letter}{i}" for i in range(count)]
    return names[0] if count == 1 else "{" + ", ".join(names) + "}", letter, count, bits


def keep(opcode, number):
    """Stores what a load gave, a word or two an element."""
    _, letter, count, _ = operands(opcode)
    width = 8 if letter == "l" else 4
    return "".join(f"\tst.global.b{8 * width} [%dst+{BYTES * number + width * i}], %{letter}{i};\n" for i in range(count))


def give(opcode):
    """Loads what a store takes."""
    _, letter, count, _ = operands(opcode)
    width = 8 if letter == "l" else 4
    return "".join(f"\tld.global.b{8 * width} %{letter}{i}, [%src+{width * i}];\n" for i in range(count))


def const_case(loads, conversions):
    """Loads from a table, and its generic address."""
    name = "constants"
    values = ", ".join(str(value) for value in inputs_of(name, BYTES))
    body = [SETUP + "\tmov.u64 %at, constants_of_cases;\n\tadd.u64 %at, %at, %lane;\n"]
    for number, (opcode, _) in enumerate(loads):
        body.append(f"\t{opcode} {operands(opcode)[0]}, [%at];\n" + keep(opcode, number))
    body.append("\tcvta.const.u64 %l0, %at;\n\tld.b32 %w0, [%l0];\n\tcvta.to.const.u64 %l1, %l0;\n\tld.const.b32 %w1, [%l1];\n"
                f"\tst.global.v2.b32 [%dst+{BYTES * len(loads)}], {{%w0, %w1}};\n")
    return Case(name, loads + conversions, REGISTERS, "".join(body), b"", untouched(BYTES * (len(loads) + 1)), LANES,
                before=f".const .align 16 .b8 constants_of_cases[{BYTES}] = {{{values}}};\n")


def local_case(loads, stores, conversions):
    """A thread's array by each load and store, and by its generic address."""
    fill = "\tld.global.v4.b32 {%w8, %w9, %w10, %w11}, [%src+512];\n\tst.local.v4.b32 [own+16], {%w8, %w9, %w10, %w11};\n"
    body, number = [SETUP], 0
    for opcode, _ in loads:
        body.append(fill + f"\t{opcode} {operands(opcode)[0]}, [own+16];\n" + keep(opcode, number))
        number += 1
    for opcode, _ in stores:
        body.append(fill + give(opcode) + f"\t{opcode} [own+16], {operands(opcode)[0]};\n\tld.local.v4.b32 {{%w8, %w9, %w10, %w11}}, [own+16];\n"
                    f"\tst.global.v4.b32 [%dst+{BYTES * number}], {{%w8, %w9, %w10, %w11}};\n")
        number += 1
    body.append(fill + "\tmov.u64 %l0, own;\n\tcvta.local.u64 %l1, %l0;\n\tst.b32 [%l1+20], %tx;\n\tcvta.to.local.u64 %l2, %l1;\n"
                "\tld.local.v4.b32 {%w8, %w9, %w10, %w11}, [%l2+16];\n"
                f"\tst.global.v4.b32 [%dst+{BYTES * number}], {{%w8, %w9, %w10, %w11}};\n")
    name = "local memory"
    return Case(name, loads + stores + conversions, REGISTERS + "\t.local .align 16 .b8 own[48];\n", "".join(body), inputs_of(name, 1024),
                untouched(BYTES * (number + 1)), LANES)


def call_case(loads, stores):
    """16 bytes into a function and out of it; an odd lane calls another one."""
    before = (".func (.param .align 16 .b8 result[16]) same_of_cases(.param .align 16 .b8 given[16])\n{\n\t.reg .b32 %w<4>;\n"
              "\tld.param.v4.b32 {%w0, %w1, %w2, %w3}, [given];\n\tst.param.v4.b32 [result], {%w0, %w1, %w2, %w3};\n\tret;\n}\n"
              ".func (.param .align 16 .b8 result[16]) turned_of_cases(.param .align 16 .b8 given[16])\n{\n\t.reg .b32 %w<4>;\n"
              "\tld.param.v4.b32 {%w0, %w1, %w2, %w3}, [given];\n\tst.param.v4.b32 [result], {%w3, %w2, %w1, %w0};\n}\n")
    # Argument, call and result stand in one basic block.
    fill = "\tld.global.v4.b32 {%w8, %w9, %w10, %w11}, [%src+512];\n"
    begin = "\t{\n\t.param .align 16 .b8 param0[16];\n\t.param .align 16 .b8 back[16];\n\tst.param.v4.b32 [param0], {%w8, %w9, %w10, %w11};\n"
    end = "\tcall (back), FUNCTION, (param0);\n\tld.param.v4.b32 {%w8, %w9, %w10, %w11}, [back];\n\t}\n"

    def two_ways(number, change, function, after=""):
        """Odd lanes call another function; `after`: what is done to the result."""
        return (fill + f"\t@%p bra ODD_{number};\n" + begin + change + end.replace("FUNCTION", function) + f"\tbra NEXT_{number};\nODD_{number}:\n" +
                begin + change + end.replace("FUNCTION", "turned_of_cases") +
                f"NEXT_{number}:\n{after}\tst.global.v4.b32 [%dst+{BYTES * number}], {{%w8, %w9, %w10, %w11}};\n")
    body, number = [SETUP + "\tand.b32 %w15, %tx, 1;\n\tsetp.ne.u32 %p, %w15, 0;\n"], 0
    for opcode, _ in stores:
        registers, _, count, bits = operands(opcode)
        # ptxas takes what is less than a word for a whole one, so that only the bytes stored are looked at.
        mask = (1 << min(count * bits, 32)) - 1
        looked_at = f"\tand.b32 %w8, %w8, {mask};\n\tand.b32 %w11, %w11, {mask};\n"
        body.append(give(opcode) + two_ways(number, f"\t{opcode} [param0], {registers};\n", "same_of_cases", looked_at))
        number += 1
    for opcode, _ in loads:
        registers, letter, count, bits = operands(opcode)
        width = 8 if letter == "l" else 4
        before += (f".func (.param .align 16 .b8 result[16]) load_{number}_of_cases(.param .align 16 .b8 given[16])\n{{\n\t.reg .b32 %w<4>;\n\t.reg .b64 %l<2>;\n"
                   f"\t{opcode} {registers}, [given];\n" +
                   "".join(f"\tst.param.b{8 * width} [result+{width * i}], %{letter}{i};\n" for i in range(count)) +
                   "".join(f"\tst.param.b32 [result+{at}], {at};\n" for at in range(width * count, 16, 4)) + "\tret;\n}\n")
        body.append(two_ways(number, "", f"load_{number}_of_cases"))
        number += 1
    name = "calls"
    return Case(name, loads + stores, REGISTERS, "".join(body), inputs_of(name, 1024), untouched(BYTES * number), LANES, before=before)


def cases(forms):
    """Every case of this family."""
    def of(*heads):
        return [form for form in forms if form[0].startswith(heads)]
    yield const_case(of("ld.const."), of("cvta.const.", "cvta.to.const."))
    yield local_case(of("ld.local."), of("st.local."), of("cvta.local.", "cvta.to.local."))
    yield call_case(of("ld.param::func."), of("st.param.", "st.param::func."))
