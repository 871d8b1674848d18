// SPDX-License-Identifier: Apache-2.0
// Tables and figures for people.
#include "generator/support/text_table.h"

#include "generator/support/diagnostics.h"
#include "generator/support/json_text.h"

#include <algorithm>

namespace warpwright::support {

void TextTable::add_column(std::string heading, Align align) {
  WARPWRIGHT_ASSERT(rows_.empty(), "a column was added after a row");
  columns_.push_back({std::move(heading), align});
}

void TextTable::add_row(std::vector<std::string> cells) {
  WARPWRIGHT_ASSERT(cells.size() <= columns_.size(), "a table row has more cells than the table has columns");
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), false});
}

void TextTable::add_rule() { rows_.push_back({{}, true}); }

std::string TextTable::render(int indent_chars) const {
  std::vector<size_t> widths;
  bool has_headings = false;
  for (const Column &column : columns_) {
    widths.push_back(utf8_chars(column.heading));
    has_headings = has_headings || !column.heading.empty();
  }
  for (const Row &row : rows_) {
    for (size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], utf8_chars(row.cells[i]));
  }
  size_t table_chars = 0;
  for (const size_t width : widths) table_chars += width + (table_chars == 0 ? 0 : 2);

  std::string out;
  const auto print = [&](std::string line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) out += std::string(static_cast<size_t>(indent_chars), ' ') + line;
    out += '\n';
  };
  const auto print_cells = [&](const std::vector<std::string> &cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) line += "  ";
      const std::string padding(widths[i] - utf8_chars(cells[i]), ' ');
      line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
    }
    print(line);
  };
  if (has_headings) {
    std::vector<std::string> headings;
    for (const Column &column : columns_) headings.push_back(column.heading);
    print_cells(headings);
  }
  for (const Row &row : rows_) row.is_rule ? print(std::string(table_chars, '-')) : print_cells(row.cells);
  return out;
}

std::string format_thousands(int64_t value) {
  // The magnitude of the smallest int64_t has no int64_t.
  const uint64_t magnitude = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits = std::to_string(magnitude);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return value < 0 ? "-" + digits : digits;
}

std::string format_bytes(int64_t bytes) { return format_thousands(bytes) + " B"; }

std::string shortened(const std::string &text, size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  size_t cut = most_bytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + "…";
}

std::string join_words(const std::vector<std::string> &words, const std::string &last) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += i + 1 == words.size() ? " " + last + " " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace warpwright::support
