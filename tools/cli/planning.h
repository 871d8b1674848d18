// SPDX-License-Identifier: Apache-2.0
// What the planning verbs share: a loaded spec with its planner, its target and the shape to predict for.
#pragma once

#include "generator/plan/family_plan.h"
#include "tools/cli/options.h"

namespace warpwright::cli {

struct PlanningContext {
  spec::KernelSpec spec;
  const plan::FamilyPlan *family = nullptr;
  const target::SmTarget *target = nullptr;
  Shape shape;  ///< every launch variable has a value
};

/// A planner and a target for a loaded spec, `shape` laid over the family's typical one.
///
/// Errors    cli.usage: `shape` names no launch variable, or differs from what the spec fixes.
std::optional<PlanningContext> make_context(spec::KernelSpec spec, const Shape &shape,
                                            support::Diagnostics &diagnostics);

/// The values of --grid's axes, in order: `path=a..b`, `path=a,b,c`; words need no quotes.
struct GridAxis {
  std::string path;
  std::vector<std::string> values_json;
};

/// Errors    cli.usage: no values, a range that runs backwards, more than 10,000 points.
std::optional<std::vector<GridAxis>> parse_grid(const std::vector<std::string> &items,
                                                support::Diagnostics &diagnostics);

/// `text`, a spec's JSON, with the value at the dotted `path` replaced or added, an object laid over an object
/// as --set does; the rest is left as it is written.
///
/// Requires  `text` parses as an object, and so do the objects on the way of `path`.
std::string edit_spec_text(const std::string &text, const std::string &path, const std::string &value);

}  // namespace warpwright::cli
