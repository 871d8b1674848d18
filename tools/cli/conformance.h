// SPDX-License-Identifier: Apache-2.0
// Holds what the emulator sees of a launch against the protocol of the kernel's final IR.
#pragma once

#include "generator/prove/conform.h"

#include <map>

namespace warpwright::emulator {
struct TraceEvent;
struct TraceVerdict;
}  // namespace warpwright::emulator

namespace warpwright::cli {

/// One launch of a kernel. `script` outlives it.
class ConformanceCheck {
 public:
  explicit ConformanceCheck(const prove::Script &script) : conformance_(script) {}

  /// For EmulatedDevice::trace(); `user` is a ConformanceCheck.
  static void listen(void *user, const emulator::TraceEvent &event, emulator::TraceVerdict *verdict);
  /// What is wrong with how many tiles the launch's clusters have worked on together, or nothing. `output_tiles`: the plan's
  /// expression over `variables`.
  std::string judge_tiles(const std::string &output_tiles, const std::map<std::string, int64_t> &variables) const;

 private:
  prove::Conformance conformance_;
};

}  // namespace warpwright::cli
