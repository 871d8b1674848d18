// SPDX-License-Identifier: Apache-2.0
// Makes trace events of the instructions of one cluster.
#pragma once

#include "tools/emulator/machine/execution.h"
#include "tools/emulator/machine/trace.h"

#include <vector>

namespace warpwright::emulator {

/// Which instructions of a kernel are traced, and where their operands are. Made once a launch.
struct TracePlan {
  struct Row {
    bool is_traced = false;
    TraceEvent::Kind kind = TraceEvent::Kind::kExit;
    uint16_t address = 0;         ///< place of the main address among the operands
    uint16_t number = 0;          ///< of the count, bytes or parity
    uint16_t second = 0;          ///< kLoad: of the mbarrier; kMma: of the predicate
    bool is_multicast = false;
    bool reads_only = false;
    bool is_plain = false;        ///< a bulk copy without a tensor map
    bool is_parity = true;        ///< a wait by parity
    bool has_tensor_a = false;    ///< A of an MMA lies in tensor memory
  };
  explicit TracePlan(const ptx::Kernel &kernel);
  std::vector<Row> rows;  ///< by instruction
};

class Tracer {
 public:
  Tracer(const TracePlan &plan, const Trace &trace, Cluster &cluster) : plan_(plan), trace_(trace), cluster_(cluster) {}

  bool watches(const Op &op) const { return plan_.rows[op.index].is_traced; }
  /// Around an instruction that it watches: its operands are read before it, and told after it where it is done.
  void before(Execution &x, const Op &op);
  void after(Execution &x, const Op &op, Step step);
  /// The cluster has ended, or does not go on.
  void finish();

 private:
  void read(Execution &x, const Op &op, const TracePlan::Row &row, uint32_t lane, TraceEvent &event) const;
  void read_tensor(Execution &x, const Op &op, const TracePlan::Row &row, uint32_t lane, TraceEvent &event) const;
  void read_copy(Execution &x, const Op &op, const TracePlan::Row &row, uint32_t lane, TraceEvent &event) const;
  /// The tensor map at an offset in the parameters: which one it is, and the bytes of its box.
  void name_map(uint64_t offset, TraceEvent &event) const;
  /// A shared address as an offset and its CTA's rank.
  int64_t offset_of(uint64_t address, uint32_t *cta) const;
  void tell(const TraceEvent &event, Cta &cta, Warp &warp);

  const TracePlan &plan_;
  const Trace &trace_;
  Cluster &cluster_;
  std::vector<TraceEvent> events_;  ///< of the instruction that is running
};

}  // namespace warpwright::emulator
