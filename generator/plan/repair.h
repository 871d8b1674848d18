// SPDX-License-Identifier: Apache-2.0
// The way out of a refusal: the fewest written fields that, left to the planner, make a spec plan.
#pragma once

#include "generator/plan/family_plan.h"

namespace warpwright::plan {

/// Changes of one field each; all of them applied make the spec plan, all but any one of them do not.
struct Repair {
  std::vector<Change> changes;  ///< each leaves one field to the planner

  /// All of them, ready to paste.
  std::string flags() const;
};

/// The smallest repair; among equally small ones the first in the family's order of open_paths.
///
/// A repair changes only what the planner may choose (FamilyPlan::open_paths), never what the kernel computes.
/// Requires  the values of `spec` passed their own rows; rules between fields may be broken.
/// Ensures   nothing where `spec` plans, or where no choice of the planner helps (problem.k, fp16 out of range).
std::optional<Repair> find_repair(const spec::KernelSpec &spec, const FamilyPlan &family,
                                  const target::SmTarget &target);

/// Every fault of a refused spec in one pass: broken rules, or else the memories that are exceeded; then what these hide.
///
/// Errors    the rules' own; plan.*; plan.also-in-the-way for each further field that a repair has to change. A spec
///           with one error has a repair of one change, if it has any.
/// Ensures   no error is added where `spec` plans.
void report_faults(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                   const Scorer &scorer, support::Diagnostics &diagnostics,
                   const std::map<std::string, int64_t> &shape = {});

/// The part of report_faults that follows the errors in `reported`: plan.also-in-the-way.
void report_hidden_faults(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                          const support::Diagnostics &reported, support::Diagnostics &diagnostics);

}  // namespace warpwright::plan
