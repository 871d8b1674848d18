// SPDX-License-Identifier: Apache-2.0
/// Adds the products of one stage: slabs of packed 4-bit weights times swizzled rows of int8 activations.
// Codes are loaded a step of 64 columns ahead, and dequantised while the step before multiplies. Every step has
// registers of its own, which wgmma reads until the wait after the next one.
template <int kBlocks, int kHalves, int kGroup, bool kIsSigned, int kCodesBytes, int kBlockBytes, int kTokens,
          int kSlabs>
WW_DEVICE void multiply_w4a8(Accumulator<kTokens, kSlabs> &acc, u32 weights, u32 activations) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const u32 first = weights + threadIdx.x / 128 * kSlabs * kBlocks * kBlockBytes;
  const u32 codes = first + (warp * 32 + lane) * 16;
  constexpr int kEntries = kGroup == 64 ? kHalves : 1, kSteps = kBlocks * kHalves * kSlabs;
  const u32 entries = first + kCodesBytes + (warp * 8 + lane / 4) * kEntries * 4;
  Words<4> word[kSteps], a[kSteps][2];
  u32 entry[kSteps];
  const auto load = [&](int step) {
    const int half = step / kSlabs % kHalves;
    const u32 block = (step % kSlabs * kBlocks + step / kSlabs / kHalves) * kBlockBytes;
    load_shared_words4(word[step], codes + block + half * 2048);
    entry[step] = kGroup ? load_shared_u32(entries + block + half % kEntries * 4) : 0;
  };
  load(0);
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int half = step / kSlabs % kHalves, slab = step % kSlabs;
    // A block's activations are rows of their own.
    const u64 desc = wgmma_descriptor(activations + step / kSlabs / kHalves * kTokens * 128) + half * 4;
    if (step + 1 < kSteps) load(step + 1);
    dequantise<kGroup, kIsSigned>(a[step][0], a[step][1], word[step], entry[step]);
    wgmma_fence(acc.slab[slab], a[step][0], a[step][1]);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if constexpr (kIsSigned) wgmma_s8_s8(acc.slab[slab], a[step][k], desc + k * 2);
      else wgmma_u8_s8(acc.slab[slab], a[step][k], desc + k * 2);
    }
    wgmma_commit_group();
    if (step + 1 < kSteps) wgmma_wait_group<1>();
  }
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab) wgmma_wait_all(acc.slab[slab]);
}
