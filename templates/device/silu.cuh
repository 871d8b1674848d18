// SPDX-License-Identifier: Apache-2.0
/// x / (1 + exp(-x)) of every element.
// NOTE: not by tanh: its error of 2^-11 would be all that is left of the small values at negative x.
template <int kElems> WW_DEVICE void silu(Fragment<kElems> &f) {
  constexpr float kLog2E = 1.44269504f;
#pragma unroll
  for (int i = 0; i < kElems; ++i) f.v[i] *= reciprocal_approx(1.0f + exp2_approx(f.v[i] * -kLog2E));
}
