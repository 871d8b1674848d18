// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/sync.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

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
