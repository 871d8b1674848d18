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


def floats(data):
    """The floats of a buffer."""
    return [value[0] for value in struct.iter_unpack("<f", data)]


def is_close(ours, theirs, bound):
    """Whether two results may both be right."""
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    if ours == theirs:
        return math.copysign(1, ours) == math.copysign(1, theirs)
    if math.isinf(ours) or math.isinf(theirs):
        return False
    ulps, relative, absolute = bound
    size = max(abs(ours), abs(theirs), 2.0**-126)
    ulp = 2.0 ** (math.frexp(size)[1] - 24)
    # One more unit: the emulator rounds too.
    return abs(ours - theirs) <= 2 * max(ulps * ulp, relative * size, absolute) + ulp


def of(opcode):
    """The comparison of an opcode's results; None where they are exact."""
    bound = BOUNDS.get(".".join(opcode.split(".")[:2]))
    if bound is None or not opcode.endswith("f32"):
        return None

    def too_far(ours, theirs):
        pairs = enumerate(zip(floats(ours), floats(theirs)))
        return [f"element {i}: {a!r} here, {b!r} there" for i, (a, b) in pairs if not is_close(a, b, bound)]
    return too_far
