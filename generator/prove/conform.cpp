// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp as groups that stand at the same place of a script; what a group does next decides what was wrong.
#include "generator/prove/conform.h"

#include <algorithm>
#include <bit>

namespace warpwright::prove {

namespace {

/// How far ahead an observation is looked for: more than the waits at the end of the deepest ring.
constexpr int kMostSkipped = 64;
/// What lies behind more is not looked for: ways through a script that nothing tells apart.
constexpr size_t kMostStates = 16;

/// An observation that does not fit, until the next one says why.
struct Held {
  Observation seen;
  std::vector<State> expected;  ///< instead of it
  int skipped = 0;              ///< so many steps before it would fit; 0: it never does
};

/// Lanes that have done the same. Several states: nothing seen so far tells them apart.
struct LaneGroup {
  uint32_t lanes = 0;
  std::vector<State> states;
  std::optional<Held> held;
};

std::vector<State> next_of(const Place &place, const LaneGroup &group) {
  std::vector<State> next;
  for (const State &state : group.states) reach(place, state, std::has_single_bit(group.lanes), next);
  return next;
}

/// Those of `states` at which `seen` is what the script has; a lane that can run a block for one lane does.
std::vector<State> fitting(const Place &place, const std::vector<State> &states, const Observation &seen) {
  std::vector<State> fit;
  for (const State &state : states)
    if (compare(*place.script, expected_at(place, state), seen) == Difference::kNone) fit.push_back(state);
  uint32_t most = 0;
  for (const State &state : fit) most = std::max(most, state.entries);
  std::erase_if(fit, [&](const State &state) { return state.entries < most; });
  return fit;
}

std::vector<State> behind_all(const Place &place, const std::vector<State> &states) {
  std::vector<State> after;
  for (const State &state : states) {
    const State next = behind(place, state);
    if (std::none_of(after.begin(), after.end(), [&](const State &known) { return known.is_at_same(next) && known.tiles == next.tiles; }))
      after.push_back(next);
  }
  return after;
}

/// How many steps lie between `states` and what was seen; 0: too many.
int steps_before(const Place &place, std::vector<State> states, const Observation &seen, bool is_alone) {
  for (int skipped = 1; skipped <= kMostSkipped; ++skipped) {
    std::erase_if(states, [&](const State &state) { return is_at_end(place, state); });
    const std::vector<State> after = behind_all(place, states);
    states.clear();
    for (const State &state : after) reach(place, state, is_alone, states);
    if (!fitting(place, states, seen).empty()) return skipped;
    if (states.size() > kMostStates) states.resize(kMostStates);
  }
  return 0;
}

const char *slug_of(Difference difference) {
  switch (difference) {
    case Difference::kBarrier:
    case Difference::kSlot: return "conformance.barrier";
    case Difference::kParity: return "conformance.parity";
    case Difference::kCount: return "conformance.count";
    case Difference::kBytes: return "conformance.bytes";
    case Difference::kOperand: return "conformance.operand";
    default: return "conformance.order";
  }
}

std::string first_of(const Place &place, const std::vector<State> &states) {
  std::string text = describe(place, states.front());
  if (states.size() > 1) text += ", or " + describe(place, states[1]);
  return text;
}

/// One warp.
class WarpWatch {
 public:
  WarpWatch(const Place &place, uint32_t lanes) : place_(place), all_(lanes) { groups_.push_back({lanes, {State{}}, {}}); }

  bool has_deviated() const { return has_deviated_; }
  /// Every lane has come to the end of the script.
  bool has_ended() const {
    const int end = static_cast<int>(place_.role->commands.size());
    return groups_.size() == 1 && groups_.front().states.front().pc > end;
  }
  uint32_t tiles() const { return groups_.front().states.front().tiles; }
  bool runs_tiles() const {
    const auto &commands = place_.role->commands;
    const bool is_here = std::none_of(commands.begin(), commands.end(), [&](const Command &c) { return c.kind == Command::Kind::kRole && c.in_leader_only && place_.cta != 0; });
    return is_here && std::any_of(commands.begin(), commands.end(), [](const Command &c) { return c.kind == Command::Kind::kTiles; });
  }
  const std::string &name() const { return place_.role->name; }

  std::optional<Deviation> observe(const Observation &seen) {
    if (has_deviated_) return {};
    std::optional<Deviation> found;
    for (size_t i = 0, count = groups_.size(); i < count && !found; ++i) {
      const uint32_t lanes = groups_[i].lanes & seen.lanes;
      if (!lanes) continue;
      if (lanes != groups_[i].lanes) {
        groups_.push_back(groups_[i]);
        groups_.back().lanes &= ~lanes;
        groups_[i].lanes = lanes;
      }
      found = advance(groups_[i], seen);
    }
    merge();
    if (!found) found = check_entries(seen);
    has_deviated_ = found.has_value();
    return found;
  }

