// SPDX-License-Identifier: Apache-2.0
// A plan for people and for programs.
#pragma once

#include "generator/plan/explain.h"

namespace warpwright::plan {

/// Everything that a plan decides, as text: roles, memories, barriers, MMA slots.
///
/// Units     bytes with thousands separators, columns, clocks; named in every heading.
std::string plan_text(const OperatorPlan &plan, const target::SmTarget &target);
/// What one more stage takes, what is in the way, and the changes that were tried.
std::string marginal_text(const Marginal &marginal, const std::string &depth_path);

/// The same as JSON: integers have unit-suffixed keys, lists keep the plan's order.
///
/// Ensures   equal plans give equal bytes; read_plan_json gives the plan back.
std::string plan_json(const OperatorPlan &plan);
std::string marginal_json(const Marginal &marginal);

}  // namespace warpwright::plan
