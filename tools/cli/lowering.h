// SPDX-License-Identifier: Apache-2.0
// From a SPEC argument to emitted source, for the verbs that go that far.
#pragma once

#include "generator/emit/pipeline.h"
#include "generator/plan/records.h"
#include "generator/support/diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::cli {

/// One operator before compilation; `kernels[i]` belongs to `plan.kernels[i]`.
struct LoweredOperator {
  plan::OperatorPlan plan;
  std::vector<emit::LoweredKernel> kernels;
  std::vector<std::string> archs;  ///< to compile for; the plan's own first
};

/// Loads, plans and lowers one spec. `archs` replaces the spec's architecture: the first one is planned and emitted
/// for, and the others must plan too; empty keeps the spec's own.
///
/// Errors    of all stages up to emission; spec.unknown-arch.
std::optional<LoweredOperator> lower_spec(const std::string &file, const std::vector<std::string> &set,
                                          const std::vector<std::string> &archs, const emit::LowerOptions &options,
                                          support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
