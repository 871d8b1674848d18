// SPDX-License-Identifier: Apache-2.0
/// Leaves this warp's sums of one split behind; true in the warp that comes last, which then has those of all splits.
// Nobody waits: the last one to take a ticket finds every other sum written. Tickets wrap to 0 for the next launch.
template <int kSplits, int kWarps, int kTokens, int kSlabs>
WW_DEVICE bool join_splits(Accumulator<kTokens, kSlabs> &acc, int tile, int split, u32 *tickets, int4 *partials) {
  constexpr int kQuads = kTokens / 8;  // of a slab
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto place = [&](int of_split, int slab, int quad) {
    const long long first = (static_cast<long long>(tile) * kSplits + of_split) * kWarps + warp;
    return partials + (first * kSlabs + slab) * (kQuads * 32) + quad * 32 + lane;
  };
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const u32 *v = acc.slab[slab].v + 4 * quad;
      __stcg(place(split, slab, quad), make_int4(v[0], v[1], v[2], v[3]));
    }
  __threadfence();
  __syncwarp();
  u32 ticket = 0;
  if (lane == 0) ticket = atomicInc(tickets + tile * kWarps + warp, kSplits - 1);
  if (__shfl_sync(0xffffffff, ticket, 0) != kSplits - 1) return false;
  __threadfence();
  // Few sums leave registers for those of all splits to be in flight together.
#pragma unroll (kTokens * kSlabs <= 16 ? kSplits - 1 : 1)
  for (int other = 1; other < kSplits; ++other) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int quad = 0; quad < kQuads; ++quad) {
        const int4 sum = __ldcg(place((split + other) % kSplits, slab, quad));
        u32 *v = acc.slab[slab].v + 4 * quad;
        v[0] += sum.x;
        v[1] += sum.y;
        v[2] += sum.z;
        v[3] += sum.w;
      }
  }
  return true;
}
