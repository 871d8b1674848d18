// SPDX-License-Identifier: Apache-2.0
// Who knows what to have happened: vector clocks over threads, tensor pipes, bulk groups and barriers.
#pragma once

#include "generator/prove/findings.h"
#include "generator/prove/program.h"

#include <cstdint>
#include <vector>

namespace warpwright::prove {

/// One component per thread (its program order), per tensor pipe (operations in issue order), per thread's bulk groups,
/// and per barrier (completed phases).
using Clock = std::vector<int32_t>;

/// Follows a run and reports accesses that are not ordered by it, whatever the order in which they happened to run.
///
/// A copy's bytes publish that copy alone; a commit publishes the tensor work before it, with what that work had waited
/// for; an arrival publishes all that its thread knows. Arrivals on one barrier accumulate over phases.
/// Source    PTX ISA 9.0, "Memory Consistency Model", observation through atomic operations; "Asynchronous copy
///           operations": complete-tx does not order the prior instructions of the issuing thread.
class Order {
 public:
  Order(const Program &program, Findings &findings);

  // Synchronisation.
  void arrive(int thread, const Op &op);                  ///< by a thread, synchronously
  void arrive_by_pipe(int barrier, const Clock &pipe_clock);  ///< by a commit that completes
  void complete_phase(int barrier, int64_t phase);
  void observe(int thread, int barrier, int64_t completed_phases);
  void meet(const std::vector<int> &threads);             ///< all know what each knew
  void init(int thread, const Op &op);

  // Accesses. A copy's access is unordered with everybody until its phase is known.
  void access(int thread, const Op &op);
  void free(int thread, const Op &op);
  void access_by_pipe(int thread, const Op &op);
  int access_by_copy(int thread, const Op &op);           ///< a token for copy_completes
  void copy_completes(int token, const Op &op, int64_t phase);
  void access_by_store(int thread, const Op &op);
  void close_group(int thread);
  void drain_groups(int thread, int64_t open_groups);
  const Clock &pipe_clock(int thread) const { return pipes_[thread]; }
  void commit_completes(const Op &op, int64_t phase);

  /// Reports `op` if its barrier's initialisation is not known to `thread`.
  void check_initialised(int thread, const Op &op);
  /// Reports what nobody in a CTA has waited for when that CTA exits. All threads have ended.
  void check_drained();

 private:
  struct Access {
    const Op *op = nullptr;
    int thread = 0;
    int component = 0;
    int32_t epoch = 0;
    int token = -1;  ///< of a copy: its epoch is in copy_epochs_
  };
  struct Resource {
    std::vector<Access> writes;  ///< of the current fill
    std::vector<Access> reads;   ///< since
  };

  int pipe_component(int thread) const { return num_threads_ + thread; }
  int group_component(int thread) const { return 2 * num_threads_ + thread; }
  int barrier_component(int barrier) const { return 3 * num_threads_ + barrier; }
  bool is_ordered(const Access &access, const Clock &clock) const;
  void read_and_write(const Access &access, const Clock &clock);
  void check_read(int resource, const Access &access, const Clock &clock);
  void check_write(int resource, const Access &access, const Clock &clock, bool reads_it_too);
  void report_race(const char *slug, int resource, const Access &now, const Access &before, const char *what);
  void check_remote_arrivals_drained(const std::vector<Clock> &exits);
  void check_fills_read();
  void check_async_drained(const std::vector<Clock> &exits);

  const Program &program_;
  Findings &findings_;
  int num_threads_;
  size_t width_;
  std::vector<Clock> threads_;
  std::vector<Clock> pipes_;
  std::vector<Clock> arrived_;    ///< per barrier: what its arrivals knew
  std::vector<Clock> published_;  ///< per barrier: the same at its last completed phase
  std::vector<int32_t> groups_closed_;
  std::vector<Resource> resources_;
  std::vector<int32_t> copy_epochs_;
  std::vector<int> init_threads_;      ///< per barrier, −1 before
  std::vector<int32_t> init_epochs_;
  std::vector<std::vector<bool>> knows_init_;
  // For the drained exit.
  std::vector<const Op *> last_pipe_op_;      ///< per thread
  std::vector<const Op *> last_store_;        ///< per thread
  std::vector<bool> has_open_store_;          ///< per thread
  std::vector<const Op *> last_async_;        ///< per barrier
  std::vector<int32_t> last_async_epoch_;     ///< per barrier
  std::vector<std::vector<int32_t>> remote_epochs_;  ///< per CTA and thread
  std::vector<std::vector<const Op *>> remote_ops_;
};

}  // namespace warpwright::prove
