// SPDX-License-Identifier: Apache-2.0
// The schedules under which a protocol is run.
#include "generator/prove/machine.h"

#include <numeric>

namespace warpwright::prove {
namespace {

/// Who moves first when several threads can.
struct Schedule {
  std::string words;
  Engines engines;
  std::vector<int> order;  ///< threads by priority; each runs until it blocks
  int goes_first = -1;     ///< this thread moves whenever it can; the others one event at a time
  int goes_last = -1;      ///< this thread passes a wait only when nothing else can move
};

bool step_others(Machine &machine, const Schedule &schedule) {
  bool moved = false;
  for (int t : schedule.order) {
    if (t == schedule.goes_last || t == schedule.goes_first) continue;
    if (schedule.goes_first >= 0) {
      while (machine.step(schedule.goes_first)) moved = true;
      moved = machine.step(t) || moved;
    } else {
      while (machine.step(t)) moved = true;
    }
  }
  if (schedule.goes_first >= 0)
    while (machine.step(schedule.goes_first)) moved = true;
  return moved;
}

/// Passes at most one wait, so that everybody else runs on while the thread is held at the next one.
bool step_last(Machine &machine, int thread) {
  bool moved = false;
  while (machine.step(thread)) {
    moved = true;
    if (machine.next_is_wait(thread)) break;
  }
  return moved;
}

void run(const Program &program, const Schedule &schedule, Findings &findings) {
  findings.set_schedule(schedule.words);
  Machine machine(program, findings, schedule.engines);
  for (;;) {
    if (step_others(machine, schedule)) continue;
    if (machine.complete_one()) continue;
    if (schedule.goes_last >= 0 && step_last(machine, schedule.goes_last)) continue;
    break;
  }
  machine.report_end();
}

std::vector<Schedule> base_schedules(int num_threads) {
  std::vector<int> forward(static_cast<size_t>(num_threads));
  std::iota(forward.begin(), forward.end(), 0);
  const std::vector<int> backward(forward.rbegin(), forward.rend());
  return {
      {"copies and tensor work complete at once", {true, true, false, true}, forward},
      {"copies and tensor work complete late, oldest first", {false, false, false, true}, forward},
      {"copies and tensor work complete late, newest first", {false, false, true, true}, backward},
      {"copies complete at once, tensor work late", {true, false, false, true}, backward},
      {"copies complete late, tensor work at once", {false, true, false, true}, forward},
  };
}

/// The adversary. What the others can reach while a thread stands at a wait depends only on which wait it is, as long as
/// every wait is answered by its own phase (and one that is not is reported): so one run, in which the thread always
/// goes last, holds it at each of its waits.
std::vector<Schedule> adverse_schedules(const Protocol &protocol, const std::vector<int> &order) {
  std::vector<Schedule> schedules;
  for (int t : order) {
    const std::string &name = protocol.threads[static_cast<size_t>(t)].name;
    schedules.push_back({name + " held at each wait, copies complete at once", {true, true, false, false}, order, -1, t});
    schedules.push_back(
        {name + " held at each wait, copies complete late", {false, false, false, false}, order, -1, t});
    schedules.push_back({name + " ahead of all others", {true, true, false, false}, order, t, -1});
  }
  return schedules;
}

}  // namespace

void check_protocol(const Protocol &protocol, const CheckOptions &options, support::Diagnostics &diagnostics) {
  const Program program = make_program(protocol);
  Findings findings(protocol, diagnostics);
  std::vector<Schedule> schedules = base_schedules(program.num_threads());
  if (options.hold_each_wait)
    for (Schedule &schedule : adverse_schedules(protocol, schedules.front().order)) schedules.push_back(schedule);
  for (const Schedule &schedule : schedules) {
    run(program, schedule, findings);
    if (findings.is_stuck()) break;
  }
}

}  // namespace warpwright::prove
