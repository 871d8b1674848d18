# SPDX-License-Identifier: Apache-2.0
"""Random operands of wgmma: element codes by format and mode, made byte by byte, so that megabytes take no time."""
import random

A_BYTES = 8192  # of the shared memory of a CTA: first what descriptors of A may reach, then B's
B_BYTES = 32768
SHARED_BYTES = A_BYTES + B_BYTES
THREADS = 128
C_WORDS = 128  # accumulator registers of a thread, at most

# Bits of sign, exponent and fraction that the most significant byte holds, and the exponents of each mode.
# raw: every code, infinities and NaNs among them. near: a factor of 16. wide: subnormals and the ends of the range.
BYTES_OF = {"e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1, "f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "s32": 4}
TOP = {"e4m3": (4, 3), "e5m2": (5, 2), "f16": (5, 2), "bf16": (7, 0), "tf32": (7, 0), "f32": (7, 0)}
FRACTION_BITS = {"e4m3": 3, "e5m2": 2, "f16": 10, "bf16": 7, "tf32": 23, "f32": 23}
EXPONENTS = {
    "e4m3": {"near": (6, 7, 8, 9), "wide": (0, 0, 0, 1, 7, 14), "finite": tuple(range(15)), "low": (0, 1, 2, 3, 4)},
    "e5m2": {"near": (14, 15, 16, 17), "wide": (0, 0, 0, 1, 15, 25, 30), "finite": tuple(range(31)), "low": (4, 6, 8, 10, 11)},
    "f16": {"near": (13, 14, 15, 16), "wide": (0, 0, 1, 8, 15, 20, 30), "finite": tuple(range(31)), "low": (1, 3, 6, 9, 12)},
    # The top byte of the 8-bit exponents holds all but their last bit.
    "bf16": {"near": (63, 64), "wide": (0, 16, 48, 63, 69, 96, 111), "finite": tuple(range(56, 72)), "low": (50, 54, 58, 60)},
}
EXPONENTS["tf32"] = EXPONENTS["f32"] = EXPONENTS["bf16"]
INTEGER_BYTES = {"big": (0x7F, 0x80, 0xFF, 0x81, 0x00), "near": (0, 1, 2, 3, 0xFD, 0xFE, 0xFF)}

# (of A, of B, of the accumulator)
FLOAT_MODES = (("near", "near", "near"), ("finite", "finite", "near"), ("wide", "wide", "wide"), ("raw", "raw", "raw"),
               ("near", "near", "wide"), ("cancel", "cancel", "near"), ("cancel", "cancel", "finite"), ("wide", "near", "finite"))
INTEGER_MODES = (("raw", "raw", "raw"), ("big", "big", "big"), ("near", "near", "near"), ("raw", "big", "big"))


def is_integer(kind):
    """Whether elements are integers."""
    return kind in ("s8", "u8", "s32")


def modes_of(kind):
    """The modes of a multiplication of elements of this format."""
    return INTEGER_MODES if is_integer(kind) else FLOAT_MODES


def table(values):
    """256 bytes that translate a random byte to one of the values."""
    return bytes(values[i % len(values)] for i in range(256))


def codes(rng, kind, mode, count):
    """`count` elements."""
    width = BYTES_OF[kind]
    out = bytearray(rng.randbytes(count * width))
    if mode == "raw":
        return out
    if is_integer(kind):
        for byte in range(width):
            out[byte::width] = out[byte::width].translate(table(INTEGER_BYTES[mode]))
        return out
    exponent_bits, fraction_bits = TOP[kind]
    tops = [sign << 7 | exponent << fraction_bits | fraction for exponent in EXPONENTS[kind][mode] for sign in (0, 1)
            for fraction in range(1 << fraction_bits)]
    assert exponent_bits + fraction_bits == 7
    rng.shuffle(tops)
    out[width - 1::width] = out[width - 1::width].translate(table(tops))
    return out


def cancelling(rng, kind, rows, is_a):
    """Rows of 32 bytes: the first two products of a row cancel, at an exponent that grows from row to row of A, and leave the
    small ones that an alignment to the largest has cut."""
    width = BYTES_OF[kind]
    per_row = 32 // width
    matrix = codes(rng, kind, "low" if is_a else "near", rows * per_row)
    exponent_bits = 8 * width - 1 - FRACTION_BITS[kind]
    for row in range(rows):
        first = row * 32
        if is_a:
            most = min((1 << exponent_bits) - 2, 190)
            exponent = most - row * most // (2 * rows)
            code = exponent << FRACTION_BITS[kind] | rng.getrandbits(FRACTION_BITS[kind])
            matrix[first:first + width] = code.to_bytes(width, "little")
            matrix[first + width:first + 2 * width] = (code | 1 << (8 * width - 1)).to_bytes(width, "little")
        else:
            matrix[first + width:first + 2 * width] = matrix[first:first + width]
    return matrix


def in_cores(matrix):
    """Rows of 32 bytes as K-major cores of 8 rows without a swizzle: leading offset 128, stride 256."""
    out = bytearray(len(matrix))
    for row in range(len(matrix) // 32):
        for half in range(2):
            to = row // 8 * 256 + half * 128 + row % 8 * 16
            out[to:to + 16] = matrix[row * 32 + half * 16:row * 32 + half * 16 + 16]
    return out


def fragments(matrix):
    """64 rows of 32 bytes as the registers of A. PTX ISA 9.0, "Register Fragments and Shared Memory Matrix Layouts" of wgmma:
    register r of lane l of warp w holds bytes 4 (l % 4) + 16 (r / 2) … of row 16 w + l / 4 + 8 (r % 2)."""
    words = [matrix[i:i + 4] for i in range(0, len(matrix), 4)]
    return b"".join(words[(16 * (t // 32) + t % 32 // 4 + 8 * (r % 2)) * 8 + t % 4 + 4 * (r // 2)]
                    for r in range(4) for t in range(THREADS))


def operands(a_kind, b_kind, c_kind, mode):
    """Shared memory, A's registers and the accumulator's (register by register, 128 threads each), for one mode."""
    a_mode, b_mode, c_mode = mode
    rng = random.Random(f"{a_kind} {b_kind} {c_kind} {mode}")
    a_count, b_count = A_BYTES // BYTES_OF[a_kind], B_BYTES // BYTES_OF[b_kind]
    if a_mode == "cancel":
        matrix = cancelling(rng, a_kind, 64, True)
        a = in_cores(matrix) + codes(rng, a_kind, "near", a_count - 64 * 32 // BYTES_OF[a_kind])
        b = in_cores(cancelling(rng, b_kind, 256, False)) + codes(rng, b_kind, "near", b_count - 256 * 32 // BYTES_OF[b_kind])
    else:
        a, b = codes(rng, a_kind, a_mode, a_count), codes(rng, b_kind, b_mode, b_count)
        matrix = a[:64 * 32]
    c = codes(rng, c_kind, c_mode, C_WORDS * THREADS * 4 // BYTES_OF[c_kind])
    return bytes(a + b), fragments(matrix), bytes(c)
