// SPDX-License-Identifier: Apache-2.0
// Reads literals, computes with constants.
#include "tools/emulator/ptx/numbers.h"

#include <array>
#include <charconv>
#include <cstring>

namespace warpwright::emulator::ptx {
namespace {

std::optional<uint64_t> parse_digits(std::string_view digits, int base) {
  uint64_t value = 0;
  const char *end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<Constant> parse_decimal_float(std::string_view text) {
  double value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  Constant out{0, false, 64};
  std::memcpy(&out.bits, &value, sizeof(value));
  return out;
}

/// 0f and 0d are followed by exactly the digits of their bits.
std::optional<Constant> parse_hex_float(std::string_view digits, uint8_t bits) {
  if (digits.size() != bits / 4u) return std::nullopt;
  const auto value = parse_digits(digits, 16);
  if (!value) return std::nullopt;
  return Constant{*value, false, bits};
}

std::optional<Constant> parse_integer(std::string_view text) {
  bool is_unsigned = !text.empty() && text.back() == 'U';
  if (is_unsigned) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto value = parse_digits(text, base);
  if (!value) return std::nullopt;
  is_unsigned |= *value > uint64_t{INT64_MAX};
  return Constant{*value, is_unsigned};
}

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr std::array<Operator, 18> kOperators = {{{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                                                  {"!=", 6}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"<<", 8},
                                                  {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}}};

bool is_less(Constant left, Constant right, bool is_unsigned) {
  return is_unsigned ? left.bits < right.bits : static_cast<int64_t>(left.bits) < static_cast<int64_t>(right.bits);
}

std::optional<uint64_t> divide(Constant left, Constant right, bool is_unsigned, bool wants_rest) {
  if (right.bits == 0) return std::nullopt;
  if (is_unsigned) return wants_rest ? left.bits % right.bits : left.bits / right.bits;
  const auto a = static_cast<int64_t>(left.bits), b = static_cast<int64_t>(right.bits);
  if (b == -1) return wants_rest ? 0 : uint64_t{0} - left.bits;  // INT64_MIN / -1 overflows
  return static_cast<uint64_t>(wants_rest ? a % b : a / b);
}

std::optional<uint64_t> shift_right(Constant left, Constant right) {
  if (right.bits > 63) return std::nullopt;
  return left.is_unsigned ? left.bits >> right.bits
                          : static_cast<uint64_t>(static_cast<int64_t>(left.bits) >> right.bits);
}

std::optional<uint64_t> arithmetic(std::string_view text, Constant left, Constant right, bool is_unsigned) {
  switch (text[0]) {
    case '+': return left.bits + right.bits;
    case '-': return left.bits - right.bits;
    case '*': return left.bits * right.bits;
    case '/': return divide(left, right, is_unsigned, false);
    case '%': return divide(left, right, is_unsigned, true);
    case '^': return left.bits ^ right.bits;
    case '&': return left.bits & right.bits;
    case '|': return left.bits | right.bits;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Constant> parse_literal(std::string_view text) {
  if (text.size() > 1 && text[0] == '0') {
    if (text[1] == 'f' || text[1] == 'F') return parse_hex_float(text.substr(2), 32);
    if (text[1] == 'd' || text[1] == 'D') return parse_hex_float(text.substr(2), 64);
    if (text[1] == 'x' || text[1] == 'X') return parse_integer(text);
  }
  if (text.find_first_of(".eE") != std::string_view::npos) return parse_decimal_float(text);
  return parse_integer(text);
}

int precedence(std::string_view operation) {
  for (const Operator &item : kOperators)
    if (item.text == operation) return item.precedence;
  return 0;
}

std::optional<Constant> apply(std::string_view operation, Constant left, Constant right) {
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto truth = [](bool value) { return Constant{value ? uint64_t{1} : uint64_t{0}}; };
  if (operation == "||") return truth(left.bits != 0 || right.bits != 0);
  if (operation == "&&") return truth(left.bits != 0 && right.bits != 0);
  if (operation == "==") return truth(left.bits == right.bits);
  if (operation == "!=") return truth(left.bits != right.bits);
  if (operation == "<") return truth(is_less(left, right, is_unsigned));
  if (operation == ">") return truth(is_less(right, left, is_unsigned));
  if (operation == "<=") return truth(!is_less(right, left, is_unsigned));
  if (operation == ">=") return truth(!is_less(left, right, is_unsigned));
  const bool is_shift = operation == "<<" || operation == ">>";
  std::optional<uint64_t> bits;
  if (operation == ">>") bits = shift_right(left, right);
  else if (is_shift) bits = right.bits > 63 ? std::nullopt : std::optional<uint64_t>(left.bits << right.bits);
  else if (operation.size() == 1) bits = arithmetic(operation, left, right, is_unsigned);
  if (!bits) return std::nullopt;
  return Constant{*bits, is_shift ? left.is_unsigned : is_unsigned};
}

}  // namespace warpwright::emulator::ptx
