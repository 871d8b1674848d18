// SPDX-License-Identifier: Apache-2.0
// What a build made, for people and for programs.
#pragma once

#include "generator/compile/compile.h"
#include "generator/plan/records.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpwright::cli {

/// One kernel for one architecture; without a value it could not be compiled.
using Image = std::pair<std::string, std::optional<compile::CompiledKernel>>;

struct BuiltOperator {
  plan::OperatorPlan plan;
  std::vector<std::string> sources;        ///< per kernel
  std::vector<std::vector<Image>> images;  ///< per kernel, per architecture
  std::vector<std::string> failures;       ///< slugs of this operator's errors
};

/// Figures and findings of one operator as a JSON object; equal kernels give equal bytes, so no times are in it.
std::string findings_json(const BuiltOperator &built);

/// A JSON object with the list of all operators.
std::string report_json(const std::vector<BuiltOperator> &all);

/// A table with one row per kernel and architecture.
std::string report_text(const std::vector<BuiltOperator> &all);

}  // namespace warpwright::cli
