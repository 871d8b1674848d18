# SPDX-License-Identifier: Apache-2.0
"""What one case of the differential test is: a kernel, its inputs, and how its outputs are compared."""
import dataclasses
import math
import random
import struct
import zlib

THREADS = 256
UNTOUCHED = 0xA5  # what outputs hold before a kernel writes them


@dataclasses.dataclass
class TensorMapSpec:
    """A tensor map over the case's output buffer (where="out") or its inputs, from byte `offset` on."""
    dtype: str
    dims: tuple
    box: tuple
    where: str = "out"
    offset: int = 0
    swizzle: int = 0


@dataclasses.dataclass
class Case:
    """One kernel. `forms`: (opcode, signature) of the machine's forms that it executes.

    The kernel has the parameters `in` and `out`, addresses, then a `.b8 map[128]` for each of `maps`.
    `directives`: lines before the kernel's body; `before`: what stands before the kernel, with names of its own.
    `close`: None for byte equality, else a function (emulator's bytes, device's bytes) that lists what is too far apart.
    """
    name: str
    forms: list
    declarations: str
    body: str
    inputs: bytes
    output: bytes
    threads: int = THREADS
    ctas: int = 1
    cluster: int = 1
    maps: tuple = ()
    close: object = None
    directives: str = ""
    before: str = ""

    def entry(self, name):
        """The kernel's text."""
        maps = "".join(f", .param .align 64 .b8 map{i}[128]" for i in range(len(self.maps)))
        cluster = f".reqnctapercluster {self.cluster}, 1, 1\n" if self.cluster > 1 else ""
        return (f"{self.before}.visible .entry {name}(.param .b64 in, .param .b64 out{maps})\n.reqntid {self.threads}, 1, 1\n{cluster}{self.directives}{{\n"
                f"\t.reg .b64 %in, %out;\n\t.reg .b32 %tx;\n{self.declarations}"
                f"\tld.param.b64 %in, [in];\n\tld.param.b64 %out, [out];\n\tmov.u32 %tx, %tid.x;\n{self.body}\tret;\n}}\n")


def rng_of(name):
    """The random numbers of a case: the same on every machine."""
    return random.Random(zlib.crc32(name.encode()))


def untouched(num_bytes):
    """Output of `num_bytes` that nothing has written."""
    return bytes([UNTOUCHED]) * num_bytes


def pack(values, width):
    """Values as little-endian words of `width` bytes."""
    mask = (1 << 8 * width) - 1
    return b"".join((value & mask).to_bytes(width, "little") for value in values)


def module_text(entries, target="sm_90a"):
    """A PTX file of kernels."""
    return f".version 8.6\n.target {target}\n.address_size 64\n" + "".join(entries)


INTEGERS = {
    1: [0, 1, 0x7F, 0x80, 0xFF, 0x38, 0xC4],
    2: [0, 1, 2, 31, 32, 0x7FFF, 0x8000, 0xFFFF, 0x8001, 0x00FF, 0xFF00, 3],
    4: [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80000001, 255, 0xFFFF8000],
    8: [0, 1, 2, 63, 64, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x8000000000000001, 0xFFFFFFFF, 0x100000000,
        0x80000000],
}
FLOATS = [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x00000001,
          0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x3F000000]
MORE_FLOATS = FLOATS + [0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0xDF000000, 0x3FC00000, 0x40200000, 0xBF000000, 0xC0200000,
                        0x477FE000, 0x477FF000, 0x33000000, 0x33000001, 0x387FC000, 0x43E00000, 0x43E80000, 0x43F00000, 0x47600000,
                        0x47700000, 0x40C00000, 0x40E00000, 0x3F000001, 0x3B000000, 0x3A800000, 0x37800000, 0x37000000, 0x3E800000,
                        0xFF7FFFFF, 0x3F808000, 0x3F818000, 0x7F7F8000, 0x00400000, 0x00008000, 0x00018000, 0x3F801000, 0x3F803000]
HALVES = [0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE55, 0x0001, 0x83FF, 0x0400, 0x7BFF, 0x3800]
BF16S = [value >> 16 for value in FLOATS[:7]] + [0x7F81, 0xFFC1, 0x0001, 0x807F, 0x0080, 0x7F7F, 0x3F00]
DOUBLES = [0, 1 << 63, 0x3FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1, 0x0010000000000000]


def random_float(rng):
    """A float whose exponent is near that of 1 more often than not."""
    if rng.random() < 0.25:
        return rng.getrandbits(32)
    return rng.getrandbits(1) << 31 | rng.randrange(127 - 24, 127 + 24) << 23 | rng.getrandbits(23)


def random_half(rng):
    """Half-precision bits of any exponent."""
    return rng.getrandbits(16)


def random_bf16(rng):
    """bfloat16 bits, mostly of moderate size."""
    return random_float(rng) >> 16


def twice(values):
    """Packed pairs: each value with the next one above it."""
    return [low | high << 16 for low, high in zip(values, values[1:] + values[:1])]


def specials_and_random(kind):
    """(width in bytes, special values, function of a generator) of a kind of operand."""
    if kind in ("f32",):
        return 4, FLOATS, random_float
    if kind == "f32-more":
        return 4, MORE_FLOATS, random_float
    if kind == "angle":  # of sin and cos, whose approximations are bounded in [-pi, pi] alone
        words = [struct.unpack("<I", struct.pack("<f", math.pi * i / 16))[0] for i in range(-16, 17)]
        return 4, FLOATS[:10] + words, lambda rng: struct.unpack("<I", struct.pack("<f", rng.uniform(-3.14, 3.14)))[0]
    if kind == "f16":
        return 2, HALVES, random_half
    if kind == "bf16":
        return 2, BF16S, random_bf16
    if kind == "f16x2":
        return 4, twice(HALVES), lambda rng: random_half(rng) << 16 | random_half(rng)
    if kind == "bf16x2":
        return 4, twice(BF16S), lambda rng: random_bf16(rng) << 16 | random_bf16(rng)
    if kind == "f64":
        return 8, DOUBLES, lambda rng: rng.getrandbits(64)
    if kind == "count":
        return 4, [0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 255, 256, 0x80000000, 0xFFFFFFFF], lambda rng: rng.randrange(70)
    if kind == "pred":
        return 4, [0, 1], lambda rng: rng.getrandbits(1)
    width = int(kind[1:]) // 8
    return width, INTEGERS[width], lambda rng: rng.getrandbits(8 * width) >> rng.choice([0, 0, 4 * width, 6 * width])


def operand_values(kinds, rng, count=THREADS):
    """`count` values for each operand: special ones in all pairs where there is room, random ones after them."""
    columns = [specials_and_random(kind) for kind in kinds]
    rows = []
    if len(columns) == 1:
        rows = [(value,) for value in columns[0][1]]
    elif len(columns) == 2:
        rows = [(a, b) for a in columns[0][1] for b in columns[1][1]]
    rows = rows[:count * 3 // 4 if len(columns) > 1 else count]
    while len(rows) < count:
        rows.append(tuple(rng.choice(specials) if rng.random() < 0.4 else draw(rng) for _, specials, draw in columns))
    return [[row[i] for row in rows] for i in range(len(columns))]
