// SPDX-License-Identifier: Apache-2.0
/// The values of four sums: channels `channel` and channel + 8, tokens `token` and token + 1 of each.
// Codes are offset by kOffset, or by `zero` of their channel where there is one; so is each product's sum over k.
template <int kOffset> WW_DEVICE float4 tokens_to_values(int4 sums, int token, int channel, const Factors &f) {
  const int sum[4] = {sums.x, sums.y, sums.z, sums.w};
  float value[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int c = channel + i / 2 * 8, t = min(token + i % 2, f.m - 1);
    const int offset = f.zero ? int(f.zero[c]) : kOffset;
    const float integer = __int2float_rn(sum[i] - offset * f.x_sum[t]);
    const float scale = __fmul_rn(f.x_scale[t], f.w_scale[c]);
    // Without a factor in between, scales and bias are one rounding.
    if (f.bias && !f.column_scale) value[i] = __fmaf_rn(integer, scale, f.bias[c]);
    else value[i] = column_affine(__fmul_rn(integer, scale), c, f);
  }
  return make_float4(value[0], value[1], value[2], value[3]);
}
