// SPDX-License-Identifier: Apache-2.0
// The top of a PTX file: its header, its items, and the tokens below them.
#include "tools/emulator/ptx/parser.h"

#include "tools/emulator/ptx/parser_state.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace warpwright::emulator::ptx {
namespace {

/// "ld" stays; what is long or has no printable form is shortened, for messages.
std::string shown(const Token &token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  constexpr size_t kMost = 40;
  return "'" + std::string(token.text.substr(0, kMost)) + (token.text.size() > kMost ? "…'" : "'");
}

}  // namespace

Parser::Parser(std::string_view text) : text_(text), lexer_(text) {}

void Parser::fail(std::string slug, std::string text, const Token &at) const {
  throw Failure{std::move(slug), std::move(text), lexer_.offset_of(at)};
}

void Parser::fail_here(const std::string &expected) const {
  fail("ptx.syntax", "expected " + expected + ", found " + shown(token_), token_);
}

bool Parser::take(char mark) {
  if (!token_.is(mark)) return false;
  advance();
  return true;
}

void Parser::expect(char mark) {
  if (!take(mark)) fail_here("'" + std::string(1, mark) + "'");
}

std::string_view Parser::take_word(const char *what) {
  if (token_.kind != Token::Kind::kWord) fail_here(what);
  const std::string_view word = token_.text;
  advance();
  return word;
}

uint64_t Parser::take_integer(uint64_t most, const char *what) {
  if (token_.kind != Token::Kind::kNumber) fail_here(what);
  const auto literal = parse_literal(token_.text);
  if (!literal || literal->float_bits != 0) fail("ptx.number", shown(token_) + " is no integer", token_);
  if (literal->bits > most)
    fail("ptx.number", shown(token_) + " is too large for " + what + ": at most " + std::to_string(most), token_);
  advance();
  return literal->bits;
}

Module Parser::run() {
  if (text_.size() > Limits::kTextBytes)
    throw Failure{"ptx.too-large", "the text has " + std::to_string(text_.size()) + " bytes, at most " +
                                       std::to_string(Limits::kTextBytes) + " are read", 0};
  module_.files.emplace_back();
  scopes_.open();
  advance();
  read_header();
  while (token_.kind != Token::Kind::kEnd) read_item();
  std::erase_if(module_.kernels, [](const Kernel &kernel) { return kernel.is_declaration; });
  return std::move(module_);
}

void Parser::read_header() {
  if (!token_.is_directive(".version")) fail_here("'.version'");
  advance();
  const std::string_view text = token_.text;
  const char *end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, module_.version_major);
  const bool has_dot = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
  if (token_.kind != Token::Kind::kNumber || !has_dot) fail_here("a version such as 9.0");
  const auto minor = std::from_chars(major.ptr + 1, end, module_.version_minor);
  if (minor.ec != std::errc() || minor.ptr != end) fail_here("a version such as 9.0");
  advance();
  read_target();
  if (!token_.is_directive(".address_size")) return;
  advance();
  const Token at = token_;
  if (take_integer(UINT32_MAX, "the size of addresses") != 64)
    fail("ptx.unsupported-directive", "addresses have 64 bits here", at);
}

void Parser::read_target() {
  if (!token_.is_directive(".target")) fail_here("'.target'");
  advance();
  if (token_.text.substr(0, 3) != "sm_") fail_here("a target such as sm_100a");
  module_.target = take_word("a target such as sm_100a");
  while (take(',')) {
    const Token option = token_;
    const std::string_view name = take_word("an option of the target");
    if (name != "debug" && name != "texmode_independent" && name != "texmode_unified")
      fail("ptx.unsupported-directive", "target option " + shown(option), option);
  }
}

void Parser::read_item() {
  if (token_.kind != Token::Kind::kDirective) fail_here("a directive");
  const std::string_view name = token_.text;
  if (name == ".file") return read_file();
  if (name == ".loc") return read_location();
  if (name == ".section") return skip_section();
  if (name == ".pragma") return read_pragma();
  bool is_extern = false;
  while (token_.is_directive(".visible") || token_.is_directive(".weak") || token_.is_directive(".extern") ||
         token_.is_directive(".common")) {
    is_extern |= token_.is_directive(".extern");
    advance();
  }
  if (token_.is_directive(".entry")) return read_entry();
  if (token_.is_directive(".func")) return read_function();
  read_variables(is_extern);
}

/// .file index "name" [, timestamp, bytes]
void Parser::read_file() {
  advance();
  const uint64_t index = take_integer(Limits::kFiles, "the number of a file");
  if (token_.kind != Token::Kind::kString) fail_here("the name of a file");
  if (module_.files.size() <= index) module_.files.resize(index + 1);
  module_.files[index] = token_.text.substr(1, token_.text.size() - 2);
  advance();
  if (!take(',')) return;
  take_integer(UINT64_MAX, "a time");
  expect(',');
  take_integer(UINT64_MAX, "a size");
}

/// .loc file line column [, function_name label [+ offset], inlined_at file line column]
void Parser::read_location() {
  advance();
  place_.file = static_cast<uint32_t>(take_integer(UINT32_MAX, "the number of a file"));
  place_.source_line = static_cast<uint32_t>(take_integer(UINT32_MAX, "a line"));
  place_.caller_file = place_.caller_line = 0;
  const auto place = std::pair(place_.file, place_.source_line);
  const auto column = static_cast<uint32_t>(take_integer(UINT32_MAX, "a column"));
  callers_.erase({place, column});
  while (take(',')) {
    const Token at = token_;
    const std::string_view what = take_word("function_name or inlined_at");
    if (what == "function_name") {
      take_word("a label of a debug section");  // such sections are not kept
      if (take('+')) take_integer(UINT64_MAX, "an offset");
    } else if (what == "inlined_at") {
      place_.caller_file = static_cast<uint32_t>(take_integer(UINT32_MAX, "the number of a file"));
      place_.caller_line = static_cast<uint32_t>(take_integer(UINT32_MAX, "a line"));
      // A call that was itself inlined: the .loc that said so stands before.
      const std::pair caller{place_.caller_file, place_.caller_line};
      const auto outer = callers_.find({caller, static_cast<uint32_t>(take_integer(UINT32_MAX, "a column"))});
      if (outer != callers_.end()) std::tie(place_.caller_file, place_.caller_line) = outer->second;
      callers_[{place, column}] = {place_.caller_file, place_.caller_line};
    } else {
      fail("ptx.syntax", "expected function_name or inlined_at, found " + shown(at), at);
    }
  }
}

/// Debug information says nothing about what a kernel does.
void Parser::skip_section() {
  advance();
  if (token_.kind != Token::Kind::kDirective && token_.kind != Token::Kind::kWord) fail_here("the name of a section");
  advance();
  expect('{');
  while (!token_.is('}')) {
    if (token_.kind == Token::Kind::kEnd || token_.is('{')) fail_here("'}'");
    advance();
  }
  advance();
}

void Parser::read_pragma() {
  do {
    advance();
    if (token_.kind != Token::Kind::kString) fail_here("the text of a pragma");
    advance();
  } while (token_.is(','));
  expect(';');
}

ParseResult parse(std::string_view text) {
  ParseResult result;
  try {
    result.module = Parser(text).run();
  } catch (const Failure &failure) {
    const std::string_view before = text.substr(0, failure.offset);
    const size_t line_start = before.find_last_of('\n') + 1;  // npos + 1 is 0
    result.error = {failure.slug, failure.text, static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
                    static_cast<uint32_t>(failure.offset - line_start + 1)};
  }
  return result;
}

}  // namespace warpwright::emulator::ptx