  /// Nothing more will be seen: what does not fit is explained without it.
  std::optional<Deviation> finish() {
    for (LaneGroup &group : groups_)
      if (group.held && !has_deviated_) {
        has_deviated_ = true;
        return explain(group, nullptr);
      }
    return {};
  }

 private:
  std::optional<Deviation> advance(LaneGroup &group, const Observation &seen) {
    if (group.held) return explain(group, &seen);
    const std::vector<State> next = next_of(place_, group);
    const std::vector<State> fit = fitting(place_, next, seen);
    if (!fit.empty()) {
      entered_ += fit.front().entries;
      const std::vector<State> after = behind_all(place_, fit);
      // A block that the group has just passed is the one that nobody ran, if nobody did.
      if (fit.front().skipped >= 0) last_skipped_ = fit.front().skipped;
      group.states = after;
      return {};
    }
    return hold(group, next, seen);
  }

  std::optional<Deviation> hold(LaneGroup &group, const std::vector<State> &next, const Observation &seen) {
    const int skipped = steps_before(place_, next, seen, std::has_single_bit(group.lanes));
    if (skipped == 0 || skipped > 3)
      for (const State &state : next)
        if (const Difference difference = compare(*place_.script, expected_at(place_, state), seen);
            difference != Difference::kKind && difference != Difference::kBarrier)
          return deviation(slug_of(difference), describe(*place_.script, seen) + "; the IR has " + describe(place_, state), seen);
    group.held = Held{seen, next, skipped};
    return {};
  }

  static Deviation deviation(const char *slug, std::string text, const Observation &seen) {
    return {slug, std::move(text), seen.pc, static_cast<uint32_t>(std::countr_zero(seen.lanes ? seen.lanes : 1))};
  }

  std::optional<Deviation> explain(LaneGroup &group, const Observation *seen) {
    const Held held = *std::move(group.held);
    const Observation &odd = held.seen;
    const std::string what = describe(*place_.script, odd), wanted = first_of(place_, held.expected);
    const std::vector<State> later = seen ? fitting(place_, held.expected, *seen) : std::vector<State>{};
    const bool is_swapped = !fitting(place_, following(later, group.lanes), odd).empty();
    if (is_swapped) return deviation("conformance.order", what + " comes before " + first_of(place_, later), odd);
    const std::vector<State> at_odd = fitting(place_, following(held.expected, group.lanes), odd);
    const bool goes_on = seen && !fitting(place_, following(at_odd, group.lanes), *seen).empty();
    if (!later.empty() && !goes_on) return deviation("conformance.extra", what + " is not in the IR here; next is " + wanted, odd);
    if (seen && !fitting(place_, following(held.expected, group.lanes), *seen).empty())
      if (auto replaced = difference_of(held.expected, odd)) return replaced;
    if (held.skipped > 0)
      return deviation("conformance.missing", wanted + (held.skipped > 1 ? " and " + std::to_string(held.skipped - 1) + " more" : "") +
                                                  (held.skipped > 1 ? " are" : " is") + " left out; this is " + what, odd);
    if (auto replaced = difference_of(held.expected, odd)) return replaced;
    return deviation("conformance.order", what + "; the IR has " + wanted, odd);
  }

  /// What may come after one of `states`.
  std::vector<State> following(const std::vector<State> &states, uint32_t lanes) const {
    std::vector<State> next;
    for (const State &state : behind_all(place_, states)) reach(place_, state, std::has_single_bit(lanes), next);
    return next;
  }

  /// Something of the right kind, but not as the script has it.
  std::optional<Deviation> difference_of(const std::vector<State> &expected, const Observation &odd) const {
    for (const State &state : expected)
      if (const Difference difference = compare(*place_.script, expected_at(place_, state), odd); difference != Difference::kKind)
        return deviation(slug_of(difference), describe(*place_.script, odd) + "; the IR has " + describe(place_, state), odd);
    return {};
  }

  void merge() {
    for (size_t i = 0; i < groups_.size(); ++i)
      for (size_t j = i + 1; j < groups_.size();) {
        LaneGroup &a = groups_[i], &b = groups_[j];
        const bool meet = !a.held && !b.held && std::equal(a.states.begin(), a.states.end(), b.states.begin(), b.states.end(),
                                                           [](const State &s, const State &t) { return s.is_at_same(t); });
        if (!meet) {
          ++j;
          continue;
        }
        a.lanes |= b.lanes;
        for (size_t k = 0; k < a.states.size(); ++k) a.states[k].tiles = std::max(a.states[k].tiles, b.states[k].tiles);
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(j));
      }
  }

