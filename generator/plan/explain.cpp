// SPDX-License-Identifier: Apache-2.0
// The marginal cost of a stage, and changes tried one by one.
#include "generator/plan/explain.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::plan {
namespace {

/// Regions below this are not worth naming as being in the way: barriers, the address of tensor memory.
constexpr int64_t kSmallRegionBytes = 1024;

struct Trial {
  const FamilyPlan &family;
  const target::SmTarget &target;
  const Scorer &scorer;
  const std::map<std::string, int64_t> &shape;

  /// Applies a change to a spec without autos and plans the result; autos that the change sets are chosen again.
  std::optional<TriedChange> run(const spec::KernelSpec &resolved, const Change &change) const {
    const Candidate candidate = best_candidate(apply_change(resolved, change), family, target, scorer, shape);
    if (!candidate.plan) return std::nullopt;
    TriedChange tried;
    tried.change = change;
    tried.depth = candidate.plan->spec.integer(family.depth_path);
    tried.slack_bytes = candidate.plan->kernels.front().smem.slack_bytes();
    tried.us = candidate.score_us;
    return tried;
  }
};

Change with_depth(Change change, const FamilyPlan &family, int64_t depth) {
  change.sets.push_back({family.depth_path, spec::integer_value(depth)});
  return change;
}

std::vector<std::pair<std::string, int64_t>> blockers_of(const SmemPlan &smem, const SmemPlan &deeper) {
  std::vector<std::pair<std::string, int64_t>> blockers;
  for (const SmemRegion &region : smem.regions) {
    const auto same = std::find_if(deeper.regions.begin(), deeper.regions.end(),
                                   [&](const SmemRegion &other) { return other.name == region.name; });
    const bool grows = same != deeper.regions.end() && same->total_bytes() != region.total_bytes();
    if (!grows && region.total_bytes() >= kSmallRegionBytes) blockers.push_back({region.name, region.total_bytes()});
  }
  std::stable_sort(blockers.begin(), blockers.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  return blockers;
}

}  // namespace

std::string Change::flags() const {
  std::string text;
  for (const auto &[path, value] : sets) {
    const std::string json = value.to_json();
    const bool needs_quotes = json.find_first_of("\"[] ") != std::string::npos;
    const std::string flag = path + "=" + json;
    text += (text.empty() ? "" : " ") + std::string("--set ") + (needs_quotes ? "'" + flag + "'" : flag);
  }
  return text;
}

spec::KernelSpec apply_change(const spec::KernelSpec &spec, const Change &change) {
  spec::KernelSpec changed = spec;
  for (const auto &[path, value] : change.sets) changed = changed.with(path, value);
  return changed;
}

Marginal explain_depth(const OperatorPlan &plan, const FamilyPlan &family, const target::SmTarget &target,
                       const Scorer &scorer, const std::map<std::string, int64_t> &shape) {
  const spec::KernelSpec &resolved = plan.spec;
  const SmemPlan &smem = plan.kernels.front().smem;
  Marginal marginal;
  marginal.depth = resolved.integer(family.depth_path);
  marginal.free_bytes = smem.slack_bytes();
  marginal.at_spec_limit = marginal.depth >= family.depth_max;
  if (marginal.at_spec_limit) return marginal;

  const spec::KernelSpec deeper = resolved.with(family.depth_path, spec::integer_value(marginal.depth + 1));
  const SmemPlan deeper_smem = family.budget(deeper, target).smem;
  marginal.needed_bytes = deeper_smem.used_bytes - smem.used_bytes;
  marginal.blockers_bytes = blockers_of(smem, deeper_smem);

  // With the depth pinned, the flags hold for the user's spec too: its autos leave more choice, not less.
  const Trial trial{family, target, scorer, shape};
  std::vector<Change> changes = family.changes(resolved);
  changes.insert(changes.begin(), Change{{}, "one more stage as it is"});
  for (const Change &change : changes)
    if (auto tried = trial.run(resolved, with_depth(change, family, marginal.depth + 1)))
      marginal.changes.push_back(*std::move(tried));
  return marginal;
}

std::vector<TriedChange> changes_that_plan(const spec::KernelSpec &spec, const spec::KernelSpec &closest,
                                           const FamilyPlan &family, const target::SmTarget &target,
                                           const Scorer &scorer, const std::map<std::string, int64_t> &shape) {
  const Trial trial{family, target, scorer, shape};
  std::vector<TriedChange> found;
  if (!spec.is_auto(family.depth_path)) {
    const int64_t depth = largest_depth(closest, family, target);
    const Change fewer{{{family.depth_path, spec::integer_value(depth)}}, fmt::format("{} stages fit", depth)};
    if (depth > 0)
      if (auto tried = trial.run(closest, fewer)) found.push_back(*std::move(tried));
  }
  for (const Change &change : family.changes(closest))
    if (auto tried = trial.run(closest, change)) found.push_back(*std::move(tried));
  return found;
}

std::vector<std::string> hints_that_plan(const spec::KernelSpec &spec, const spec::KernelSpec &closest,
                                         const FamilyPlan &family, const target::SmTarget &target, const Scorer &scorer,
                                         const std::map<std::string, int64_t> &shape) {
  constexpr size_t kMostHints = 5;
  std::vector<std::string> hints;
  for (const TriedChange &tried : changes_that_plan(spec, closest, family, target, scorer, shape)) {
    if (hints.size() == kMostHints) break;
    hints.push_back(fmt::format("{}  # {}", tried.change.flags(), tried.change.effect));
  }
  return hints;
}

}  // namespace warpwright::plan
