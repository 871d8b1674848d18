// SPDX-License-Identifier: Apache-2.0
// JSON text, member by member.
#include "generator/plan/json_writer.h"

#include "generator/support/diagnostics.h"
#include "generator/support/json_text.h"

namespace warpwright::plan {

using support::json_quote;

void JsonWriter::start_member(std::string_view key) {
  if (!has_members_.empty()) {
    out_ += has_members_.back() ? ",\n" : "\n";
    has_members_.back() = true;
    out_.append(2 * has_members_.size(), ' ');
  }
  if (!key.empty()) out_ += json_quote(key) + ": ";
}

void JsonWriter::close(char bracket) {
  WARPWRIGHT_ASSERT(!has_members_.empty(), "a JSON bracket is closed that was not opened");
  const bool had_members = has_members_.back();
  has_members_.pop_back();
  if (had_members) {
    out_ += '\n';
    out_.append(2 * has_members_.size(), ' ');
  }
  out_ += bracket;
}

void JsonWriter::begin_object(std::string_view key) {
  start_member(key);
  out_ += '{';
  has_members_.push_back(false);
}
void JsonWriter::end_object() { close('}'); }
void JsonWriter::begin_list(std::string_view key) {
  start_member(key);
  out_ += '[';
  has_members_.push_back(false);
}
void JsonWriter::end_list() { close(']'); }

void JsonWriter::integer(std::string_view key, int64_t value) {
  start_member(key);
  out_ += std::to_string(value);
}
void JsonWriter::number(std::string_view key, double value) {
  start_member(key);
  out_ += support::json_number(value);
}
void JsonWriter::boolean(std::string_view key, bool value) {
  start_member(key);
  out_ += value ? "true" : "false";
}
void JsonWriter::text(std::string_view key, std::string_view value) {
  start_member(key);
  out_ += json_quote(value);
}

void JsonWriter::texts(std::string_view key, const std::vector<std::string> &values) {
  start_member(key);
  out_ += '[';
  for (size_t i = 0; i < values.size(); ++i) out_ += (i == 0 ? "" : ", ") + json_quote(values[i]);
  out_ += ']';
}

void JsonWriter::integers(std::string_view key, const std::vector<int64_t> &values) {
  start_member(key);
  out_ += '[';
  for (size_t i = 0; i < values.size(); ++i) out_ += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  out_ += ']';
}

void JsonWriter::integer_map(std::string_view key, const std::map<std::string, int64_t> &values) {
  begin_object(key);
  for (const auto &[name, value] : values) integer(name, value);
  end_object();
}

void JsonWriter::text_map(std::string_view key, const std::map<std::string, std::string> &values) {
  begin_object(key);
  for (const auto &[name, value] : values) text(name, value);
  end_object();
}

void JsonWriter::raw(std::string_view key, std::string_view json) {
  start_member(key);
  while (!json.empty() && json.back() == '\n') json.remove_suffix(1);
  for (const char c : json) {
    out_ += c;
    if (c == '\n') out_.append(2 * has_members_.size(), ' ');
  }
}

std::string JsonWriter::take() {
  WARPWRIGHT_ASSERT(has_members_.empty(), "a JSON bracket is open at the end");
  return std::move(out_) + "\n";
}

}  // namespace warpwright::plan
