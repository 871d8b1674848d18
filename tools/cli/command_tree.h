// SPDX-License-Identifier: Apache-2.0
// The verbs and options as data, for shell completion.
#pragma once

#include <string>
#include <vector>

namespace warpwright::cli {

struct CommandOption {
  std::string long_name;   ///< "--grid"
  std::string short_name;  ///< "-o", or empty
  std::string text;
  bool takes_value = false;
};

struct Command {
  std::string name;
  std::string text;
  std::vector<CommandOption> options;
  std::vector<std::string> words;  ///< legal words of the first positional, where they can be listed
};

using CommandTree = std::vector<Command>;

}  // namespace warpwright::cli
