// SPDX-License-Identifier: Apache-2.0
/// The four values of register group `j` of a slab: channels `channel` and channel + 8, tokens `token` and token + 1.
// Codes are offset by kOffset, or by `zero` of their channel where there is one; so is each product's sum over k.
template <int kOffset, int kElems>
WW_DEVICE float4 tokens_to_values(const Words<kElems> &sums, int j, int token, int channel, int m, const float *x_scale,
                                  const int *x_sum, const float *w_scale, const unsigned char *zero,
                                  const float *bias) {
  float value[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int c = channel + i / 2 * 8, t = min(token + i % 2, m - 1);
    const int offset = zero ? int(zero[c]) : kOffset;
    const float sum = __int2float_rn(static_cast<int>(sums.v[4 * j + i]) - offset * x_sum[t]);
    const float scale = __fmul_rn(x_scale[t], w_scale[c]);
    value[i] = bias ? __fmaf_rn(sum, scale, bias[c]) : __fmul_rn(sum, scale);
  }
  return make_float4(value[0], value[1], value[2], value[3]);
}