  /// Where all lanes stand together, every block for one lane behind them was run by one.
  std::optional<Deviation> check_entries(const Observation &seen) {
    const LaneGroup &group = groups_.front();
    if (groups_.size() > 1 || group.lanes != all_ || group.held || group.states.size() > 1) return {};
    const uint32_t passes = group.states.front().passes;
    if (entered_ > passes) return deviation("conformance.extra", "several lanes of the warp have run what the IR has for one", seen);
    if (entered_ == passes || last_skipped_ < 0) return {};
    State inside;
    inside.pc = last_skipped_ + 1;
    std::vector<State> first;
    reach(place_, inside, true, first);
    const int end = place_.role->commands[static_cast<size_t>(last_skipped_)].match;
    if (std::any_of(first.begin(), first.end(), [&](const State &state) { return state.pc > end; })) {
      entered_ = passes;  // there may be nothing to see in it
      return {};
    }
    return deviation("conformance.missing", name_of(place_, first.front()) + " is left out; this is " + describe(*place_.script, seen), seen);
  }

  Place place_;
  uint32_t all_;
  std::vector<LaneGroup> groups_;
  uint32_t entered_ = 0;   ///< blocks for one lane that one has run
  int last_skipped_ = -1;
  bool has_deviated_ = false;
};

}  // namespace

/// One cluster.
class ClusterWatch {
 public:
  explicit ClusterWatch(const Script &script) : script_(script) {
    for (const RoleScript &role : script.roles) num_warps_ = std::max(num_warps_, role.first_warp + role.num_warps);
    warps_.resize(static_cast<size_t>(script.ctas * num_warps_));
    for (int cta = 0; cta < script.ctas; ++cta)
      for (const RoleScript &role : script.roles)
        for (int warp = 0; warp < role.num_warps; ++warp)
          warps_[static_cast<size_t>(cta * num_warps_ + role.first_warp + warp)] =
              std::make_unique<WarpWatch>(Place{&script, &role, static_cast<uint32_t>(cta), warp}, ~0u);
    first_columns_.resize(static_cast<size_t>(script.ctas));
  }

  std::optional<Deviation> observe(Observation seen) {
    const size_t index = seen.cta * static_cast<size_t>(num_warps_) + seen.warp;
    if (seen.cta >= static_cast<uint32_t>(script_.ctas) || static_cast<int>(seen.warp) >= num_warps_ || !warps_[index])
      return Deviation{"conformance.extra", describe(script_, seen) + ", by a warp that no role of the plan has", seen.pc, 0};
    if (seen.kind == Observation::Kind::kEnd) return finish(*warps_[index]);
    // Columns of a plan count from the one that the kernel is given.
    if (seen.kind == Observation::Kind::kAlloc) first_columns_[seen.cta] = seen.column;
    else if (seen.column >= 0) seen.column -= first_columns_[seen.cta];
    return warps_[index]->observe(seen);
  }

  /// Of each warp the end has been told.
  bool is_over() const { return num_finished_ == std::count_if(warps_.begin(), warps_.end(), [](const auto &warp) { return warp != nullptr; }); }
  /// What all roles did; −1: they did not, or did not end.
  int64_t tiles() const { return tiles_; }

 private:
  std::optional<Deviation> finish(WarpWatch &warp) {
    ++num_finished_;
    std::optional<Deviation> found = warp.finish();
    is_whole_ = is_whole_ && !warp.has_deviated() && warp.has_ended();
    if (!is_over() || !is_whole_ || found) return found;
    const WarpWatch *first = nullptr;
    for (const auto &each : warps_) {
      if (!each || !each->runs_tiles()) continue;
      if (!first) first = each.get();
      if (each->tiles() != first->tiles())
        return Deviation{"conformance.trips", first->name() + " has worked on " + std::to_string(first->tiles()) + " tiles, " + each->name() + " on " +
                                                  std::to_string(each->tiles()), 0, 0};
    }
    tiles_ = first ? first->tiles() : 0;
    return {};
  }

  const Script &script_;
  int num_warps_ = 0;
  std::vector<std::unique_ptr<WarpWatch>> warps_;  ///< by CTA, then warp; none where no role is
  std::vector<int64_t> first_columns_;             ///< that a CTA has allocated
  std::ptrdiff_t num_finished_ = 0;
  bool is_whole_ = true;
  int64_t tiles_ = -1;
};

Conformance::Conformance(const Script &script) : script_(script) {}

Conformance::~Conformance() = default;

ClusterWatch &Conformance::watch_of(uint64_t cluster) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<ClusterWatch> &watch = clusters_[cluster];
  if (!watch) watch = std::make_unique<ClusterWatch>(script_);
  return *watch;
}

std::optional<Deviation> Conformance::observe(const Observation &seen) {
  ClusterWatch &watch = watch_of(seen.cluster);
  std::optional<Deviation> found = watch.observe(seen);
  if (seen.kind != Observation::Kind::kEnd || !watch.is_over()) return found;
  const std::lock_guard<std::mutex> lock(mutex_);
  tiles_ = tiles_ < 0 || watch.tiles() < 0 ? -1 : tiles_ + watch.tiles();
  ++num_ended_;
  clusters_.erase(seen.cluster);
  return found;
}

int64_t Conformance::tiles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return clusters_.empty() && num_ended_ > 0 ? tiles_ : -1;
}

}  // namespace warpwright::prove
