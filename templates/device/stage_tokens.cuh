// SPDX-License-Identifier: Apache-2.0
/// Stores kChunk tokens from kFirst on of a slab, as kValues makes them and packed by kPack: 64 channels a warpgroup.
template <u32 (*kPack)(float, float), float4 (*kValues)(int4, int, int, const Factors &), int kSlab, int kFirst,
          int kChunk, int kTokens, int kSlabs>
WW_DEVICE void stage_tokens(const Accumulator<kTokens, kSlabs> &acc, u32 staging, int first_token,
                            int first_channel, int last_channel, const Factors &factors) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
  const u32 panel = staging + group * kChunk * 128;
  // A tile may reach beyond the output; its channels are not stored there, but their factors must be readable.
  const int slab_channel = min(first_channel + int(group) * kSlabs * 64, last_channel);
  const int channel = slab_channel + warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < kChunk / 8; ++j) {
    const int token = first_token + kFirst + 8 * j + 2 * (lane % 4);
    const float4 v = kValues(sums_of(acc.slab[kSlab], kFirst / 8 + j), token, channel, factors);
    const u32 addr = panel + swizzled_offset<128>(8 * j + lane % 8, 2 * warp + lane / 8 % 2);
    store_shared_transposed_x2(addr, kPack(v.x, v.y), kPack(v.z, v.w));
  }
}
