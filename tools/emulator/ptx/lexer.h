// SPDX-License-Identifier: Apache-2.0
// Cuts PTX text into tokens, one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpwright::emulator::ptx {

/// Thrown inside the front end; parse() turns it into a ParseError. `offset` counts bytes of the text.
struct Failure {
  std::string slug;
  std::string text;
  size_t offset = 0;
};

struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kWord,         ///< a name: may begin with % or $
    kDirective,    ///< ".reg", ".shared::cta": a dot, letters and digits, and further parts behind "::"
    kNumber,       ///< as written
    kString,       ///< with its quotes
    kPunctuation,  ///< one character
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  uint32_t line = 1;

  bool is(char mark) const { return kind == Kind::kPunctuation && text[0] == mark; }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
  bool is_directive(std::string_view name) const { return kind == Kind::kDirective && text == name; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token. Throws Failure: ptx.syntax for a byte that begins no token, an open comment or an open string.
  Token next();
  size_t offset_of(const Token &token) const { return static_cast<size_t>(token.text.data() - text_.data()); }

 private:
  void skip_blanks();
  size_t end_of_number() const;
  size_t end_of_directive() const;
  Token token(Token::Kind kind, size_t end);

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

}  // namespace warpwright::emulator::ptx
