// SPDX-License-Identifier: Apache-2.0
/// The four sums of register group `j` of a slab: two channels of two tokens.
template <int kElems> WW_DEVICE int4 sums_of(const Words<kElems> &slab, int j) {
  const u32 *v = slab.v + 4 * j;
  return make_int4(v[0], v[1], v[2], v[3]);
}
