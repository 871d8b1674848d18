// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/tma.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

/// Brings a tensor map into the descriptor cache.
WW_DEVICE void prefetch_tensor_map(const TensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" :: "l"(&map) : "memory");
}

/// Copies a box of a tensor to shared memory; its bytes complete on `bar`.
WW_DEVICE void tma_load_1d(u32 dst, const TensorMap &map, u32 bar, int c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];"
      :
      : "r"(dst), "l"(&map), "r"(bar), "r"(c0)
      : "memory");
}

/// Copies a box of a tensor to shared memory; its bytes complete on `bar` of either CTA of the pair.
WW_DEVICE void tma_load_1d_pair(u32 dst, const TensorMap &map, u32 bar, int c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
      "[%0], [%1, {%3}], [%2];"
      :
      : "r"(dst), "l"(&map), "r"(bar), "r"(c0)
      : "memory");
}

/// Copies a box of a tensor to shared memory; its bytes complete on `bar`.
WW_DEVICE void tma_load_2d(u32 dst, const TensorMap &map, u32 bar, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
      :
      : "r"(dst), "l"(&map), "r"(bar), "r"(c0), "r"(c1)
      : "memory");
}

/// Copies a box of a tensor to shared memory; its bytes complete on `bar` of either CTA of the pair.
WW_DEVICE void tma_load_2d_pair(u32 dst, const TensorMap &map, u32 bar, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
      "[%0], [%1, {%3, %4}], [%2];"
      :
      : "r"(dst), "l"(&map), "r"(bar), "r"(c0), "r"(c1)
      : "memory");
}

/// Copies a box of a tensor to shared memory; its bytes complete on `bar`.
WW_DEVICE void tma_load_3d(u32 dst, const TensorMap &map, u32 bar, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];"
      :
      : "r"(dst), "l"(&map), "r"(bar), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}

/// Copies a box of a tensor to shared memory; its bytes complete on `bar` of either CTA of the pair.
WW_DEVICE void tma_load_3d_pair(u32 dst, const TensorMap &map, u32 bar, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
      "[%0], [%1, {%3, %4, %5}], [%2];"
      :
      : "r"(dst), "l"(&map), "r"(bar), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}

/// Copies a box from shared memory to a tensor; completes in this thread's current bulk group.
WW_DEVICE void tma_store_2d(const TensorMap &map, u32 src, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
      :
      : "l"(&map), "r"(src), "r"(c0), "r"(c1)
      : "memory");
}

/// Closes this thread's current bulk group.
WW_DEVICE void bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most `kLeft` of this thread's bulk groups still read their source.
template <int kLeft> WW_DEVICE void bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(kLeft) : "memory");
}

/// Waits until at most `kLeft` of this thread's bulk groups are unfinished.
template <int kLeft> WW_DEVICE void bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" :: "n"(kLeft) : "memory");
}

/// Copies `bytes` from global to shared memory, both 16-byte aligned; they complete on `bar`.
WW_DEVICE void bulk_load(u32 dst, u64 src, u32 bytes, u32 bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(dst), "l"(src), "r"(bytes), "r"(bar)
      : "memory");
}
