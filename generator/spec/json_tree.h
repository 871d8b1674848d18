// SPDX-License-Identifier: Apache-2.0
// A JSON text as a tree whose every key and value knows its place; free of any JSON library's types.
#pragma once

#include "generator/support/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::spec {

struct JsonMember;

/// One value. `begin` and `end` are byte offsets into the document's text.
struct JsonNode {
  enum class Kind { kNull, kBoolean, kInteger, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  int64_t integer = 0;   ///< kInteger
  double number = 0;     ///< kNumber: has a fraction or an exponent, or does not fit int64_t; finite
  std::string text;      ///< kText, decoded
  std::vector<JsonNode> items;      ///< kList
  std::vector<JsonMember> members;  ///< kObject, in order of writing, duplicates left out
  size_t begin = 0;
  size_t end = 0;

  const JsonNode *find(const std::string &key) const;
};

struct JsonMember {
  std::string key;
  size_t key_begin = 0;  ///< of the opening quote
  size_t key_end = 0;
  JsonNode value;
};

/// A parsed text. Positions count lines and code points from 1.
struct JsonDocument {
  std::string file;
  std::string text;
  JsonNode root;
  std::vector<size_t> line_begins;

  /// The place of a range of bytes; objects, lists and ranges of several lines are underlined by one character.
  support::SourceLocation locate(size_t begin, size_t end) const;
  support::SourceLocation locate(const JsonNode &node) const;
  support::SourceLocation locate_key(const JsonMember &member) const;
  /// The value as it was written, shortened to what fits a message.
  std::string literal(const JsonNode &node) const;
};

/// Longest text and deepest nesting that parse_json() accepts: far above any spec, far below what costs time or stack.
constexpr int64_t kJsonLimitBytes = int64_t{16} << 20;
constexpr int kJsonLimitDepth = 64;

/// Parses `text`; remembers it in `diagnostics` under the name `file`.
///
/// Errors    <stage>.not-json: what is wrong at which character, with a hint for comments, trailing commas, single
///           quotes and NaN; <stage>.duplicate-key for every second key of the same name. Nothing is returned for the
///           former; the first of equal keys counts for the latter.
std::optional<JsonDocument> parse_json(const std::string &file, std::string text, const std::string &stage,
                                       support::Diagnostics &diagnostics);

}  // namespace warpwright::spec
