// SPDX-License-Identifier: Apache-2.0
/// All sums 0.
template <int kTokens, int kSlabs> WW_DEVICE void clear_accumulator(Accumulator<kTokens, kSlabs> &acc) {
#pragma unroll
  for (int s = 0; s < kSlabs; ++s)
#pragma unroll
    for (int i = 0; i < kTokens / 2; ++i) acc.slab[s].v[i] = 0;
}
