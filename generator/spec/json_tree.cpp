// SPDX-License-Identifier: Apache-2.0
// JSON parsing by nlohmann's SAX interface; the only translation unit of the generator that includes that library.
#include "generator/spec/json_tree.h"

#include "generator/support/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace warpwright::spec {
namespace {

using support::Diagnostic;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Receives the events in order of the text. An event carries no position, but what lies between two tokens is only
/// white space, a comma or a colon: skipping those from the end of the last token gives the exact start of this one.
class TreeBuilder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  TreeBuilder(JsonDocument &document, const std::string &stage, support::Diagnostics &diagnostics)
      : document_(document), stage_(stage), diagnostics_(diagnostics) {
    if (std::string_view(document.text).substr(0, 3) == kByteOrderMark) cursor_ = kByteOrderMark.size();
  }

  bool null() { return add_scalar(JsonNode()); }
  bool boolean(bool value) {
    JsonNode node;
    node.kind = JsonNode::Kind::kBoolean;
    node.boolean = value;
    return add_scalar(std::move(node));
  }
  bool number_integer(number_integer_t value) {
    JsonNode node;
    node.kind = JsonNode::Kind::kInteger;
    node.integer = value;
    return add_scalar(std::move(node));
  }
  bool number_unsigned(number_unsigned_t value) {
    if (value <= static_cast<number_unsigned_t>(INT64_MAX)) return number_integer(static_cast<int64_t>(value));
    return number_float(static_cast<double>(value), "");
  }
  bool number_float(number_float_t value, const string_t &) {
    JsonNode node;
    node.kind = JsonNode::Kind::kNumber;
    node.number = value;
    return add_scalar(std::move(node));
  }
  bool string(string_t &value) {
    JsonNode node;
    node.kind = JsonNode::Kind::kText;
    node.text = std::move(value);
    return add_scalar(std::move(node));
  }
  bool binary(binary_t &) { return false; }  // JSON text has none

