// SPDX-License-Identifier: Apache-2.0
/// As tokens_to_values; kMma adds the product of 16-bit rows of kRank before the channel's factor and bias.
// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": D is a warp's part of a wgmma's D, channels
// r and r + 8 of two neighbouring tokens; A is rows r and r + 8 of the up matrix, B the row of token lane / 4.
template <int kOffset, int kRank, void (*kMma)(Fragment<4> &, const Words<4> &, const Words<2> &)>
WW_DEVICE float4 tokens_to_values_lora(int4 sums, int token, int channel, const Factors &f) {
  const Factors scales = {f.m, f.x_scale, f.x_sum, f.w_scale, f.zero};
  const float4 scaled = tokens_to_values<kOffset>(sums, token, channel, scales);
  Fragment<4> d = {{scaled.x, scaled.y, scaled.z, scaled.w}};
  const int lane = threadIdx.x % 32, pair = lane % 4;
  const int row = min(token - 2 * pair + lane / 4, f.m - 1);
  const u32 *up = reinterpret_cast<const u32 *>(f.lora_up) + channel * (kRank / 2) + pair;
  const u32 *act = reinterpret_cast<const u32 *>(f.lora_act) + static_cast<long long>(row) * (kRank / 2) + pair;
  // A long product unrolled would keep the up rows of every token in registers.
#pragma unroll (kRank <= 32 ? kRank / 16 : 1)
  for (int k = 0; k < kRank / 2; k += 8) {
    const u32 *lower = up + 8 * (kRank / 2);
    const Words<4> a = {{__ldg(up + k), __ldg(lower + k), __ldg(up + k + 4), __ldg(lower + k + 4)}};
    const Words<2> b = {{__ldg(act + k), __ldg(act + k + 4)}};
    kMma(d, a, b);
  }
  return make_float4(column_affine(d.v[0], channel, f), column_affine(d.v[1], channel, f),
                     column_affine(d.v[2], channel + 8, f), column_affine(d.v[3], channel + 8, f));
}
