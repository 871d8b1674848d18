// SPDX-License-Identifier: Apache-2.0
// Loading, planning and lowering one spec.
#include "tools/cli/lowering.h"

#include "generator/laws/closed_form.h"
#include "generator/plan/family_plan.h"
#include "generator/support/json_text.h"
#include "tools/cli/families.h"
#include "tools/cli/specs.h"

namespace warpwright::cli {
namespace {

std::optional<plan::OperatorPlan> plan_spec(const std::string &file, std::vector<std::string> set,
                                            const std::optional<std::string> &arch, support::Diagnostics &diagnostics) {
  if (arch) set.push_back("arch=" + support::json_quote(*arch));
  const std::optional<spec::KernelSpec> spec = load_spec(file, set, diagnostics);
  if (!spec) return std::nullopt;
  const target::SmTarget *target = target::find_target(spec->arch);
  WARPWRIGHT_ASSERT(target != nullptr, "no target is named " + spec->arch);
  return plan::choose_plan(*spec, family_plan(spec->family), *target, laws::ClosedForm(), diagnostics);
}

}  // namespace

std::optional<LoweredOperator> lower_spec(const std::string &file, const std::vector<std::string> &set,
                                          const std::vector<std::string> &archs, const emit::LowerOptions &options,
                                          support::Diagnostics &diagnostics) {
  LoweredOperator lowered;
  std::optional<plan::OperatorPlan> plan = plan_spec(file, set, archs.empty() ? std::nullopt : std::optional(archs[0]), diagnostics);
  if (!plan) return std::nullopt;
  lowered.plan = std::move(*plan);
  lowered.archs = archs.empty() ? std::vector<std::string>{lowered.plan.spec.arch} : archs;
  for (size_t i = 1; i < archs.size(); ++i) {
    if (!plan_spec(file, set, archs[i], diagnostics)) return std::nullopt;
  }
  auto kernels = emit::lower_operator(lowered.plan, family_ir(lowered.plan.spec.family), options, diagnostics);
  if (!kernels) return std::nullopt;
  lowered.kernels = std::move(*kernels);
  return lowered;
}

}  // namespace warpwright::cli
