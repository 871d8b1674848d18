// SPDX-License-Identifier: Apache-2.0
// Who runs next: warps and asynchronous work under the schedules, recorded decisions again, and when nothing can go on.
#include "tools/emulator/machine/cluster.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

/// Instructions that a warp runs before another may: long enough to be quick, short enough that nobody starves.
constexpr uint32_t kSlice = 4096;
constexpr uint32_t kRandomSlice = 64;
/// Instructions after which asynchronous work, or the adversary's warp, is no longer held: warps that ask again and again
/// without waiting would keep it for ever.
constexpr uint64_t kLongestHold = uint64_t{1} << 18;

}  // namespace

void Cluster::stop() {
  uint64_t earlier = state.stopped_at.load();
  while (number < earlier && !state.stopped_at.compare_exchange_weak(earlier, number)) {
  }
}

void Cluster::decide(Decision decision) {
  if (!state.options.records_schedule || !findings.findings.empty()) return;
  auto &decisions = findings.schedule.decisions;
  const bool repeats = decision.kind == Decision::Kind::kAsync && !decisions.empty() &&
                       decisions.back().kind == decision.kind && decisions.back().which == decision.which;
  if (repeats) ++decisions.back().amount;
  // One more than may be written: the mark of too many.
  else if (decisions.size() <= RecordedSchedule::kMaxDecisions) decisions.push_back(decision);
}

void Cluster::advance_async(size_t which) {
  decide({Decision::Kind::kAsync, static_cast<uint32_t>(which), 1});
  instructions_at_async_ = statistics.warp_instructions;
  async.advance(which);
  ++progress_;
}

/// The group of a warp that runs next, or their number: the one furthest behind, so that lanes meet again where their paths do.
size_t Cluster::next_group(Cta &cta, Warp &warp) {
  merge_groups(warp);
  const size_t none = warp.groups.size();
  size_t best = none;
  for (size_t i = 0; i < none; ++i) {
    Group &group = warp.groups[i];
    if (group.wait != Wait::kNothing) {
      if (!is_satisfied(cta, warp, group)) continue;
      group.wait = Wait::kNothing;
    }
    if (best == none || group.pc < warp.groups[best].pc) best = i;
  }
  return best;
}

/// False: the warp has ended, or waits.
bool Cluster::take_turn(uint32_t warp_index, uint32_t budget) {
  Cta &cta = *ctas[warp_index / warps_per_cta()];
  Warp &warp = cta.warps[warp_index % warps_per_cta()];
  if (warp.groups.empty()) return false;
  const size_t group = next_group(cta, warp);
  if (group == warp.groups.size()) return false;
  const bool had_findings = !findings.findings.empty();
  const uint32_t executed = run_group(cta, warp, group, budget);
  // What the turn was is known after it; the finding that it led to belongs to it.
  if (!had_findings && state.options.records_schedule && findings.schedule.decisions.size() <= RecordedSchedule::kMaxDecisions)
    findings.schedule.decisions.push_back({Decision::Kind::kWarp, warp_index, executed});
  return true;
}

bool Cluster::step_warps() {
  bool did_something = false;
  const bool is_random = state.options.schedule == Schedule::kRandom;
  if (is_random) std::shuffle(order_.begin(), order_.end(), random_);
  for (const uint32_t warp : order_) {
    const uint32_t budget = is_random ? 1 + static_cast<uint32_t>(random_() % kRandomSlice) : kSlice;
    if (!take_turn(warp, budget)) continue;
    did_something = true;
    if (is_stopped() || is_random) return true;
    if (state.options.schedule == Schedule::kEager)
      while (async.num_ready()) advance_async(0);
  }
  return did_something;
}

size_t Cluster::newest_async(bool prefers_copies) const {
  return prefers_copies && async.num_copies() ? async.num_copies() - 1 : async.num_ready() - 1;
}

