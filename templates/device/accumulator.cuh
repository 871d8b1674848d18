// SPDX-License-Identifier: Apache-2.0
/// A warpgroup's sums, 64 channels a slab: each thread has channels r and r + 8 of its warp's 16, r = lane / 4.
// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk32", accumulator D: register 4j + 2i + e has channel r + 8i
// and token 8j + 2 * (lane % 4) + e.
template <int kTokens_, int kSlabs_> struct Accumulator {
  static constexpr int kTokens = kTokens_, kSlabs = kSlabs_;
  Words<kTokens / 2> slab[kSlabs];
};
