// SPDX-License-Identifier: Apache-2.0
// What `run` asks of a family: inputs for one launch, and a judgement of its outputs.
#pragma once

#include "generator/plan/records.h"
#include "generator/support/diagnostics.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::cli {

enum class TrialInputs { kExact, kRandom };

/// One tensor that the launch writes.
struct TrialOutput {
  std::string tensor;
  uint64_t bytes = 0;
  /// What is wrong with it, or an empty text.
  std::function<std::string(const std::vector<uint8_t> &)> judge;
};

struct OperatorTrial {
  std::map<std::string, std::vector<uint8_t>> inputs;  ///< bytes by tensor
  std::vector<TrialOutput> outputs;
  uint64_t values = 0;  ///< of all outputs
};

/// A trial of the operator for its launch variables.
/// Errors    run.no-exact-inputs: K is too long for sums that are exact in any order.
std::optional<OperatorTrial> make_trial(const plan::OperatorPlan &op, const std::map<std::string, int64_t> &variables,
                                        TrialInputs inputs, uint64_t seed, support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