bool Cluster::step_adversary() {
  const uint32_t warps = num_warps();
  const bool is_held_long = statistics.warp_instructions - instructions_at_async_ > kLongestHold;
  // A warp goes on until it waits; then the next.
  for (uint32_t i = 0; i < warps && !is_held_long; ++i) {
    const uint32_t warp = (turn_ + i) % warps;
    if (warp == held_warp_ || !take_turn(warp, kSlice)) continue;
    turn_ = warp;
    return true;
  }
  if (async.num_ready() && !holds_async_) {
    advance_async(newest_async(true));
    if (!is_held_long) return true;
  }
  const bool had_turn = take_turn(held_warp_, kSlice);
  instructions_at_async_ = statistics.warp_instructions;
  held_warp_ = (held_warp_ + 1) % warps;
  if (held_warp_ == 0) holds_async_ = !holds_async_;
  if (had_turn) return true;
  if (!async.num_ready()) return false;
  advance_async(newest_async(false));
  return true;
}

bool Cluster::wake_waits_with_time_limits() {
  if (progress_at_wake_ == progress_) return false;
  progress_at_wake_ = progress_;
  bool woke = false;
  for (auto &cta : ctas)
    for (Warp &warp : cta->warps)
      for (Group &group : warp.groups)
        if (group.wait == Wait::kMbarrier) woke = group.has_timed_out = true;
  if (woke) decide({Decision::Kind::kTime});
  return woke;
}

void Cluster::check_length() {
  if (statistics.warp_instructions - counted_ <= 100'000) return;
  state.instructions += statistics.warp_instructions - counted_;
  counted_ = statistics.warp_instructions;
  if (state.instructions <= state.options.max_warp_instructions) return;
  add_finding("run.too-long", "the launch has run " + std::to_string(state.instructions) + " warp instructions", "");
  stop();
}

void Cluster::run() {
  const Schedule schedule = state.options.schedule;
  const bool is_random = schedule == Schedule::kRandom;
  stops_at_effects_ = schedule != Schedule::kLazy;
  held_warp_ = static_cast<uint32_t>(state.options.seed % num_warps());
  for (uint32_t i = 0; i < num_warps(); ++i) order_.push_back(i);
  while (live_threads > 0 && !is_stopped()) {
    check_length();
    const size_t ready = async.num_ready();
    if (is_random && ready > 0 && random_() % 2 == 0) {
      advance_async(random_() % ready);
      continue;
    }
    if (schedule == Schedule::kAdversarial ? step_adversary() : step_warps()) {
      if (async.num_ready() && statistics.warp_instructions - instructions_at_async_ > kLongestHold) advance_async(0);
      continue;
    }
    if (async.num_ready() > 0) {
      advance_async(is_random ? random_() % async.num_ready() : 0);
    } else if (!wake_waits_with_time_limits()) {
      report_deadlock();
      return;
    }
  }
  while (!is_stopped() && async.num_ready()) advance_async(0);
}

/// False: the decision cannot be taken here.
bool Cluster::follow(const Decision &decision) {
  switch (decision.kind) {
    case Decision::Kind::kWarp: return decision.which < num_warps() && take_turn(decision.which, decision.amount);
    case Decision::Kind::kAsync:
      for (uint32_t i = 0; i < decision.amount && !is_stopped(); ++i) {
        if (decision.which >= async.num_ready()) return false;
        advance_async(decision.which);
      }
      return true;
    case Decision::Kind::kTime: return wake_waits_with_time_limits();
  }
  return false;
}

void Cluster::replay(const RecordedSchedule &recorded) {
  size_t done = 0;
  while (done < recorded.decisions.size() && !is_stopped() && follow(recorded.decisions[done])) ++done;
  const bool is_whole = done == recorded.decisions.size();
  if (is_whole && findings.findings.empty() && recorded.slug == "run.deadlock" && live_threads > 0) {
    const bool can_go_on = async.num_ready() > 0 || [&] {
      for (uint32_t i = 0; i < num_warps(); ++i)
        if (take_turn(i, 1)) return true;
      return false;
    }();
    if (!can_go_on) report_deadlock();
  }
  const bool is_same = std::any_of(findings.findings.begin(), findings.findings.end(),
                                   [&](const Finding &finding) { return finding.slug == recorded.slug; });
  if (!is_same)
    add_finding("run.replay-differs", "decision " + std::to_string(done) + " of " + std::to_string(recorded.decisions.size()) +
                                          " does not lead to " + recorded.slug + ": another kernel, launch or emulator wrote them", "");
  stop();
}

}  // namespace warpwright::emulator
