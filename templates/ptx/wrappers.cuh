// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form that Warpwright emits; needs prelude.cuh and ../device/fragment.cuh.
// Generated: edit generator/isa/*.json, then run generator/isa/generate.py --write.

/// True in one lane of the converged warp, the same lane every time.
WW_DEVICE bool elect_one() {
  u32 is_elected;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(is_elected)
      :
      : "memory");
  return is_elected != 0;
}

/// This CTA's rank in its cluster.
WW_DEVICE u32 cluster_cta_rank() {
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// All lanes of the warp meet; their memory accesses before it are seen by each other after it.
WW_DEVICE void syncwarp() {
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

/// All threads of the CTA meet, as in __syncthreads().
WW_DEVICE void cta_sync() {
  asm volatile("barrier.cta.sync.aligned 0;" ::: "memory");
}

/// `threads` threads meet at hardware barrier `id` (1 to 15; cta_sync uses 0).
WW_DEVICE void named_barrier_sync(u32 id, u32 threads) {
  asm volatile("barrier.cta.sync %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

/// All threads of the cluster meet; accesses before it are seen by all of them after it.
WW_DEVICE void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n\t"
      "barrier.cluster.wait.acquire.aligned;"
      :
      :
      : "memory");
}

/// Makes this thread's ordinary accesses of shared memory visible to TMA and the tensor core.
WW_DEVICE void fence_proxy_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Waits until the grids that this one depends on have ended and their writes are visible.
WW_DEVICE void grid_dependency_wait() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

/// Lets dependent grids start once every CTA has said so or ended.
WW_DEVICE void grid_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Sets up an mbarrier that expects `count` arrivals a phase.
WW_DEVICE void mbarrier_init(u32 bar, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}

/// Makes this thread's mbarrier set-up visible to the cluster and to asynchronous copies.
WW_DEVICE void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// One attempt, which may suspend for a while: whether the phase of `parity` has completed.
WW_DEVICE bool mbarrier_try_wait(u32 bar, u32 parity) {
  u32 is_complete;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(is_complete)
      : "r"(bar), "r"(parity)
      : "memory");
  return is_complete != 0;
}

/// Waits for the phase of `parity`; acquires at CTA scope.
WW_DEVICE void mbarrier_wait(u32 bar, u32 parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "WAIT:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
      "@!p bra WAIT;\n\t"
      "}"
      :
      : "r"(bar), "r"(parity)
      : "memory");
}

/// Waits for the phase of `parity`; acquires at cluster scope, for arrivals from other CTAs.
WW_DEVICE void mbarrier_wait_cluster(u32 bar, u32 parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "WAIT:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n\t"
      "@!p bra WAIT;\n\t"
      "}"
      :
      : "r"(bar), "r"(parity)
      : "memory");
}

/// One arrival on an mbarrier of this CTA; releases at CTA scope.
WW_DEVICE void mbarrier_arrive(u32 bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
}

/// Announces `bytes` of asynchronous copies on the current phase, then arrives.
WW_DEVICE void mbarrier_arrive_expect_tx(u32 bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
}

/// One arrival on an mbarrier of any CTA of the cluster; `bar` comes from map_to_cta.
WW_DEVICE void mbarrier_arrive_remote(u32 bar) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(bar) : "memory");
}

/// The address, in the cluster's window, that `addr` has in the CTA of rank `rank`.
WW_DEVICE u32 map_to_cta(u32 addr, u32 rank) {
  u32 mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(addr), "r"(rank));
  return mapped;
}

/// Loads a word of this CTA's shared memory.
WW_DEVICE u32 load_shared_u32(u32 addr) {
  u32 value;
  asm volatile("ld.shared::cta.b32 %0, [%1];" : "=r"(value) : "r"(addr) : "memory");
  return value;
}

/// Stores four words at a 16-byte aligned address of this CTA's shared memory.
WW_DEVICE void store_shared_v4(u32 addr, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.shared::cta.v4.b32 [%0], {%1, %2, %3, %4};" :: "r"(addr), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

/// Loads four words at a 16-byte aligned address of this CTA's shared memory.
WW_DEVICE void load_shared_words4(Words<4> &f, u32 addr) {
  asm volatile(
      "ld.shared::cta.v4.b32 "
      "{%0, %1, %2, %3}, [%4];"
      : "=r"(f.v[0]), "=r"(f.v[1]), "=r"(f.v[2]), "=r"(f.v[3])
      : "r"(addr)
      : "memory");
}

/// Stores two 8 x 8 matrices of 16-bit elements transposed; lanes 0-7 and 8-15 address their 16-byte rows.
WW_DEVICE void store_shared_transposed_x2(u32 addr, u32 a, u32 b) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};"
      :
      : "r"(addr), "r"(a), "r"(b)
      : "memory");
}

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

