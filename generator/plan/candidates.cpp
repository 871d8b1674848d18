// SPDX-License-Identifier: Apache-2.0
// The search over fields that are auto: depth first over the family's domains, then the largest depth that fits.
#include "generator/plan/explain.h"
#include "generator/plan/family_plan.h"
#include "generator/plan/repair.h"

#include <algorithm>
#include <limits>

namespace warpwright::plan {
namespace {

struct SearchContext {
  const FamilyPlan &family;
  const target::SmTarget &target;
  const Scorer &scorer;
  std::map<std::string, int64_t> shape;
  /// Gets every spec without autos, in the family's order; and its sketch, where choosing the depth made one.
  std::function<void(const spec::KernelSpec &, std::unique_ptr<Sketch>)> leaf;
  int64_t depth_hint = 0;     ///< of the point before
  bool is_done = false;       ///< set by the leaf to end the search
  std::vector<size_t> picks;  ///< which value of each domain the point took
};

/// Replaces one value of a spec in place and puts the old one back: a copy of a spec costs more than a plan.
class ScopedValue {
 public:
  ScopedValue(spec::KernelSpec &spec, const std::string &path, const spec::FieldValue &value)
      : slot_(spec.values.find(path)->second), old_(std::move(slot_)) {
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
Candidate make_candidate(const spec::KernelSpec &spec, const SearchContext &context) {
  const FamilyPlan &family = context.family;
  Candidate candidate;
  family.check(spec, candidate.diagnostics);
  if (candidate.diagnostics.has_errors()) {
    candidate.spec = spec;
    candidate.excess_bytes = std::numeric_limits<int64_t>::max();
    return candidate;
  }
  candidate.plan = family.plan(spec, context.target, candidate.diagnostics);
  candidate.spec = spec;
  if (candidate.plan) {
    const Scorer::Score score = context.scorer.score(work_of(*candidate.plan), context.target, context.shape);
    candidate.score_us = score.us;
    candidate.bound = score.bound;
  } else {
    candidate.excess_bytes = family.budget(spec, context.target).excess_bytes();
  }
  return candidate;
}

/// Sizes of one spec by depth; each is computed once.
class DepthProbe {
 public:
  DepthProbe(const Sketch &sketch, const FamilyPlan &family) : sketch_(sketch), family_(family) {}

  bool fits(int64_t depth) {
    return depth >= family_.depth_min && depth <= family_.depth_max && sizes(depth).excess_bytes() == 0;
  }
  /// Where a straight line through two depths meets the limit, inside the legal range.
  int64_t extrapolate(int64_t depth) {
    const int64_t other = depth < family_.depth_max ? depth + 1 : depth - 1;
    const int64_t slope_bytes = (sizes(other).smem_bytes - sizes(depth).smem_bytes) / (other - depth);
    const int64_t slack_bytes = sizes(depth).smem_slack_bytes();
    if (slope_bytes <= 0) return depth;
    const int64_t steps =
        slack_bytes >= 0 ? slack_bytes / slope_bytes : -((slope_bytes - 1 - slack_bytes) / slope_bytes);
    return std::clamp(depth + steps, family_.depth_min, family_.depth_max);
  }

 private:
  MemorySizes sizes(int64_t depth) {
    const auto [known, is_new] = sizes_.try_emplace(depth);
    if (is_new) known->second = sketch_.sizes(depth);
    return known->second;
  }

  const Sketch &sketch_;
  const FamilyPlan &family_;
  std::map<int64_t, MemorySizes> sizes_;
};

/// `hint` is where to look first: neighbours in the search have similar depths.
int64_t largest_depth_of(const Sketch &sketch, const FamilyPlan &family, int64_t hint) {
  DepthProbe probe(sketch, family);
  int64_t depth = std::clamp(hint, family.depth_min, family.depth_max);
  if (!probe.fits(depth) || probe.fits(depth + 1)) depth = probe.extrapolate(depth);
  // Padding may bend the line. More depth never takes less memory, so the depths that fit are a prefix.
  if (!probe.fits(depth) && !probe.fits(family.depth_min)) return 0;
  while (!probe.fits(depth)) --depth;
  while (probe.fits(depth + 1)) ++depth;
  return depth;
}

void search(spec::KernelSpec &spec, SearchContext &context) {
  if (context.is_done) return;
  const auto domains = context.family.domains(spec);
  if (!domains.empty()) {
    const auto &[path, values] = domains.front();
    for (size_t i = 0; i < values.size(); ++i) {
      const ScopedValue scoped(spec, path, values[i]);
      context.picks.push_back(i);
      search(spec, context);
      context.picks.pop_back();
    }
    return;
  }
  const std::string &depth_path = context.family.depth_path;
  if (!spec.is_auto(depth_path)) return context.leaf(spec, nullptr);
  auto sketch = context.family.sketch(spec, context.target);
  const int64_t depth =
      std::max(largest_depth_of(*sketch, context.family, context.depth_hint), context.family.depth_min);
  context.depth_hint = depth;
  const ScopedValue scoped(spec, depth_path, spec::integer_value(depth));
  context.leaf(spec, std::move(sketch));
}

/// How a point was reached from the spec that the search began with.
struct Trail {
  std::vector<size_t> picks;
  int64_t depth = 0;
};

/// The point at the end of a trail.
spec::KernelSpec follow(const Trail &trail, const spec::KernelSpec &spec, const FamilyPlan &family) {
  spec::KernelSpec point = spec;
  for (const size_t pick : trail.picks) {
    const auto domains = family.domains(point);
    point = point.with(domains.front().first, domains.front().second[pick]);
  }
  return point.is_auto(family.depth_path) ? point.with(family.depth_path, spec::integer_value(trail.depth)) : point;
}

/// Predictions closer than this are equal: the law's own interval is wider.
constexpr double kTieShare = 0.02;

/// What choosing needs to know of a candidate.
struct Outcome {
  bool planned = false;
  double score_us = 0;
  int64_t excess_bytes = 0;
};

Outcome outcome_of(const Candidate &candidate) {
  return {candidate.plan.has_value(), candidate.score_us, candidate.excess_bytes};
}

/// What becomes of a point, without its plan. `sketch` may be null.
Outcome judge(const spec::KernelSpec &point, std::unique_ptr<Sketch> sketch, const SearchContext &context) {
  Outcome outcome;
  support::Diagnostics refusal;
  context.family.check(point, refusal);
  if (refusal.has_errors()) {
    outcome.excess_bytes = std::numeric_limits<int64_t>::max();
    return outcome;
  }
  if (!sketch) sketch = context.family.sketch(point, context.target);
  const int64_t depth = point.integer(context.family.depth_path);
  outcome.excess_bytes = sketch->sizes(depth).excess_bytes();
  if (outcome.excess_bytes > 0) return outcome;
  const std::optional<Workload> work = sketch->work(depth);
  outcome.planned = work.has_value();
  if (work) outcome.score_us = context.scorer.score(*work, context.target, context.shape).us;
  return outcome;
}

/// Planned before rejected; among planned the faster, among rejected the one that exceeds less.
bool is_better(const Outcome &a, const Outcome &b) {
  if (a.planned != b.planned) return a.planned;
  return a.planned ? a.score_us < b.score_us : a.excess_bytes < b.excess_bytes;
}

/// The first that is as good as the best.
size_t choose_index(const std::vector<Outcome> &outcomes) {
  const Outcome &best = *std::min_element(outcomes.begin(), outcomes.end(), is_better);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const bool is_tied = outcomes[i].planned && outcomes[i].score_us <= best.score_us * (1 + kTieShare);
    if (best.planned ? is_tied : !is_better(best, outcomes[i])) return i;
  }
  throw support::InternalError("no candidate is as good as the best");
}

}  // namespace

std::map<std::string, int64_t> shape_of(const spec::KernelSpec &spec, const FamilyPlan &family,
                                        const std::map<std::string, int64_t> &shape) {
  std::map<std::string, int64_t> merged = family.typical_shape(spec);
  for (const auto &[name, value] : shape) merged[name] = value;
  return merged;
}

int64_t largest_depth(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target) {
  return largest_depth_of(*family.sketch(spec, target), family, family.depth_min);
}

std::vector<Candidate> enumerate_candidates(const spec::KernelSpec &spec, const FamilyPlan &family,
                                            const target::SmTarget &target, const Scorer &scorer,
                                            const std::map<std::string, int64_t> &shape) {
  std::vector<Candidate> candidates;
  std::vector<Outcome> outcomes;
  SearchContext context{family, target, scorer, shape_of(spec, family, shape), {}, family.depth_min, false, {}};
  context.leaf = [&](const spec::KernelSpec &point, const std::unique_ptr<Sketch> &) {
    candidates.push_back(make_candidate(point, context));
    outcomes.push_back(outcome_of(candidates.back()));
  };
  spec::KernelSpec point = spec;
  search(point, context);
  WARPWRIGHT_ASSERT(!candidates.empty(), "family " + family.name + " has an empty domain");
  const auto chosen = candidates.begin() + static_cast<std::ptrdiff_t>(choose_index(outcomes));
  std::rotate(candidates.begin(), chosen, chosen + 1);
  std::stable_sort(candidates.begin() + 1, candidates.end(),
                   [](const Candidate &a, const Candidate &b) { return is_better(outcome_of(a), outcome_of(b)); });
  return candidates;
}

bool can_plan(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target) {
  support::Diagnostics broken;
  family.check(spec, broken);
  if (broken.has_errors()) return false;
  struct NoScore : Scorer {
    Score score(const Workload &, const target::SmTarget &, const std::map<std::string, int64_t> &) const override {
      return {};
    }
  };
  const NoScore no_score;
  SearchContext context{family, target, no_score, {}, {}, family.depth_min, false, {}};
  context.leaf = [&](const spec::KernelSpec &point, std::unique_ptr<Sketch> sketch) {
    context.is_done = judge(point, std::move(sketch), context).planned;
  };
  spec::KernelSpec point = spec;
  search(point, context);
  return context.is_done;
}

Candidate best_candidate(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                         const Scorer &scorer, const std::map<std::string, int64_t> &shape) {
  std::vector<Outcome> outcomes;
  std::vector<Trail> trails;
  SearchContext context{family, target, scorer, shape_of(spec, family, shape), {}, family.depth_min, false, {}};
  context.leaf = [&](const spec::KernelSpec &point, std::unique_ptr<Sketch> sketch) {
    trails.push_back({context.picks, point.integer(family.depth_path)});
    outcomes.push_back(judge(point, std::move(sketch), context));
  };
  spec::KernelSpec point = spec;
  search(point, context);
  WARPWRIGHT_ASSERT(!outcomes.empty(), "family " + family.name + " has an empty domain");
  // A plan is large and slow to make: only the chosen point gets one.
  const size_t chosen = choose_index(outcomes);
  Candidate candidate = make_candidate(follow(trails[chosen], spec, family), context);
  WARPWRIGHT_ASSERT(candidate.plan.has_value() == outcomes[chosen].planned &&
                        candidate.score_us == outcomes[chosen].score_us,
                    "the sketch of a point and its plan disagree");
  return candidate;
}

std::optional<OperatorPlan> choose_plan(const spec::KernelSpec &spec, const FamilyPlan &family,
                                        const target::SmTarget &target, const Scorer &scorer,
                                        support::Diagnostics &diagnostics,
                                        const std::map<std::string, int64_t> &shape) {
  Candidate best = best_candidate(spec, family, target, scorer, shape);
  if (best.plan) return std::move(best.plan);
  std::vector<std::string> hints = hints_that_plan(spec, best.spec, family, target, scorer, shape);
  // No single change helps: the several that do.
  if (hints.empty())
    if (const auto repair = find_repair(spec, family, target)) hints = {repair->flags()};
  for (support::Diagnostic diagnostic : best.diagnostics.all()) {
    if (diagnostic.hints.empty()) diagnostic.hints = hints;
    diagnostics.add(std::move(diagnostic));
  }
  report_hidden_faults(spec, family, target, best.diagnostics, diagnostics);
  return std::nullopt;
}

}  // namespace warpwright::plan
