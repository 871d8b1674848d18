// SPDX-License-Identifier: Apache-2.0
// Values of launch variables that `run` and `time` try.
#pragma once

#include "generator/plan/records.h"
#include "generator/support/diagnostics.h"
#include "tools/cli/options.h"

#include <optional>
#include <vector>

namespace warpwright::cli {

/// What the spec fixes with `shape` laid over. Variables that neither names are missing.
/// Errors    cli.usage: a name that the operator does not have; run.fixed-variable.
std::optional<Shape> bind_shape(const plan::OperatorPlan &op, const Shape &shape, support::Diagnostics &diagnostics);

/// `bound` with one value for each variable that it lacks: the first with more output tiles than 1 has, one row more than a tile.
Shape one_row_more(const plan::OperatorPlan &op, Shape bound, int64_t num_sms);

/// `bound` with the values of its one missing variable at which something changes, and those before: 1, both sides of each border
/// between rows of the dispatch table, and of the first step in each row's number of output tiles. `bound` itself where nothing
/// is missing, one_row_more() where several are.
std::vector<Shape> edge_shapes(const plan::OperatorPlan &op, const Shape &bound, int64_t num_sms);

/// "m = 129", or "fixed" where nothing is free.
std::string shape_words(const plan::OperatorPlan &op, const Shape &shape);

}  // namespace warpwright::cli
