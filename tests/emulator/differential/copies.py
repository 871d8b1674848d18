# SPDX-License-Identifier: Apache-2.0
"""cp.async of every size, with and without zeros at its end, and its groups."""
from cases import Case, untouched
from memory import FILL, REGISTERS, SETUP, SHARED, inputs_of


def copy_case(opcode, signature):
    """A copy of each size that the form has, with two groups in flight."""
    name = f"{opcode} {signature}"
    body, number = [SETUP, "\tand.b32 %w8, %tx, 15;\n"], 0
    for size in (16,) if ".cg." in opcode else (4, 8, 16):
        for source in ("", ", %w9"):
            body.append(FILL + f"\tmin.u32 %w9, %w8, {size};\n\t{opcode} [%s32], [%src], {size}{source};\n\tcp.async.commit_group;\n"
                        f"\t{opcode} [%s32+1024], [%src+512], {size};\n\tcp.async.commit_group;\n\tcp.async.wait_group 1;\n"
                        "\tld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%s32];\n"
                        f"\tst.global.v4.b32 [%dst+{number * 1024}], {{%w0, %w1, %w2, %w3}};\n"
                        f"\t{opcode} [%s32+2048], [%src], {size};\n\tcp.async.wait_all;\n\tld.shared.b32 %w0, [%s32+1024];\n"
                        f"\tld.shared.b32 %w1, [%s32+2048];\n\tst.global.v2.b32 [%dst+{number * 1024 + 512}], {{%w0, %w1}};\n")
            number += 1
    return Case(name, [(opcode, signature)], SHARED + REGISTERS, "".join(body), inputs_of(name, 1024), untouched(1024 * number), 32)


def cases(forms):
    """Every copy's case; the forms of groups are in each of them."""
    groups = [form for form in forms if form[0] in ("cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all")]
    for opcode, signature in forms:
        if opcode.startswith(("cp.async.ca", "cp.async.cg")):
            case = copy_case(opcode, signature)
            case.forms += groups
            yield case
