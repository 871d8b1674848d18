# SPDX-License-Identifier: Apache-2.0
"""How far two devices' approximations may lie apart: each within the PTX ISA's bound, so twice the bound between them.

Source: PTX ISA 9.0, "Floating Point Instructions": the bounds stated with each instruction. Infinities, NaNs, zeros and signs
are exact.
"""
import math
import struct

# (ulps, relative error, absolute error) of one device.
BOUNDS = {
    "div.approx": (2, 0, 0),
    "div.full": (2, 0, 0),
    "rcp.approx": (1, 0, 0),
    "sqrt.approx": (0, 2**-23, 0),
    "rsqrt.approx": (0, 2**-22.9, 0),
    "sin.approx": (0, 0, 2**-20.5),
    "cos.approx": (0, 0, 2**-20.5),
    "lg2.approx": (0, 2**-22, 2**-22),
    "ex2.approx": (2, 0, 0),
    "tanh.approx": (0, 2**-11, 0),
}
HALF_BOUNDS = {
    "ex2.approx f16": (0, 2**-9.9, 0),
    "ex2.approx bf16": (0, 2**-7, 0),
    "tanh.approx f16": (0, 0, 2**-10.987),
    "tanh.approx bf16": (0, 0, 2**-8),
}


def floats(data):
    """The floats of a buffer."""
    return [value[0] for value in struct.iter_unpack("<f", data)]


def halves(data):
    """The f16 values of a buffer."""
    return [value[0] for value in struct.iter_unpack("<e", data)]


def bf16s(data):
    """The bf16 values of a buffer."""
    return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]


def is_close(ours, theirs, bound, least=2.0**-126, digits=24):
    """Whether two results may both be right."""
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    if ours == theirs:
        return math.copysign(1, ours) == math.copysign(1, theirs)
    if math.isinf(ours) or math.isinf(theirs):
        return False
    ulps, relative, absolute = bound
    size = max(abs(ours), abs(theirs), least)
    ulp = 2.0 ** (math.frexp(size)[1] - digits)
    # One more unit: the emulator rounds too.
    return abs(ours - theirs) <= 2 * max(ulps * ulp, relative * size, absolute) + ulp


def of(opcode):
    """The comparison of an opcode's results; None where they are exact."""
    head, kind = ".".join(opcode.split(".")[:2]), opcode.split(".")[-1].removesuffix("x2")
    table, values, least, digits = BOUNDS, floats, 2.0**-126, 24
    if kind in ("f16", "bf16"):
        table, head = HALF_BOUNDS, f"{head} {kind}"
        values, least, digits = (halves, 2.0**-14, 11) if kind == "f16" else (bf16s, 2.0**-126, 8)
    bound = table.get(head)
    if bound is None:
        return None

    def too_far(ours, theirs):
        pairs = enumerate(zip(values(ours), values(theirs)))
        return [f"element {i}: {a!r} here, {b!r} there" for i, (a, b) in pairs if not is_close(a, b, bound, least, digits)]
    return too_far
