// SPDX-License-Identifier: Apache-2.0
// Signal handlers of InterruptScope.
#include "tools/cli/interruption.h"

#include "generator/support/diagnostics.h"
#include "generator/support/process.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace warpwright::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> has_come{false};
std::array<struct sigaction, kSignals.size()> earlier;

/// Only calls that are safe in a signal handler.
extern "C" void remember_interrupt(int) {
  if (has_come.exchange(true)) ::_exit(static_cast<int>(support::Exit::kInterrupted));
  support::kill_running_processes();
}

}  // namespace

InterruptScope::InterruptScope() {
  has_come = false;
  struct sigaction action {};
  action.sa_handler = remember_interrupt;
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &earlier[i]);
}

InterruptScope::~InterruptScope() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &earlier[i], nullptr);
}

bool InterruptScope::is_interrupted() { return has_come; }

}  // namespace warpwright::cli