  bool start_object(size_t) { return open(JsonNode::Kind::kObject); }
  bool start_array(size_t) { return open(JsonNode::Kind::kList); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t &value) {
    Frame &frame = open_.back();
    frame.key = std::move(value);
    frame.key_begin = token_begin();
    cursor_ = frame.key_end = token_end(frame.key_begin);
    const auto [first, is_new] = frame.seen.emplace(frame.key, frame.key_begin);
    frame.is_duplicate = !is_new;
    if (!is_new) {
      const support::SourceLocation before = document_.locate(first->second, first->second + 1);
      Diagnostic d;
      d.slug = stage_ + ".duplicate-key";
      d.where = document_.locate(frame.key_begin, frame.key_end);
      d.path = path_of(frame.key);
      d.message = fmt::format("the key is already at line {}, column {}; keep one of the two", before.line,
                              before.column);
      diagnostics_.add(std::move(d));
    }
    return true;
  }

  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &error) {
    fail(std::min(position == 0 ? 0 : position - 1, document_.text.size()), error.what());
    return false;
  }

 private:
  struct Frame {
    JsonNode node;
    std::string key;  ///< kObject: of the member that is being read
    size_t key_begin = 0;
    size_t key_end = 0;
    bool is_duplicate = false;
    std::map<std::string, size_t> seen;
  };

  size_t token_begin() const {
    size_t at = cursor_;
    const std::string &text = document_.text;
    while (at < text.size() && (is_space(text[at]) || text[at] == ',' || text[at] == ':')) ++at;
    return at;
  }

  /// One past the token at `begin`, which the parser has found to be well formed.
  size_t token_end(size_t begin) const {
    const std::string &text = document_.text;
    size_t at = begin;
    if (at < text.size() && text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      return std::min(at + 1, text.size());
    }
    const std::string_view ends = " \t\r\n,:]}";
    while (at < text.size() && ends.find(text[at]) == std::string_view::npos) ++at;
    return at;
  }

  bool add_scalar(JsonNode node) {
    node.begin = token_begin();
    cursor_ = node.end = token_end(node.begin);
    return attach(std::move(node));
  }

  bool open(JsonNode::Kind kind) {
    const size_t begin = token_begin();
    if (static_cast<int>(open_.size()) >= kJsonLimitDepth) {
      add_not_json(begin, fmt::format("values are nested more than {} deep", kJsonLimitDepth), {});
      return false;
    }
    Frame frame;
    frame.node.kind = kind;
    frame.node.begin = begin;
    cursor_ = begin + 1;
    open_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    cursor_ = token_begin() + 1;
    JsonNode node = std::move(open_.back().node);
    open_.pop_back();
    node.end = cursor_;
    return attach(std::move(node));
  }

  bool attach(JsonNode node) {
    if (open_.empty()) {
      document_.root = std::move(node);
      return true;
    }
    Frame &frame = open_.back();
    if (frame.node.kind == JsonNode::Kind::kList) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.is_duplicate) {
      frame.node.members.push_back({frame.key, frame.key_begin, frame.key_end, std::move(node)});
    }
    return true;
  }

  std::string path_of(const std::string &last) const {
    std::string path;
    for (size_t i = 0; i + 1 < open_.size(); ++i) {
      if (open_[i].node.kind == JsonNode::Kind::kObject) path += open_[i].key + ".";
    }
    return path + last;
  }

  void add_not_json(size_t at, std::string message, std::vector<std::string> hints) {
    Diagnostic d;
    d.slug = stage_ + ".not-json";
    d.where = document_.locate(at, at + 1);
    d.message = std::move(message);
    d.hints = std::move(hints);
    diagnostics_.add(std::move(d));
  }

  /// Explains the mistakes that people make; otherwise passes on the parser's own words.
  void fail(size_t at, std::string parser_text) {
    const std::string &text = document_.text;
    size_t before = at;
    while (before > 0 && is_space(text[before - 1])) --before;
    const char previous = before > 0 ? text[before - 1] : '\0';
    const char found = at < text.size() ? text[at] : '\0';
    const size_t slash = found == '/' ? at : at > 0 && text[at - 1] == '/' ? at - 1 : std::string::npos;

    if (std::all_of(text.begin(), text.end(), is_space)) {
      add_not_json(0, "the text is empty", {"`warpwright new FAMILY` prints a spec to start from"});
    } else if (slash != std::string::npos) {
      add_not_json(slash, "JSON has no comments", {"write \"$comment\": \"...\" as a key of the object"});
    } else if (parser_text.find("out_of_range.406") != std::string::npos) {
      add_not_json(number_begin(at), "the number is too large for a 64-bit floating-point value", {});
    } else if (at >= text.size()) {
      std::string message = "the text ends too early";
      if (!open_.empty()) {
        const support::SourceLocation begin = document_.locate(open_.back().node);
        message += fmt::format(": the {} that opens at line {}, column {} is not closed",
                               open_.back().node.kind == JsonNode::Kind::kList ? "list" : "object", begin.line,
                               begin.column);
      }
      add_not_json(text.size(), message, {});
    } else if ((found == '}' || found == ']') && previous == ',') {
      add_not_json(before - 1, fmt::format("a comma before the closing '{}'; remove it", found), {});
    } else if (const std::string word = word_at(at); word == "True" || word == "False" || word == "None") {
      add_not_json(word_begin(at), "true, false and null are written in lower case", {});
    } else if (word == "NaN" || word == "Infinity" || word == "-Infinity" || word == "inf" || word == "nan") {
      add_not_json(word_begin(at), "JSON has no NaN and no infinity", {});
    } else if (found == '\'') {
      add_not_json(at, "strings and keys need double quotes", {});
    } else {
      add_not_json(at, parser_words(std::move(parser_text)), {});
    }
  }

  static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }

  size_t word_begin(size_t at) const {
    while (at > 0 && is_word(document_.text[at - 1])) --at;
    return at;
  }

  std::string word_at(size_t at) const {
    size_t end = at;
    while (end < document_.text.size() && is_word(document_.text[end])) ++end;
    const size_t begin = word_begin(at);
    return document_.text.substr(begin, std::min<size_t>(end - begin, 16));
  }

  /// Start of the number that ends just before or at `at`.
  size_t number_begin(size_t at) const {
    const std::string_view digits = "0123456789+-.eE";
    at = std::min(at, document_.text.size());
    while (at > 0 && digits.find(document_.text[at - 1]) != std::string_view::npos) --at;
    return at;
  }

  /// "[json.exception…] parse error at line 1, column 2: syntax error while …" without its first two parts.
  static std::string parser_words(std::string text) {
    const size_t place = text.find("column ");
    const size_t begin = place == std::string::npos ? text.find("] ") : text.find(": ", place);
    if (begin != std::string::npos) text = text.substr(begin + 2);
    constexpr size_t kShownBytes = 240;
    if (text.size() > kShownBytes) text = text.substr(0, kShownBytes) + "…";
    return text;
  }

  JsonDocument &document_;
  const std::string &stage_;
  support::Diagnostics &diagnostics_;
  std::vector<Frame> open_;
  size_t cursor_ = 0;
};

}  // namespace