/// Allocates `cols` columns (a power of two, 32 to 512); their address goes to shared memory.
WW_DEVICE void tcgen05_alloc(u32 dst, u32 cols) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(dst), "r"(cols) : "memory");
}

/// Allocates `cols` columns (a power of two, 32 to 512); their address goes to shared memory (cta_group::2).
WW_DEVICE void tcgen05_alloc_pair(u32 dst, u32 cols) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(dst), "r"(cols) : "memory");
}

/// Gives up the right to allocate, so that another CTA of the SM may.
WW_DEVICE void tcgen05_relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}

/// Gives up the right to allocate, so that another CTA of the SM may (cta_group::2).
WW_DEVICE void tcgen05_relinquish_pair() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
}

/// Frees `cols` columns from `addr` on.
WW_DEVICE void tcgen05_dealloc(u32 addr, u32 cols) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" :: "r"(addr), "r"(cols) : "memory");
}

/// Frees `cols` columns from `addr` on (cta_group::2).
WW_DEVICE void tcgen05_dealloc_pair(u32 addr, u32 cols) {
  asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" :: "r"(addr), "r"(cols) : "memory");
}

/// Orders this thread's earlier tcgen05 work before what it synchronises next.
WW_DEVICE void tcgen05_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

/// Orders this thread's later tcgen05 work after what it synchronised last.
WW_DEVICE void tcgen05_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// Copies 512 bytes of shared memory to four columns, once for each 32 lanes.
WW_DEVICE void tcgen05_cp_32x128b_warpx4(u32 dst, u64 src) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" :: "r"(dst), "l"(src) : "memory");
}

/// Copies 512 bytes of shared memory to four columns, once for each 32 lanes (cta_group::2).
WW_DEVICE void tcgen05_cp_32x128b_warpx4_pair(u32 dst, u64 src) {
  asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" :: "r"(dst), "l"(src) : "memory");
}

/// D (+)= A B, FP4 with a scale for each 16 elements of K; K = 64.
WW_DEVICE void tcgen05_mma_nvf4(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP4 with a scale for each 16 elements of K; K = 64 (cta_group::2).
WW_DEVICE void tcgen05_mma_nvf4_pair(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP4 with a scale for each 32 elements of K; K = 64.
WW_DEVICE void tcgen05_mma_mxf4(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP4 with a scale for each 32 elements of K; K = 64 (cta_group::2).
WW_DEVICE void tcgen05_mma_mxf4_pair(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::mxf4.block_scale.block32 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP16 or BF16; K = 16.
WW_DEVICE void tcgen05_mma_f16(u32 d, u64 a, u64 b, u32 idesc, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %4, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP16 or BF16; K = 16 (cta_group::2).
WW_DEVICE void tcgen05_mma_f16_pair(u32 d, u64 a, u64 b, u32 idesc, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %4, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(accumulate)
      : "memory");
}

/// One arrival on `bar` of this CTA when this thread's earlier mma and cp are complete.
WW_DEVICE void tcgen05_commit(u32 bar) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(bar) : "memory");
}

/// One arrival on `bar` of this CTA when this thread's earlier mma and cp are complete (cta_group::2).
WW_DEVICE void tcgen05_commit_pair(u32 bar) {
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(bar) : "memory");
}

/// One arrival on `bar` of each CTA of mask `ctas` when this thread's earlier mma and cp are complete.
WW_DEVICE void tcgen05_commit_multicast(u32 bar, u16 ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
      :
      : "r"(bar), "h"(ctas)
      : "memory");
}

/// One arrival on `bar` of each CTA of mask `ctas` when this thread's earlier mma and cp are complete (cta_group::2).
WW_DEVICE void tcgen05_commit_multicast_pair(u32 bar, u16 ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
      :
      : "r"(bar), "h"(ctas)
      : "memory");
}

