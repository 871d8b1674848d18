// SPDX-License-Identifier: Apache-2.0
// Constant expressions, and the initial values of variables.
#include "tools/emulator/ptx/parser_state.h"

#include <cstring>

namespace warpwright::emulator::ptx {

/// A float as written, or an integer expression.
Constant Parser::read_constant() {
  if (++constant_depth_ > Limits::kDepth) fail("ptx.too-large", "a constant nested too deeply", token_);
  Constant value = read_binary(1);
  if (value.float_bits == 0 && take('?')) {
    const Constant yes = read_constant();
    expect(':');
    const Constant no = read_constant();
    value = value.bits != 0 ? yes : no;
  }
  --constant_depth_;
  return value;
}

Constant Parser::read_integer_constant(const char *what) {
  const Token at = token_;
  const Constant constant = read_constant();
  if (constant.float_bits != 0) fail("ptx.number", std::string(what) + " is an integer", at);
  return constant;
}

Constant Parser::read_binary(int least_precedence) { return read_operations(read_unary(), least_precedence); }

/// The operator that stands here, of one mark or two; empty when none does. Two marks count when nothing is between them.
std::string Parser::read_operation() const {
  if (token_.kind != Token::Kind::kPunctuation) return "";
  const size_t at = lexer_.offset_of(token_);
  const std::string two(text_.substr(at, 2));
  if (two.size() == 2 && precedence(two) != 0) return two;
  return precedence(two.substr(0, 1)) != 0 ? two.substr(0, 1) : "";
}

Constant Parser::read_operations(Constant left, int least_precedence) {
  while (true) {
    const Token at = token_;
    const std::string operation = read_operation();
    const int binding = precedence(operation);
    if (left.float_bits != 0 || binding == 0 || binding < least_precedence) return left;
    for (size_t i = 0; i < operation.size(); ++i) advance();
    const Constant right = read_binary(binding + 1);
    const auto value = right.float_bits != 0 ? std::nullopt : apply(operation, left, right);
    if (!value) fail("ptx.number", "'" + operation + "' has no value here", at);
    left = *value;
  }
}

Constant Parser::read_unary() {
  const Token at = token_;
  if (++constant_depth_ > Limits::kDepth) fail("ptx.too-large", "a constant nested too deeply", at);
  Constant out;
  if (take('-')) {
    out = read_unary();
    // Source: PTX ISA 9.0, "Constant Expressions": operators other than on integers are few; ptxas takes -1.5, not -0f….
    if (out.float_bits == 32) fail("ptx.number", "a hexadecimal float takes no sign", at);
    out.bits = out.float_bits != 0 ? out.bits ^ (uint64_t{1} << 63) : uint64_t{0} - out.bits;
  } else if (take('+')) {
    out = read_unary();
  } else if (token_.is('~') || token_.is('!')) {
    const bool is_not = token_.is('!');
    advance();
    out = read_unary();
    if (out.float_bits != 0) fail("ptx.number", "this operator takes an integer", at);
    out.bits = is_not ? uint64_t{out.bits == 0} : ~out.bits;
  } else if (take('(')) {
    if (token_.is_directive(".s64") || token_.is_directive(".u64")) {
      const bool is_unsigned = token_.is_directive(".u64");
      advance();
      expect(')');
      out = read_unary();
      if (out.float_bits != 0) fail("ptx.number", "a cast takes an integer", at);
      out.is_unsigned = is_unsigned;
    } else {
      out = read_constant();
      expect(')');
    }
  } else if (token_.is_word("WARP_SZ")) {
    advance();
    out.bits = 32;  // Source: PTX ISA 9.0, "Predefined Constants": the warp size of every target so far.
  } else {
    if (token_.kind != Token::Kind::kNumber) fail_here("a constant");
    const auto literal = parse_literal(token_.text);
    if (!literal) fail("ptx.number", "'" + std::string(token_.text) + "' is no number, or too large a one", token_);
    out = *literal;
    advance();
  }
  --constant_depth_;
  return out;
}

void Parser::read_initial(Variable &variable, const DeclarationHead &head, const std::vector<uint64_t> &dims) {
  std::vector<uint64_t> extents = {uint64_t{head.type.bytes} * head.components};  // of each level, the innermost first
  for (size_t i = dims.size(); i > 0; --i) extents.push_back(extents.back() * dims[i - 1]);
  uint64_t position = 0;
  if (dims.empty() && head.components == 1) read_initial_value(variable, head.type, position);
  else read_initial_level(variable, head.type, extents, extents.size() - 1, position, extents.back());
}

/// { value or { … }, … } over [position, end), which `extents[level]` bytes lie in.
void Parser::read_initial_level(Variable &variable, const Type &type, const std::vector<uint64_t> &extents, size_t level,
                                uint64_t &position, uint64_t end) {
  expect('{');
  while (!token_.is('}')) {
    const Token at = token_;
    const bool is_row = at.is('{');
    if (is_row && (level == 0 || extents[level - 1] <= type.bytes)) fail("ptx.syntax", "braces deeper than the array", at);
    const uint64_t bytes = is_row ? extents[level - 1] : type.bytes;
    if (position + bytes > end) fail("ptx.syntax", "more initial values than elements", at);
    const uint64_t next = position + bytes;
    if (is_row) read_initial_level(variable, type, extents, level - 1, position, next);
    else read_initial_value(variable, type, position);
    position = next;
    if (!take(',')) break;
  }
  expect('}');
}

/// A number, an address, or 0xFF…(address): part of an address.
void Parser::read_initial_value(Variable &variable, const Type &type, uint64_t offset) {
  const Token at = token_;
  if (token_.kind == Token::Kind::kWord && token_.text != "WARP_SZ")
    return read_initial_address(variable, offset, type.bytes, 0);
  Constant value;
  if (token_.kind == Token::Kind::kNumber) {
    const auto literal = parse_literal(token_.text);
    if (!literal) fail("ptx.number", "'" + std::string(token_.text) + "' is no number, or too large a one", token_);
    advance();
    if (take('(')) {
      uint32_t shift = 0;
      while (shift < 64 && literal->bits != uint64_t{0xFF} << shift) shift += 8;
      if (shift == 64 || literal->float_bits != 0 || type.bytes != 1) fail("ptx.number", "a mask is one byte of an address", at);
      read_initial_address(variable, offset, 1, shift);
      return expect(')');
    }
    value = read_operations(*literal, 1);
  } else {
    value = read_constant();
  }
  if (value.float_bits != 0 ? type.float_bits == 0 : !type.is_integer)
    fail("ptx.number", "the variable's type takes no such value", at);
  uint64_t bits = value.bits;
  if (value.float_bits == 64 && type.float_bits == 32) {
    double wide = 0;
    std::memcpy(&wide, &bits, sizeof(wide));
    const auto narrow = static_cast<float>(wide);
    uint32_t narrow_bits = 0;
    std::memcpy(&narrow_bits, &narrow, sizeof(narrow));
    bits = narrow_bits;
  } else if (value.float_bits == 32 && type.float_bits == 64) {
    fail("ptx.number", "a 64-bit float is written 0d", at);
  }
  const uint32_t width = type.bytes * 8;
  const bool is_negative = !value.is_unsigned && static_cast<int64_t>(bits) < 0;
  if (width < 64 && value.float_bits == 0 && (is_negative ? ~bits >> (width - 1) : bits >> width) != 0)
    fail("ptx.number", "the value does not fit " + std::to_string(width) + " bits", at);
  put_initial(variable, offset, type.bytes, bits, at);
}

/// name [+ c], generic(name) [+ c]
void Parser::read_initial_address(Variable &variable, uint64_t offset, uint32_t bytes, uint32_t shift) {
  Relocation relocation;
  relocation.offset = offset;
  relocation.bytes = bytes;
  relocation.shift = shift;
  if (bytes != 8 && shift == 0 && bytes != 1 && bytes != 4) fail("ptx.number", "an address has 64 bits", token_);
  if (token_.is_word("generic")) {
    relocation.is_generic = true;
    advance();
    expect('(');
  }
  const Token name = token_;
  take_word("a name");
  const auto symbol = scopes_.find(name.text);
  relocation.is_function = symbol && symbol->kind == Symbol::Kind::kFunction;
  if (!symbol || (!relocation.is_function && symbol->kind != Symbol::Kind::kModuleVariable))
    fail("ptx.unknown-name", "no variable or function '" + std::string(name.text) + "' stands above", name);
  relocation.index = symbol->index;
  if (relocation.is_generic) expect(')');
  if (token_.is('+') || token_.is('-')) relocation.addend = static_cast<int64_t>(read_integer_constant("an offset").bits);
  put_initial(variable, offset, bytes, 0, name);
  variable.relocations.push_back(relocation);
}

void Parser::put_initial(Variable &variable, uint64_t offset, uint64_t bytes, uint64_t value, const Token &at) {
  const uint64_t end = offset + bytes;
  if (end > variable.initial.size()) {
    num_initial_bytes_ += end - variable.initial.size();
    if (num_initial_bytes_ > Limits::kInitialBytes)
      fail("ptx.too-large", "more than " + std::to_string(Limits::kInitialBytes) + " bytes of initial values", at);
    variable.initial.resize(end);
  }
  for (uint64_t i = 0; i < bytes; ++i) variable.initial[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace warpwright::emulator::ptx
