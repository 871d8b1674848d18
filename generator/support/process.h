// SPDX-License-Identifier: Apache-2.0
// Running another program from an argument vector, with its output captured and its time limited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpwright::support {

struct ProcessRequest {
  std::vector<std::string> argv;  ///< argv[0] is searched in PATH when it has no slash; never goes through a shell
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to (or replacing) ours
  std::string folder;             ///< working folder; empty: ours
  std::string input;              ///< what the program reads from standard input
  double limit_seconds = 0;       ///< 0: none
  int64_t output_limit_bytes = int64_t{64} << 20;  ///< per stream; the rest is read and dropped
};

struct ProcessResult {
  bool started = false;
  std::string why;         ///< when not started: the system's reason
  int exit_code = -1;      ///< 128 + signal when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool is_truncated = false;  ///< a stream exceeded output_limit_bytes
  std::string out;
  std::string err;
  double seconds = 0;

  bool ok() const { return started && !timed_out && exit_code == 0; }
};

/// Runs a program to its end.
///
/// Ensures   it runs in a process group of its own; at the time limit, and if it leaves children behind that hold its
///           output open, the whole group is killed.
/// Threads   re-entrant.   Cost   blocks.
ProcessResult run_process(const ProcessRequest &request);

/// Kills the groups of all programs that run_process() is waiting for. Safe in a signal handler.
void kill_running_processes();

/// `name` as an executable file: itself if it has a slash, else the first match in PATH.
std::optional<std::string> find_program(const std::string &name);

/// The argument vector as one could paste it into a POSIX shell.
std::string shell_quoted(const std::vector<std::string> &argv);

}  // namespace warpwright::support