/// Loads 32 columns, a lane a thread; the registers hold nothing before tcgen05_wait_ld.
WW_DEVICE void tcgen05_ld_x32(Fragment<32> &f, u32 addr) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : "=f"(f.v[0]), "=f"(f.v[1]), "=f"(f.v[2]), "=f"(f.v[3]), "=f"(f.v[4]), "=f"(f.v[5]), "=f"(f.v[6]), "=f"(f.v[7]),
        "=f"(f.v[8]), "=f"(f.v[9]), "=f"(f.v[10]), "=f"(f.v[11]), "=f"(f.v[12]), "=f"(f.v[13]), "=f"(f.v[14]),
        "=f"(f.v[15]), "=f"(f.v[16]), "=f"(f.v[17]), "=f"(f.v[18]), "=f"(f.v[19]), "=f"(f.v[20]), "=f"(f.v[21]),
        "=f"(f.v[22]), "=f"(f.v[23]), "=f"(f.v[24]), "=f"(f.v[25]), "=f"(f.v[26]), "=f"(f.v[27]), "=f"(f.v[28]),
        "=f"(f.v[29]), "=f"(f.v[30]), "=f"(f.v[31])
      : "r"(addr));
}

/// Loads 64 columns, a lane a thread; the registers hold nothing before tcgen05_wait_ld.
WW_DEVICE void tcgen05_ld_x64(Fragment<64> &f, u32 addr) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x64.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, [%64];"
      : "=f"(f.v[0]), "=f"(f.v[1]), "=f"(f.v[2]), "=f"(f.v[3]), "=f"(f.v[4]), "=f"(f.v[5]), "=f"(f.v[6]), "=f"(f.v[7]),
        "=f"(f.v[8]), "=f"(f.v[9]), "=f"(f.v[10]), "=f"(f.v[11]), "=f"(f.v[12]), "=f"(f.v[13]), "=f"(f.v[14]),
        "=f"(f.v[15]), "=f"(f.v[16]), "=f"(f.v[17]), "=f"(f.v[18]), "=f"(f.v[19]), "=f"(f.v[20]), "=f"(f.v[21]),
        "=f"(f.v[22]), "=f"(f.v[23]), "=f"(f.v[24]), "=f"(f.v[25]), "=f"(f.v[26]), "=f"(f.v[27]), "=f"(f.v[28]),
        "=f"(f.v[29]), "=f"(f.v[30]), "=f"(f.v[31]), "=f"(f.v[32]), "=f"(f.v[33]), "=f"(f.v[34]), "=f"(f.v[35]),
        "=f"(f.v[36]), "=f"(f.v[37]), "=f"(f.v[38]), "=f"(f.v[39]), "=f"(f.v[40]), "=f"(f.v[41]), "=f"(f.v[42]),
        "=f"(f.v[43]), "=f"(f.v[44]), "=f"(f.v[45]), "=f"(f.v[46]), "=f"(f.v[47]), "=f"(f.v[48]), "=f"(f.v[49]),
        "=f"(f.v[50]), "=f"(f.v[51]), "=f"(f.v[52]), "=f"(f.v[53]), "=f"(f.v[54]), "=f"(f.v[55]), "=f"(f.v[56]),
        "=f"(f.v[57]), "=f"(f.v[58]), "=f"(f.v[59]), "=f"(f.v[60]), "=f"(f.v[61]), "=f"(f.v[62]), "=f"(f.v[63])
      : "r"(addr));
}

