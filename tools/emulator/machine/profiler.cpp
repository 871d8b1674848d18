// SPDX-License-Identifier: Apache-2.0
// Counts before an instruction runs (it may write the register of its address) and by what it did after.
#include "tools/emulator/machine/profiler.h"

#include "tools/emulator/machine/forms.h"

#include <algorithm>

namespace warpwright::emulator {

ProfilePlan::ProfilePlan(const ptx::Kernel &kernel) : causes(profile::find_causes(kernel)) {
  for (const ptx::Instruction &instruction : kernel.instructions) {
    Row row;
    row.access = profile::access_of(instruction.opcode);
    // A load's address stands behind the registers that it fills.
    if (!row.access.is_store && !instruction.operands.empty()) {
      const ptx::Operand &result = instruction.operands[0];
      row.address_operand = result.kind == ptx::Operand::Kind::kVector ? static_cast<uint32_t>(result.parts.size()) : 1;
    }
    row.is_branch = causes[rows.size()] != profile::Cause::kNone;
    row.is_wait = instruction.opcode.starts_with("mbarrier.try_wait") || instruction.opcode.starts_with("mbarrier.test_wait");
    rows.push_back(row);
  }
}

std::vector<profile::Entry> ProfilePlan::entries(const ptx::Module &module, const ptx::Kernel &kernel,
                                                 const std::vector<profile::Counters> &sums) const {
  std::vector<profile::Entry> all;
  for (size_t i = 0; i < kernel.instructions.size() && i < sums.size(); ++i) {
    const ptx::Instruction &instruction = kernel.instructions[i];
    const ptx::Place &place = instruction.place;
    const uint32_t file = place.caller_line ? place.caller_file : place.file;
    profile::Entry entry{instruction.opcode, place.line, "", place.caller_line ? place.caller_line : place.source_line, causes[i], sums[i]};
    if (entry.source_line && file < module.files.size()) entry.file = module.files[file].substr(module.files[file].rfind('/') + 1);
    all.push_back(std::move(entry));
  }
  return all;
}

void Profiler::count_access(Execution &x, const Op &op, profile::Counters &counters) const {
  using Space = profile::Access::Space;
  const ProfilePlan::Row &row = plan_.rows[op.index];
  profile::LaneAddresses addresses;
  uint32_t shared = 0, global = 0;
  x.each_lane([&](uint32_t lane) {
    uint64_t address = address_in_lane(x, op, row.address_operand, lane);
    const uint64_t window = address & kWindowMask;
    const bool is_shared = row.access.space == Space::kShared || (row.access.space == Space::kGeneric && window == kSharedWindow);
    if (window == kSharedWindow) address &= ~kWindowMask;
    addresses[lane] = address;
    // How another CTA's banks are reached is not published.
    if (is_shared) shared |= uint32_t{address >> Cta::kRankShift == x.cta.rank} << lane;
    else if (row.access.space == Space::kGlobal || window == 0) global |= 1u << lane;
  });
  if (shared) {
    const profile::Wavefronts wavefronts = profile::count_wavefronts(row.access, addresses, shared);
    ++counters.shared_accesses;
    counters.wavefronts += wavefronts.taken;
    counters.extra_wavefronts += wavefronts.extra();
  }
  if (global) {
    const profile::Sectors sectors = profile::count_sectors(row.access, addresses, global);
    ++counters.global_accesses;
    counters.sectors += sectors.sectors;
    counters.bytes_wanted += sectors.bytes_wanted;
  }
}

void Profiler::count_branch(uint32_t asked, uint32_t taken, profile::Counters &counters) const {
  ++counters.branches;
  counters.branches_taken += taken == asked;
  counters.branches_split += taken != 0 && taken != asked;
  counters.branch_lanes += static_cast<uint64_t>(__builtin_popcount(asked));
  counters.branch_lanes_taken += static_cast<uint64_t>(__builtin_popcount(taken));
}

void Profiler::end_pause(const Execution &x, const Op &op, uint64_t now, profile::Counters &counters) {
  Pauses &pauses = pauses_[x.cluster.warp_number(x.cta, x.warp.index)];
  uint64_t since = now;
  x.each_lane([&](uint32_t lane) {
    if (!(pauses.lanes >> lane & 1) || pauses.index[lane] != op.index) return;
    pauses.lanes &= ~(1u << lane);
    since = std::min(since, pauses.since[lane]);
  });
  // This instruction itself is none of what ran meanwhile.
  if (since < now) counters.wait_steps += now - since - 1;
}

Step Profiler::step(Execution &x, const Op &op, uint64_t now) {
  // What stands behind the last instruction has none of the kernel's own.
  if (&op == &x.cluster.state.program.ops.back()) return op.handler(x, op);
  profile::Counters &counters = counters_[op.index];
  const ProfilePlan::Row &row = plan_.rows[op.index];
  const uint32_t mask = x.mask;
  const uint32_t warp = x.cluster.warp_number(x.cta, x.warp.index);
  if (row.access.space != profile::Access::Space::kNone) count_access(x, op, counters);
  if (row.is_branch) count_branch(x.group.mask, mask, counters);
  if (pauses_[warp].lanes & mask) end_pause(x, op, now, counters);
  const Step step = op.handler(x, op);
  if (step == Step::kPark) {
    if (x.group.wait == Wait::kWarp) return step;
    ++counters.waits;
    Pauses &pauses = pauses_[warp];
    pauses.lanes |= mask;
    for (uint32_t left = mask; left; left &= left - 1) {
      const auto lane = static_cast<size_t>(__builtin_ctz(left));
      pauses.index[lane] = op.index;
      pauses.since[lane] = now;
    }
    return step;
  }
  ++counters.instructions;
  counters.lanes += static_cast<uint64_t>(__builtin_popcount(mask));
  if (row.is_wait && step == Step::kNext) {
    ++counters.tries;
    counters.refusals += (x.predicate(op.operands[0]) & mask) != mask;
  }
  return step;
}

void Profiler::skip(const Execution &x, const Op &op) {
  profile::Counters &counters = counters_[op.index];
  ++counters.instructions;
  ++counters.skipped;
  if (plan_.rows[op.index].is_branch) count_branch(x.group.mask, 0, counters);
}

}  // namespace warpwright::emulator
