# SPDX-License-Identifier: Apache-2.0
"""ldmatrix, stmatrix and movmatrix: rows lie in another order than lanes, so that no two matrices look alike."""
from cases import Case, untouched
from memory import FILL, REGISTERS, SETUP, SHARED, addresses, inputs_of

# Rows in an order of their own, and a generic address in %at.
ROWS = ("\tmad.lo.u32 %w8, %tx, 11, 5;\n\tand.b32 %w8, %w8, 31;\n\tmov.u64 %sh, tile;\n\tmad.wide.u32 %sh, %w8, 16, %sh;\n"
        "\tcvt.u32.u64 %s32, %sh;\n\tcvta.shared.u64 %at, %sh;\n")


def matrix_case(opcode, signature):
    """One form, on 32 rows of 16 bytes."""
    name = f"{opcode} {signature}"
    declarations = SHARED + REGISTERS
    if opcode.startswith("movmatrix"):
        body = SETUP + f"\tld.global.b32 %w0, [%src];\n\t{opcode} %w1, %w0;\n\tst.global.b32 [%dst], %w1;\n"
        return Case(name, [(opcode, signature)], declarations, body, inputs_of(name, 512), untouched(512), 32)
    count = int(opcode.split(".x")[1][0])
    names = "{" + ", ".join(f"%w{i}" for i in range(count)) + "}"
    address = addresses("shared")[0][1] if ".shared" in opcode else "%at"
    body = SETUP + FILL + ROWS
    if opcode.startswith("ldmatrix"):
        body += f"\t{opcode} {names}, [{address}];\n" + "".join(f"\tst.global.b32 [%dst+{4 * i}], %w{i};\n" for i in range(count))
    else:
        body += "".join(f"\tld.global.b32 %w{i}, [%src+{512 + 4 * i}];\n" for i in range(count)) + f"\t{opcode} [{address}], {names};\n\tbar.sync 0;\n"
        body += ("\tmov.u32 %w9, tile;\n\tmad.lo.u32 %w9, %tx, 16, %w9;\n\tld.shared.v4.b32 {%w12, %w13, %w14, %w15}, [%w9];\n"
                 "\tst.global.v4.b32 [%dst], {%w12, %w13, %w14, %w15};\n")
    return Case(name, [(opcode, signature)], declarations, body, inputs_of(name, 1024), untouched(512), 32)


def cases(forms):
    """Every matrix case."""
    for opcode, signature in forms:
        if opcode.split(".")[0] in ("ldmatrix", "stmatrix", "movmatrix"):
            yield matrix_case(opcode, signature)
