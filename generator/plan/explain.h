// SPDX-License-Identifier: Apache-2.0
// Why a plan has the depth that it has, and what would change it: every suggestion has been tried.
#pragma once

#include "generator/plan/family_plan.h"

namespace warpwright::plan {

/// A change that was applied and planned.
struct TriedChange {
  Change change;
  int64_t depth = 0;        ///< of the plan it gives
  int64_t slack_bytes = 0;  ///< of shared memory there
  double us = 0;            ///< predicted time there
};

/// What one more stage would take.
struct Marginal {
  int64_t depth = 0;           ///< as planned
  bool at_spec_limit = false;  ///< the spec allows no more
  int64_t needed_bytes = 0;    ///< of shared memory, for one more stage
  int64_t free_bytes = 0;
  /// Regions that the depth does not size and that are large enough to matter, largest first.
  std::vector<std::pair<std::string, int64_t>> blockers_bytes;
  std::vector<TriedChange> changes;  ///< each gives depth + 1
  int64_t missing_bytes() const { return needed_bytes > free_bytes ? needed_bytes - free_bytes : 0; }
};

/// Explains the depth of a plan.
///
/// Requires  `plan` came from `family` and `target`.
/// Ensures   every change, its flags applied to the spec that the plan was chosen for, gives a plan of depth + 1.
Marginal explain_depth(const OperatorPlan &plan, const FamilyPlan &family, const target::SmTarget &target,
                       const Scorer &scorer, const std::map<std::string, int64_t> &shape = {});

/// Changes under which a spec that does not plan does: the largest depth that fits, then the family's changes.
///
/// Requires  `closest` is `spec` with its autos chosen, and does not plan.
/// Ensures   every change, its flags applied to `spec`, gives a plan.
std::vector<TriedChange> changes_that_plan(const spec::KernelSpec &spec, const spec::KernelSpec &closest,
                                           const FamilyPlan &family, const target::SmTarget &target,
                                           const Scorer &scorer, const std::map<std::string, int64_t> &shape);

/// The first few of changes_that_plan as hints: flags, and what they do as a shell comment.
std::vector<std::string> hints_that_plan(const spec::KernelSpec &spec, const spec::KernelSpec &closest,
                                         const FamilyPlan &family, const target::SmTarget &target, const Scorer &scorer,
                                         const std::map<std::string, int64_t> &shape);

/// `spec` with the fields of `change` replaced.
spec::KernelSpec apply_change(const spec::KernelSpec &spec, const Change &change);

}  // namespace warpwright::plan
