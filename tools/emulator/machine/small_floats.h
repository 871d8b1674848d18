// SPDX-License-Identifier: Apache-2.0
// Floating-point formats of 16 bits and fewer: their values, and rounding to them.
#pragma once

#include "tools/emulator/tensor/numerics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace warpwright::emulator {

/// Source: PTX ISA 9.0, "Alternate Floating-Point Data Formats"; OCP 8-bit Floating Point Specification 1.0 and OCP
/// Microscaling Formats 1.0 for the 8-, 6- and 4-bit formats. The top bit is the sign; subnormals exist in each.
struct SmallFormat {
  tensor::Format format;
  int exponent_bits, significand_bits, bias;
  double max_finite;
  bool has_infinity;
  int nan;  ///< that operations give; -1: the format has none
};
inline constexpr SmallFormat kF16{tensor::Format::kF16, 5, 10, 15, 65504, true, 0x7FFF};
inline constexpr SmallFormat kBf16{tensor::Format::kBf16, 8, 7, 127, 0x1.FEp127, true, 0x7FFF};
inline constexpr SmallFormat kTf32{tensor::Format::kTf32, 8, 10, 127, 0x1.FFCp127, true, 0x3FFFF};
inline constexpr SmallFormat kE4m3{tensor::Format::kE4M3, 4, 3, 7, 448, false, 0x7F};
inline constexpr SmallFormat kE5m2{tensor::Format::kE5M2, 5, 2, 15, 57344, true, 0x7F};
inline constexpr SmallFormat kE2m3{tensor::Format::kE2M3, 2, 3, 1, 7.5, false, -1};
inline constexpr SmallFormat kE3m2{tensor::Format::kE3M2, 3, 2, 3, 28, false, -1};
inline constexpr SmallFormat kE2m1{tensor::Format::kE2M1, 2, 1, 1, 6, false, -1};

enum class Rounding : uint8_t { kNearestEven, kNearestAway, kToZero };

/// The bits of `value` rounded. Beyond the greatest finite value: that when `saturates` or when rounding to zero, else
/// infinity. A NaN of a format without one is its greatest value (PTX ISA 9.0, "cvt", .satfinite).
inline uint32_t round_to(const SmallFormat &format, double value, Rounding rounding, bool saturates) {
  const int width = format.exponent_bits + format.significand_bits;
  const auto encode = [&](double size) {
    const int least = 1 - format.bias;
    const int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
    const auto units = static_cast<uint32_t>(std::ldexp(size, format.significand_bits - exponent));
    // A significand with its leading bit counts one in the exponent's field.
    return units + (static_cast<uint32_t>(exponent + format.bias - 1) << format.significand_bits);
  };
  if (std::isnan(value)) return format.nan >= 0 ? static_cast<uint32_t>(format.nan) : encode(format.max_finite);
  const uint32_t sign = std::signbit(value) ? 1u << width : 0;
  const double size = std::fabs(value);
  if (size == 0) return sign;
  double rounded = size;
  if (!std::isinf(size)) {
    const int exponent = std::max(std::ilogb(size), 1 - format.bias);
    const double units = std::ldexp(size, format.significand_bits - exponent);
    const double whole = rounding == Rounding::kToZero        ? std::floor(units)
                         : rounding == Rounding::kNearestAway ? std::floor(units + 0.5)
                                                              : std::nearbyint(units);
    rounded = std::ldexp(whole, exponent - format.significand_bits);
  }
  if (rounded <= format.max_finite) return sign | encode(rounded);
  const bool stays_finite = saturates || (rounding == Rounding::kToZero && !std::isinf(size));
  if (stays_finite || !format.has_infinity) return sign | encode(format.max_finite);
  return sign | ((1u << format.exponent_bits) - 1) << format.significand_bits;
}

/// The value of bits.
inline double value_of(const SmallFormat &format, uint32_t bits) { return tensor::decode(format.format, bits).value; }

/// a + b so rounded to odd that rounding once more, to a format of fewer bits, is rounding once.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a, rest = (a - (sum - part)) + (b - part);
  if (rest == 0) return sum;
  int64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  if (bits & 1) return sum;
  // The odd neighbour is on the side of what was left out.
  return std::nextafter(sum, rest > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
}

}  // namespace warpwright::emulator
