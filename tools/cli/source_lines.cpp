// SPDX-License-Identifier: Apache-2.0
// Pairs the instructions of two PTX texts; writes the plan's names.
#include "tools/cli/source_lines.h"

#include "tools/emulator/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpwright::cli {

namespace {

using emulator::ptx::Instruction;
using emulator::ptx::Kernel;

bool is_same(const Instruction &a, const Instruction &b) {
  return a.opcode == b.opcode && a.guard == b.guard && a.operands.size() == b.operands.size();
}

}  // namespace

std::string names_of(const plan::KernelPlan &kernel) {
  std::string text;
  for (const plan::Barrier &barrier : kernel.barriers) {
    text += fmt::format("mbarrier {} {} {}", barrier.name, barrier.offset_bytes, barrier.count);
    const char *separator = " ";
    for (const plan::Arrival &arrival : barrier.arrivers) {
      text += fmt::format("{}{} {}", separator, arrival.role, arrival.count);
      separator = ", ";
    }
    text += "\n";
  }
  // After the barriers, which lie in a region of theirs: the first name that fits is the one.
  for (const plan::SmemRegion &region : kernel.smem.regions)
    text += fmt::format("shared {} {} {} {} {}\n", region.name, region.offset_bytes, region.stage_bytes, region.stride_bytes,
                        region.stages);
  for (const plan::Role &role : kernel.roles) text += fmt::format("role {} {} {}\n", role.name, role.first_warp, role.num_warps);
  for (const plan::NamedBarrier &barrier : kernel.named_barriers) text += fmt::format("barrier {} {}\n", barrier.name, barrier.id);
  return text;
}

SourceLines::SourceLines(const std::string &ptx, const std::string &with_lines) {
  const auto plain = emulator::ptx::parse(ptx), located = emulator::ptx::parse(with_lines);
  if (!plain.module || !located.module) return;
  for (const Kernel &kernel : plain.module->kernels) {
    const Kernel *other = located.module->find_kernel(kernel.name);
    if (!other) continue;
    const auto &a = kernel.instructions, &b = other->instructions;
    const size_t least = std::min(a.size(), b.size());
    size_t front = 0, back = 0;
    while (front < least && is_same(a[front], b[front])) ++front;
    while (back < least - front && is_same(a[a.size() - 1 - back], b[b.size() - 1 - back])) ++back;
    const auto pair = [&](const Instruction &from, const Instruction &to) {
      const uint32_t line = to.place.caller_line ? to.place.caller_line : to.place.source_line;
      if (line) lines_[from.place.line] = line;
    };
    for (size_t i = 0; i < front; ++i) pair(a[i], b[i]);
    for (size_t i = 1; i <= back; ++i) pair(a[a.size() - i], b[b.size() - i]);
  }
}

uint32_t SourceLines::line_of(uint32_t ptx_line) const {
  const auto found = lines_.find(ptx_line);
  return found == lines_.end() ? 0 : found->second;
}

std::string SourceLines::translate(const std::string &report, const std::string &file) const {
  static const std::string kWords = "PTX line ";
  std::string text;
  size_t done = 0;
  for (size_t at = report.find(kWords); at != std::string::npos; at = report.find(kWords, at + 1)) {
    uint32_t number = 0;
    const char *digits = report.data() + at + kWords.size();
    const char *end = std::from_chars(digits, report.data() + report.size(), number).ptr;
    const uint32_t line = line_of(number);
    const bool has_line = at > 0 && report[at - 1] == '(';  // the text that ran says it itself
    if (line == 0 || has_line) continue;
    text.append(report, done, at - done);
    done = static_cast<size_t>(end - report.data());
    text += fmt::format("{}:{} ({}{})", file, line, kWords, number);
  }
  return text.append(report, done);
}

}  // namespace warpwright::cli
