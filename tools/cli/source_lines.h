// SPDX-License-Identifier: Apache-2.0
// What the emulator's reports call things: the plan's names, and lines of the emitted source for lines of its PTX.
#pragma once

#include "generator/plan/records.h"

#include <cstdint>
#include <map>
#include <string>

namespace warpwright::cli {

/// The regions, barriers and roles of a kernel, in the form of parse_names() (tools/emulator/machine/names.h).
std::string names_of(const plan::KernelPlan &kernel);

/// Where in an emitted file the instructions of its PTX come from. The PTX that runs is the archive's, which has no line
/// information; a second one of the same source has it, and is the same but for that.
class SourceLines {
 public:
  SourceLines() = default;
  /// `ptx`: what runs. `with_lines`: the same with .loc. Instructions that the two do not share have no line.
  SourceLines(const std::string &ptx, const std::string &with_lines);
  /// 0: unknown. Of inlined functions the line of the outermost call.
  uint32_t line_of(uint32_t ptx_line) const;
  /// "PTX line 412" becomes "flux1_qkv.cu:540 (PTX line 412)".
  std::string translate(const std::string &report, const std::string &file) const;

 private:
  std::map<uint32_t, uint32_t> lines_;
};

}  // namespace warpwright::cli
