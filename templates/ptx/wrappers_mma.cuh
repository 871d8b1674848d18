// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/mma.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

/// D += A B of BF16, 16 x 8, K = 16.
WW_DEVICE void mma_bf16(Fragment<4> &d, const Words<4> &a, const Words<2> &b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, "
      "{%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d.v[0]), "+f"(d.v[1]), "+f"(d.v[2]), "+f"(d.v[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(b.v[0]), "r"(b.v[1]));
}

/// D += A B of FP16, 16 x 8, K = 16.
WW_DEVICE void mma_fp16(Fragment<4> &d, const Words<4> &a, const Words<2> &b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, "
      "{%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d.v[0]), "+f"(d.v[1]), "+f"(d.v[2]), "+f"(d.v[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(b.v[0]), "r"(b.v[1]));
}
