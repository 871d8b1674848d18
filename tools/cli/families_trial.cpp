// SPDX-License-Identifier: Apache-2.0
// The families' trials.
#include "generator/families/w4a4_lora_gemm/trial.h"
#include "generator/families/w4a8_gemm/trial.h"
#include "runtime/format/expression.h"
#include "tools/cli/report.h"
#include "tools/cli/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace warpwright::cli {
namespace {

/// References work on one core, and inputs are made on it.
bool is_too_large(int64_t max_elements, int64_t m, int64_t n, int64_t k, support::Diagnostics &diagnostics) {
  const int64_t largest = std::max({m > max_elements ? m : m * n, m > max_elements ? m : m * k, n * k});
  if (largest <= max_elements) return false;
  diagnostics.add(error("run.too-large", fmt::format("a matrix of m = {}, n = {}, k = {} has more than {} elements", m, n, k, max_elements),
                        {"a smaller --shape, or --set problem.n=… and problem.k=…"}));
  return true;
}

std::optional<OperatorTrial> w4a8_trial(const spec::KernelSpec &spec, int64_t m, TrialInputs inputs, uint64_t seed,
                                        support::Diagnostics &diagnostics) {
  const w4a8_gemm::Problem problem = w4a8_gemm::make_problem(spec, m);
  // The largest weight of LLaMA 2 70B, 57344 x 8192, is below that; random inputs keep four bytes for each element.
  constexpr int64_t kMaxElements = int64_t{1} << 29;
  if (is_too_large(kMaxElements, m, problem.n, problem.k, diagnostics)) return std::nullopt;
  const auto trial = std::make_shared<const w4a8_gemm::Trial>(w4a8_gemm::make_trial(
      spec, m, inputs == TrialInputs::kExact ? w4a8_gemm::TrialInputs::kExact : w4a8_gemm::TrialInputs::kRandom, seed));
  OperatorTrial result;
  result.inputs = trial->inputs;
  result.values = trial->expected.size();
  result.outputs = {{"out", w4a8_gemm::encode_output(trial->expected, problem.output).size(),
                     [trial](const std::vector<uint8_t> &output) { return w4a8_gemm::judge(*trial, output); }}};
  return result;
}

std::optional<OperatorTrial> w4a4_trial(const plan::KernelPlan &kernel, int64_t m, TrialInputs inputs, uint64_t seed,
                                        support::Diagnostics &diagnostics) {
  const w4a4_lora_gemm::Problem problem = w4a4_lora_gemm::make_problem(kernel, m);
  const bool is_exact = inputs == TrialInputs::kExact;
  // The reference sums in double, and keeps some ten bytes for each element.
  constexpr int64_t kMaxElements = int64_t{1} << 28;
  if (is_too_large(kMaxElements, m, problem.n, problem.k, diagnostics)) return std::nullopt;
  if (const int64_t max_k = w4a4_lora_gemm::max_exact_k(problem); is_exact && problem.k > max_k) {
    support::Diagnostic d = error("run.no-exact-inputs",
                                           fmt::format("k is {}; sums are exact in any order up to {}", problem.k, max_k),
                                           {fmt::format("--set problem.k={}", max_k), "--inputs random"});
    diagnostics.add(std::move(d));
    return std::nullopt;
  }
  const auto trial = std::make_shared<const w4a4_lora_gemm::Trial>(w4a4_lora_gemm::make_trial(
      kernel, m, is_exact ? w4a4_lora_gemm::TrialInputs::kExact : w4a4_lora_gemm::TrialInputs::kRandom, seed));
  OperatorTrial result;
  result.inputs = trial->inputs;
  result.values = trial->expected.size();
  result.outputs = {{"out", w4a4_lora_gemm::encode_output(trial->expected, problem.output).size(),
                     [trial](const std::vector<uint8_t> &output) { return w4a4_lora_gemm::judge(*trial, output); }}};
  return result;
}

}  // namespace

namespace {

std::optional<OperatorTrial> family_trial(const plan::OperatorPlan &op, int64_t m, TrialInputs inputs, uint64_t seed,
                                          support::Diagnostics &diagnostics) {
  if (op.spec.family == "w4a8_gemm") return w4a8_trial(op.spec, m, inputs, seed, diagnostics);
  WARPWRIGHT_ASSERT(op.spec.family == "w4a4_lora_gemm", "no trials for the family " + op.spec.family);
  return w4a4_trial(op.kernels.front(), m, inputs, seed, diagnostics);
}

/// Tensors that are zero before the first launch; that the launch leaves them so is checked as of any input.
void add_zeroed(const plan::OperatorPlan &op, std::map<std::string, int64_t> variables, OperatorTrial &trial) {
  variables.insert(op.fixed_variables.begin(), op.fixed_variables.end());
  for (const plan::Tensor &tensor : op.tensors) {
    if (tensor.layout != "zeroed") continue;
    std::string problem;
    const auto bytes = format::evaluate_expression(tensor.bytes, variables, &problem);
    WARPWRIGHT_ASSERT(bytes.has_value(), "bytes of " + tensor.name + ": " + problem);
    trial.inputs[tensor.name].resize(static_cast<size_t>(*bytes));
  }
}

}  // namespace

std::optional<OperatorTrial> make_trial(const plan::OperatorPlan &op, const std::map<std::string, int64_t> &variables,
                                        TrialInputs inputs, uint64_t seed, support::Diagnostics &diagnostics) {
  std::optional<OperatorTrial> trial = family_trial(op, variables.at("m"), inputs, seed, diagnostics);
  if (trial) add_zeroed(op, variables, *trial);
  return trial;
}

}  // namespace warpwright::cli
