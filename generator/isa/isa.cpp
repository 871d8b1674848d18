// SPDX-License-Identifier: Apache-2.0
// The table, and the collecting of its texts.
#include "generator/isa/isa.h"

#include "generator/support/diagnostics.h"

#include <algorithm>
#include <set>

namespace warpwright::isa {
namespace {

#include "generator/isa/isa_table.inc"

template <typename Row> const Row *find_row(const std::vector<Row> &rows, const std::string &name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row &candidate) { return candidate.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

/// Adds `name` and all that it depends on.
void require_piece(const std::string &name, std::set<std::string> &needed) {
  if (!needed.insert(name).second) return;
  const Instruction *instruction = find_instruction(name);
  const DeviceFunction *function = instruction ? nullptr : find_device_function(name);
  WARPWRIGHT_ASSERT(instruction || function, "no instruction or device function is called '" + name + "'");
  for (const std::string &dependency : instruction ? instruction->dependencies : function->dependencies)
    require_piece(dependency, needed);
}

void append_section(std::string &text, const std::string &title, const std::vector<std::string> &pieces) {
  if (pieces.empty()) return;
  const size_t rule = 120 - std::min<size_t>(title.size() + 9, 110);
  text += "\n// ---- " + title + " " + std::string(rule, '-') + "\n";
  for (const std::string &piece : pieces) text += "\n" + piece;
}

}  // namespace

const std::vector<Instruction> &all_instructions() {
  static const std::vector<Instruction> rows = make_instructions();
  return rows;
}

const std::vector<DeviceFunction> &all_device_functions() {
  static const std::vector<DeviceFunction> rows = make_device_functions();
  return rows;
}

const Instruction *find_instruction(const std::string &name) { return find_row(all_instructions(), name); }
const DeviceFunction *find_device_function(const std::string &name) { return find_row(all_device_functions(), name); }

const std::string &prelude_text() {
  static const std::string text = kPrelude;
  return text;
}

std::string collect_device_text(const std::vector<std::string> &names) {
  std::set<std::string> needed;
  for (const std::string &name : names) require_piece(name, needed);

  std::vector<std::string> types, instructions, functions;
  for (const Instruction &row : all_instructions())
    if (needed.count(row.name)) instructions.push_back(row.wrapper_text);
  for (const DeviceFunction &row : all_device_functions())
    if (needed.count(row.name)) (row.is_type ? types : functions).push_back(row.text);

  std::string text = prelude_text();
  append_section(text, "Types", types);
  append_section(text, "PTX instructions", instructions);
  append_section(text, "Device functions", functions);
  return text;
}

}  // namespace warpwright::isa
