// SPDX-License-Identifier: Apache-2.0
// Runs one grid of one kernel, and says what it found.
#pragma once

#include "tools/emulator/machine/module_memory.h"
#include "tools/emulator/machine/names.h"
#include "tools/emulator/machine/schedule.h"
#include "tools/emulator/machine/trace.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/profile/lines.h"
#include "tools/emulator/ptx/module.h"
#include "tools/emulator/race/detector.h"

#include <memory>
#include <string>
#include <vector>

namespace warpwright::emulator {

/// One launch. `module` owns `kernel`; both outlive the run, and so does `variables`.
struct Launch {
  const ptx::Module *module = nullptr;
  const ptx::Kernel *kernel = nullptr;
  const ModuleMemory *variables = nullptr;  ///< nullptr: the module's variables begin anew in this launch
  ptx::Dim3 grid, block;
  ptx::Dim3 cluster;  ///< 0 in x: what the kernel requires, else 1 × 1 × 1
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;  ///< Kernel::parameter_bytes of them
  Names names;
  Trace trace;  ///< who listens; nobody: nothing is traced
};

/// When asynchronous work completes, and who runs next.
enum class Schedule : uint8_t {
  kEager,   ///< asynchronous work at once, warps in turn
  kLazy,    ///< asynchronous work only when no warp can run, the oldest first
  kRandom,  ///< either, drawn from `seed`
  /// Each warp in turn, from number `seed` on, is held for as long as others can run; asynchronous work goes on when they
  /// cannot, the newest first, before the held warp or after it.
  kAdversarial,
};

/// A finding that a launch may have: its slug, and a part of its text; an empty part stands for any text.
struct Waiver {
  std::string slug, text;
};

struct Options {
  Schedule schedule = Schedule::kLazy;
  uint64_t seed = 0;
  uint64_t max_warp_instructions = uint64_t{1} << 31;  ///< of the whole launch; then run.too-long
  uint32_t max_findings = 20;
  std::vector<Waiver> waivers;  ///< of findings that the kernel survives
  bool checks_memory = true;  ///< hazards of shared and tensor memory, initialisation
  bool checks_races = true;   ///< happens-before, whatever the schedule
  race::TensorOrder tensor_order = race::TensorOrder::kIssueOrder;
  uint32_t jobs = 1;          ///< clusters at a time
  bool records_schedule = false;  ///< for Report::schedule
  Branches branches = Branches::kAsData;
  bool profiles = false;          ///< for Report::profile
  std::shared_ptr<const RecordedSchedule> replay;  ///< instead of `schedule`: these decisions, of one cluster
};

/// Something wrong with the kernel, or with how it was launched.
struct Finding {
  std::string slug;  ///< "mbarrier.over-arrival"
  std::string text;
  std::string where;  ///< "role mma, CTA (1,0,0) rank 1, warp 5, lane 0, gemm.cu:540 (PTX line 412)"
};

struct Statistics {
  uint64_t warp_instructions = 0;
  uint64_t clusters = 0;
  uint64_t async_operations = 0;
  uint64_t mmas = 0;
  uint64_t bytes_loaded = 0;  ///< by TMA
  uint64_t bytes_stored = 0;  ///< by TMA
};

struct Report {
  std::vector<Finding> findings;
  uint64_t findings_left_out = 0;
  Statistics statistics;
  std::string schedule;      ///< decisions up to the first finding (write_schedule()); empty: none, not asked for, or too many
  std::vector<profile::Entry> profile;  ///< by instruction; empty: not asked for
  bool is_complete = false;  ///< every CTA ran to its end
  bool is_clean() const { return is_complete && findings.empty() && findings_left_out == 0; }
};

/// Runs the grid. Never hangs: a launch in which nothing can go on ends with `run.deadlock`, an endless one with
/// `run.too-long`.
///
/// Errors    as findings: launch.* for a launch that the device would refuse, ptx.* for instructions that the machine does
///           not have, and those of the README's table.
/// Threads   several launches at once on one GlobalMemory are fine.
Report run(const Launch &launch, GlobalMemory &memory, const Options &options);

}  // namespace warpwright::emulator
