// SPDX-License-Identifier: Apache-2.0
// The rules that a plan obeys, whoever made it.
#pragma once

#include "generator/plan/read_plan.h"
#include "generator/target/target.h"

namespace warpwright::plan {

/// Checks every kernel of a plan: nothing is recomputed that the plan's own records do not imply.
///
/// Errors    plan.region-overlap, plan.region-misaligned, plan.region-bytes (not what the copies bring),
///           plan.smem-over-budget, plan.smem-total (used_bytes is not the end of the last region),
///           plan.tmem-overlap (other than in shared parts), plan.tmem-over-budget, plan.tmem-alloc (not a power of
///           two of at least 32 that covers the columns in use), plan.barrier-mismatch (not what channels, roles and
///           CTA scopes imply, or outside of the regions for barriers), plan.tx-over-limit, plan.warp-overlap, plan.too-many-threads,
///           plan.too-many-registers, plan.unknown-name. Each at the record's place.
void check_plan(const PlacedPlan &plan, const target::SmTarget &target, support::Diagnostics &diagnostics);

}  // namespace warpwright::plan
