// SPDX-License-Identifier: Apache-2.0
// Reads, checks and compares an edited plan.
#include "tools/cli/edited_plan.h"

#include "generator/laws/closed_form.h"
#include "generator/plan/check_plan.h"
#include "generator/plan/compare_plan.h"
#include "generator/plan/family_plan.h"
#include "tools/cli/families.h"

namespace warpwright::cli {

namespace {

std::optional<plan::OperatorPlan> load_checked(const std::string &file, const std::string &text,
                                               support::Diagnostics &diagnostics) {
  auto placed = plan::read_plan(file, text, family_specs(), diagnostics);
  if (!placed) return std::nullopt;
  const spec::KernelSpec &spec = placed->plan.spec;
  const target::SmTarget *target = target::find_target(spec.arch);
  WARPWRIGHT_ASSERT(target != nullptr, "no target " + spec.arch);
  plan::check_plan(*placed, *target, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const auto derived = plan::choose_plan(spec, family_plan(spec.family), *target, laws::ClosedForm(), diagnostics);
  if (!derived) return std::nullopt;
  plan::compare_plan(*placed, *derived, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return std::move(placed->plan);
}

}  // namespace

std::optional<plan::OperatorPlan> load_edited_plan(const std::string &file, const std::string &text,
                                                   support::Diagnostics &diagnostics) {
  // Errors of another file must not count against this one.
  support::Diagnostics found;
  auto plan = load_checked(file, text, found);
  diagnostics.append(found);
  return plan;
}

}  // namespace warpwright::cli
