# SPDX-License-Identifier: Apache-2.0
"""Kernels of one wgmma.mma_async each: every type, shape, layout and modifier, and what their CTAs work on."""
import dataclasses
import random
import struct

import data

FLOATS = (("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"))
EIGHT_BITS = tuple((d, a, b) for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2"))
INTEGERS = tuple(("s32", a, b) for a in ("s8", "u8") for b in ("s8", "u8"))
# PTX ISA 9.0, "Matrix Shape" of wgmma.mma_async.
FLOAT_N = tuple(range(8, 257, 8))
INTEGER_N = (8, 16, 24, 32) + tuple(range(48, 257, 16))
SWIZZLES = {16: 0, 32: 3, 64: 2, 128: 1}  # bytes of a row of the atom: the descriptor's bits 62-63
# Blocks 0-7 have a mode each and 8 … are drawn; kernels of the smallest N have the most of them.
MANY_BLOCKS, FEW_BLOCKS = 24, 4


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel."""
    d: str
    a: str
    b: str
    n: int
    is_register_a: bool = False
    saturates: bool = False
    scale_a: int = 1
    scale_b: int = 1
    transpose_a: int = 0
    transpose_b: int = 0

    @property
    def k(self):
        """Columns of A."""
        return 32 // data.BYTES_OF[self.a]

    @property
    def registers(self):
        """Of D in a thread."""
        return self.n // 4 if self.d == "f16" else self.n // 2

    @property
    def takes_transpose(self):
        """Whether the operands may be MN-major: 16-bit ones."""
        return self.a in ("f16", "bf16")

    @property
    def opcode(self):
        """As in PTX."""
        saturate = ".satfinite" if self.saturates else ""
        return f"wgmma.mma_async.sync.aligned.m64n{self.n}k{self.k}{saturate}.{self.d}.{self.a}.{self.b}"

    @property
    def name(self):
        """Unique."""
        modifiers = f" {self.scale_a:+} {self.scale_b:+} {self.transpose_a}{self.transpose_b}"
        return f"{self.opcode[29:]} {'rs' if self.is_register_a else 'ss'}{modifiers}"

    def modifiers(self):
        """The immediates after scale-d."""
        if data.is_integer(self.a):
            return ""
        text = f", {self.scale_a}, {self.scale_b}"
        if not self.takes_transpose:
            return text
        return text + ("" if self.is_register_a else f", {self.transpose_a}") + f", {self.transpose_b}"

    def text(self):
        """The kernel's PTX. A CTA reads 32 bytes of `table`: two descriptors relative to its shared memory, scale-d, its mode."""
        count = self.registers
        vector = "{" + ", ".join(f"%d{i}" for i in range(count)) + "}"
        a = "{%a0, %a1, %a2, %a3}" if self.is_register_a else "%adesc"
        loads = "".join(f"\tld.global.b32 %d{i}, [%from+{512 * i}];\n" for i in range(count))
        stores = "".join(f"\tst.global.b32 [%to+{512 * i}], %d{i};\n" for i in range(count))
        a_loads = "".join(f"\tld.global.b32 %a{i}, [%afrom+{512 * i}];\n" for i in range(4))
        words = {"bytes": data.SHARED_BYTES, "count": count, "loads": loads, "stores": stores, "a_loads": a_loads,
                 "copies": data.SHARED_BYTES // (16 * data.THREADS), "c_bytes": data.C_WORDS * data.THREADS * 4,
                 "out_bytes": count * 512, "mma": f"{self.opcode} {vector}, {a}, %bdesc, %scale{self.modifiers()};"}
        return TEXT % words


TEXT = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .b64 table, .param .b64 shared_in, .param .b64 a_in, .param .b64 c_in, .param .b64 out)
.reqntid 128, 1, 1
{
	.shared .align 1024 .b8 smem[%(bytes)d];
	.reg .pred %%more, %%scale;
	.reg .b32 %%thread, %%cta, %%base, %%to32, %%i, %%mode, %%scaled, %%w<4>, %%a<4>, %%d<%(count)d>;
	.reg .b64 %%p, %%from, %%afrom, %%to, %%adesc, %%bdesc, %%base64;
	mov.u32 %%thread, %%tid.x;
	mov.u32 %%cta, %%ctaid.x;
	ld.param.b64 %%p, [table];
	mad.wide.u32 %%p, %%cta, 32, %%p;
	ld.global.b64 %%adesc, [%%p];
	ld.global.b64 %%bdesc, [%%p+8];
	ld.global.b32 %%scaled, [%%p+16];
	ld.global.b32 %%mode, [%%p+20];
	setp.ne.b32 %%scale, %%scaled, 0;
	mov.u32 %%base, smem;
	shr.u32 %%to32, %%base, 4;
	cvt.u64.u32 %%base64, %%to32;
	add.s64 %%adesc, %%adesc, %%base64;
	add.s64 %%bdesc, %%bdesc, %%base64;
	ld.param.b64 %%p, [shared_in];
	mad.wide.u32 %%p, %%mode, %(bytes)d, %%p;
	mad.wide.u32 %%p, %%thread, 16, %%p;
	mad.lo.u32 %%to32, %%thread, 16, %%base;
	mov.u32 %%i, 0;
COPY:
	ld.global.v4.b32 {%%w0, %%w1, %%w2, %%w3}, [%%p];
	st.shared.v4.b32 [%%to32], {%%w0, %%w1, %%w2, %%w3};
	add.s64 %%p, %%p, 2048;
	add.u32 %%to32, %%to32, 2048;
	add.u32 %%i, %%i, 1;
	setp.lt.u32 %%more, %%i, %(copies)d;
	@%%more bra COPY;
	fence.proxy.async;
	bar.sync 0;
	ld.param.b64 %%afrom, [a_in];
	mad.wide.u32 %%afrom, %%mode, 2048, %%afrom;
	mad.wide.u32 %%afrom, %%thread, 4, %%afrom;
	ld.param.b64 %%from, [c_in];
	mad.wide.u32 %%from, %%mode, %(c_bytes)d, %%from;
	mad.wide.u32 %%from, %%thread, 4, %%from;
	ld.param.b64 %%to, [out];
	mad.wide.u32 %%to, %%cta, %(out_bytes)d, %%to;
	mad.wide.u32 %%to, %%thread, 4, %%to;
%(a_loads)s%(loads)s	wgmma.fence.sync.aligned;
	%(mma)s
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
%(stores)s	ret;
}
"""


def descriptor(address, leading, stride, span, base_offset=0):
    """PTX ISA 9.0, "Matrix Descriptor Format"."""
    return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base_offset << 49 | SWIZZLES[span] << 62


def multiples(rng, step, most):
    """A multiple of `step`, at least one and at most `most`."""
    return step * rng.randint(1, max(most // step, 1))


def k_major(rng, base, region, rows, span):
    """A K-major operand of `rows` rows somewhere in `region` bytes."""
    cores = rows // 8
    if span == 16:
        leading, stride = multiples(rng, 16, region // 4), multiples(rng, 16, region // (2 * cores))
        used = (cores - 1) * stride + 128 + leading
        return descriptor(base + 16 * rng.randint(0, (region - used) // 16), leading, stride, span)
    stride = multiples(rng, 8 * span, region // cores)
    slack = (region - (cores - 1) * stride) // (8 * span) - 1
    address = base + 8 * span * rng.randint(0, slack) + 32 * rng.randrange(span // 32)
    return descriptor(address, 16 * rng.randrange(64), stride, span)


def mn_major(rng, base, region, rows, span):
    """An MN-major operand of 16-bit elements."""
    if span == 16:
        cores = rows // 8
        leading, stride = multiples(rng, 16, region // 4), multiples(rng, 16, region // (2 * cores))
        used = (cores - 1) * stride + 128 + leading
        return descriptor(base + 16 * rng.randint(0, (region - used) // 16), leading, stride, span)
    atom, chunks = 8 * span, -(-2 * rows // span)
    leading = multiples(rng, atom, region // 2 // chunks)
    stride = multiples(rng, atom, region // 4)
    slack = (region - (chunks - 1) * leading - stride) // atom - 1
    return descriptor(base + atom * rng.randint(0, slack), leading, stride, span)


def blocks(case, count):
    """(descriptor of A, of B, scale-d, mode) of each CTA."""
    rng = random.Random(case.name)
    modes = data.modes_of(case.a)
    out = []
    for index in range(count):
        mode = index % len(modes) if count == MANY_BLOCKS else rng.randrange(len(modes))
        if modes[mode][0] == "cancel" and not case.transpose_a and not case.transpose_b:
            a, b = descriptor(0, 128, 256, 16), descriptor(data.A_BYTES, 128, 256, 16)
        else:
            make_a, make_b = (mn_major if flag else k_major for flag in (case.transpose_a, case.transpose_b))
            a = make_a(rng, 0, data.A_BYTES, 64, rng.choice(tuple(SWIZZLES)))
            b = make_b(rng, data.A_BYTES, data.B_BYTES, case.n, rng.choice(tuple(SWIZZLES)))
        out.append((a, b, int(index % 8 != 7), mode))
    return out


def table_of(entries):
    """What the kernel reads of its CTAs."""
    return b"".join(struct.pack("<QQIIQ", a, b, scale_d, mode, 0) for a, b, scale_d, mode in entries)


def shapes():
    """Every type and N, A in shared memory and in registers."""
    for kinds in FLOATS + EIGHT_BITS:
        for n in FLOAT_N:
            for is_register_a in (False, True):
                yield Case(*kinds, n, is_register_a)
    for kinds in INTEGERS:
        for n in INTEGER_N:
            for is_register_a in (False, True):
                for saturates in (False, True):
                    yield Case(*kinds, n, is_register_a, saturates)


def modifications():
    """Every combination of negation and transposition."""
    signs = (1, -1)
    for kinds in FLOATS + EIGHT_BITS[:1] + EIGHT_BITS[-1:]:
        transposes = ((0, 0), (0, 1), (1, 0), (1, 1)) if kinds[1] in ("f16", "bf16") else ((0, 0),)
        for n in (8, 72, 256):
            for is_register_a in (False, True):
                for transpose_a, transpose_b in transposes:
                    if is_register_a and transpose_a:
                        continue
                    for scale_a in signs:
                        for scale_b in signs:
                            if (scale_a, scale_b, transpose_a, transpose_b) != (1, 1, 0, 0):
                                yield Case(*kinds, n, is_register_a, False, scale_a, scale_b, transpose_a, transpose_b)


def all_cases():
    """In the order of the recorded vectors."""
    return list(shapes()) + list(modifications())


def block_count(case):
    """CTAs of a case."""
    is_plain = case.scale_a == case.scale_b == 1 and not case.transpose_a and not case.transpose_b
    return MANY_BLOCKS if case.n == 8 and is_plain else FEW_BLOCKS
