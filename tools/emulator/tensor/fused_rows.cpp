// SPDX-License-Identifier: Apache-2.0
// Every double here is exact: a term has at most 24 significant bits, and what a sum adds is cut to one quantum first.
#include "tools/emulator/tensor/fused_rows.h"

#include "tools/emulator/tensor/numerics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpwright::emulator::tensor {
namespace {

#define WW_INLINE inline __attribute__((always_inline))

WW_INLINE double power_of_two(int32_t exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(static_cast<uint32_t>(1023 + exponent)) << 52);
}

/// Begins a block: the quantum of each column is 2^(most - fraction_bits); the accumulator is its first term.
WW_INLINE void begin_block(const RowSum &row, size_t first, const int32_t *most, double *scale, double *acc) {
  for (size_t j = 0; j < kColumnBlock; ++j) {
    scale[j] = power_of_two(row.fraction_bits - most[j]);
    acc[j] = std::trunc(row.c[first + j] * scale[j]);
  }
}

WW_INLINE void end_block(const RowSum &row, size_t first, const int32_t *most, const double *acc) {
  // + 0.0: a sum of zeros is +0.
  for (size_t j = 0; j < kColumnBlock; ++j) {
    row.sum[first + j] = (acc[j] + 0.0) * power_of_two(most[j] - row.fraction_bits);
  }
}

WW_INLINE void products(const ProductRow &request) {
  const RowSum &row = request.row;
  for (size_t first = 0; first < row.columns; first += kColumnBlock) {
    int32_t most[kColumnBlock];
    double scale[kColumnBlock], acc[kColumnBlock];
    for (size_t j = 0; j < kColumnBlock; ++j) most[j] = row.c_exponent[first + j];
    for (size_t k = 0; k < request.k; ++k) {
      const int32_t a = request.a_exponent[k];
      const int32_t *b = request.b_exponent + k * row.stride + first;
      for (size_t j = 0; j < kColumnBlock; ++j) most[j] = std::max(most[j], a + b[j]);
    }
    begin_block(row, first, most, scale, acc);
    for (size_t k = 0; k < request.k; ++k) {
      const double a = request.a[k];
      const double *b = request.b + k * row.stride + first;
      for (size_t j = 0; j < kColumnBlock; ++j) acc[j] += std::trunc(a * b[j] * scale[j]);
    }
    end_block(row, first, most, acc);
  }
}

/// The dot products of one group for one block of columns. Left to itself the compiler keeps the sums in memory.
WW_INLINE void group_dot(const float *a, const float *b, size_t stride, float *dot) {
  constexpr size_t kWidth = 16;
  typedef float Floats __attribute__((vector_size(kWidth * sizeof(float))));
  Floats acc[kColumnBlock / kWidth] = {};
  for (size_t k = 0; k < kGroupElems; ++k) {
    for (size_t j = 0; j < kColumnBlock / kWidth; ++j) {
      Floats column;
      std::memcpy(&column, b + k * stride + j * kWidth, sizeof column);
      acc[j] += a[k] * column;
    }
  }
  std::memcpy(dot, acc, sizeof acc);
}

WW_INLINE void groups(const GroupRow &request) {
  const RowSum &row = request.row;
  for (size_t first = 0; first < row.columns; first += kColumnBlock) {
    int32_t most[kColumnBlock];
    double scale[kColumnBlock], acc[kColumnBlock];
    for (size_t j = 0; j < kColumnBlock; ++j) most[j] = row.c_exponent[first + j];
    for (size_t g = 0; g < kGroups; ++g) {
      const int32_t a = request.a_scale_exponent[g];
      const int32_t *b = request.b_scale_exponent + g * row.stride + first;
      for (size_t j = 0; j < kColumnBlock; ++j) most[j] = std::max(most[j], a + b[j]);
    }
    begin_block(row, first, most, scale, acc);
    for (size_t g = 0; g < kGroups; ++g) {
      float dot[kColumnBlock];
      group_dot(request.a + g * kGroupElems, request.b + g * kGroupElems * row.stride + first, row.stride, dot);
      const double a = request.a_scale[g];
      const double *b = request.b_scale + g * row.stride + first;
      for (size_t j = 0; j < kColumnBlock; ++j)
        acc[j] += std::trunc(static_cast<double>(dot[j]) * (a * b[j]) * scale[j]);
    }
    end_block(row, first, most, acc);
  }
}

