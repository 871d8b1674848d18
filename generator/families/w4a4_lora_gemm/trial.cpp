// SPDX-License-Identifier: Apache-2.0
// Bytes of a trial and its judgement.
#include "generator/families/w4a4_lora_gemm/trial.h"

#include "generator/spec/number_codec.h"
#include "generator/support/object_bytes.h"

#include <cmath>
#include <cstring>

namespace warpwright::w4a4_lora_gemm {

namespace {

/// Every factor and term without its sign: the reference of it is the sum of all magnitudes.
Tensors without_signs(const Problem &problem, Tensors tensors) {
  constexpr uint8_t kBothMagnitudes = 0x77;  // bit 3 of an E2M1 code is its sign
  for (QuantisedMatrix *matrix : {&tensors.a, &tensors.b})
    for (uint8_t &pair : matrix->data) pair &= kBothMagnitudes;
  for (HalfMatrix *matrix : {&tensors.lora_act, &tensors.lora_up})
    for (uint16_t &code : matrix->codes) code &= 0x7FFF;
  tensors.alpha = std::fabs(tensors.alpha);
  for (float &factor : tensors.column_scale) factor = std::fabs(factor);
  for (float &term : tensors.bias) term = std::fabs(term);
  static_cast<void>(problem);
  return tensors;
}

/// Distance between neighbours of the output's format at `value`.
double spacing(spec::NumberFormat format, double value) {
  const int fraction_bits = format == spec::NumberFormat::kBf16 ? 7 : format == spec::NumberFormat::kFp16 ? 10 : 23;
  const int least = format == spec::NumberFormat::kFp16 ? -14 : -126;
  const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - fraction_bits);
}

std::vector<double> tolerances(const Problem &problem, const Tensors &tensors, const std::vector<double> &expected) {
  Problem linear = problem;
  linear.activation = Activation::kNone;
  const std::vector<double> magnitude = reference(linear, without_signs(problem, tensors));
  // K of one MMA: 64 FP4 elements, 16 of 16 bits. PTX ISA 9.0, "Matrix Shape". Each rounds the running sum toward zero once
  // (2^-23 of it), and drops at most 2^-25 of the largest term for each of its terms.
  const double mmas = static_cast<double>(problem.k) / 64 + static_cast<double>(problem.rank) / 16;
  const double relative = mmas * (std::ldexp(1.0, -23) + 17 * std::ldexp(1.0, -25)) + 4 * std::ldexp(1.0, -24);
  // An activation is no steeper than 1.13 (GELU) and adds its approximation: 2^-10 of its argument covers tanh.approx.
  const double activation = problem.activation == Activation::kNone ? 0 : std::ldexp(1.0, -10);
  std::vector<double> bounds(expected.size());
  for (size_t i = 0; i < bounds.size(); ++i)
    bounds[i] = magnitude[i] * (1.13 * relative + activation) + spacing(problem.output, expected[i]);
  return bounds;
}

}  // namespace

Trial make_trial(const plan::KernelPlan &kernel, int64_t m, TrialInputs inputs, uint64_t seed) {
  Trial trial;
  trial.problem = make_problem(kernel, m);
  const Tensors tensors =
      inputs == TrialInputs::kExact ? exact_tensors(trial.problem, seed) : random_tensors(trial.problem, seed);
  trial.inputs["a"] = tensors.a.data;
  trial.inputs["a_scales"] = tensors.a.scales;
  trial.inputs["b"] = tensors.b.data;
  trial.inputs["b_scales"] = tensors.b.scales;
  trial.inputs["alpha"] = support::object_bytes(std::vector<float>{tensors.alpha});
  if (trial.problem.has_column_scale) trial.inputs["column_scale"] = support::object_bytes(tensors.column_scale);
  if (trial.problem.has_bias) trial.inputs["bias"] = support::object_bytes(tensors.bias);
  if (trial.problem.rank > 0) {
    trial.inputs["lora_act"] = support::object_bytes(tensors.lora_act.codes);
    trial.inputs["lora_up"] = support::object_bytes(tensors.lora_up.codes);
  }
  trial.expected = reference(trial.problem, tensors);
  const bool is_exact = inputs == TrialInputs::kExact && trial.problem.activation == Activation::kNone;
  trial.tolerance = is_exact ? std::vector<double>(trial.expected.size(), 0.0) : tolerances(trial.problem, tensors, trial.expected);
  return trial;
}

std::string judge(const Trial &trial, const std::vector<uint8_t> &output) {
  const spec::NumberFormat format = trial.problem.output;
  const std::vector<uint8_t> wanted = encode_output(trial.expected, format);
  if (wanted.size() != output.size())
    return std::to_string(output.size()) + " bytes of output instead of " + std::to_string(wanted.size());
  const size_t bytes = wanted.size() / trial.expected.size();
  uint64_t wrong = 0, first = 0;
  double first_value = 0;
  for (size_t i = 0; i < trial.expected.size(); ++i) {
    uint32_t code = 0;
    std::memcpy(&code, output.data() + i * bytes, bytes);
    if (std::memcmp(output.data() + i * bytes, wanted.data() + i * bytes, bytes) == 0) continue;
    const double value = decode(format, code);
    if (std::fabs(value - trial.expected[i]) <= trial.tolerance[i] && trial.tolerance[i] > 0) continue;
    if (wrong++ == 0) first = i, first_value = value;
  }
  if (wrong == 0) return {};
  const auto n = static_cast<uint64_t>(trial.problem.n);
  return std::to_string(wrong) + " of " + std::to_string(trial.expected.size()) + " values are wrong; the first is row " +
         std::to_string(first / n) + ", column " + std::to_string(first % n) + ": " + std::to_string(first_value) + " instead of " +
         std::to_string(trial.expected[first]) + " (tolerance " + std::to_string(trial.tolerance[first]) + ")";
}

}  // namespace warpwright::w4a4_lora_gemm
