// SPDX-License-Identifier: Apache-2.0
// Runs the instructions of one cluster and counts what they do.
#pragma once

#include "tools/emulator/machine/execution.h"
#include "tools/emulator/profile/access.h"
#include "tools/emulator/profile/lines.h"

#include <array>
#include <vector>

namespace warpwright::emulator {

/// What the profiler has to know of a kernel's instructions, once a launch.
struct ProfilePlan {
  struct Row {
    profile::Access access;
    uint32_t address_operand = 0;  ///< place of the access's address among the operands
    bool is_branch = false;        ///< a conditional one
    bool is_wait = false;          ///< mbarrier.try_wait and test_wait
  };
  explicit ProfilePlan(const ptx::Kernel &kernel);
  std::vector<Row> rows;  ///< by instruction
  std::vector<profile::Cause> causes;
  /// The sums of a launch, for its report.
  std::vector<profile::Entry> entries(const ptx::Module &module, const ptx::Kernel &kernel,
                                      const std::vector<profile::Counters> &sums) const;
};

class Profiler {
 public:
  Profiler(const ProfilePlan &plan, size_t num_warps)
      : plan_(plan), counters_(plan.rows.size()), pauses_(num_warps) {}

  /// Runs the instruction in the lanes of x.mask. `now`: warp instructions that the cluster has run, with this one.
  Step step(Execution &x, const Op &op, uint64_t now);
  /// Its guard held in no lane.
  void skip(const Execution &x, const Op &op);
  const std::vector<profile::Counters> &counters() const { return counters_; }

 private:
  /// Lanes of a warp that wait, at which instruction and since when.
  struct Pauses {
    uint32_t lanes = 0;
    std::array<uint32_t, 32> index;
    std::array<uint64_t, 32> since;
  };
  void count_access(Execution &x, const Op &op, profile::Counters &counters) const;
  void count_branch(uint32_t asked, uint32_t taken, profile::Counters &counters) const;
  void end_pause(const Execution &x, const Op &op, uint64_t now, profile::Counters &counters);

  const ProfilePlan &plan_;
  std::vector<profile::Counters> counters_;  ///< by instruction
  std::vector<Pauses> pauses_;               ///< by warp of the cluster
};

}  // namespace warpwright::emulator
