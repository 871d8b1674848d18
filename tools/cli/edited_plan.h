// SPDX-License-Identifier: Apache-2.0
// Plans that a person may have edited.
#pragma once

#include "generator/plan/records.h"
#include "generator/support/diagnostics.h"

#include <optional>
#include <string>

namespace warpwright::cli {

/// A plan from the JSON of `plan --json` or `build`: its records are held to check_plan's rules, then to the plan that
/// its own spec gives (compare_plan).
///
/// Requires  plan::looks_like_plan(text).
/// Errors    those of read_plan, of check_plan, of the planner for the plan's spec, and of compare_plan.
std::optional<plan::OperatorPlan> load_edited_plan(const std::string &file, const std::string &text,
                                                   support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
