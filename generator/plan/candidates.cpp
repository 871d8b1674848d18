// SPDX-License-Identifier: Apache-2.0
// The search over fields that are auto: depth first over the family's domains, then the largest depth that fits.
#include "generator/plan/explain.h"
#include "generator/plan/family_plan.h"

#include <algorithm>
#include <limits>

namespace warpwright::plan {
namespace {

struct SearchContext {
  const FamilyPlan &family;
  const target::SmTarget &target;
  const Scorer &scorer;
  std::map<std::string, int64_t> shape;
  std::function<void(Candidate)> found;
};

spec::KernelSpec with_depth(const spec::KernelSpec &spec, const FamilyPlan &family, int64_t depth) {
  return spec.with(family.depth_path, spec::integer_value(depth));
}

/// Plans and scores a spec that has no auto left but possibly the depth.
void try_leaf(const spec::KernelSpec &spec, const SearchContext &context) {
  const FamilyPlan &family = context.family;
  Candidate candidate;
  candidate.spec = spec;
  if (spec.is_auto(family.depth_path)) {
    const int64_t depth = largest_depth(spec, family, context.target);
    candidate.spec = with_depth(spec, family, std::max(depth, family.depth_min));
  }
  family.check(candidate.spec, candidate.diagnostics);
  if (candidate.diagnostics.has_errors()) {
    candidate.excess_bytes = std::numeric_limits<int64_t>::max();
    return context.found(std::move(candidate));
  }
  candidate.plan = family.plan(candidate.spec, context.target, candidate.diagnostics);
  if (candidate.plan) {
    const Scorer::Score score = context.scorer.score(*candidate.plan, context.target, context.shape);
    candidate.score_us = score.us;
    candidate.bound = score.bound;
  } else {
    candidate.excess_bytes = family.budget(candidate.spec, context.target).excess_bytes();
  }
  context.found(std::move(candidate));
}

void search(const spec::KernelSpec &spec, const SearchContext &context) {
  const auto domains = context.family.domains(spec);
  if (domains.empty()) return try_leaf(spec, context);
  for (const spec::FieldValue &value : domains.front().second)
    search(spec.with(domains.front().first, value), context);
}

/// Planned before rejected; among planned the faster, among rejected the one that exceeds less.
bool is_better(const Candidate &a, const Candidate &b) {
  if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
  return a.plan ? a.score_us < b.score_us : a.excess_bytes < b.excess_bytes;
}

}  // namespace

std::map<std::string, int64_t> shape_of(const spec::KernelSpec &spec, const FamilyPlan &family,
                                        const std::map<std::string, int64_t> &shape) {
  std::map<std::string, int64_t> merged = family.typical_shape(spec);
  for (const auto &[name, value] : shape) merged[name] = value;
  return merged;
}

int64_t largest_depth(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target) {
  const auto fits = [&](int64_t depth) {
    return family.budget(with_depth(spec, family, depth), target).excess_bytes() == 0;
  };
  // More depth never takes less memory, so the depths that fit are a prefix.
  int64_t fitting = family.depth_min - 1;
  int64_t exceeding = family.depth_max + 1;
  while (exceeding - fitting > 1) {
    const int64_t middle = fitting + (exceeding - fitting) / 2;
    (fits(middle) ? fitting : exceeding) = middle;
  }
  return fitting < family.depth_min ? 0 : fitting;
}

std::vector<Candidate> enumerate_candidates(const spec::KernelSpec &spec, const FamilyPlan &family,
                                            const target::SmTarget &target, const Scorer &scorer,
                                            const std::map<std::string, int64_t> &shape) {
  std::vector<Candidate> candidates;
  search(spec, {family, target, scorer, shape_of(spec, family, shape),
                [&](Candidate candidate) { candidates.push_back(std::move(candidate)); }});
  std::stable_sort(candidates.begin(), candidates.end(), is_better);
  return candidates;
}

Candidate best_candidate(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                         const Scorer &scorer, const std::map<std::string, int64_t> &shape) {
  std::optional<Candidate> best;
  search(spec, {family, target, scorer, shape_of(spec, family, shape), [&](Candidate candidate) {
                  if (!best || is_better(candidate, *best)) best = std::move(candidate);
                }});
  WARPWRIGHT_ASSERT(best.has_value(), "family " + family.name + " has an empty domain");
  return *std::move(best);
}

std::optional<OperatorPlan> choose_plan(const spec::KernelSpec &spec, const FamilyPlan &family,
                                        const target::SmTarget &target, const Scorer &scorer,
                                        support::Diagnostics &diagnostics,
                                        const std::map<std::string, int64_t> &shape) {
  Candidate best = best_candidate(spec, family, target, scorer, shape);
  if (best.plan) return std::move(best.plan);
  std::vector<std::string> hints = hints_that_plan(spec, best.spec, family, target, scorer, shape);
  for (support::Diagnostic diagnostic : best.diagnostics.all()) {
    if (diagnostic.hints.empty()) diagnostic.hints = hints;
    diagnostics.add(std::move(diagnostic));
  }
  return std::nullopt;
}

}  // namespace warpwright::plan
