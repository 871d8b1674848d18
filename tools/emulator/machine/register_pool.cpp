// SPDX-License-Identifier: Apache-2.0
// Bounds of registers from a kernel's text, and the pool of a CTA.
#include "tools/emulator/machine/register_pool.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

/// A warp gets registers in units of 256, which are 8 a thread. Source: CUDA C++ Programming Guide 13.0, "Technical
/// Specifications per Compute Capability", 9.0 and 10.0: 65,536 registers an SM, 255 a thread; four partitions have a quarter each.
constexpr uint32_t kUnit = 8, kMostPerThread = 256, kPartitionRegisters = 65'536 / 4, kPartitions = 4;

/// What __launch_bounds__ leaves each thread; 0: no bound.
uint32_t launch_bound(const ptx::Kernel &kernel) {
  const ptx::Dim3 block = kernel.required_threads.x ? kernel.required_threads : kernel.max_threads;
  if (!block.x || !kernel.min_ctas_per_sm) return 0;
  const uint64_t warps = (block.count() + 31) / 32 * kernel.min_ctas_per_sm;
  const uint64_t warps_of_partition = std::max<uint64_t>(1, (warps + kPartitions - 1) / kPartitions);
  return static_cast<uint32_t>(kPartitionRegisters / 32 / warps_of_partition / kUnit * kUnit);
}

}  // namespace

RegisterBounds find_register_bounds(const ptx::Kernel &kernel) {
  uint32_t bound = kernel.max_registers ? (kernel.max_registers + kUnit - 1) / kUnit * kUnit : launch_bound(kernel);
  bound = std::min(bound, kMostPerThread);
  uint32_t most_asked = 0, least = kMostPerThread;
  for (const ptx::Instruction &instruction : kernel.instructions) {
    if (!instruction.opcode.starts_with("setmaxnreg.") || instruction.operands.size() != 1) continue;
    const auto count = static_cast<uint32_t>(instruction.operands.front().value);
    if (instruction.opcode.starts_with("setmaxnreg.inc.")) most_asked = std::max(most_asked, count);
    else least = std::min(least, count);
  }
  if (most_asked) bound = std::min(bound, most_asked);
  return {bound, std::min(least, bound)};
}

void RegisterPool::start(const RegisterBounds &bounds, size_t num_warps) {
  bounds_ = bounds;
  shares_.assign(num_warps, {bounds.at_entry, false, 0, {}});
}

uint32_t RegisterPool::most_for(uint32_t warp) const {
  uint32_t peers = 0, all = free_;
  for (uint32_t i = 0; i < shares_.size(); ++i) {
    const bool is_peer = i / 4 == warp / 4;
    peers += is_peer;
    all += is_peer ? shares_[i].owned : shares_[i].owned - std::min(shares_[i].owned, bounds_.least);
  }
  return all / peers;
}

void RegisterPool::set(uint32_t warp, uint32_t count) {
  free_ = free_ + shares_[warp].owned - count;
  shares_[warp].owned = count;
}

std::optional<RegisterPool::Change> RegisterPool::compare(uint32_t warp, Change change) {
  std::vector<Change> &changes = changes_[warp / 4];
  const size_t number = shares_[warp].num_changes;
  if (number < changes.size()) return changes[number];
  changes.push_back(change);
  return std::nullopt;
}

}  // namespace warpwright::emulator
