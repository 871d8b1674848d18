// SPDX-License-Identifier: Apache-2.0
// One launch to try a planned kernel with: the bytes of every tensor, and what must come out.
#pragma once

#include "generator/families/w4a4_lora_gemm/inputs.h"

#include <map>
#include <string>
#include <vector>

namespace warpwright::w4a4_lora_gemm {

enum class TrialInputs { kExact, kRandom };

/// Bytes by the names of the operator's tensors; the output's reference, row-major m × n.
struct Trial {
  Problem problem;
  std::map<std::string, std::vector<uint8_t>> inputs;
  std::vector<double> expected;
  std::vector<double> tolerance;  ///< of each value; 0: bit-equal after rounding to the output's format
};

/// Exact inputs have tolerance zero unless the kernel has an activation, whose approximations have error bounds. Random
/// ones allow for each MMA one truncation of the running sum and for each of its terms one of the aligned product.
///
/// Requires  for exact inputs k ≤ max_exact_k(make_problem(kernel, m)).
Trial make_trial(const plan::KernelPlan &kernel, int64_t m, TrialInputs inputs, uint64_t seed);

/// The first output value that is out of tolerance, in words, or an empty text.
std::string judge(const Trial &trial, const std::vector<uint8_t> &output);

}  // namespace warpwright::w4a4_lora_gemm
