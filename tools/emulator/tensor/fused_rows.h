// SPDX-License-Identifier: Apache-2.0
// The inner loops of an MMA: one row of A against all columns of B, summed by the fused rule.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::emulator::tensor {

/// What both forms of the sum share. Columns beyond `columns` up to a multiple of kColumnBlock exist in every array.
constexpr size_t kColumnBlock = 32;
constexpr size_t kMaxColumns = 256;

/// Which instruction set the loops use: 0 the build's own, 1 AVX2, 2 AVX-512. All give the same bits.
int best_vector_level();

struct RowSum {
  size_t columns = 0;
  size_t stride = 0;  ///< between rows of B's arrays, elements
  int32_t fraction_bits = 25;
  const double *c = nullptr;  ///< accumulator
  const int32_t *c_exponent = nullptr;
  double *sum = nullptr;  ///< exact: what is left to do is the final rounding
};

/// Each product of two elements is a term: its exponent is the sum of the elements' exponents.
struct ProductRow {
  RowSum row;
  size_t k = 0;
  const double *a = nullptr;  ///< k values, scales included
  const int32_t *a_exponent = nullptr;
  const double *b = nullptr;  ///< k × stride
  const int32_t *b_exponent = nullptr;
};
void sum_products(const ProductRow &request, int level = best_vector_level());

/// Each group of 16 elements is a term: an exact dot product times two scales; its exponent is that of the scales.
constexpr size_t kGroups = 4;
constexpr size_t kGroupElems = 16;
struct GroupRow {
  RowSum row;
  const float *a = nullptr;         ///< 64 values
  const double *a_scale = nullptr;  ///< 4
  const int32_t *a_scale_exponent = nullptr;
  const float *b = nullptr;         ///< 64 × stride
  const double *b_scale = nullptr;  ///< 4 × stride
  const int32_t *b_scale_exponent = nullptr;
};
void sum_groups(const GroupRow &request, int level = best_vector_level());

/// round_to_f32 of each, 23 fraction bits.
void round_row(const double *sum, size_t count, uint32_t *out, int level = best_vector_level());

/// Exact sums of integer products modulo 2^32, without the accumulator.
void sum_integers(size_t columns, size_t stride, size_t k, const int32_t *a, const int32_t *b, int32_t *sum);

}  // namespace warpwright::emulator::tensor
