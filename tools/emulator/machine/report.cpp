// SPDX-License-Identifier: Apache-2.0
// Findings in words: where a thread stands, what a barrier lacks, who waits for whom.
#include "tools/emulator/machine/cluster.h"
#include "tools/emulator/machine/execution.h"

#include <sstream>

namespace warpwright::emulator {

namespace {

std::string where_is(const LaunchState &state, const Cta &cta, const Warp &warp, uint32_t lane, uint32_t pc) {
  const ptx::Place &place = state.launch.kernel->instructions[pc].place;
  std::ostringstream text;
  text << "CTA (" << cta.index.x << "," << cta.index.y << "," << cta.index.z << ") rank " << cta.rank << ", warp "
       << warp.index << ", lane " << lane << ", PTX line " << place.line;
  if (place.source_line && place.file < state.launch.module->files.size())
    text << " (" << state.launch.module->files[place.file] << ":" << place.source_line << ")";
  return text.str();
}

std::string describe(const Mbarrier &barrier) {
  std::ostringstream text;
  text << "phase " << barrier.phase << ": " << barrier.pending << " of " << barrier.expected << " arrivals missing";
  if (barrier.transactions) text << ", " << barrier.transactions << " bytes missing";
  return text.str();
}

std::string describe_wait(const Cluster &cluster, Cta &cta, const Warp &warp, const Group &group) {
  const std::string value = std::to_string(group.value);
  switch (group.wait) {
    case Wait::kMbarrier: {
      const Mbarrier *barrier = cta.shared.barrier(group.value);
      return "mbarrier " + cluster.name_of_shared(group.value) + " parity " + std::to_string(group.parity & 1) +
             (barrier ? "; it is in " + describe(*barrier) : "; there is none");
    }
    case Wait::kNamedBarrier:
      return "barrier " + value + "; " + std::to_string(cta.barriers[group.value].arrived) + " of " +
             std::to_string(cta.barriers[group.value].expected ? cta.barriers[group.value].expected : cta.live_threads) +
             " threads are there";
    case Wait::kWarp: {
      std::ostringstream text;
      text << "lanes 0x" << std::hex << (group.value & warp.live_lanes() & ~group.mask) << " of its warp";
      return text.str();
    }
    case Wait::kCluster: return "the cluster's barrier; " + std::to_string(cluster.cluster_arrived) + " of " +
             std::to_string(cluster.live_threads) + " threads are there";
    case Wait::kBulkGroups: return "bulk groups";
    case Wait::kTensorLoads: return "tcgen05.ld";
    case Wait::kTensorStores: return "tcgen05.st";
    case Wait::kTensorAlloc: return "columns of tensor memory";
    case Wait::kNothing: break;
  }
  return "nothing";
}

}  // namespace

std::string Cluster::name_of_shared(uint32_t offset) const {
  const uint32_t base = state.dynamic_shared_offset;
  if (offset >= base)
    for (const SharedName &name : state.launch.names) {
      const uint32_t at = offset - base;
      for (uint32_t i = 0; i < name.count; ++i) {
        const uint32_t begin = name.offset + i * name.stride_bytes;
        if (at < begin || at >= begin + name.bytes) continue;
        std::string text = name.name + (name.count > 1 ? "[" + std::to_string(i) + "]" : "");
        return at == begin ? text : text + "+" + std::to_string(at - begin);
      }
    }
  return "at shared offset " + std::to_string(offset);
}

void Cluster::add_finding(std::string slug, std::string text, std::string where) {
  state.add({std::move(slug), std::move(text), std::move(where)});
}

void Cluster::add_finding(const Cta &cta, const Warp &warp, uint32_t lane, uint32_t pc, std::string slug, std::string text) {
  const std::string &opcode = state.launch.kernel->instructions[pc].opcode;
  add_finding(std::move(slug), opcode + ": " + std::move(text), where_is(state, cta, warp, lane, pc));
}

void Cluster::report_deadlock() {
  std::ostringstream text;
  text << "nothing can go on; " << live_threads << " threads have not ended:";
  uint32_t lines = 0;
  for (auto &cta : ctas)
    for (Warp &warp : cta->warps)
      for (Group &group : warp.groups) {
        if (++lines > 40) continue;
        text << "\n  " << where_is(state, *cta, warp, static_cast<uint32_t>(__builtin_ctz(group.mask)), group.pc) << ", "
             << __builtin_popcount(group.mask) << " lane(s): waits for " << describe_wait(*this, *cta, warp, group);
      }
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
