// SPDX-License-Identifier: Apache-2.0
// Writes JSON with two-space indentation, keys in the order given.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::plan {

/// Appends to one text. Members need a key inside an object and none inside a list.
///
/// Requires  begin and end calls match (our bug otherwise: text() checks).
class JsonWriter {
 public:
  void begin_object(std::string_view key = {});
  void end_object();
  void begin_list(std::string_view key = {});
  void end_list();

  void integer(std::string_view key, int64_t value);
  void number(std::string_view key, double value);
  void boolean(std::string_view key, bool value);
  void text(std::string_view key, std::string_view value);
  void texts(std::string_view key, const std::vector<std::string> &values);
  void integers(std::string_view key, const std::vector<int64_t> &values);
  void integer_map(std::string_view key, const std::map<std::string, int64_t> &values);
  void text_map(std::string_view key, const std::map<std::string, std::string> &values);
  /// A value that is JSON already; its lines after the first are indented to fit.
  void raw(std::string_view key, std::string_view json);

  /// The document, with a final newline.
  std::string take();

 private:
  void start_member(std::string_view key);
  void close(char bracket);

  std::string out_;
  std::vector<bool> has_members_;  ///< per open object or list
};

}  // namespace warpwright::plan
