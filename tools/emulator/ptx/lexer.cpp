// SPDX-License-Identifier: Apache-2.0
// Cuts PTX text into tokens by a table of byte classes.
#include "tools/emulator/ptx/lexer.h"

#include <array>

namespace warpwright::emulator::ptx {
namespace {

enum : uint8_t { kBlank = 1, kDigit = 2, kLetter = 4, kNameStart = 8, kMark = 16 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\r', '\v', '\f', '\n'}) table[static_cast<uint8_t>(c)] = kBlank;
  for (char c = '0'; c <= '9'; ++c) table[static_cast<uint8_t>(c)] = kDigit;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<uint8_t>(c)] = kLetter | kNameStart;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<uint8_t>(c)] = kLetter | kNameStart;
  // Source: PTX ISA 9.0, "Identifiers": [a-zA-Z][a-zA-Z0-9_$]* or [_$%][a-zA-Z0-9_$]+; '_' alone is the sink.
  for (const char c : {'_', '$'}) table[static_cast<uint8_t>(c)] = kLetter | kNameStart;
  table['%'] = kNameStart | kMark;
  for (const char c : std::string_view("{}()[]<>,;:|!@+-=*/&^~?")) table[static_cast<uint8_t>(c)] = kMark;
  return table;
}

constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool has(char c, uint8_t mask) { return (kClasses[static_cast<uint8_t>(c)] & mask) != 0; }

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (has(c, kBlank)) {
      line_ += c == '\n';
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) throw Failure{"ptx.syntax", "a comment is not closed", at_};
      for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    } else {
      return;
    }
  }
}

size_t Lexer::end_of_number() const {
  const auto at = [&](size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  // 0x, 0f, 0d take hexadecimal digits, among them 'e', after which a sign is no exponent's.
  const bool may_have_exponent = at(at_) != '0' || !has(at(at_ + 1), kLetter);
  size_t end = at_;
  while (has(at(end), kDigit | kLetter) || at(end) == '.' ||
         ((at(end) == '+' || at(end) == '-') && may_have_exponent && (at(end - 1) == 'e' || at(end - 1) == 'E')))
    ++end;
  return end;
}

size_t Lexer::end_of_directive() const {
  const auto at = [&](size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  size_t end = at_ + 1;
  while (has(at(end), kDigit | kLetter)) {
    while (has(at(end), kDigit | kLetter)) ++end;
    if (at(end) == ':' && at(end + 1) == ':' && has(at(end + 2), kDigit | kLetter)) end += 2;
  }
  return end;
}

Token Lexer::token(Token::Kind kind, size_t end) {
  const Token out{kind, text_.substr(at_, end - at_), line_};
  at_ = end;
  return out;
}

Token Lexer::next() {
  skip_blanks();
  if (at_ == text_.size()) return token(Token::Kind::kEnd, at_);
  const char c = text_[at_];
  if (has(c, kDigit)) return token(Token::Kind::kNumber, end_of_number());
  if (c == '.') {
    const size_t end = end_of_directive();
    if (end == at_ + 1) throw Failure{"ptx.syntax", "a dot without a name", at_};
    return token(Token::Kind::kDirective, end);
  }
  if (has(c, kNameStart)) {
    size_t end = at_ + 1;
    while (end < text_.size() && has(text_[end], kDigit | kLetter)) ++end;
    if (c != '%' || end > at_ + 1) return token(Token::Kind::kWord, end);
  }
  if (has(c, kMark)) return token(Token::Kind::kPunctuation, at_ + 1);
  if (c == '"') {
    const size_t end = text_.find_first_of("\"\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] == '\n') throw Failure{"ptx.syntax", "a string is not closed", at_};
    return token(Token::Kind::kString, end + 1);
  }
  throw Failure{"ptx.syntax", "a byte that begins nothing", at_};
}

}  // namespace warpwright::emulator::ptx
