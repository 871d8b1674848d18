// SPDX-License-Identifier: Apache-2.0
/// Multiplies every element by `alpha`.
template <int kElems> WW_DEVICE void scale_uniform(Fragment<kElems> &f, float alpha) {
#pragma unroll
  for (int i = 0; i < kElems; ++i) f.v[i] *= alpha;
}
