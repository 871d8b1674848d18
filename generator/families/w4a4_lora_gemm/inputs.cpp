// SPDX-License-Identifier: Apache-2.0
// Generates exact and random tensors.
#include "generator/families/w4a4_lora_gemm/inputs.h"

#include "generator/spec/number_codec.h"
#include "generator/support/random.h"

#include <cmath>

namespace warpwright::w4a4_lora_gemm {
namespace {

using spec::NumberFormat;
using support::Random;

/// Which block scales an exact input may have.
struct ScaleSet {
  std::vector<double> values;
  double unit;      ///< all values are multiples of it
  double largest;
};

constexpr double kElementUnit = 0.5, kElementLargest = 6;  // E2M1
constexpr int64_t kLoraLargest = 4;                        // LoRA values are integers up to this
constexpr int64_t kBiasUnits = 1024;
constexpr double kExactUnits = 0x1p24;                     // integers that fp32 counts without a gap

double unit_of(const ScaleSet &set) { return kElementUnit * kElementUnit * set.unit * set.unit; }

/// Units that the magnitudes of all terms may reach.
double units_needed(const Problem &problem, const ScaleSet &set, int64_t k) {
  const double term = kElementLargest * kElementLargest * set.largest * set.largest;
  const double lora = static_cast<double>(problem.rank * kLoraLargest * kLoraLargest);
  return (static_cast<double>(k) * term + lora) / unit_of(set) + kBiasUnits;
}

/// Richest first. E8M0 has powers of two only.
std::vector<ScaleSet> scale_sets(Scheme scheme) {
  std::vector<ScaleSet> sets = {{{1, 2}, 1, 2}, {{1}, 1, 1}};
  if (scheme == Scheme::kNvfp4) sets.insert(sets.begin(), {{0.75, 1, 1.25, 1.5, 1.75, 2}, 0.25, 2});
  return sets;
}

void fill_exact(QuantisedMatrix &matrix, const ScaleSet &set, Random &random) {
  const bool has_zero_scale = matrix.scheme == Scheme::kNvfp4;
  for (int64_t row = 0; row < matrix.rows; ++row) {
    for (int64_t i = 0; i < matrix.k; ++i) matrix.set_code(row, i, static_cast<uint32_t>(random.below(16)));
    for (int64_t group = 0; group < matrix.k / group_elems(matrix.scheme); ++group) {
      const bool is_zero = has_zero_scale && random.below(16) == 0;
      const double scale = is_zero ? 0 : set.values[static_cast<size_t>(random.below(static_cast<int64_t>(set.values.size())))];
      matrix.set_scale_code(row, group, encode(scale_format(matrix.scheme), scale));
    }
  }
}

HalfMatrix integer_matrix(NumberFormat format, int64_t rows, int64_t cols, Random &random) {
  HalfMatrix matrix{format, rows, cols, {}};
  for (int64_t i = 0; i < rows * cols; ++i)
    matrix.codes.push_back(
        static_cast<uint16_t>(encode(format, static_cast<double>(random.between(-kLoraLargest, kLoraLargest)))));
  return matrix;
}

template <typename T>
T valid(std::optional<T> made, const support::Diagnostics &diagnostics) {
  WARPWRIGHT_ASSERT(made.has_value(), "generated inputs cannot be packed: " + diagnostics.render());
  return std::move(*made);
}

void add_random_lora(const Problem &problem, Tensors &tensors, Random &random) {
  support::Diagnostics diagnostics;
  const std::vector<float> act = support::activation_values(problem.m, problem.rank, random);
  std::vector<float> up = support::bell_values(problem.n * problem.rank, 0.02, random);
  const MatrixView view{up.data(), problem.n, problem.rank};
  constexpr double kLargestFolded = 4096;  // keeps fp16 away from its limit
  const double amax = folded_amax(view, tensors.alpha, tensors.column_scale);
  if (problem.lora_format == NumberFormat::kFp16 && amax > kLargestFolded)
    for (float &value : up) value = static_cast<float>(value * (kLargestFolded / amax));
  tensors.lora_act = valid(to_half("lora_act", {act.data(), problem.m, problem.rank}, problem.lora_format, diagnostics),
                           diagnostics);
  tensors.lora_up =
      valid(fold_lora_up(view, tensors.alpha, tensors.column_scale, problem.lora_format, diagnostics), diagnostics);
}

}  // namespace

int64_t max_exact_k(const Problem &problem) {
  const ScaleSet smallest = scale_sets(problem.scheme).back();
  const double per_k = units_needed(problem, smallest, 1) - units_needed(problem, smallest, 0);
  return static_cast<int64_t>((kExactUnits - units_needed(problem, smallest, 0)) / per_k);
}

Tensors exact_tensors(const Problem &problem, uint64_t seed) {
  WARPWRIGHT_ASSERT(problem.k <= max_exact_k(problem), "no exact inputs for so long a sum");
  ScaleSet set;
  for (const ScaleSet &candidate : scale_sets(problem.scheme)) {
    set = candidate;
    if (units_needed(problem, set, problem.k) <= kExactUnits) break;
  }
  Random random(seed);
  Tensors tensors;
  tensors.a = make_quantised(problem.scheme, problem.m, problem.k);
  tensors.b = make_quantised(problem.scheme, problem.n, problem.k);
  fill_exact(tensors.a, set, random);
  fill_exact(tensors.b, set, random);
  tensors.alpha = static_cast<float>(std::ldexp(1.0, -static_cast<int>(random.below(4))));
  for (int64_t n = 0; n < problem.n && problem.has_column_scale; ++n)
    tensors.column_scale.push_back(static_cast<float>(std::ldexp(1.0, static_cast<int>(random.between(-1, 2)))));
  for (int64_t n = 0; n < problem.n && problem.has_bias; ++n) {
    const double factor = problem.has_column_scale ? tensors.column_scale[static_cast<size_t>(n)] : 1;
    const double units = static_cast<double>(random.between(-kBiasUnits, kBiasUnits));
    tensors.bias.push_back(static_cast<float>(units * unit_of(set) * factor * tensors.alpha));
  }
  if (problem.rank > 0) {
    tensors.lora_act = integer_matrix(problem.lora_format, problem.m, problem.rank, random);
    tensors.lora_up = integer_matrix(problem.lora_format, problem.n, problem.rank, random);
  }
  return tensors;
}

Tensors random_tensors(const Problem &problem, uint64_t seed) {
  Random random(seed);
  support::Diagnostics diagnostics;
  Tensors tensors;
  for (int64_t n = 0; n < problem.n && problem.has_column_scale; ++n)
    tensors.column_scale.push_back(static_cast<float>(0.5 + random.uniform()));
  const std::vector<float> x = support::activation_values(problem.m, problem.k, random);
  const std::vector<float> w = support::bell_values(problem.n * problem.k, 0.02, random);
  tensors.a = valid(quantise("a", {x.data(), problem.m, problem.k}, problem.scheme, {}, diagnostics), diagnostics);
  tensors.b = valid(
      quantise("b", {w.data(), problem.n, problem.k}, problem.scheme, tensors.column_scale, diagnostics), diagnostics);
  tensors.alpha = tensors.a.tensor_scale * tensors.b.tensor_scale;
  if (problem.has_bias) tensors.bias = support::bell_values(problem.n, 0.1, random);
  if (problem.rank > 0) add_random_lora(problem, tensors, random);
  return tensors;
}

}  // namespace warpwright::w4a4_lora_gemm
