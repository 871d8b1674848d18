// SPDX-License-Identifier: Apache-2.0
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) of every element; absolute error up to |x| * 2^-12.
template <int kElems> WW_DEVICE void gelu(Fragment<kElems> &f) {
  constexpr float kLinear = 0.7978845608f, kCubic = 0.7978845608f * 0.044715f;
#pragma unroll
  for (int i = 0; i < kElems; ++i) {
    const float x = f.v[i];
    const float half_x = 0.5f * x;
    f.v[i] = fmaf(half_x, tanh_approx(x * fmaf(kCubic, x * x, kLinear)), half_x);
  }
}
