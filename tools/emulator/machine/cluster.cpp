// SPDX-License-Identifier: Apache-2.0
// Set-up of a cluster and its scheduler: who runs next, who waits for what, and when nothing can go on.
#include "tools/emulator/machine/cluster.h"

#include "tools/emulator/machine/execution.h"
#include "tools/emulator/machine/profiler.h"
#include "tools/emulator/machine/special_registers.h"
#include "tools/emulator/machine/tracer.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

/// The instruction at which group `which` has to look for another: where one stands further on, or at once (0) when one that
/// can run stands no further.
uint32_t next_meeting(const Warp &warp, size_t which) {
  uint32_t meeting = ~0u;
  for (size_t i = 0; i < warp.groups.size(); ++i) {
    const Group &other = warp.groups[i];
    if (i == which) continue;
    if (other.pc > warp.groups[which].pc)
      meeting = std::min(meeting, other.pc);
    else if (other.wait == Wait::kNothing || other.pc == warp.groups[which].pc)
      return 0;
  }
  return meeting;
}

}  // namespace

uint32_t BulkGroups::incomplete(bool reads_only) const {
  // The open group has no number yet: cp.async.bulk.wait_group waits for committed ones. It lets the most recent ones be
  // incomplete, so those behind the first incomplete one count, whatever has become of them.
  for (size_t i = 0; i + 1 < groups.size(); ++i)
    if ((reads_only ? groups[i].unread : groups[i].unfinished) != 0) return static_cast<uint32_t>(groups.size() - 1 - i);
  return 0;
}

uint32_t Warp::live_lanes() const {
  uint32_t lanes = 0;
  for (const Group &group : groups) lanes |= group.mask;
  return lanes;
}

