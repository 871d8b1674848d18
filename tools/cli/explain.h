// SPDX-License-Identifier: Apache-2.0
// The long texts behind the slugs of messages.
#pragma once

#include <string>
#include <vector>

namespace warpwright::cli {

struct Explanation {
  std::string slug;
  std::string what;     ///< one line: what the message says
  std::string why;      ///< why it is refused or reported
  std::string example;  ///< what provokes it
  std::string fix;      ///< what to do
  std::string source;   ///< manual section, or empty
};

/// The texts of one stage; each in explain_<stage>.cpp.
std::vector<Explanation> explain_spec();
std::vector<Explanation> explain_plan();
std::vector<Explanation> explain_generate();  ///< ir, lower, emit
std::vector<Explanation> explain_prove();
std::vector<Explanation> explain_compile();   ///< compile, environment, writing archives
std::vector<Explanation> explain_archive();   ///< reading archives
std::vector<Explanation> explain_cli();
std::vector<Explanation> explain_gpu();       ///< run --on gpu, time
std::vector<Explanation> explain_pack();
std::vector<Explanation> explain_conformance();  ///< findings of runs against the IR
std::vector<Explanation> explain_emulator();  ///< findings of runs

/// All of them, in order of slug.
const std::vector<Explanation> &explanations();

}  // namespace warpwright::cli
