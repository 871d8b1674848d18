// SPDX-License-Identifier: Apache-2.0
/// Matrix descriptor of a 512-byte scale atom in shared memory, as tcgen05.cp reads it.
// PTX ISA, "Shared memory descriptor": no swizzle, groups of eight 16-byte rows 128 bytes apart, bits 46-48 constant 1.
WW_DEVICE u64 scale_descriptor(u32 addr) {
  constexpr u32 kHigh = (128 >> 4) | (1u << 14);
  return (u64(kHigh) << 32) | ((addr >> 4) & 0x3FFF);
}
