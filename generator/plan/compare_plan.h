// SPDX-License-Identifier: Apache-2.0
// An edited plan against the plan that its own spec gives.
#pragma once

#include "generator/plan/read_plan.h"

namespace warpwright::plan {

/// Reports every value of `edited` that `derived`, the plan of its spec, does not have.
///
/// An edit may change where shared memory lies (offset_bytes, stride_bytes, used_bytes, slack_bytes,
/// dynamic_smem_bytes and the order of regions; check_plan holds them to its rules), the operator's name and every
/// `text`. All else follows from the spec, so that a change begins there.
///
/// Requires  `edited` was read by read_plan().
/// Errors    plan.contradicts-spec: the record, what it says and what the spec gives; at most 8, then how many more.
void compare_plan(const PlacedPlan &edited, const OperatorPlan &derived, support::Diagnostics &diagnostics);

}  // namespace warpwright::plan
