// SPDX-License-Identifier: Apache-2.0
// Repairs are sought among one released field, then two, and so on; hidden faults are the fields that only a repair names.
#include "generator/plan/repair.h"

#include "generator/plan/explain.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::plan {
namespace {

using Paths = std::vector<std::string>;

struct Seeker {
  const spec::KernelSpec &spec;
  const FamilyPlan &family;
  const target::SmTarget &target;

  spec::KernelSpec released(const Paths &paths) const {
    spec::KernelSpec open = spec;
    for (const std::string &path : paths) {
      spec::FieldValue &value = open.values.at(path);
      const support::SourceLocation where = value.where;
      value = spec::auto_value();
      value.where = where;
    }
    return open;
  }

  size_t broken_rules(const spec::KernelSpec &open) const {
    support::Diagnostics found;
    family.check(open, found);
    return static_cast<size_t>(found.error_count());
  }

  bool planned(const Paths &paths) const { return can_plan(released(paths), family, target); }

  /// The first `count` of `pinned` beyond `next`, added to `chosen`, that plan; `chosen` then holds them.
  bool seek(const Paths &pinned, size_t next, size_t count, Paths &chosen) const {
    if (count == 0) return planned(chosen);
    for (size_t i = next; i + count <= pinned.size(); ++i) {
      chosen.push_back(pinned[i]);
      if (seek(pinned, i + 1, count - 1, chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }
};

Paths pinned_of(const spec::KernelSpec &spec, const FamilyPlan &family) {
  Paths pinned;
  for (const std::string &path : family.open_paths)
    if (!spec.is_auto(path)) pinned.push_back(path);
  return pinned;
}

}  // namespace

std::string Repair::flags() const {
  std::string text;
  for (const Change &change : changes) text += (text.empty() ? "" : " ") + change.flags();
  return text;
}

namespace {

support::Diagnostic hidden_fault(const spec::KernelSpec &spec, const Change &change, const Repair &repair) {
  const auto &[path, value] = change.sets.front();
  std::string others;
  for (const Change &other : repair.changes)
    if (other.sets.front().first != path) others += (others.empty() ? "" : " ") + other.flags();
  support::Diagnostic error;
  error.slug = "plan.also-in-the-way";
  error.path = path;
  error.where = spec.at(path).where;
  error.message = fmt::format("{} is in the way as well: {} alone does not plan", spec.at(path).to_json(), others);
  error.hints = {fmt::format("{} {}", others, change.flags())};
  return error;
}

}  // namespace

std::optional<Repair> find_repair(const spec::KernelSpec &spec, const FamilyPlan &family,
                                  const target::SmTarget &target) {
  const Seeker seeker{spec, family, target};
  if (seeker.planned({})) return std::nullopt;
  const Paths pinned = pinned_of(spec, family);
  // With everything open that may be, the planner has its whole choice: if that does not plan, nothing will.
  if (!seeker.planned(pinned)) return std::nullopt;
  for (size_t count = 1; count <= pinned.size(); ++count) {
    Paths chosen;
    if (!seeker.seek(pinned, 0, count, chosen)) continue;
    Repair repair;
    for (const std::string &path : chosen)
      repair.changes.push_back({{{path, spec::auto_value()}}, path + " is left to the planner"});
    return repair;
  }
  throw support::InternalError("all fields open plan, but no set of fields does");
}

void report_hidden_faults(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                          const support::Diagnostics &reported, support::Diagnostics &diagnostics) {
  const auto repair = find_repair(spec, family, target);
  if (!repair || repair->changes.size() < 2) return;
  const Seeker seeker{spec, family, target};
  const size_t broken = seeker.broken_rules(spec);
  std::vector<Change> hidden;
  for (const Change &change : repair->changes)
    if (broken == 0 || seeker.broken_rules(seeker.released({change.sets.front().first})) >= broken)
      hidden.push_back(change);
  // An exceeded memory names no single field: each such error stands for one change.
  const size_t named = broken == 0 ? std::min(hidden.size(), static_cast<size_t>(reported.error_count())) : 0;
  for (size_t i = named; i < hidden.size(); ++i) diagnostics.add(hidden_fault(spec, hidden[i], *repair));
}

void report_faults(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                   const Scorer &scorer, support::Diagnostics &diagnostics,
                   const std::map<std::string, int64_t> &shape) {
  support::Diagnostics broken;
  family.check(spec, broken);
  if (!broken.has_errors()) {
    choose_plan(spec, family, target, scorer, diagnostics, shape);
    return;
  }
  diagnostics.append(broken);
  report_hidden_faults(spec, family, target, broken, diagnostics);
}

}  // namespace warpwright::plan
