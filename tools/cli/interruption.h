// SPDX-License-Identifier: Apache-2.0
// Ending a long verb in order: running compilers are killed, temporary folders go, the exit code is 130.
#pragma once

namespace warpwright::cli {

/// While it lives, the first interrupt (SIGINT, SIGTERM, SIGHUP) kills the programs that run and is remembered; the
/// second one ends the process at once. Not to be nested.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  /// Whether the interrupt has come: workers stop before their next step.
  static bool is_interrupted();
};

}  // namespace warpwright::cli
