// SPDX-License-Identifier: Apache-2.0
// The semantics of each event.
#include "generator/prove/machine.h"

#include "generator/support/text_table.h"

#include <algorithm>

namespace warpwright::prove {
namespace {

// PTX ISA 9.0, "Contents of the mbarrier object": the tx-count ranges over −(2^20−1) … 2^20−1.
constexpr int64_t kMaxTxBytes = (int64_t{1} << 20) - 1;

}  // namespace

Machine::Machine(const Program &program, Findings &findings, const Engines &engines)
    : program_(program), findings_(findings), engines_(engines), barriers_(program.barrier_cta.size()),
      syncs_(program.barrier_cta.size()), threads_(program.threads.size()) {
  if (engines.follow_order) order_.emplace(program, findings);
  for (size_t b = 0; b < barriers_.size(); ++b) barriers_[b].pending = program.protocol->barriers[b].arrivals;
}

bool Machine::has_ended(int thread) const { return threads_[thread].next == program_.threads[thread].size(); }

bool Machine::next_is_wait(int thread) const {
  if (has_ended(thread)) return false;
  switch (program_.threads[thread][threads_[thread].next].kind) {
    case Event::Kind::kWait:
    case Event::Kind::kSync:
    case Event::Kind::kGroupWait:
    case Event::Kind::kClusterSync: return true;
    default: return false;
  }
}

const Op *Machine::blocked_op(int thread) const {
  return has_ended(thread) ? nullptr : &program_.threads[thread][threads_[thread].next];
}

void Machine::end_event(int thread) {
  ++threads_[thread].next;
  if (has_ended(thread)) release_cluster_if_complete();
}

bool Machine::step(int thread) {
  if (has_ended(thread)) return false;
  const Op &op = program_.threads[thread][threads_[thread].next];
  if (order_ && op.barrier >= 0 && op.kind != Event::Kind::kInit && op.kind != Event::Kind::kSync)
    order_->check_initialised(thread, op);
  switch (op.kind) {
    case Event::Kind::kWait:
      if (!wait(thread, op)) return false;
      break;
    case Event::Kind::kSync: return sync(thread, op);
    case Event::Kind::kClusterSync: return cluster_sync(thread);
    case Event::Kind::kGroupWait:
      if (threads_[thread].groups_in_flight > op.count) return false;
      if (order_) order_->drain_groups(thread, op.count);
      break;
    case Event::Kind::kArriveTx:
      expect(op, op.bytes);
      [[fallthrough]];
    case Event::Kind::kArrive:
      if (order_) order_->arrive(thread, op);
      arrive(op, op.kind == Event::Kind::kArrive ? op.count : 1);
      break;
    case Event::Kind::kExpectTx: expect(op, op.bytes); break;
    case Event::Kind::kCopy: copy(thread, op); break;
    case Event::Kind::kCommit: commit(thread, op); break;
    case Event::Kind::kGroupCommit:
      ++threads_[thread].groups_in_flight;
      if (order_) order_->close_group(thread);
      if (engines_.copies_at_once) complete({Pending::Kind::kGroup, thread, &op});
      else pending_.push_back({Pending::Kind::kGroup, thread, &op});
      break;
    case Event::Kind::kMma:
    case Event::Kind::kTensorCopy:
      if (order_) order_->access_by_pipe(thread, op);
      break;
    case Event::Kind::kRead:
    case Event::Kind::kWrite:
      if (order_) order_->access(thread, op);
      break;
    case Event::Kind::kInit: init(thread, op); break;
    case Event::Kind::kFree:
      if (order_) order_->free(thread, op);
      break;
  }
  end_event(thread);
  return true;
}

bool Machine::wait(int thread, const Op &op) {
  BarrierState &b = barriers_[op.barrier];
  // PTX ISA 9.0, "mbarrier.test_wait / mbarrier.try_wait": with .parity, true for the phase that immediately precedes
  // the incomplete one, false for the incomplete one.
  if ((b.phase & 1) == (op.parity & 1)) return false;
  if (b.phase >= op.awaited_phase + 2) report_lag(thread, op);
  if (b.phase <= op.awaited_phase && findings_.is_new("prove.stale-wait", op.event->origin))
    findings_.add("prove.stale-wait", op.event->origin,
                  name(thread) + " in " + describe(*op.event) + " means phase " + std::to_string(op.awaited_phase) +
                      " of " + barrier(op.barrier).name + " but passes on phase " + std::to_string(b.phase - 1) +
                      ", whose parity is the same");
  b.seen_phases = std::max(b.seen_phases, b.phase);
  if (order_) order_->observe(thread, op.barrier, b.phase);
  return true;
}

bool Machine::sync(int thread, const Op &op) {
  ThreadState &state = threads_[thread];
  if (state.is_in_sync) return false;
  SyncState &s = syncs_[op.barrier];
  s.arrived += op.bytes;
  s.waiting.push_back(thread);
  state.is_in_sync = true;
  if (s.arrived > op.count && findings_.is_new("prove.over-arrival", op.event->origin))
    findings_.add("prove.over-arrival", op.event->origin,
                  count_of(s.arrived, "thread") + " meet at " + barrier(op.barrier).name + ", which " + name(thread) +
                      " in " + describe(*op.event) + " expects to have " + support::format_thousands(op.count));
  if (s.arrived < op.count) return true;
  if (order_) order_->meet(s.waiting);
  const std::vector<int> released = std::move(s.waiting);
  s = {};
  for (int t : released) {
    threads_[t].is_in_sync = false;
    end_event(t);
  }
  return true;
}

bool Machine::cluster_sync(int thread) {
  if (threads_[thread].is_in_sync) return false;
  threads_[thread].is_in_sync = true;
  cluster_waiting_.push_back(thread);
  release_cluster_if_complete();
  return true;
}

void Machine::release_cluster_if_complete() {
  // PTX ISA 9.0, "barrier.cluster": waits for all non-exited threads of the cluster.
  size_t running = 0;
  for (int t = 0; t < program_.num_threads(); ++t) running += has_ended(t) ? 0 : 1;
  if (cluster_waiting_.empty() || cluster_waiting_.size() < running) return;
  if (order_) order_->meet(cluster_waiting_);
  const std::vector<int> released = std::move(cluster_waiting_);
  cluster_waiting_.clear();
  for (int t : released) {
    threads_[t].is_in_sync = false;
    end_event(t);
  }
}

void Machine::init(int thread, const Op &op) {
  BarrierState &b = barriers_[op.barrier];
  if (b.last_use && findings_.is_new("prove.uninitialised", op.event->origin))
    findings_.add("prove.uninitialised", op.event->origin,
                  name(thread) + " initialises " + barrier(op.barrier).name + " in " + describe(*op.event) +
                      " after it has been used");
  b.last_use = &op;
  if (order_) order_->init(thread, op);
}

void Machine::copy(int thread, const Op &op) {
  if (op.barrier < 0) {
    if (order_) order_->access_by_store(thread, op);
    return;  // completes with its group
  }
  Pending pending{Pending::Kind::kCopy, thread, &op};
  if (order_) pending.token = order_->access_by_copy(thread, op);
  if (engines_.copies_at_once) complete(pending);
  else pending_.push_back(std::move(pending));
}

void Machine::commit(int thread, const Op &op) {
  Pending pending{Pending::Kind::kCommit, thread, &op};
  if (order_) pending.pipe_clock = order_->pipe_clock(thread);
  if (engines_.tensor_at_once) complete(pending);
  else pending_.push_back(std::move(pending));
}

void Machine::complete(const Pending &pending) {
  const Op &op = *pending.op;
  switch (pending.kind) {
    case Pending::Kind::kGroup: --threads_[pending.thread].groups_in_flight; break;
    case Pending::Kind::kCopy:
      if (order_) order_->copy_completes(pending.token, op, barriers_[op.barrier].phase);
      complete_bytes(op);
      break;
    case Pending::Kind::kCommit:
      if (order_) {
        order_->commit_completes(op, barriers_[op.barrier].phase);
        order_->arrive_by_pipe(op.barrier, pending.pipe_clock);
      }
      arrive(op, 1);
      break;
  }
}

bool Machine::complete_one() {
  if (pending_.empty()) return false;
  size_t chosen = 0;
  if (engines_.newest_first)
    // Tensor work and bulk groups of one thread complete in order; only copies overtake each other.
    for (size_t i = pending_.size(); i-- > 1;) {
      const Pending &candidate = pending_[i];
      const bool is_first_of_its_queue =
          candidate.kind == Pending::Kind::kCopy ||
          std::none_of(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(i), [&](const Pending &other) {
            return other.kind == candidate.kind && other.thread == candidate.thread;
          });
      if (!is_first_of_its_queue) continue;
      chosen = i;
      break;
    }
  const Pending pending = std::move(pending_[chosen]);
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(chosen));
  complete(pending);
  return true;
}

