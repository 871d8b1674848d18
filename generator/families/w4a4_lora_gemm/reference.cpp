// SPDX-License-Identifier: Apache-2.0
// The CPU reference.
#include "generator/families/w4a4_lora_gemm/reference.h"

#include "generator/spec/number_codec.h"

#include <cmath>

namespace warpwright::w4a4_lora_gemm {
namespace {

double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone: return x;
    case Activation::kSilu: return x / (1 + std::exp(-x));
    case Activation::kGelu: {
      constexpr double kSqrt2OverPi = 0.79788456080286535588;
      return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
    }
  }
  throw support::InternalError("unknown activation");
}

Activation activation_of(const std::string &word) {
  if (word == "none") return Activation::kNone;
  if (word == "silu") return Activation::kSilu;
  if (word == "gelu") return Activation::kGelu;
  throw support::InternalError("no reference for the activation '" + word + "'");
}

spec::NumberFormat format_of(const std::string &word) {
  for (spec::NumberFormat format : {spec::NumberFormat::kBf16, spec::NumberFormat::kFp16, spec::NumberFormat::kFp32})
    if (spec::name_of(format) == word) return format;
  throw support::InternalError("no reference for the format '" + word + "'");
}

/// Rows first … first + count as doubles: FP4 values, then LoRA values.
std::vector<double> decode_rows(const QuantisedMatrix &matrix, const HalfMatrix &lora, int64_t rank, int64_t first,
                                int64_t count) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(count * (matrix.k + rank)));
  for (int64_t row = first; row < first + count; ++row) {
    for (int64_t i = 0; i < matrix.k; ++i) values.push_back(matrix.value(row, i));
    for (int64_t r = 0; r < rank; ++r) values.push_back(lora.value(row, r));
  }
  return values;
}

/// Dot product of `length` elements. Sums of independent lanes: one running sum would wait for every addition.
double dot(const double *x, const double *w, int64_t length) {
  constexpr int64_t kLanes = 8;
  double sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane] * w[i + lane];
  double sum = 0;
  for (; i < length; ++i) sum += x[i] * w[i];
  for (double lane_sum : sums) sum += lane_sum;
  return sum;
}

void check_shapes(const Problem &p, const Tensors &t, const Block &block) {
  const auto is_lora = [&](const HalfMatrix &matrix, int64_t rows) {
    return p.rank == 0 || (matrix.rows == rows && matrix.cols == p.rank);
  };
  WARPWRIGHT_ASSERT(t.a.rows == p.m && t.a.k == p.k && t.b.rows == p.n && t.b.k == p.k, "operands of another shape");
  WARPWRIGHT_ASSERT(is_lora(t.lora_act, p.m) && is_lora(t.lora_up, p.n), "LoRA operands of another shape");
  WARPWRIGHT_ASSERT(!p.has_column_scale || t.column_scale.size() == static_cast<size_t>(p.n), "column scales missing");
  WARPWRIGHT_ASSERT(!p.has_bias || t.bias.size() == static_cast<size_t>(p.n), "bias missing");
  WARPWRIGHT_ASSERT(block.first_row >= 0 && block.first_row + block.rows <= p.m && block.first_col >= 0 &&
                        block.first_col + block.cols <= p.n,
                    "a block outside the output");
}

}  // namespace

Problem make_problem(const plan::KernelPlan &kernel, int64_t m) {
  Problem problem;
  problem.scheme = kernel.trait("scheme") == "nvfp4" ? Scheme::kNvfp4 : Scheme::kMxfp4;
  problem.m = m;
  problem.n = kernel.constant("kN");
  problem.k = kernel.constant("kK");
  problem.rank = kernel.constant("kLoraRank");
  problem.lora_format = format_of(kernel.trait("lora_type"));
  problem.has_column_scale = kernel.trait("column_scale") == "yes";
  problem.has_bias = kernel.trait("bias") == "yes";
  problem.activation = activation_of(kernel.trait("activation"));
  problem.output = format_of(kernel.trait("output"));
  return problem;
}

std::vector<double> reference(const Problem &problem, const Tensors &tensors, const Block &block) {
  check_shapes(problem, tensors, block);
  const int64_t length = problem.k + problem.rank;
  const std::vector<double> a =
      decode_rows(tensors.a, tensors.lora_act, problem.rank, block.first_row, block.rows);
  const std::vector<double> b = decode_rows(tensors.b, tensors.lora_up, problem.rank, block.first_col, block.cols);
  std::vector<double> out;
  out.reserve(static_cast<size_t>(block.rows * block.cols));
  for (int64_t row = 0; row < block.rows; ++row)
    for (int64_t col = 0; col < block.cols; ++col) {
      const double sum = dot(a.data() + row * length, b.data() + col * length, length);
      const size_t n = static_cast<size_t>(block.first_col + col);
      const double factor = problem.has_column_scale ? double{tensors.alpha} * tensors.column_scale[n] : tensors.alpha;
      out.push_back(activate(problem.activation, factor * sum + (problem.has_bias ? tensors.bias[n] : 0)));
    }
  return out;
}

std::vector<double> reference(const Problem &problem, const Tensors &tensors) {
  return reference(problem, tensors, {0, problem.m, 0, problem.n});
}

std::vector<uint8_t> encode_output(const std::vector<double> &values, spec::NumberFormat format) {
  return spec::encoded(values, format);
}

}  // namespace warpwright::w4a4_lora_gemm
