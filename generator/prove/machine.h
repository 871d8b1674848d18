// SPDX-License-Identifier: Apache-2.0
// Runs a program's threads one event at a time with exact mbarrier semantics; schedules decide who moves.
#pragma once

#include "generator/prove/findings.h"
#include "generator/prove/order.h"
#include "generator/prove/program.h"

#include <deque>
#include <optional>
#include <vector>

namespace warpwright::prove {

/// How asynchronous work behaves in one run.
struct Engines {
  bool copies_at_once = true;  ///< bulk copies and bulk groups complete when issued, else when nothing else can move
  bool tensor_at_once = true;  ///< the same for tensor work and its commits
  bool newest_first = false;   ///< which of the waiting ones completes first
  bool follow_order = false;   ///< keep vector clocks and check accesses
};

/// The state of one run.
class Machine {
 public:
  Machine(const Program &program, Findings &findings, const Engines &engines);

  /// Lets the thread do its next event; false where it is blocked or has ended.
  bool step(int thread);
  /// Lets one waiting asynchronous operation complete; false where none waits.
  bool complete_one();
  bool next_is_wait(int thread) const;
  bool has_ended(int thread) const;

  /// Reports what is wrong with the state in which nothing can move any more.
  void report_end();

 private:
  struct BarrierState {
    int64_t phase = 0;       ///< the incomplete phase: so many have completed
    int64_t pending = 0;     ///< arrivals that it still needs
    int64_t tx_bytes = 0;    ///< announced minus completed
    int64_t announced_bytes = 0;  ///< in this phase
    int64_t completed_bytes = 0;
    int64_t seen_phases = 0; ///< so many completed phases has some wait returned true for
    const Op *last_use = nullptr;
  };
  struct SyncState {
    int64_t arrived = 0;
    std::vector<int> waiting;
  };
  struct ThreadState {
    size_t next = 0;
    bool is_in_sync = false;
    int64_t open_copies = 0;    ///< bulk copies of the group that is still open
    int64_t groups_in_flight = 0;
  };
  struct Pending {
    enum class Kind { kCopy, kCommit, kGroup };
    Kind kind = Kind::kCopy;
    int thread = 0;
    const Op *op = nullptr;
    int token = -1;    ///< kCopy: of Order
    Clock pipe_clock;  ///< kCommit: of Order
  };

  bool wait(int thread, const Op &op);
  bool sync(int thread, const Op &op);
  bool cluster_sync(int thread);
  void release_cluster_if_complete();
  void copy(int thread, const Op &op);
  void commit(int thread, const Op &op);
  void init(int thread, const Op &op);
  void arrive(const Op &op, int64_t count);
  void expect(const Op &op, int64_t bytes);
  void complete_bytes(const Op &op);
  void complete_phase_if_due(int barrier);
  void complete(const Pending &pending);
  void end_event(int thread);

  const BarrierDecl &barrier(int index) const { return program_.protocol->barriers[index]; }
  const std::string &name(int thread) const { return program_.protocol->threads[thread].name; }
  const Op *blocked_op(int thread) const;
  void report_lag(int thread, const Op &op);
  void report_stuck();
  void report_byte_mismatch(int barrier, const Op &op, const std::vector<std::string> &notes);
  std::string describe_waiter(int thread) const;
  std::string describe_missing(int barrier) const;
  std::string describe_arrivers(int barrier) const;
  void report_unbalanced();

  const Program &program_;
  Findings &findings_;
  Engines engines_;
  std::optional<Order> order_;
  std::vector<BarrierState> barriers_;
  std::vector<SyncState> syncs_;
  std::vector<int> cluster_waiting_;
  std::vector<ThreadState> threads_;
  std::deque<Pending> pending_;
};

}  // namespace warpwright::prove
