// SPDX-License-Identifier: Apache-2.0
// Measures how many passes through shared memory's banks a warp's load or store takes, and prints banks.txt:
// nvcc -std=c++17 -O3 -arch=sm_90a -o banks banks.cu && ./banks > banks.txt
// A row has the instruction, the mask of lanes, the passes and the byte offset of each lane. One CTA an SM repeats the
// instruction in 16 warps, which keep the banks busy: cycles an instruction are its passes, within 1 % of a whole number on an H200.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

enum Kind : uint32_t { kLd1, kLd2, kLd4, kLd8, kLd16, kSt1, kSt4, kSt8, kSt16, kLdm1, kLdm2, kLdm4, kStm1, kStm2, kStm4, kKinds };
constexpr const char *kNames[] = {"ld.shared.u8",      "ld.shared.u16",     "ld.shared.u32",     "ld.shared.v2.u32",  "ld.shared.v4.u32",
                                  "st.shared.u8",      "st.shared.u32",     "st.shared.v2.u32",  "st.shared.v4.u32",
                                  "ldmatrix.sync.aligned.m8n8.x1.shared.b16", "ldmatrix.sync.aligned.m8n8.x2.shared.b16",
                                  "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "stmatrix.sync.aligned.m8n8.x1.shared.b16",
                                  "stmatrix.sync.aligned.m8n8.x2.shared.b16", "stmatrix.sync.aligned.m8n8.x4.shared.b16"};
constexpr uint32_t kBytes[] = {1, 2, 4, 8, 16, 1, 4, 8, 16, 16, 16, 16, 16, 16, 16};
constexpr uint32_t kWarps = 16, kTurns = 512, kUnrolled = 8, kSharedBytes = 200 * 1024, kWindow = 16384;

struct Pattern {
  uint32_t kind, mask, offset[32];
};
extern __shared__ __align__(1024) uint8_t memory[];

template <uint32_t kKind> __device__ uint32_t access(uint32_t a, uint32_t v) {
  uint32_t x = 0, y = 0, z = 0, w = 0;
  uint16_t h = 0;
  if constexpr (kKind == kLd1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(a));
  if constexpr (kKind == kLd2) asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(a));
  if constexpr (kKind == kLd4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(a));
  if constexpr (kKind == kLd8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(a));
  if constexpr (kKind == kLd16)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a));
  if constexpr (kKind == kSt1) asm volatile("st.shared.u8 [%0], %1;" ::"r"(a), "r"(v));
  if constexpr (kKind == kSt4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(v));
  if constexpr (kKind == kSt8) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(v));
  if constexpr (kKind == kSt16) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(v));
  if constexpr (kKind == kLdm1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(a));
  if constexpr (kKind == kLdm2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(a));
  if constexpr (kKind == kLdm4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a));
  if constexpr (kKind == kStm1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(a), "r"(v));
  if constexpr (kKind == kStm2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(a), "r"(v));
  if constexpr (kKind == kStm4) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(v));
  return x ^ y ^ z ^ w ^ h;
}

template <uint32_t kKind> __device__ void measure(const Pattern &pattern, uint32_t *out, uint64_t *cycles) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(memory)) + pattern.offset[lane];
  uint32_t sum = 0;
  uint64_t best = ~uint64_t{0};
  for (uint32_t turn = 0; turn < 3; ++turn) {
    __syncthreads();
    const uint64_t start = clock64();
    if (kKind >= kLdm1 || pattern.mask >> lane & 1) {
      for (uint32_t i = 0; i < kTurns; ++i) {
        uint32_t values[kUnrolled];
        // Other addresses in the same banks, so that nothing is the same access again.
#pragma unroll
        for (uint32_t j = 0; j < kUnrolled; ++j) values[j] = access<kKind>(address + i % 32 * 128 + j * 4096, sum);
#pragma unroll
        for (uint32_t j = 0; j < kUnrolled; ++j) sum ^= values[j];
      }
    }
    __syncthreads();
    const uint64_t took = clock64() - start;
    if (took < best) best = took;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) *cycles = best;
}

