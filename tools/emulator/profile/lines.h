// SPDX-License-Identifier: Apache-2.0
// What was counted for instructions, and its sums for the lines of a source.
#pragma once

#include "tools/emulator/profile/classes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpwright::emulator::profile {

/// Counts of one instruction, over all warps of a launch.
struct Counters {
  uint64_t instructions = 0;  ///< warp instructions; one that waits counts once it goes on
  uint64_t skipped = 0;       ///< of them, those whose guard held in no lane
  uint64_t lanes = 0;         ///< lanes that took part, of 32 an instruction

  uint64_t shared_accesses = 0;  ///< loads and stores of the CTA's own shared memory
  uint64_t wavefronts = 0;
  uint64_t extra_wavefronts = 0;  ///< by bank conflicts

  uint64_t global_accesses = 0;
  uint64_t sectors = 0;  ///< of 32 bytes
  uint64_t bytes_wanted = 0;

  uint64_t tries = 0;      ///< mbarrier.try_wait and test_wait that were answered
  uint64_t refusals = 0;   ///< of them, with false in some lane
  uint64_t waits = 0;      ///< times that lanes stood and waited for something outside their warp
  uint64_t wait_steps = 0; ///< warp instructions that the cluster ran meanwhile: of the emulator's schedule, no time

  uint64_t branches = 0;        ///< conditional ones, by warps
  uint64_t branches_taken = 0;  ///< by every lane
  uint64_t branches_split = 0;  ///< by some lanes and not by others
  uint64_t branch_lanes = 0;
  uint64_t branch_lanes_taken = 0;

  void add(const Counters &other);
  uint64_t bytes_moved() const;
  uint64_t bytes_wasted() const { return bytes_moved() - bytes_wanted; }
  /// What lines are sorted by: warp instructions, wavefronts that conflicts add, and sectors' worth of bytes that nobody
  /// wanted. An order of what to look at first, no time.
  uint64_t cost() const;
};

/// One instruction of the kernel.
struct Entry {
  std::string opcode;
  uint32_t ptx_line = 0;
  std::string file;          ///< without its folder; empty: the PTX does not say
  uint32_t source_line = 0;  ///< of inlined code, the outermost call's
  Cause cause = Cause::kNone;
  Counters counters;
};

/// One line of a source; without one, of the PTX.
struct Line {
  std::string file;  ///< empty: `number` counts in the PTX
  uint32_t number = 0;
  Counters counters;
  std::array<uint64_t, kNumClasses> mix{};  ///< warp instructions by class
  Cause cause = Cause::kNone;               ///< the strongest of its branches
  std::vector<const Entry *> entries;       ///< in the PTX's order

  void add(const Entry &entry);
};

/// Sums by line, the costliest first; lines that did not run are left out. `entries` outlives the result.
std::vector<Line> sum_by_line(const std::vector<Entry> &entries);

/// Sum of all.
Line sum_of(const std::vector<Entry> &entries);

}  // namespace warpwright::emulator::profile
