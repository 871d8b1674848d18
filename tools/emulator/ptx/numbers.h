// SPDX-License-Identifier: Apache-2.0
// Literals of PTX, and integer constants with their signedness.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwright::emulator::ptx {

/// A constant. Integers are 64 bits wide, signed unless written with U or too large for it.
/// Source: PTX ISA 9.0, "Constants".
struct Constant {
  uint64_t bits = 0;
  bool is_unsigned = false;
  uint8_t float_bits = 0;  ///< 32 or 64: a float's bits; 0: an integer
};

/// The value of a literal as written, nothing when it is malformed or does not fit 64 bits.
std::optional<Constant> parse_literal(std::string_view text);

/// Binary operators on integers, by their text; nothing for a division by zero or an unknown operator.
std::optional<Constant> apply(std::string_view operation, Constant left, Constant right);

/// How tightly a binary operator binds, as in C; 0: not an operator.
int precedence(std::string_view operation);

}  // namespace warpwright::emulator::ptx
