/// What the first wait that timed out was waiting for: role, barrier, parity, tile, k, CTA, then 1. Read it with
/// cuModuleGetGlobal("ww_wait_record") after the trap.
extern "C" __device__ u32 ww_wait_record[7];

u32 __device__ ww_wait_record[7];

/// A wait that records and traps after two seconds instead of hanging.
WW_DEVICE void mbarrier_wait_or_trap(u32 bar, u32 parity, u32 role, u32 barrier, int tile, int k) {
  constexpr u64 kTimeoutNs = 2000000000ull;
  u64 start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    if (mbarrier_try_wait(bar, parity)) return;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < kTimeoutNs);
  if (atomicCAS(&ww_wait_record[6], 0u, 1u) == 0u) {
    ww_wait_record[0] = role;
    ww_wait_record[1] = barrier;
    ww_wait_record[2] = parity;
    ww_wait_record[3] = static_cast<u32>(tile);
    ww_wait_record[4] = static_cast<u32>(k);
    ww_wait_record[5] = blockIdx.x;
    __threadfence_system();
  }
  __trap();
}
