// SPDX-License-Identifier: Apache-2.0
// Vector clocks, and the access and exit checks over them.
#include "generator/prove/order.h"

#include <algorithm>
#include <limits>

namespace warpwright::prove {
namespace {

constexpr int32_t kNotYet = std::numeric_limits<int32_t>::max();

void join(Clock &into, const Clock &from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

bool contains(const Program &program, const OperandRange &range, int resource) {
  for (int i = range.begin; i < range.end; ++i)
    if (program.operands[i] == resource) return true;
  return false;
}

/// Keeps one entry per component: a later access of the same agent is known only if the earlier one is.
template <typename Access>
void remember(std::vector<Access> &accesses, const Access &access) {
  if (access.token < 0)
    for (Access &known : accesses)
      if (known.component == access.component && known.token < 0) {
        known = access;
        return;
      }
  accesses.push_back(access);
}

}  // namespace

Order::Order(const Program &program, Findings &findings)
    : program_(program), findings_(findings), num_threads_(program.num_threads()),
      width_(3 * program.threads.size() + program.barrier_cta.size()),
      threads_(program.threads.size(), Clock(width_)), pipes_(threads_),
      arrived_(program.barrier_cta.size(), Clock(width_)), published_(arrived_),
      groups_closed_(program.threads.size()), resources_(program.resource_names.size()),
      init_threads_(program.barrier_cta.size(), -1), init_epochs_(program.barrier_cta.size()),
      knows_init_(program.threads.size(), std::vector<bool>(program.barrier_cta.size())),
      last_pipe_op_(program.threads.size()), last_store_(program.threads.size()),
      has_open_store_(program.threads.size()), last_async_(program.barrier_cta.size()),
      last_async_epoch_(program.barrier_cta.size()),
      remote_epochs_(program.num_ctas, std::vector<int32_t>(program.threads.size())),
      remote_ops_(program.num_ctas, std::vector<const Op *>(program.threads.size())) {
  for (int t = 0; t < num_threads_; ++t) threads_[t][t] = 1;
}

void Order::arrive(int thread, const Op &op) {
  const int cta = program_.barrier_cta[op.barrier];
  if (cta != program_.thread_cta[thread] && cta < program_.num_ctas) {  // must land before that CTA exits
    remote_epochs_[cta][thread] = threads_[thread][thread];
    remote_ops_[cta][thread] = &op;
  }
  join(arrived_[op.barrier], threads_[thread]);
  ++threads_[thread][thread];  // what follows is not published by this arrival
}

void Order::arrive_by_pipe(int barrier, const Clock &pipe_clock) { join(arrived_[barrier], pipe_clock); }

void Order::complete_phase(int barrier, int64_t phase) {
  arrived_[barrier][barrier_component(barrier)] = static_cast<int32_t>(phase + 1);
  published_[barrier] = arrived_[barrier];
}

void Order::observe(int thread, int barrier, int64_t completed_phases) {
  if (completed_phases > 0) join(threads_[thread], published_[barrier]);
}

void Order::meet(const std::vector<int> &threads) {
  Clock all(width_);
  for (int t : threads) join(all, threads_[t]);
  for (int t : threads) {
    threads_[t] = all;
    ++threads_[t][t];
  }
}

void Order::init(int thread, const Op &op) {
  init_threads_[op.barrier] = thread;
  init_epochs_[op.barrier] = threads_[thread][thread];
}

void Order::check_initialised(int thread, const Op &op) {
  if (!program_.has_inits || knows_init_[thread][op.barrier]) return;
  knows_init_[thread][op.barrier] = true;
  const int by = init_threads_[op.barrier];
  if (by >= 0 && threads_[thread][by] >= init_epochs_[op.barrier]) return;
  if (!findings_.is_new("prove.uninitialised", op.event->origin)) return;
  findings_.add("prove.uninitialised", op.event->origin,
                program_.protocol->threads[thread].name + " uses " + program_.protocol->barriers[op.barrier].name +
                    " in " + describe(*op.event) + " before its mbarrier.init is known to have happened");
}

bool Order::is_ordered(const Access &access, const Clock &clock) const {
  return clock[access.component] >= (access.token < 0 ? access.epoch : copy_epochs_[access.token]);
}

void Order::report_race(const char *slug, int resource, const Access &now, const Access &before, const char *what) {
  if (!findings_.is_new(slug, now.op->event->origin)) return;
  const std::vector<Thread> &threads = program_.protocol->threads;
  const support::SourceLocation &where = before.op->event->origin.where;
  findings_.add(slug, now.op->event->origin,
                threads[now.thread].name + " in " + describe(*now.op->event) + " " + what + " " +
                    program_.resource_names[resource],
                {"the other access: " + threads[before.thread].name + " in " + describe(*before.op->event) +
                 (where.line > 0 ? ", " + where.file + ":" + std::to_string(where.line) : "")});
}

void Order::check_read(int resource, const Access &access, const Clock &clock) {
  Resource &r = resources_[resource];
  if (!program_.resource_is_written[resource]) return;
  if (r.writes.empty()) {
    if (findings_.is_new("prove.unfilled", access.op->event->origin))
      findings_.add("prove.unfilled", access.op->event->origin,
                    program_.protocol->threads[access.thread].name + " in " + describe(*access.op->event) + " reads " +
                        program_.resource_names[resource] + " before anything has been written there");
  }
  for (const Access &write : r.writes)
    if (!is_ordered(write, clock)) {
      report_race("prove.unfilled", resource, access, write, "may read before the write has happened:");
      break;
    }
}

void Order::check_write(int resource, const Access &access, const Clock &clock, bool reads_it_too) {
  Resource &r = resources_[resource];
  const bool same_fill = !r.writes.empty() && r.writes.front().op->turn == access.op->turn;
  for (const Access &read : r.reads)
    if (!is_ordered(read, clock)) {
      report_race("prove.overwrite", resource, access, read, "may write while it is still read:");
      break;
    }
  if (!same_fill)
    for (const Access &write : r.writes)
      if (!is_ordered(write, clock)) {
        report_race("prove.overwrite", resource, access, write, "may write while another write is under way:");
        break;
      }
  if (!same_fill && !r.writes.empty() && r.reads.empty() && !reads_it_too && program_.resource_is_read[resource])
    report_race("prove.overwrite", resource, access, r.writes.front(), "writes again, before anybody has read,");
  if (!same_fill || reads_it_too) {
    r.writes.clear();
    r.reads.clear();
  }
  remember(r.writes, access);
}

void Order::read_and_write(const Access &access, const Clock &clock) {
  const Op &op = *access.op;
  for (int i = op.reads.begin; i < op.reads.end; ++i) check_read(program_.operands[i], access, clock);
  for (int i = op.writes.begin; i < op.writes.end; ++i) {
    const int resource = program_.operands[i];
    check_write(resource, access, clock, contains(program_, op.reads, resource));
  }
  for (int i = op.reads.begin; i < op.reads.end; ++i) {
    const int resource = program_.operands[i];
    if (!contains(program_, op.writes, resource)) remember(resources_[resource].reads, access);
  }
}

void Order::access(int thread, const Op &op) {
  read_and_write({&op, thread, thread, threads_[thread][thread]}, threads_[thread]);
}

void Order::access_by_pipe(int thread, const Op &op) {
  Clock &pipe = pipes_[thread];
  const int component = pipe_component(thread);
  const int32_t index = pipe[component] + 1;
  join(pipe, threads_[thread]);
  pipe[component] = index;
  last_pipe_op_[thread] = &op;
  read_and_write({&op, thread, component, index}, pipe);
}

void Order::free(int thread, const Op &op) {
  access(thread, op);
  for (int i = op.writes.begin; i < op.writes.end; ++i) resources_[program_.operands[i]] = {};
}

int Order::access_by_copy(int thread, const Op &op) {
  const int token = static_cast<int>(copy_epochs_.size());
  copy_epochs_.push_back(kNotYet);
  read_and_write({&op, thread, barrier_component(op.barrier), 0, token}, threads_[thread]);
  return token;
}

void Order::copy_completes(int token, const Op &op, int64_t phase) {
  copy_epochs_[token] = static_cast<int32_t>(phase + 1);
  commit_completes(op, phase);
}

void Order::commit_completes(const Op &op, int64_t phase) {
  last_async_[op.barrier] = &op;
  last_async_epoch_[op.barrier] = static_cast<int32_t>(phase + 1);
}

void Order::access_by_store(int thread, const Op &op) {
  last_store_[thread] = &op;
  has_open_store_[thread] = true;
  read_and_write({&op, thread, group_component(thread), groups_closed_[thread] + 1}, threads_[thread]);
}

void Order::close_group(int thread) {
  ++groups_closed_[thread];
  has_open_store_[thread] = false;
}

void Order::drain_groups(int thread, int64_t open_groups) {
  int32_t &known = threads_[thread][group_component(thread)];
  known = std::max(known, groups_closed_[thread] - static_cast<int32_t>(open_groups));
}

void Order::check_drained() {
  std::vector<Clock> exits(program_.num_ctas, Clock(width_));
  for (int t = 0; t < num_threads_; ++t) join(exits[program_.thread_cta[t]], threads_[t]);
  check_async_drained(exits);
  check_remote_arrivals_drained(exits);
  check_fills_read();
}

void Order::check_fills_read() {
  for (size_t resource = 0; resource < resources_.size(); ++resource) {
    const Resource &r = resources_[resource];
    if (r.writes.empty() || !r.reads.empty() || !program_.resource_is_read[resource]) continue;
    const Access &write = r.writes.front();
    const bool is_data = write.op->kind == Event::Kind::kCopy || write.op->kind == Event::Kind::kWrite;
    if (!is_data || !findings_.is_new("prove.undrained", write.op->event->origin)) continue;
    findings_.add("prove.undrained", write.op->event->origin,
                  program_.protocol->threads[write.thread].name + " in " + describe(*write.op->event) + " fills " +
                      program_.resource_names[resource] + ", which nobody reads before exit");
  }
}

void Order::check_async_drained(const std::vector<Clock> &exits) {
  const Protocol &protocol = *program_.protocol;
  auto report = [&](const Op *op, const std::string &what, size_t cta) {
    if (findings_.is_new("prove.undrained", op->event->origin))
      findings_.add("prove.undrained", op->event->origin,
                    what + " of " + describe(*op->event) + ": no role of CTA " + std::to_string(cta) +
                        " has waited for it when that CTA exits");
  };
  for (size_t cta = 0; cta < exits.size(); ++cta) {
    for (int t = 0; t < num_threads_; ++t) {
      if (last_pipe_op_[t] && exits[cta][pipe_component(t)] < pipes_[t][pipe_component(t)])
        report(last_pipe_op_[t], "the tensor work", cta);
      const bool is_own = program_.thread_cta[t] == static_cast<int>(cta);
      if (is_own && last_store_[t] &&
          (has_open_store_[t] || exits[cta][group_component(t)] < groups_closed_[t]))
        report(last_store_[t], "the bulk group", cta);
    }
    for (int b = 0; b < program_.num_barriers(); ++b)
      if (last_async_[b] && exits[cta][barrier_component(b)] < last_async_epoch_[b])
        report(last_async_[b], "the completion on " + protocol.barriers[b].name, cta);
  }
}

void Order::check_remote_arrivals_drained(const std::vector<Clock> &exits) {
  for (size_t cta = 0; cta < exits.size(); ++cta)
    for (int t = 0; t < num_threads_; ++t) {
      const Op *op = remote_ops_[cta][t];
      if (!op || exits[cta][t] >= remote_epochs_[cta][t] || !findings_.is_new("prove.undrained", op->event->origin))
        continue;
      findings_.add("prove.undrained", op->event->origin,
                    program_.protocol->threads[t].name + " in " + describe(*op->event) + " may arrive on " +
                        program_.protocol->barriers[op->barrier].name + " after CTA " + std::to_string(cta) +
                        " has exited");
    }
}

}  // namespace warpwright::prove
