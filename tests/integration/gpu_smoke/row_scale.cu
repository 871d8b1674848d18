// SPDX-License-Identifier: Apache-2.0
// y[m, n] = scale[m] · x[m, n] in fp32: one bulk tensor copy with 128-byte swizzle, one mbarrier, one store.
// Three entries of the same tile: alone, as a cluster of two that starts early (programmatic dependent launch), and one that
// counts in a workspace.
#include <cuda.h>

#include <cstdint>

constexpr int kTileRows = 64;
constexpr int kTileCols = 32;  // 128 bytes of fp32: one swizzled row
constexpr uint32_t kTileBytes = kTileRows * kTileCols * sizeof(float);
constexpr int kThreads = 128;
/// Beyond the 48 KB that need no attribute; the tile lies at its end.
constexpr uint32_t kTileOffsetBytes = 80 * 1024;

__device__ inline uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline void scale_tile(const CUtensorMap &map_x, const float *scale, float *y, int m, int n, int tile_row) {
  extern __shared__ __align__(1024) unsigned char smem[];
  __shared__ uint64_t barrier;
  const uint32_t bar = shared_address(&barrier);
  const uint32_t tile = shared_address(smem + kTileOffsetBytes);
  const int row0 = tile_row * kTileRows;
  const int col0 = static_cast<int>(blockIdx.y) * kTileCols;

  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(kTileBytes) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            tile),
        "l"(&map_x), "r"(col0), "r"(row0), "r"(bar)
        : "memory");
  }
  asm volatile(
      "{\n.reg .pred done;\nwaiting:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra waiting;\n}\n" ::"r"(bar)
      : "memory");

  for (int i = 0; i < kTileRows * kTileCols / 4 / kThreads; ++i) {
    const int index = i * kThreads + static_cast<int>(threadIdx.x);
    const int row = index / 8, chunk = index % 8;
    // 128-byte swizzle: the 16-byte chunk's index is XORed with the row's index modulo 8.
    // Source: PTX ISA 9.0, "Tensor Swizzling Modes".
    const uint32_t address = tile + static_cast<uint32_t>(row * 128 + ((chunk ^ (row & 7)) * 16));
    float4 value;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "r"(address)
                 : "memory");
    if (row0 + row >= m) continue;
    const float factor = scale[row0 + row];
    float4 *out = reinterpret_cast<float4 *>(y + static_cast<int64_t>(row0 + row) * n + col0) + chunk;
    *out = make_float4(value.x * factor, value.y * factor, value.z * factor, value.w * factor);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    row_scale_single(const __grid_constant__ CUtensorMap map_x, const float *scale, float *y, int m, int n) {
  scale_tile(map_x, scale, y, m, n, static_cast<int>(blockIdx.x));
}

// The tile's row comes from the cluster's registers: launched without its cluster, the kernel leaves odd tiles out.
extern "C" __global__ void __launch_bounds__(kThreads)
    row_scale_pair(const __grid_constant__ CUtensorMap map_x, const float *scale, float *y, int m, int n) {
  uint32_t cluster, rank;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  scale_tile(map_x, scale, y, m, n, static_cast<int>(cluster * 2 + rank));
}

// Counts its CTAs in the workspace and leaves out those beyond the grid's: a count that does not begin at 0 shows in y.
extern "C" __global__ void __launch_bounds__(kThreads)
    row_scale_counted(const __grid_constant__ CUtensorMap map_x, const float *scale, float *y, unsigned *counter, int m, int n) {
  __shared__ unsigned arrivals;
  if (threadIdx.x == 0) arrivals = atomicAdd(counter, 1u);
  __syncthreads();
  if (arrivals >= gridDim.x * gridDim.y) return;
  scale_tile(map_x, scale, y, m, n, static_cast<int>(blockIdx.x));
}