template <uint32_t kKind = 0> __device__ void choose(const Pattern &pattern, uint32_t *out, uint64_t *cycles) {
  if (pattern.kind == kKind) measure<kKind>(pattern, out, cycles);
  else if constexpr (kKind + 1 < kKinds) choose<kKind + 1>(pattern, out, cycles);
}

__global__ void run(const Pattern *patterns, uint32_t *out, uint64_t *cycles) {
  for (uint32_t i = threadIdx.x; i < kSharedBytes / 4; i += blockDim.x) reinterpret_cast<uint32_t *>(memory)[i] = i;
  choose(patterns[blockIdx.x], out, cycles + blockIdx.x);
}

void add_patterns(uint32_t kind, std::mt19937 &random, std::vector<Pattern> &all) {
  const auto add = [&](const std::function<uint32_t(uint32_t)> &place, uint32_t mask = ~0u) {
    Pattern pattern{kind, mask, {}};
    for (uint32_t i = 0; i < 32; ++i) pattern.offset[i] = place(i) * kBytes[kind] % kWindow;
    all.push_back(pattern);
  };
  const bool is_matrix = kind >= kLdm1, is_wide = kBytes[kind] >= 8 && !is_matrix;
  for (const uint32_t stride : {0, 1, 2, 3, 8, 32}) add([=](uint32_t i) { return i * stride; });
  for (uint32_t bit = 0; is_wide && bit < 5; ++bit) {
    add([=](uint32_t i) { return i & ~(1u << bit); });
    add([=](uint32_t i) { return (i & ~(1u << bit)) * 8; });
    add([=](uint32_t i) { return i >> bit; });
  }
  for (const uint32_t mask : {0xFFFFu, 0xFFu, 0x55555555u, 0x00FF00FFu, 0x0000FFF0u, 1u})
    for (uint32_t stride = 1; is_wide && stride <= 2; ++stride) add([=](uint32_t i) { return i * stride; }, mask);
  for (uint32_t i = 0; i < (is_wide ? 12u : 4u); ++i) {
    std::vector<uint32_t> places(32);
    for (uint32_t &place : places) place = random() % (8u << (i % 4 * 2));
    add([&](uint32_t lane) { return places[lane]; });
    if (is_wide) add([&](uint32_t lane) { return places[lane]; }, random());
  }
}

int main() {
  std::mt19937 random(1);
  std::vector<Pattern> patterns;
  for (uint32_t kind = 0; kind < kKinds; ++kind) add_patterns(kind, random, patterns);
  const size_t count = patterns.size();
  Pattern *device_patterns;
  uint32_t *out;
  uint64_t *device_cycles;
  cudaMalloc(&device_patterns, count * sizeof(Pattern));
  cudaMalloc(&out, count * kWarps * 32 * 4);
  cudaMalloc(&device_cycles, count * 8);
  cudaMemcpy(device_patterns, patterns.data(), count * sizeof(Pattern), cudaMemcpyHostToDevice);
  cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  run<<<static_cast<unsigned>(count), kWarps * 32, kSharedBytes>>>(device_patterns, out, device_cycles);
  std::vector<uint64_t> cycles(count);
  cudaMemcpy(cycles.data(), device_cycles, count * 8, cudaMemcpyDeviceToHost);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  double worst = 0;
  for (size_t i = 0; i < count; ++i) {
    const double passes = static_cast<double>(cycles[i]) / (kWarps * kTurns * kUnrolled);
    worst = std::max(worst, std::abs(passes - std::round(passes)) / std::round(passes));
    std::printf("%s %08x %.0f", kNames[patterns[i].kind], patterns[i].mask, passes);
    for (const uint32_t offset : patterns[i].offset) std::printf(" %u", offset);
    std::printf("\n");
  }
  std::fprintf(stderr, "%zu patterns, at most %.1f %% from a whole number\n", count, 100 * worst);
  return 0;
}