/// Waits for this thread's tcgen05.ld; the registers are operands, so that no use of them moves above it.
WW_DEVICE void tcgen05_wait_ld(Fragment<32> &f) {
  asm volatile(
      "tcgen05.wait::ld.sync.aligned;"
      : "+f"(f.v[0]), "+f"(f.v[1]), "+f"(f.v[2]), "+f"(f.v[3]), "+f"(f.v[4]), "+f"(f.v[5]), "+f"(f.v[6]), "+f"(f.v[7]),
        "+f"(f.v[8]), "+f"(f.v[9]), "+f"(f.v[10]), "+f"(f.v[11]), "+f"(f.v[12]), "+f"(f.v[13]), "+f"(f.v[14]),
        "+f"(f.v[15]), "+f"(f.v[16]), "+f"(f.v[17]), "+f"(f.v[18]), "+f"(f.v[19]), "+f"(f.v[20]), "+f"(f.v[21]),
        "+f"(f.v[22]), "+f"(f.v[23]), "+f"(f.v[24]), "+f"(f.v[25]), "+f"(f.v[26]), "+f"(f.v[27]), "+f"(f.v[28]),
        "+f"(f.v[29]), "+f"(f.v[30]), "+f"(f.v[31])
      :
      : "memory");
}
WW_DEVICE void tcgen05_wait_ld(Fragment<64> &f) {
  asm volatile(
      "tcgen05.wait::ld.sync.aligned;"
      : "+f"(f.v[0]), "+f"(f.v[1]), "+f"(f.v[2]), "+f"(f.v[3]), "+f"(f.v[4]), "+f"(f.v[5]), "+f"(f.v[6]), "+f"(f.v[7]),
        "+f"(f.v[8]), "+f"(f.v[9]), "+f"(f.v[10]), "+f"(f.v[11]), "+f"(f.v[12]), "+f"(f.v[13]), "+f"(f.v[14]),
        "+f"(f.v[15]), "+f"(f.v[16]), "+f"(f.v[17]), "+f"(f.v[18]), "+f"(f.v[19]), "+f"(f.v[20]), "+f"(f.v[21]),
        "+f"(f.v[22]), "+f"(f.v[23]), "+f"(f.v[24]), "+f"(f.v[25]), "+f"(f.v[26]), "+f"(f.v[27]), "+f"(f.v[28]),
        "+f"(f.v[29]), "+f"(f.v[30]), "+f"(f.v[31]), "+f"(f.v[32]), "+f"(f.v[33]), "+f"(f.v[34]), "+f"(f.v[35]),
        "+f"(f.v[36]), "+f"(f.v[37]), "+f"(f.v[38]), "+f"(f.v[39]), "+f"(f.v[40]), "+f"(f.v[41]), "+f"(f.v[42]),
        "+f"(f.v[43]), "+f"(f.v[44]), "+f"(f.v[45]), "+f"(f.v[46]), "+f"(f.v[47]), "+f"(f.v[48]), "+f"(f.v[49]),
        "+f"(f.v[50]), "+f"(f.v[51]), "+f"(f.v[52]), "+f"(f.v[53]), "+f"(f.v[54]), "+f"(f.v[55]), "+f"(f.v[56]),
        "+f"(f.v[57]), "+f"(f.v[58]), "+f"(f.v[59]), "+f"(f.v[60]), "+f"(f.v[61]), "+f"(f.v[62]), "+f"(f.v[63])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<4> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]),
        "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<8> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<16> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]),
        "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<32> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]),
        "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<48> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(a.v[0]), "+r"(a.v[1]),
        "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<64> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<96> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]),
        "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<128> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]),
        "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<4> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, %8, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<8> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9, %10, %11}, %12, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<16> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, %20, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<32> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<48> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n96k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, "
      "{%48, %49, %50, %51}, %52, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<64> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<96> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n192k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "{%96, %97, %98, %99}, %100, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<128> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "{%128, %129, %130, %131}, %132, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<4> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, %8, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<8> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9, %10, %11}, %12, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<16> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, %20, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<32> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<48> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n96k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, "
      "{%48, %49, %50, %51}, %52, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<64> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<96> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n192k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "{%96, %97, %98, %99}, %100, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<128> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "{%128, %129, %130, %131}, %132, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// Closes this warpgroup's current group of wgmma.
WW_DEVICE void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `left` of this warpgroup's groups are in flight.
template <int left> WW_DEVICE void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(left) : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<4> &d) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]) :: "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<8> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<16> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<32> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<48> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<64> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<96> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<128> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127])
      :
      : "memory");
}

/// Two BF16, rounded to nearest even; `lo` in the low half.
WW_DEVICE u32 pack_bf16(float lo, float hi) {
  u32 packed;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(lo), "f"(hi));
  return packed;
}

/// Two FP16, rounded to nearest even; `lo` in the low half.
WW_DEVICE u32 pack_fp16(float lo, float hi) {
  u32 packed;
  asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(lo), "f"(hi));
  return packed;
}

/// 2 to the power `x`, to 2 ulp; denormals are zero.
WW_DEVICE float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x, to 1 ulp; denormals are zero.
WW_DEVICE float reciprocal_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// tanh(x), to a relative error of 2^-11.
WW_DEVICE float tanh_approx(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
