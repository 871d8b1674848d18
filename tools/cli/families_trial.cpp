// SPDX-License-Identifier: Apache-2.0
// The families' trials.
#include "generator/families/w4a4_lora_gemm/trial.h"
#include "tools/cli/report.h"
#include "tools/cli/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace warpwright::cli {

std::optional<OperatorTrial> make_trial(const plan::OperatorPlan &op, const std::map<std::string, int64_t> &variables,
                                        TrialInputs inputs, uint64_t seed, support::Diagnostics &diagnostics) {
  WARPWRIGHT_ASSERT(op.spec.family == "w4a4_lora_gemm", "no family has trials but w4a4_lora_gemm");
  const plan::KernelPlan &kernel = op.kernels.front();
  const int64_t m = variables.at("m");
  const w4a4_lora_gemm::Problem problem = w4a4_lora_gemm::make_problem(kernel, m);
  const bool is_exact = inputs == TrialInputs::kExact;
  // The reference sums in double on one core, and keeps some ten bytes for each element.
  constexpr int64_t kMaxElements = int64_t{1} << 28;
  const int64_t largest = std::max({m > kMaxElements ? m : m * problem.n, m > kMaxElements ? m : m * problem.k, problem.n * problem.k});
  if (largest > kMaxElements) {
    diagnostics.add(error("run.too-large", fmt::format("a matrix of m = {}, n = {}, k = {} has more than {} elements", m, problem.n, problem.k, kMaxElements),
                          {"a smaller --shape, or --set problem.n=… and problem.k=…"}));
    return std::nullopt;
  }
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

}  // namespace warpwright::cli
