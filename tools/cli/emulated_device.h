// SPDX-License-Identifier: Apache-2.0
// The emulator behind the runtime: the same calls that reach a GPU, and what the emulator says besides.
#pragma once

#include "generator/support/diagnostics.h"
#include "tools/cli/trial_launch.h"
#include "tools/emulator/profile/lines.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpwright::emulator {
struct TraceEvent;
struct TraceVerdict;
}  // namespace warpwright::emulator

namespace warpwright::cli {

/// Sums over one launch.
struct EmulatedLaunch {
  uint64_t warp_instructions = 0, mmas = 0, bytes_loaded = 0, bytes_stored = 0;
  std::string report;  ///< findings, a line each; empty when there are none
};

/// A kernel of a PTX text, and how it is launched. cluster 0 in x: what the kernel requires.
struct PtxLaunch {
  std::string ptx, entry;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::vector<uint8_t>> arguments;  ///< one each parameter, as long as it is
};

/// Each schedule as it is; `forces`: then with branches on loaded data taken, and not taken.
std::vector<std::string> with_forced_branches(const std::vector<std::string> &schedules, bool forces);
/// Whether launches under it take paths that no data may lead to: findings count, values and the plan's tiles do not.
inline bool forces_branches(const std::string &schedule) { return schedule.find('+') != std::string::npos && schedule.rfind("replay:", 0) != 0; }

/// One device of the emulator with its context current in the thread that opened it.
class EmulatedDevice : public DeviceMemory {
 public:
  /// Finds libwarpwright_cuda_emulator.so: $WARPWRIGHT_EMULATOR, ../lib beside the program. The device is of `arch`
  /// ("sm_100a") unless WARPWRIGHT_EMULATOR_ARCH says otherwise; a process has one architecture. `checks_races` false: no
  /// happens-before, whatever WARPWRIGHT_EMULATOR_CHECKS says.
  /// Errors    environment.no-emulator with the places searched.
  static std::unique_ptr<EmulatedDevice> open(const std::string &arch, bool checks_races, support::Diagnostics &diagnostics);
  ~EmulatedDevice() override;

  ww_driver_t *driver() const override { return driver_; }
  /// "lazy", "eager", "random:7", "adversarial", "adversarial:3", "lazy+taken", "replay:FILE"; `jobs` clusters at a time. Empty, or why not.
  std::string configure(const std::string &schedule, int jobs);
  /// From now on launches keep the decisions of their schedules; those of the last one that had a finding, as a text.
  void record_schedules();
  std::string last_schedule() const;
  /// From now on launches count what their instructions do; those of the last one.
  void record_profiles();
  std::vector<emulator::profile::Entry> last_profile() const;
  /// Names for the findings of launches of a kernel, in the form of parse_names() (tools/emulator/machine/names.h).
  bool set_names(const std::string &kernel, const std::string &names);
  /// Who listens to launches of a kernel from now on, and may find something wrong (tools/emulator/machine/trace.h); nullptr: nobody.
  using Listener = void (*)(void *user, const emulator::TraceEvent &event, emulator::TraceVerdict *verdict);
  void trace(const std::string &kernel, Listener listen, void *user);
  /// "tensor-order" or "ptx-strict", and slugs of findings that launches from now on do not have.
  void judge_by(const std::string &policy, const std::vector<std::string> &waivers);
  /// Findings that launches from now on do not have: a slug, and a part of their text.
  void waive(const std::string &slug, const std::string &text);
  /// Freed with the device; findings have the emulator's words, not `name`.
  uint64_t allocate(const std::string &name, uint64_t bytes) override;
  bool write(uint64_t address, const std::vector<uint8_t> &bytes) override;
  std::vector<uint8_t> read(uint64_t address, uint64_t bytes) override;
  void free_all() override;
  /// Loads the text, launches and unloads: empty, or the driver's word for what went wrong; last_launch() has the findings.
  std::string launch(const PtxLaunch &wanted);
  EmulatedLaunch last_launch() const;

 private:
  struct Functions;
  EmulatedDevice();
  std::unique_ptr<Functions> functions_;
  ww_driver_t *driver_ = nullptr;
  std::vector<uint64_t> allocations_;
};

}  // namespace warpwright::cli
