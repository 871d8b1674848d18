// SPDX-License-Identifier: Apache-2.0
// Tables and figures for people: aligned columns, thousands separators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::support {

enum class Align { kLeft, kRight };

/// Columns padded to their widest cell (counted in code points), two spaces apart, no trailing spaces.
class TextTable {
 public:
  /// One call per column, before any row. A table whose headings are all empty prints none.
  void add_column(std::string heading, Align align = Align::kLeft);
  /// Requires at most as many cells as columns (our bug otherwise); missing cells are empty.
  void add_row(std::vector<std::string> cells);
  /// A line of dashes across the table.
  void add_rule();

  bool empty() const { return rows_.empty(); }
  /// Every line indented by `indent_chars` and ended by a newline.
  std::string render(int indent_chars = 2) const;

 private:
  struct Column {
    std::string heading;
    Align align;
  };
  struct Row {
    std::vector<std::string> cells;
    bool is_rule = false;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// 38912 → "38,912".
std::string format_thousands(int64_t value);
/// 38912 → "38,912 B".
std::string format_bytes(int64_t bytes);
/// `text`, or its first `most_bytes` bytes, cut between characters, and "…".
std::string shortened(const std::string &text, size_t most_bytes);
/// {"a", "b", "c"} → "a, b and c" (or another last word); {} → "".
std::string join_words(const std::vector<std::string> &words, const std::string &last = "and");

}  // namespace warpwright::support
