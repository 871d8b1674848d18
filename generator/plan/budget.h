// SPDX-License-Identifier: Apache-2.0
// What the memories take, as tables, and what to say when it does not fit.
#pragma once

#include "generator/plan/family_plan.h"

namespace warpwright::plan {

/// Regions with bytes a stage, stages, padding and bytes, the sum, and what is free or too much.
std::string smem_table(const SmemPlan &smem);
/// Ranges with first and last column, then the parts that ranges share.
std::string tmem_table(const TmemPlan &tmem);

/// Reports memories that are exceeded.
///
/// Errors    plan.smem-over-budget at `depth_path`, plan.tmem-over-budget at "accumulators" where the family has such
///           a field; both with the itemised table.
void report_over_budget(const Budget &budget, const spec::KernelSpec &spec, const std::string &depth_path,
                        support::Diagnostics &diagnostics);

/// Bytes of `region` that hold nothing: what alignment adds to each stage.
int64_t padding_bytes(const SmemRegion &region);

}  // namespace warpwright::plan
