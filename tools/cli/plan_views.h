// SPDX-License-Identifier: Apache-2.0
// The views of `plan` beyond the budget: candidates, grid, fix. Each returns what goes to standard output.
#pragma once

#include "tools/cli/planning.h"
#include "tools/cli/report.h"

namespace warpwright::cli {

/// Every choice for the fields that are auto, the fastest first, and the first reason of each rejected one.
std::string candidates_view(const PlanningContext &context, Format format);

/// One row per combination of the axes, with `set` applied first: the plan's figures or the slug of its refusal.
std::optional<std::string> grid_view(const PlanningContext &context, const std::vector<std::string> &set,
                                     const std::vector<std::string> &grid, Format format,
                                     support::Diagnostics &diagnostics);

/// Writes the spec with the changes that make it plan to `output`, by default FILE.fixed.json beside it. Its rules may be
/// broken (load_spec_values).
///
/// Errors    plan.no-fix: no choice of the planner helps; cli.file-exists; cli.unwritable.
std::optional<std::string> fix_view(const PlanningContext &context, const std::vector<std::string> &set,
                                    const std::string &output, Format format, support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
