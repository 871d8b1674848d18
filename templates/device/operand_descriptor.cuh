// SPDX-License-Identifier: Apache-2.0
/// Matrix descriptor of a K-major operand in shared memory: rows of kRowBytes = 128 or 64, swizzled over that width.
// PTX ISA, "Shared memory descriptor": bits 0-13 address / 16, 32-45 bytes between groups of eight rows / 16,
// 46-48 constant 1, 61-63 swizzle (2: 128 B, 4: 64 B). Base offset 0: regions start on 8 * kRowBytes.
template <int kRowBytes> WW_DEVICE u64 operand_descriptor(u32 addr) {
  static_assert(kRowBytes == 128 || kRowBytes == 64, "an operand row is as wide as its swizzle");
  constexpr u32 kSwizzle = kRowBytes == 128 ? 2 : 4;
  constexpr u32 kHigh = (8 * kRowBytes >> 4) | (1u << 14) | (kSwizzle << 29);
  return (u64(kHigh) << 32) | ((addr >> 4) & 0x3FFF);
}
