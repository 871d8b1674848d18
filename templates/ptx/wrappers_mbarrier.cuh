// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/mbarrier.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

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
