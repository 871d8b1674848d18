// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/memory.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

/// Loads a word of this CTA's shared memory.
WW_DEVICE u32 load_shared_u32(u32 addr) {
  u32 value;
  asm volatile("ld.shared::cta.b32 %0, [%1];" : "=r"(value) : "r"(addr) : "memory");
  return value;
}

/// Stores four words at a 16-byte aligned address of this CTA's shared memory.
WW_DEVICE void store_shared_v4(u32 addr, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.shared::cta.v4.b32 [%0], {%1, %2, %3, %4};" :: "r"(addr), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

/// Loads four words at a 16-byte aligned address of this CTA's shared memory.
WW_DEVICE void load_shared_words4(Words<4> &f, u32 addr) {
  asm volatile(
      "ld.shared::cta.v4.b32 "
      "{%0, %1, %2, %3}, [%4];"
      : "=r"(f.v[0]), "=r"(f.v[1]), "=r"(f.v[2]), "=r"(f.v[3])
      : "r"(addr)
      : "memory");
}

/// Stores two 8 x 8 matrices of 16-bit elements transposed; lanes 0-7 and 8-15 address their 16-byte rows.
WW_DEVICE void store_shared_transposed_x2(u32 addr, u32 a, u32 b) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};"
      :
      : "r"(addr), "r"(a), "r"(b)
      : "memory");
}
