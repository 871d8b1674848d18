// SPDX-License-Identifier: Apache-2.0
// C = A·Bᵀ of FP16 matrices in FP32: TMA loads through a ring of mbarriers, two consumer warpgroups, m64n128k16 MMAs.
#include <cstdint>

struct __align__(64) TensorMap {
  uint8_t bytes[128];
};

constexpr uint32_t kTileM = 128, kTileN = 128, kTileK = 64, kStages = 3;
constexpr uint32_t kABytes = kTileM * kTileK * 2, kBBytes = kTileN * kTileK * 2;
constexpr uint32_t kConsumers = 256;

extern __shared__ __align__(1024) uint8_t tiles[];

__device__ __forceinline__ uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// The marks let a test take a wait or a fence out of the PTX.
#define WAIT(mark, barrier, parity)                                                        \
  asm volatile("// begin " mark "\n\t{\n\t.reg .pred done;\n"                              \
               "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"      \
               "\t@!done bra again;\n\t}\n\t// end " mark "\n" ::"r"(barrier), "r"(parity) \
               : "memory")

__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void load(uint32_t to, const TensorMap *map, uint32_t barrier, uint32_t k, uint32_t row) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
               "l"(map), "r"(barrier), "r"(k), "r"(row)
               : "memory");
}

/// K-major with 128-byte swizzle: 8 rows are 1,024 bytes.
__device__ __forceinline__ uint64_t descriptor(uint32_t address) {
  return uint64_t{address >> 4 & 0x3FFF} | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)

__device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, uint32_t adds) {
  asm volatile(
      "{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %66, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
      "%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
      "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, adds, 1, 1, 0, 0;\n\t}\n"
      : D16(0), D16(16), D16(32), D16(48)
      : "l"(a), "l"(b), "r"(adds));
}

/// Keeps the compiler from moving the accumulators' uses over it.
__device__ __forceinline__ void hold(float (&d)[64]) {
#pragma unroll
  for (uint32_t i = 0; i < 64; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

__device__ __forceinline__ void produce(const TensorMap &a, const TensorMap &b, uint32_t full, uint32_t empty, uint32_t k) {
  const uint32_t base = shared_address(tiles);
#pragma unroll 1
  for (uint32_t i = 0; i < k / kTileK; ++i) {
    const uint32_t stage = i % kStages, parity = i / kStages & 1;
    WAIT("empty", empty + 8 * stage, parity ^ 1);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full + 8 * stage), "r"(kABytes + kBBytes) : "memory");
    const uint32_t to = base + stage * (kABytes + kBBytes);
    load(to, &a, full + 8 * stage, i * kTileK, blockIdx.y * kTileM);
    load(to + kABytes, &b, full + 8 * stage, i * kTileK, blockIdx.x * kTileN);
  }
}

__device__ __forceinline__ void consume(float *out, uint32_t full, uint32_t empty, uint32_t n, uint32_t k) {
  const uint32_t group = threadIdx.x / 128, thread = threadIdx.x % 128;
  const uint32_t base = shared_address(tiles);
  float d[64];
#pragma unroll
  for (uint32_t i = 0; i < 64; ++i) d[i] = 0;
  hold(d);
#pragma unroll 1
  for (uint32_t i = 0; i < k / kTileK; ++i) {
    const uint32_t stage = i % kStages, parity = i / kStages & 1;
    WAIT("full", full + 8 * stage, parity);
    const uint32_t from = base + stage * (kABytes + kBBytes);
    const uint64_t a = descriptor(from + group * 64 * kTileK * 2), b = descriptor(from + kABytes);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (uint32_t step = 0; step < kTileK / 16; ++step) multiply(d, a + 2 * step, b + 2 * step, i + step);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The MMAs of the turn before have read their stage; these go on.
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (thread == 0 && i > 0) arrive(empty + 8 * ((i - 1) % kStages));
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  hold(d);
  const uint32_t row = blockIdx.y * kTileM + group * 64 + thread / 32 * 16 + thread % 32 / 4;
  const uint32_t column = blockIdx.x * kTileN + thread % 4 * 2;
#pragma unroll
  for (uint32_t i = 0; i < 64; ++i) out[(row + i / 2 % 2 * 8) * n + column + i / 4 * 8 + i % 2] = d[i];
}

extern "C" __global__ void __launch_bounds__(kConsumers + 128, 1)
    gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *out, uint32_t n, uint32_t k) {
  __shared__ __align__(8) uint64_t barriers[2 * kStages];
  const uint32_t full = shared_address(barriers), empty = full + 8 * kStages;
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < kStages; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * i) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(empty + 8 * i) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= kConsumers) {
    if (threadIdx.x == kConsumers) produce(a, b, full, empty, k);
  } else {
    consume(out, full, empty, n, k);
  }
}
