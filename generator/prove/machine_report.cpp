// SPDX-License-Identifier: Apache-2.0
// What is said about a state in which nothing moves any more: deadlocks with every waiter, or an exit that is not clean.
#include "generator/prove/machine.h"

#include "generator/support/text_table.h"

#include <algorithm>

namespace warpwright::prove {

void Machine::report_lag(int thread, const Op &op) {
  if (!findings_.is_new("prove.lag", op.event->origin)) return;
  const int64_t behind = barriers_[op.barrier].phase - op.awaited_phase;
  findings_.add("prove.lag", op.event->origin,
                name(thread) + " in " + describe(*op.event) + " waits for phase " + std::to_string(op.awaited_phase) +
                    " of " + barrier(op.barrier).name + " while phase " +
                    std::to_string(barriers_[op.barrier].phase) + " is under way: " + std::to_string(behind) +
                    " phases behind, where a parity tells only one apart");
}

void Machine::report_end() {
  bool is_stuck = false;
  for (int t = 0; t < program_.num_threads(); ++t) is_stuck = is_stuck || !has_ended(t);
  if (is_stuck) {
    report_stuck();
    return;
  }
  report_unbalanced();
  if (order_) order_->check_drained();
}

void Machine::report_stuck() {
  findings_.set_stuck();
  std::vector<std::string> notes;
  const Op *first = nullptr;
  int num_waiting = 0;
  std::vector<int> short_of_bytes;
  for (int t = 0; t < program_.num_threads(); ++t) {
    const Op *op = blocked_op(t);
    if (!op) continue;
    ++num_waiting;
    notes.push_back(describe_waiter(t));
    // A role at an mbarrier says more than one that waits for the others at the end.
    if (!first || (first->kind != Event::Kind::kWait && op->kind == Event::Kind::kWait)) first = op;
    if (op->kind != Event::Kind::kWait) continue;
    const BarrierState &b = barriers_[op->barrier];
    if (b.phase >= op->awaited_phase + 2) report_lag(t, *op);
    if (b.pending == 0 && std::find(short_of_bytes.begin(), short_of_bytes.end(), op->barrier) == short_of_bytes.end())
      short_of_bytes.push_back(op->barrier);
  }
  for (int index : short_of_bytes) report_byte_mismatch(index, *barriers_[index].last_use, notes);
  if (!short_of_bytes.empty() || !findings_.is_new("prove.deadlock", first->event->origin)) return;
  findings_.add("prove.deadlock", first->event->origin,
                std::to_string(num_waiting) + " of " + std::to_string(program_.num_threads()) +
                    " roles wait for ever, first of all in " + describe(*first->event),
                std::move(notes));
}

void Machine::report_byte_mismatch(int index, const Op &op, const std::vector<std::string> &notes) {
  const BarrierState &b = barriers_[index];
  if (!findings_.is_new("prove.byte-mismatch", op.event->origin)) return;
  findings_.add("prove.byte-mismatch", op.event->origin,
                "phase " + std::to_string(b.phase) + " of " + barrier(index).name + " announces " +
                    support::format_bytes(b.announced_bytes) + " and copies complete " +
                    support::format_bytes(b.completed_bytes) + ": " + support::format_thousands(std::abs(b.tx_bytes)) +
                    (b.tx_bytes > 0 ? " B never come" : " B too many") + "; last used by " + describe(*op.event),
                notes);
}

std::string Machine::describe_waiter(int thread) const {
  const Op &op = *blocked_op(thread);
  const support::SourceLocation &where = op.event->origin.where;
  std::string text = name(thread) + " in " + describe(*op.event);
  if (where.line > 0) text += " at " + where.file + ":" + std::to_string(where.line);
  switch (op.kind) {
    case Event::Kind::kWait:
      return text + " wants parity " + std::to_string(op.parity) + " (phase " + std::to_string(op.awaited_phase) + ") of " +
             barrier(op.barrier).name + ": " +
             describe_missing(op.barrier) + "; " + describe_arrivers(op.barrier);
    case Event::Kind::kSync:
      return text + " stands at " + barrier(op.barrier).name + ": " + support::format_thousands(syncs_[op.barrier].arrived) +
             " of " + count_of(op.count, "thread") + " have come";
    case Event::Kind::kGroupWait:
      return text + " waits for bulk groups: " + support::format_thousands(threads_[thread].groups_in_flight) +
             " in flight, at most " + support::format_thousands(op.count) + " wanted";
    default:
      return text + " stands at the cluster barrier: " + std::to_string(cluster_waiting_.size()) + " of " +
             count_of(program_.num_threads(), "role") + " have come";
  }
}

std::string Machine::describe_missing(int index) const {
  const BarrierState &b = barriers_[index];
  std::string text = "its phase " + std::to_string(b.phase) + " lacks " + std::to_string(b.pending) + " of " +
                     count_of(barrier(index).arrivals, "arrival");
  if (b.tx_bytes > 0)
    text += " and " + support::format_thousands(b.tx_bytes) + " of " + support::format_bytes(b.announced_bytes);
  if (b.tx_bytes < 0) text += " and has " + support::format_bytes(-b.tx_bytes) + " more than announced";
  return text;
}

std::string Machine::describe_arrivers(int index) const {
  std::string names;
  for (int t = 0; t < program_.num_threads(); ++t) {
    const std::vector<Op> &ops = program_.threads[t];
    const bool will_arrive =
        std::any_of(ops.begin() + static_cast<std::ptrdiff_t>(threads_[t].next), ops.end(), [&](const Op &op) {
          return op.barrier == index && (op.kind == Event::Kind::kArrive || op.kind == Event::Kind::kArriveTx ||
                                         op.kind == Event::Kind::kCommit);
        });
    if (will_arrive) names += (names.empty() ? "" : ", ") + name(t);
  }
  return names.empty() ? "no role has an arrival left for it" : "arrivals would come from " + names;
}

void Machine::report_unbalanced() {
  for (int index = 0; index < program_.num_barriers(); ++index) {
    const BarrierState &b = barriers_[index];
    if (barrier(index).is_named || (b.pending == barrier(index).arrivals && b.tx_bytes == 0)) continue;
    const Op &op = *b.last_use;
    if (b.pending == 0) {
      report_byte_mismatch(index, op, {});
      continue;
    }
    if (!findings_.is_new("prove.undrained", op.event->origin)) continue;
    findings_.add("prove.undrained", op.event->origin,
                  barrier(index).name + " is in the middle of a phase at exit: " + describe_missing(index) +
                      "; last used by " + describe(*op.event));
  }
}

}  // namespace warpwright::prove