void merge_groups(Warp &warp) {
  auto &groups = warp.groups;
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = i + 1; j < groups.size();) {
      const bool meet = groups[i].pc == groups[j].pc && !groups[i].has_arrived && !groups[j].has_arrived;
      if (!meet) {
        ++j;
        continue;
      }
      groups[i].mask |= groups[j].mask;
      groups[i].wait = Wait::kNothing;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

void ClusterFindings::add(Finding finding, uint32_t max_findings) {
  const bool is_known = std::any_of(findings.begin(), findings.end(), [&](const Finding &known) {
    return known.slug == finding.slug && known.text == finding.text;
  });
  if (is_known || findings.size() >= max_findings) ++left_out;
  else findings.push_back(std::move(finding));
}

Cluster::Cluster(LaunchState &launch_state, uint64_t cluster_number, ptx::Dim3 first_cta)
    : state(launch_state), number(cluster_number), first_cta_(first_cta),
      random_(launch_state.options.seed * 0x9E3779B97F4A7C15u + cluster_number) {
  const ptx::Dim3 shape = state.cluster_shape;
  const uint32_t shared_bytes = state.dynamic_shared_offset + state.launch.dynamic_shared_bytes;
  for (uint32_t rank = 0; rank < shape.count(); ++rank) {
    const ptx::Dim3 index{first_cta.x + rank % shape.x, first_cta.y + rank / shape.x % shape.y,
                          first_cta.z + rank / (shape.x * shape.y)};
    ctas.push_back(std::make_unique<Cta>(rank, index, shared_bytes));
    create_warps(*ctas.back());
  }
  if (state.options.checks_races) watch_races(shared_bytes);
}

void Cluster::watch_races(uint32_t shared_bytes) {
  const auto warps_per_cta = static_cast<uint32_t>(ctas.front()->warps.size());
  race::Names names;
  names.shared = [this](uint32_t cta, uint32_t offset) {
    return name_of_shared(offset) + (ctas.size() > 1 ? " of CTA rank " + std::to_string(cta) : "");
  };
  names.place = [this, warps_per_cta](uint32_t warp, uint32_t pc) {
    return (ctas.size() > 1 ? "CTA rank " + std::to_string(warp / warps_per_cta) + " " : "") + "warp " +
           std::to_string(warp % warps_per_cta) + " at " + line_of(pc);
  };
  races = std::make_unique<race::Detector>(static_cast<uint32_t>(ctas.size()), warps_per_cta, shared_bytes, state.options.tensor_order,
                                           std::move(names));
}

void Cluster::create_warps(Cta &cta) {
  const ptx::Dim3 block = state.launch.block;
  const uint32_t threads = static_cast<uint32_t>(block.count());
  cta.live_threads = threads;
  live_threads += threads;
  for (uint32_t first = 0; first < threads; first += 32) {
    Warp warp;
    warp.index = first / 32;
    warp.registers.assign(state.program.register_words, 0);
    const uint32_t lanes = std::min(32u, threads - first);
    warp.groups.push_back({lanes == 32 ? kAllLanes : (1u << lanes) - 1, state.launch.kernel->entry});
    warp.thread_memory.assign(size_t{32} * state.program.thread_bytes, SharedMemory::kPoison);
    set_initial_registers(state, cta, warp);
    cta.warps.push_back(std::move(warp));
  }
  cta.registers.start(state.register_bounds, cta.warps.size());
}

Cta *Cluster::cta_of(uint64_t shared_address) {
  const uint64_t rank = shared_address >> Cta::kRankShift;
  return rank < ctas.size() ? ctas[rank].get() : nullptr;
}

// Requests may be refused while clusters wait: the device starts those itself. Here each cluster takes over two at most, so that
// both answers come up.
std::optional<ptx::Dim3> Cluster::cancel_next() {
  constexpr uint32_t kMostCancelled = 2;
  const uint64_t next = number + (uint64_t{num_cancelled} + 1) * state.cancel_stride;
  if (num_cancelled == kMostCancelled || next >= state.num_clusters) return std::nullopt;
  ++num_cancelled;
  return state.first_cta(next);
}

void Cluster::arrive_at_cluster_barrier(uint32_t threads) {
  cluster_arrived += threads;
  if (cluster_arrived < live_threads || cluster_arrived == 0) return;
  cluster_arrived = 0;
  ++cluster_phase;
  if (races) races->complete_phase(race::Detector::cluster_barrier(), cluster_phase);
  ++progress_;
}

void Cluster::retire(Cta &cta, uint32_t threads) {
  cta.live_threads -= threads;
  live_threads -= threads;
  arrive_at_cluster_barrier(0);
  ++progress_;
  if (cta.live_threads > 0) return;
  if (races)
    if (Error error = races->end_cta(cta.rank)) add_finding(std::move(error.slug), std::move(error.text), "");
  for (size_t i = 0; i < cta.warpgroups.size(); ++i)
    if (const uint32_t missing = cta.warpgroups[i].missing_warps())
      add_finding("wgmma.diverged", "a wgmma.mma_async of warps " + std::to_string(4 * i) + " to " + std::to_string(4 * i + 3) + " was not executed by " +
                                        std::to_string(__builtin_popcount(missing)) + " of them when the CTA ends",
                  "CTA rank " + std::to_string(cta.rank));
  for (uint32_t i = 0; i < cta.warps.size(); ++i)
    if (const auto &shares = cta.registers.shares(); shares[i].num_changes != shares[i / 4 * 4].num_changes)
      add_finding("warp.registers-diverged", "warp " + std::to_string(i) + " has executed " + std::to_string(shares[i].num_changes) + " setmaxnreg, warp " +
                                                 std::to_string(i / 4 * 4) + " of its warpgroup " + std::to_string(shares[i / 4 * 4].num_changes),
                  "CTA rank " + std::to_string(cta.rank));
  const auto &allocated = cta.tensor.is_allocated;
  if (const auto left = std::count(allocated.begin(), allocated.end(), true); left > 0)
    add_finding("tmem.not-freed", std::to_string(left) + " columns of tensor memory are still allocated when the CTA ends",
                "CTA rank " + std::to_string(cta.rank));
}

bool Cluster::is_satisfied(Cta &cta, Warp &warp, Group &group) {
  switch (group.wait) {
    case Wait::kNothing: return true;
    case Wait::kMbarrier: {
      const Mbarrier *barrier = cta.shared.barrier(group.value);
      return group.has_timed_out || !barrier || barrier->is_complete(group.parity);
    }
    case Wait::kNamedBarrier: {
      NamedBarrier &barrier = cta.barriers[group.value];
      if (!group.has_arrived) return true;
      // bar.sync without a count waits for every thread that has not ended.
      if (barrier.expected == 0 && barrier.arrived >= cta.live_threads && barrier.phase == group.parity) {
        barrier.arrived = 0;
        ++barrier.phase;
        if (races) races->complete_phase(race::Detector::named_barrier(cta.rank, group.value), barrier.phase);
      }
      return barrier.phase != group.parity;
    }
    case Wait::kWarp: {
      const uint32_t wanted = group.value & warp.live_lanes();
      return (group.mask & wanted) == wanted;
    }
    case Wait::kCluster: return cluster_phase >= group.value;
    case Wait::kBulkGroups: {
      for (uint32_t left = group.mask; left; left &= left - 1) {
        const auto found = warp.bulk.find(static_cast<uint32_t>(__builtin_ctz(left)));
        if (found != warp.bulk.end() && found->second.incomplete(group.parity != 0) > group.value) return false;
      }
      return true;
    }
    case Wait::kCopyGroups: {
      for (uint32_t left = group.mask; left; left &= left - 1) {
        const auto found = warp.lane_copies.find(static_cast<uint32_t>(__builtin_ctz(left)));
        if (found != warp.lane_copies.end() && found->second.incomplete(false) > group.value) return false;
      }
      return true;
    }
    case Wait::kTensorLoads: return warp.tensor_loads == 0;
    case Wait::kTensorStores: return warp.tensor_stores == 0;
    case Wait::kWgmmaGroups: return warp.wgmma.has_all_but(group.value);
    case Wait::kRegisters: return cta.registers.has(warp.index, group.value);
    case Wait::kTensorAlloc: return group.parity != static_cast<uint32_t>(progress_);
  }
  return true;
}

uint32_t Cluster::run_group(Cta &cta, Warp &warp, size_t which, uint32_t budget) {
  return profiler ? run_group_as<true>(cta, warp, which, budget) : run_group_as<false>(cta, warp, which, budget);
}

template <bool kCounts> uint32_t Cluster::run_group_as(Cta &cta, Warp &warp, size_t which, uint32_t budget) {
  const Op *const ops = state.program.ops.data();
  const bool stops_at_effects = stops_at_effects_;
  Tracer *const tracing = tracer;
  uint32_t executed = 0;
  Group &group = warp.groups[which];
  uint32_t meeting = next_meeting(warp, which);
  Execution x{*this, cta, warp, group};
  while (budget-- > 0) {
    const Op &op = ops[group.pc];
    ++executed;
    x.mask = group.mask;
    x.op = &op;
    if (op.guard != kAbsent) {
      const uint32_t predicate = warp.registers[op.guard];
      x.mask &= op.guard_is_negated ? ~predicate : predicate;
      if (x.mask == 0) {
        if constexpr (kCounts) profiler->skip(x, op);
        if (++group.pc == meeting) break;
        continue;
      }
    }
    if ((op.flags & kAligned) && x.mask != warp.live_lanes()) {
      group.wait = Wait::kWarp;
      group.value = kAllLanes;
      break;
    }
    if (op.num_tracked) touch_wgmma_registers(x, op);
    const size_t num_groups = warp.groups.size();
    const bool is_traced = tracing && tracing->watches(op);
    if (is_traced) tracing->before(x, op);
    Step step;
    if constexpr (kCounts) step = profiler->step(x, op, statistics.warp_instructions + executed);
    else step = op.handler(x, op);
    if (is_traced) tracing->after(x, op, step);
    if (step == Step::kNext) {
      if (++group.pc == meeting) break;
    } else if (step == Step::kYield) {
      ++progress_;
      if (++group.pc == meeting || stops_at_effects) break;
    } else if (step == Step::kJump) {
      // A group that split is gone from where it was; beside another that can run, the one further behind goes first.
      if (warp.groups.size() != num_groups) break;
      if (num_groups == 1) continue;
      meeting = next_meeting(warp, which);
      if (meeting <= group.pc) break;
    } else {
      if (step == Step::kFault) stop();
      break;
    }
  }
  statistics.warp_instructions += executed;
  return executed;
}

}  // namespace warpwright::emulator
