// SPDX-License-Identifier: Apache-2.0
// JSON string escapes and UTF-8 arithmetic.
#include "generator/support/json_text.h"

#include <fmt/format.h>

namespace warpwright::support {

size_t utf8_sequence_bytes(std::string_view text, size_t offset) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(offset);
  if (lead < 0x80) return 1;
  const size_t count = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || offset + count > text.size()) return 0;
  for (size_t i = 1; i < count; ++i) {
    if ((byte(offset + i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and values above U+10FFFF differ from legal ones in the second byte only.
  const unsigned char second = byte(offset + 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
      (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return count;
}

size_t utf8_chars(std::string_view text) {
  size_t chars = 0;
  for (size_t at = 0; at < text.size(); ++chars) {
    const size_t bytes = utf8_sequence_bytes(text, at);
    at += bytes == 0 ? 1 : bytes;
  }
  return chars;
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = utf8_sequence_bytes(text, at);
    const char c = text[at];
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (bytes > 1) {
      out.append(text, at, bytes);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
    at += bytes == 0 ? 1 : bytes;
  }
  return out + "\"";
}

std::string json_number(double value) { return fmt::format("{}", value); }

}  // namespace warpwright::support
