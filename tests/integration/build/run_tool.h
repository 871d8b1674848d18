// SPDX-License-Identifier: Apache-2.0
// Runs the program `warpwright` from a test.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace warpwright::build_test {

struct Run {
  int exit_code = -1;  ///< 1000 + signal if one ended it
  std::string out;
  std::string err;
};

/// Runs it to its end; `meanwhile` gets its process id once it has started. `folder` takes its output.
Run run_tool(
    std::vector<std::string> arguments, const std::string &folder,
    const std::function<void(pid_t)> &meanwhile = [](pid_t) {});

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace warpwright::build_test