void Machine::arrive(const Op &op, int64_t count) {
  BarrierState &b = barriers_[op.barrier];
  b.last_use = &op;
  // PTX ISA 9.0, "Phase Completion of the mbarrier object": a wait must have returned true for phase n before an
  // arrive-on of phase n + 1.
  const bool is_unseen = b.phase > b.seen_phases && program_.barrier_has_waiter[op.barrier];
  if (count > b.pending || is_unseen) {
    if (findings_.is_new("prove.over-arrival", op.event->origin))
      findings_.add("prove.over-arrival", op.event->origin,
                    describe(*op.event) + " arrives on " + barrier(op.barrier).name + " in phase " +
                        std::to_string(b.phase) +
                        (count > b.pending ? ", which still counts " + count_of(b.pending, "arrival") + ", not " +
                                                 support::format_thousands(count)
                                           : " before any role has seen the phase before complete"));
    count = std::min(count, b.pending);
  }
  b.pending -= count;
  complete_phase_if_due(op.barrier);
}

void Machine::expect(const Op &op, int64_t bytes) {
  BarrierState &b = barriers_[op.barrier];
  b.last_use = &op;
  b.announced_bytes += bytes;
  b.tx_bytes += bytes;
  if (b.tx_bytes > kMaxTxBytes && findings_.is_new("prove.byte-mismatch", op.event->origin))
    findings_.add("prove.byte-mismatch", op.event->origin,
                  describe(*op.event) + " announces " + support::format_bytes(bytes) + " on " + barrier(op.barrier).name +
                      ": " + support::format_bytes(b.tx_bytes) + " outstanding, a phase counts to " +
                      support::format_thousands(kMaxTxBytes));
  complete_phase_if_due(op.barrier);
}

void Machine::complete_bytes(const Op &op) {
  BarrierState &b = barriers_[op.barrier];
  b.last_use = &op;
  b.completed_bytes += op.bytes;
  b.tx_bytes -= op.bytes;  // below zero where the other CTA's copy is faster than the leader's announcement
  complete_phase_if_due(op.barrier);
}

void Machine::complete_phase_if_due(int index) {
  BarrierState &b = barriers_[index];
  if (b.pending != 0 || b.tx_bytes != 0) return;
  if (order_) order_->complete_phase(index, b.phase);
  ++b.phase;
  b.pending = barrier(index).arrivals;
  b.announced_bytes = b.completed_bytes = 0;
}

}  // namespace warpwright::prove
