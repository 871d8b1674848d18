// SPDX-License-Identifier: Apache-2.0
// Findings in words: where a thread stands, what a barrier lacks, who waits for whom.
#include "tools/emulator/machine/cluster.h"
#include "tools/emulator/machine/execution.h"

#include <algorithm>
#include <sstream>

namespace warpwright::emulator {

namespace {

std::string source_of(const ptx::Module &module, uint32_t file, uint32_t line) {
  const std::string path = file < module.files.size() ? module.files[file] : "";
  return path.substr(path.rfind('/') + 1) + ":" + std::to_string(line);
}

/// "gemm.cu:540 (PTX line 412)"; of inlined code the caller's line, which says more than the function's.
std::string place_of(const LaunchState &state, uint32_t pc) {
  const ptx::Place &place = state.launch.kernel->instructions[pc].place;
  const std::string ptx_line = "PTX line " + std::to_string(place.line);
  if (place.caller_line) return source_of(*state.launch.module, place.caller_file, place.caller_line) + " (" + ptx_line + ")";
  if (place.source_line) return source_of(*state.launch.module, place.file, place.source_line) + " (" + ptx_line + ")";
  return ptx_line;
}

/// `warps`: neighbours that stand alike, from `warp` on.
std::string who_is(const LaunchState &state, const Cta &cta, const Warp &warp, uint32_t warps = 1) {
  std::ostringstream text;
  if (const RoleName *role = state.launch.names.role_of(warp.index)) text << "role " << role->name << ", ";
  text << "CTA (" << cta.index.x << "," << cta.index.y << "," << cta.index.z << ") rank " << cta.rank;
  if (warps == 1) text << ", warp " << warp.index;
  else text << ", warps " << warp.index << " to " << warp.index + warps - 1;
  return text.str();
}

std::string where_is(const LaunchState &state, const Cta &cta, const Warp &warp, uint32_t lane, uint32_t pc) {
  return who_is(state, cta, warp) + ", lane " + std::to_string(lane) + ", " + place_of(state, pc);
}

std::string lanes_of(uint32_t mask) {
  const auto first = static_cast<uint32_t>(__builtin_ctz(mask)), count = static_cast<uint32_t>(__builtin_popcount(mask));
  if (count == 32) return "all lanes";
  return count == 1 ? "lane " + std::to_string(first) : std::to_string(count) + " lanes from " + std::to_string(first);
}

/// Neighbours of a role from warp `first` on whose lanes all stand and wait alike.
uint32_t count_alike(const LaunchState &state, const Cta &cta, uint32_t first) {
  const auto &warps = cta.warps;
  const auto is_alike = [](const Group &a, const Group &b) {
    return a.mask == b.mask && a.pc == b.pc && a.wait == b.wait && a.value == b.value && a.parity == b.parity;
  };
  uint32_t count = 1;
  for (; first + count < warps.size(); ++count) {
    const auto &a = warps[first].groups, &b = warps[first + count].groups;
    const bool is_same_role = state.launch.names.role_of(first) == state.launch.names.role_of(first + count);
    if (!is_same_role || !std::equal(a.begin(), a.end(), b.begin(), b.end(), is_alike)) break;
  }
  return count;
}

std::string describe_mbarrier(const Cluster &cluster, Cta &cta, const Group &group) {
  std::string text = "mbarrier " + cluster.name_of_shared(group.value) + ", parity " + std::to_string(group.parity & 1);
  const Mbarrier *barrier = cta.shared.barrier(group.value);
  if (!barrier) return text + "; there is none";
  text += "; its phase " + std::to_string(barrier->phase) + " lacks " + std::to_string(barrier->pending) + " of " +
          std::to_string(barrier->expected) + " arrivals";
  if (barrier->transactions > 0) text += " and " + std::to_string(barrier->transactions) + " bytes";
  if (barrier->transactions < 0) text += " and has " + std::to_string(-barrier->transactions) + " bytes that nobody announced";
  uint32_t piece = 0;
  const SharedName *name = cluster.state.launch.names.find_shared(
      int64_t{group.value} - int64_t{cluster.state.dynamic_shared_offset}, &piece);
  return name && !name->arrivals.empty() ? text + "; who arrives: " + name->arrivals : text;
}

std::string describe_groups(const Warp &warp, const Group &group) {
  uint32_t most = 0;
  for (uint32_t left = group.mask; left; left &= left - 1) {
    const auto found = warp.bulk.find(static_cast<uint32_t>(__builtin_ctz(left)));
    if (found != warp.bulk.end()) most = std::max(most, found->second.incomplete(group.parity != 0));
  }
  return std::to_string(most) + " bulk groups to " + (group.parity ? "have read" : "complete") + ", all but " +
         std::to_string(group.value);
}

std::string describe_alloc(const Cta &cta) {
  const auto free = std::count(cta.tensor.is_allocated.begin(), cta.tensor.is_allocated.end(), false);
  return "columns of tensor memory; " + std::to_string(free) + " of " + std::to_string(TensorMemory::kCols) + " are free" +
         (cta.tensor.has_permit ? "" : ", and the CTA has given up its right to allocate");
}

std::string describe_registers(const Cta &cta, const Warp &warp, const Group &group) {
  const uint32_t owned = cta.registers.shares()[warp.index].owned;
  return std::to_string(group.value) + " registers a thread; it has " + std::to_string(owned) + ", and the pool has " +
         std::to_string(cta.registers.free()) + " for one warp";
}

std::string describe_wgmma(const Cta &cta, const Warp &warp, const Group &group) {
  std::string text = "wgmma groups, all but " + std::to_string(group.value) + "; " +
                     std::to_string(warp.wgmma.issued - warp.wgmma.complete) + " MMAs are not complete";
  const uint32_t missing = cta.warpgroups[warp.index / 4].missing_warps();
  for (uint32_t i = 0; i < 4; ++i)
    if (missing >> i & 1) text += ", warp " + std::to_string(warp.index / 4 * 4 + i) + " has not issued its part";
  return text;
}

std::string describe_wait(const Cluster &cluster, Cta &cta, const Warp &warp, const Group &group) {
  switch (group.wait) {
    case Wait::kMbarrier: return describe_mbarrier(cluster, cta, group);
    case Wait::kNamedBarrier: {
      const NamedBarrier &barrier = cta.barriers[group.value];
      return cluster.state.launch.names.of_barrier(group.value) + "; " + std::to_string(barrier.arrived) + " of " +
             std::to_string(barrier.expected ? barrier.expected : cta.live_threads) + " threads are there";
    }
    case Wait::kWarp: {
      std::ostringstream text;
      text << "lanes 0x" << std::hex << (group.value & warp.live_lanes() & ~group.mask) << " of its warp";
      return text.str();
    }
    case Wait::kCluster: return "the cluster's barrier; " + std::to_string(cluster.cluster_arrived) + " of " +
             std::to_string(cluster.live_threads) + " threads are there";
    case Wait::kBulkGroups: return describe_groups(warp, group);
    case Wait::kCopyGroups: return "groups of cp.async but for " + std::to_string(group.value);
    case Wait::kTensorLoads: return std::to_string(warp.tensor_loads) + " tcgen05.ld";
    case Wait::kTensorStores: return std::to_string(warp.tensor_stores) + " tcgen05.st";
    case Wait::kTensorAlloc: return describe_alloc(cta);
    case Wait::kWgmmaGroups: return describe_wgmma(cta, warp, group);
    case Wait::kRegisters: return describe_registers(cta, warp, group);
    case Wait::kNothing: break;
  }
  return "nothing";
}

}  // namespace

std::string Cluster::line_of(uint32_t pc) const { return place_of(state, pc); }

std::string Cluster::name_of_shared(uint32_t offset) const {
  return state.launch.names.of_shared(int64_t{offset} - int64_t{state.dynamic_shared_offset});
}

void Cluster::add_finding(std::string slug, std::string text, std::string where) {
  for (const Waiver &waiver : state.options.waivers)
    if (waiver.slug == slug && text.find(waiver.text) != std::string::npos) return;
  if (findings.findings.empty()) {
    findings.schedule.cluster = number;
    findings.schedule.slug = slug;
    findings.schedule.branches = state.options.branches;
  }
  findings.add({std::move(slug), std::move(text), std::move(where)}, state.options.max_findings);
}

void Cluster::add_finding(const Cta &cta, const Warp &warp, uint32_t lane, uint32_t pc, std::string slug, std::string text) {
  const std::string &opcode = state.launch.kernel->instructions[pc].opcode;
  add_finding(std::move(slug), opcode + ": " + std::move(text), where_is(state, cta, warp, lane, pc));
}

void Cluster::report_deadlock() {
  std::ostringstream text;
  text << "nothing can go on; " << live_threads << " threads have not ended:";
  uint32_t lines = 0;
  const auto print_waiters = [&](bool of_own_warp) {
    for (auto &cta : ctas)
      for (uint32_t first = 0, count = 1; first < cta->warps.size(); first += count) {
        count = count_alike(state, *cta, first);
        const Warp &warp = cta->warps[first];
        for (const Group &group : warp.groups) {
          if ((group.wait == Wait::kWarp) != of_own_warp || ++lines > 40) continue;
          text << "\n  " << who_is(state, *cta, warp, count) << ", " << lanes_of(group.mask) << ", " << place_of(state, group.pc)
               << ": waits for " << describe_wait(*this, *cta, warp, group);
        }
      }
  };
  // First who waits for others: the lanes beside them wait for them alone.
  print_waiters(false);
  print_waiters(true);
  if (lines > 40) text << "\n  and " << lines - 40 << " more";
  add_finding("run.deadlock", text.str(), "");
}

Step Execution::fault(std::string slug, std::string text) {
  note(std::move(slug), std::move(text));
  return Step::kFault;
}

void Execution::note(std::string slug, std::string text) {
  cluster.add_finding(cta, warp, first_lane(), op->index, std::move(slug), std::move(text));
}

}  // namespace warpwright::emulator
