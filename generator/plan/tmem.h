// SPDX-License-Identifier: Apache-2.0
// The layout of tensor memory: which columns belong to which range, and what must be allocated.
#pragma once

#include "generator/plan/records.h"

namespace warpwright::plan {

/// Completes a tensor-memory plan from its ranges.
///
/// Units     columns of 128 lanes.
/// Requires  every named part exists; a range that names parts is exactly their union; two ranges overlap only in
///           a part that both name (our bug otherwise).
/// Ensures   used_cols is one past the last column; alloc_cols is what tcgen05.alloc accepts: a power of two, at
///           least 32. Both may exceed limit_cols: the caller reports that.
/// Source    PTX ISA 9.0, "tcgen05.alloc": the number of columns is a power of two, at least 32.
TmemPlan plan_tmem(std::vector<TmemRange> ranges, std::vector<TmemPart> parts, int64_t limit_cols);

}  // namespace warpwright::plan
