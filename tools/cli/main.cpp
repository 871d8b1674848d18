// SPDX-License-Identifier: Apache-2.0
// The program `warpwright`: signals, bugs and the state of standard output; everything else is in the verbs.
#include "generator/support/process.h"
#include "tools/cli/arguments.h"
#include "tools/cli/report.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace {

using warpwright::support::Exit;

/// Only calls that are safe in a signal handler.
void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

extern "C" void on_interrupt(int) {
  warpwright::support::kill_running_processes();
  say("interrupted\n");
  ::_exit(static_cast<int>(Exit::kInterrupted));
}

/// A library that aborts or a bad pointer is as much our bug as a failed assertion.
extern "C" void on_crash(int) {
  say("error[internal]: this is a bug in warpwright: it crashed\n"
      "  hint: report it with the spec and the output of `warpwright --version`\n");
  ::_exit(static_cast<int>(Exit::kOurBug));
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  // A file size limit is then a failed write like any other, which cleans up.
  ::signal(SIGXFSZ, SIG_IGN);
#if !defined(__SANITIZE_ADDRESS__)
  action.sa_handler = on_crash;
  action.sa_flags = SA_RESETHAND;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(number, &action, nullptr);
#endif
}

}  // namespace

int main(int argc, char **argv) {
  install_handlers();
  const int code = warpwright::cli::guarded([&] { return warpwright::cli::run_command_line(argc, argv); });
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::perror("error[cli.unwritable]: cannot write to standard output");
    return static_cast<int>(code == 0 ? Exit::kEnvironment : static_cast<Exit>(code));
  }
  return code;
}