const JsonNode *JsonNode::find(const std::string &key) const {
  for (const JsonMember &member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

support::SourceLocation JsonDocument::locate(size_t begin, size_t end) const {
  begin = std::min(begin, text.size());
  end = std::clamp(end, begin, text.size());
  const auto after = std::upper_bound(line_begins.begin(), line_begins.end(), begin);
  const size_t line = static_cast<size_t>(after - line_begins.begin());
  const size_t line_begin = line_begins[line - 1];
  const std::string_view all(text);
  const std::string_view token = all.substr(begin, end - begin);
  support::SourceLocation where;
  where.file = file;
  where.line = static_cast<int>(line);
  where.column = static_cast<int>(support::utf8_chars(all.substr(line_begin, begin - line_begin))) + 1;
  const bool is_one_line = token.find('\n') == std::string_view::npos;
  where.width_chars = is_one_line ? std::max(1, static_cast<int>(support::utf8_chars(token))) : 1;
  return where;
}

support::SourceLocation JsonDocument::locate(const JsonNode &node) const {
  const bool is_container = node.kind == JsonNode::Kind::kObject || node.kind == JsonNode::Kind::kList;
  return locate(node.begin, is_container && node.kind == JsonNode::Kind::kObject ? node.begin + 1 : node.end);
}

support::SourceLocation JsonDocument::locate_key(const JsonMember &member) const {
  return locate(member.key_begin, member.key_end);
}

std::string JsonDocument::literal(const JsonNode &node) const {
  constexpr size_t kShownBytes = 48;
  if (node.kind == JsonNode::Kind::kObject) return "an object";
  if (node.end - node.begin > kShownBytes) {
    if (node.kind == JsonNode::Kind::kList) return "a list";
    size_t cut = node.begin + kShownBytes;
    while (cut > node.begin && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
    return text.substr(node.begin, cut - node.begin) + "…";
  }
  return text.substr(node.begin, node.end - node.begin);
}

std::optional<JsonDocument> parse_json(const std::string &file, std::string text, const std::string &stage,
                                       support::Diagnostics &diagnostics) {
  JsonDocument document;
  document.file = file;
  document.text = std::move(text);
  document.line_begins.push_back(0);
  for (size_t at = 0; at < document.text.size(); ++at) {
    if (document.text[at] == '\n') document.line_begins.push_back(at + 1);
  }
  diagnostics.add_source(file, document.text);

  Diagnostic refusal;
  refusal.slug = stage + ".not-json";
  if (static_cast<int64_t>(document.text.size()) > kJsonLimitBytes) {
    refusal.where.file = file;
    refusal.message = fmt::format("the text has {} bytes; at most {} are read", document.text.size(), kJsonLimitBytes);
    diagnostics.add(std::move(refusal));
    return std::nullopt;
  }
  // The parser takes a zero byte for the end of the text and would not look at what follows.
  if (const size_t zero = document.text.find('\0'); zero != std::string::npos) {
    refusal.where = document.locate(zero, zero + 1);
    refusal.message = "a zero byte: this is not a text";
    diagnostics.add(std::move(refusal));
    return std::nullopt;
  }
  TreeBuilder builder(document, stage, diagnostics);
  if (!nlohmann::json::sax_parse(document.text, &builder)) return std::nullopt;
  return document;
}

}  // namespace warpwright::spec
