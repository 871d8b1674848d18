// SPDX-License-Identifier: Apache-2.0
/// 32 codes to bytes: those of two k32 steps, as the A operand has them; kGroup 0 leaves codes as they are.
// A byte is code * scale + offset, at most 255, so that none carries into the next. Low nibbles are registers 0 and 1
// of a step, high nibbles registers 2 and 3. `entry` has scale and offset of row r, then those of row r + 8.
template <int kGroup, bool kIsSigned>
WW_DEVICE void dequantise(Words<4> &first, Words<4> &second, const Words<4> &codes, u32 entry) {
  constexpr u32 kNibbles = 0x0f0f0f0f, kFlip = kIsSigned ? 0x80808080 : 0;
  const u32 scale[2] = {entry & 0xff, entry >> 16 & 0xff};
  const u32 offset[2] = {__byte_perm(entry, 0, 0x1111), __byte_perm(entry, 0, 0x3333)};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    Words<4> &to = i < 2 ? first : second;
    const u32 low = codes.v[i] & kNibbles, high = codes.v[i] >> 4 & kNibbles;
    to.v[i % 2] = kGroup ? (low * scale[i % 2] + offset[i % 2]) ^ kFlip : low;
    to.v[i % 2 + 2] = kGroup ? (high * scale[i % 2] + offset[i % 2]) ^ kFlip : high;
  }
}
