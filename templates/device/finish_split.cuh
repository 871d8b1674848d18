// SPDX-License-Identifier: Apache-2.0
/// Leaves a split's sums; the last one stores its tokens, made by kValues and packed by kPack: two channels a word.
// Lanes r and r + 1 of a warp exchange, so that each has neighbouring channels of two tokens.
template <u32 (*kPack)(float, float), float4 (*kValues)(int4, int, int, const Factors &), int kSplits, int kWarps,
          int kN, int kTokens, int kSlabs>
WW_DEVICE void finish_split(Accumulator<kTokens, kSlabs> &acc, int tile, int split, int first_token,
                            int first_channel, const Factors &factors, u16 *out, u32 *tickets, int4 *partials) {
  if (!join_splits<kSplits, kWarps>(acc, tile, split, tickets, partials)) return;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, is_odd = lane / 4 % 2;
  const int slab_channel = first_channel + int(threadIdx.x / 128) * kSlabs * 64;
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab) {
    if (slab_channel + slab * 64 >= kN) continue;
    const int channel = slab_channel + slab * 64 + warp * 16 + lane / 4;
    u16 *to = out + (is_odd ? channel + 7 : channel);
#pragma unroll
    for (int j = 0; j < kTokens / 8; ++j) {
      const int token = first_token + 8 * j + 2 * (lane % 4);
      const float4 v = kValues(sums_of(acc.slab[slab], j), token, channel, factors);
      const u32 upper = kPack(v.x, v.y), lower = kPack(v.z, v.w);
      const u32 other = __shfl_xor_sync(0xffffffff, is_odd ? upper : lower, 4);
      const u32 left = is_odd ? other : upper, right = is_odd ? lower : other;
      u16 *const at = to + static_cast<long long>(token) * kN;
      if (token < factors.m) *reinterpret_cast<u32 *>(at) = __byte_perm(left, right, 0x5410);
      if (token + 1 < factors.m) *reinterpret_cast<u32 *>(at + kN) = __byte_perm(left, right, 0x7632);
    }
  }
}