/// True: every sum is zero, or normal as a float; then `out` is right.
WW_INLINE bool round_normal(const double *sum, size_t count, uint32_t *out) {
  constexpr uint64_t kDropped = (uint64_t{1} << (52 - 23)) - 1;
  uint32_t others = 0;
  for (size_t j = 0; j < count; ++j) {
    const uint64_t bits = std::bit_cast<uint64_t>(sum[j]);
    const double cut = std::bit_cast<double>(bits & ~kDropped);
    others |= static_cast<uint32_t>(!(std::fabs(cut) >= 0x1p-126 || cut == 0));
    out[j] = std::bit_cast<uint32_t>(static_cast<float>(cut));
  }
  return others == 0;
}

// One body, three instruction sets, chosen at run time: a portable build runs on the processor it finds. (Not
// target_clones: its resolvers run before a sanitizer's start-up.)
#if defined(__x86_64__)
#define WW_AVX2 __attribute__((target("avx2")))
#define WW_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))
#else
#define WW_AVX2
#define WW_AVX512
#endif
WW_AVX2 void products_avx2(const ProductRow &request) { products(request); }
WW_AVX512 void products_avx512(const ProductRow &request) { products(request); }
void products_plain(const ProductRow &request) { products(request); }
WW_AVX2 void groups_avx2(const GroupRow &request) { groups(request); }
WW_AVX512 void groups_avx512(const GroupRow &request) { groups(request); }
void groups_plain(const GroupRow &request) { groups(request); }
WW_AVX2 bool round_avx2(const double *sum, size_t count, uint32_t *out) { return round_normal(sum, count, out); }
WW_AVX512 bool round_avx512(const double *sum, size_t count, uint32_t *out) { return round_normal(sum, count, out); }
bool round_plain(const double *sum, size_t count, uint32_t *out) { return round_normal(sum, count, out); }

}  // namespace

int best_vector_level() {
#if defined(__x86_64__)
  static const int level =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? 2
      : __builtin_cpu_supports("avx2")                                                                              ? 1
                                                                                                                    : 0;
  return level;
#else
  return 0;
#endif
}

void sum_products(const ProductRow &request, int level) {
  constexpr void (*kForms[])(const ProductRow &) = {products_plain, products_avx2, products_avx512};
  kForms[level](request);
}

void sum_groups(const GroupRow &request, int level) {
  constexpr void (*kForms[])(const GroupRow &) = {groups_plain, groups_avx2, groups_avx512};
  kForms[level](request);
}

void round_row(const double *sum, size_t count, uint32_t *out, int level) {
  constexpr bool (*kForms[])(const double *, size_t, uint32_t *) = {round_plain, round_avx2, round_avx512};
  if (kForms[level](sum, count, out)) return;
  for (size_t j = 0; j < count; ++j) out[j] = round_to_f32(sum[j], 23);
}

void sum_integers(size_t columns, size_t stride, size_t k, const int32_t *a, const int32_t *b, int32_t *sum) {
  for (size_t j = 0; j < columns; ++j) sum[j] = 0;
  for (size_t i = 0; i < k; ++i) {
    // A product of two 8-bit numbers is below 2^16 and k is 32: no sum of an MMA reaches 2^31.
    for (size_t j = 0; j < columns; ++j) sum[j] += a[i] * b[i * stride + j];
  }
}

}  // namespace warpwright::emulator::tensor
