// SPDX-License-Identifier: Apache-2.0
/// Adds the products of one stage: slabs of packed 4-bit weights times swizzled rows of int8 activations.
// Each step of 64 columns is dequantised while the one before it multiplies; every step has registers of its own, which
// wgmma reads until the wait at the end.
template <int kHalves, int kGroup, bool kIsSigned, int kCodesBytes, int kBlockBytes, int kTokens, int kSlabs>
WW_DEVICE void multiply_w4a8(Accumulator<kTokens, kSlabs> &acc, u32 weights, u32 activations) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const u32 first = weights + threadIdx.x / 128 * kSlabs * kBlockBytes;
  const u32 codes = first + (warp * 32 + lane) * 16;
  constexpr u32 kEntries = kGroup == 64 ? kHalves : 1;
  const u32 entries = first + kCodesBytes + (warp * 8 + lane / 4) * kEntries * 4;
  const u64 desc = wgmma_descriptor(activations);
  constexpr int kSteps = kHalves * kSlabs;
  Words<4> a[kSteps][2];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int half = step / kSlabs, slab = step % kSlabs;
    Words<4> word;
    load_shared_words4(word, codes + slab * kBlockBytes + half * 2048);
    const u32 entry = kGroup ? load_shared_u32(entries + slab * kBlockBytes + half % kEntries * 4) : 0;
    dequantise<kGroup, kIsSigned>(a[step][0], a[step][1], word, entry);
    wgmma_fence(acc.slab[slab], a[step][0], a[step][1]);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if constexpr (kIsSigned) wgmma_s8_s8(acc.slab[slab], a[step][k], desc + half * 4 + k * 2);
      else wgmma_u8_s8(acc.slab[slab], a[step][k], desc + half * 4 + k * 2);
    }
    wgmma_commit_group();
    wgmma_wait_group<1>();
  }
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab) wgmma_wait_all(acc.slab[slab]);
}
