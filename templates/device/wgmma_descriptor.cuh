// SPDX-License-Identifier: Apache-2.0
/// Matrix descriptor of K-major rows of 128 bytes in shared memory, swizzled over them, as wgmma reads it.
// PTX ISA, "Matrix Descriptor Format" of wgmma: bits 0-13 address / 16, 32-45 bytes between groups of eight rows / 16,
// 62-63 swizzle (1: 128 B). The leading dimension is unused with a swizzle; 1 stands for it.
WW_DEVICE u64 wgmma_descriptor(u32 addr) {
  constexpr u32 kHigh = (8 * 128 >> 4) | (1u << 30);
  return (u64(kHigh) << 32) | (1u << 16) | ((addr >> 4) & 0x3FFF);
}
