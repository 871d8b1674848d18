// SPDX-License-Identifier: Apache-2.0
/// Where TMA looks for 16-byte chunk `chunk` of row `row` in a panel of 128- or 64-byte rows with that width's swizzle.
// PTX ISA, "Swizzling Modes": address bits 4-6 are xored with bits 7-9 (128 B), bits 4-5 with bits 7-8 (64 B); panels
// start on 8 * kRowBytes, so that bits of the offset are bits of the address.
template <int kRowBytes> WW_DEVICE u32 swizzled_offset(u32 row, u32 chunk) {
  static_assert(kRowBytes == 128 || kRowBytes == 64, "a panel row is as wide as its swizzle");
  const u32 turn = row * kRowBytes / 128 % (kRowBytes / 16);
  return row * kRowBytes + ((chunk ^ turn) << 4);
}
