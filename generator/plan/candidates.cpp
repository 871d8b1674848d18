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

/// Replaces one value of a spec in place and puts the old one back: a copy of a spec costs more than a plan.
class ScopedValue {
 public:
  ScopedValue(spec::KernelSpec &spec, const std::string &path, const spec::FieldValue &value)
      : slot_(spec.values.at(path)), old_(slot_) {
    slot_ = value;
    slot_.where = old_.where;
    slot_.is_default = old_.is_default;
  }
  ~ScopedValue() { slot_ = std::move(old_); }
  ScopedValue(const ScopedValue &) = delete;
  ScopedValue &operator=(const ScopedValue &) = delete;

 private:
  spec::FieldValue &slot_;
  spec::FieldValue old_;
};

/// Plans and scores a spec without autos.
void try_leaf(const spec::KernelSpec &spec, const SearchContext &context) {
  const FamilyPlan &family = context.family;
  Candidate candidate;
  family.check(spec, candidate.diagnostics);
  if (candidate.diagnostics.has_errors()) {
    candidate.spec = spec;
    candidate.excess_bytes = std::numeric_limits<int64_t>::max();
    return context.found(std::move(candidate));
  }
  candidate.plan = family.plan(spec, context.target, candidate.diagnostics);
  if (candidate.plan) {
    candidate.spec = candidate.plan->spec;
    const Scorer::Score score = context.scorer.score(*candidate.plan, context.target, context.shape);
    candidate.score_us = score.us;
    candidate.bound = score.bound;
  } else {
    candidate.spec = spec;
    candidate.excess_bytes = family.budget(spec, context.target).excess_bytes();
  }
  context.found(std::move(candidate));
}

int64_t largest_depth_in_place(spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target) {
  const auto fits = [&](int64_t depth) {
    const ScopedValue scoped(spec, family.depth_path, spec::integer_value(depth));
    return family.budget(spec, target).excess_bytes() == 0;
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

void search(spec::KernelSpec &spec, const SearchContext &context) {
  const auto domains = context.family.domains(spec);
  if (!domains.empty()) {
    for (const spec::FieldValue &value : domains.front().second) {
      const ScopedValue scoped(spec, domains.front().first, value);
      search(spec, context);
    }
    return;
  }
  if (!spec.is_auto(context.family.depth_path)) return try_leaf(spec, context);
  const int64_t depth = largest_depth_in_place(spec, context.family, context.target);
  const ScopedValue scoped(spec, context.family.depth_path,
                           spec::integer_value(std::max(depth, context.family.depth_min)));
  try_leaf(spec, context);
}

/// Predictions closer than this are equal: the law's own interval is wider.
constexpr double kTieShare = 0.02;

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
  spec::KernelSpec copy = spec;
  return largest_depth_in_place(copy, family, target);
}

std::vector<Candidate> enumerate_candidates(const spec::KernelSpec &spec, const FamilyPlan &family,
                                            const target::SmTarget &target, const Scorer &scorer,
                                            const std::map<std::string, int64_t> &shape) {
  std::vector<Candidate> candidates;
  spec::KernelSpec point = spec;
  search(point, {family, target, scorer, shape_of(spec, family, shape),
                 [&](Candidate candidate) { candidates.push_back(std::move(candidate)); }});
  WARPWRIGHT_ASSERT(!candidates.empty(), "family " + family.name + " has an empty domain");
  const double fastest_us = std::min_element(candidates.begin(), candidates.end(), is_better)->score_us;
  const auto chosen = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate &candidate) {
    return candidate.plan && candidate.score_us <= fastest_us * (1 + kTieShare);
  });
  // The family's first choice among equals leads; the rest follow by time.
  auto rest = candidates.begin();
  if (chosen != candidates.end()) {
    std::rotate(candidates.begin(), chosen, chosen + 1);
    ++rest;
  }
  std::stable_sort(rest, candidates.end(), is_better);
  return candidates;
}

Candidate best_candidate(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                         const Scorer &scorer, const std::map<std::string, int64_t> &shape) {
  return std::move(enumerate_candidates(spec, family, target, scorer, shape).front());
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
