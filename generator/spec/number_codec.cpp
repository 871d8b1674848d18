// SPDX-License-Identifier: Apache-2.0
// Rounding to small floating-point formats.
#include "generator/spec/number_codec.h"

#include "generator/support/diagnostics.h"

#include <cmath>
#include <limits>

namespace warpwright::spec {
namespace {

/// Sign, exponent and mantissa; code = exponent field, then mantissa.
struct FloatLayout {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  uint32_t largest_code = 0;  ///< of a finite magnitude
  bool saturates = false;     ///< has no infinity
  bool has_sign = true;
};

// OCP Microscaling Formats 1.0 and PTX ISA 9.0, "Alternate Floating-Point Data Formats".
FloatLayout layout_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::kE2m1: return {2, 1, 1, 0x7, true, true};
    case NumberFormat::kUe4m3: return {4, 3, 7, 0x7e, true, false};
    case NumberFormat::kBf16: return {8, 7, 127, 0x7f7f, false, true};
    case NumberFormat::kFp16: return {5, 10, 15, 0x7bff, false, true};
    case NumberFormat::kFp32: return {8, 23, 127, 0x7f7fffff, false, true};
    default: throw support::InternalError("no codec for " + std::string(name_of(format)));
  }
}

constexpr int kUe8m0Bias = 127;

double decode_magnitude(const FloatLayout &layout, uint32_t code) {
  const uint32_t exponent = code >> layout.mantissa_bits;
  const uint32_t mantissa = code & ((1u << layout.mantissa_bits) - 1);
  const uint32_t implicit = exponent == 0 ? 0 : 1u << layout.mantissa_bits;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - layout.bias - layout.mantissa_bits;
  return std::ldexp(static_cast<double>(implicit + mantissa), power);
}

/// Rounds in units of the last place; a carry out of the mantissa lands in the exponent by itself.
uint32_t encode_magnitude(const FloatLayout &layout, double magnitude) {
  if (magnitude == 0) return 0;
  const uint32_t overflow = layout.saturates ? layout.largest_code : layout.largest_code + 1;
  if (std::isinf(magnitude)) return overflow;
  const int exponent = std::max(std::ilogb(magnitude), 1 - layout.bias);
  if (exponent + layout.bias >= 1 << layout.exponent_bits) return overflow;
  const double steps = std::nearbyint(std::ldexp(magnitude, layout.mantissa_bits - exponent));
  const uint32_t code = static_cast<uint32_t>(steps) +
                        (static_cast<uint32_t>(exponent + layout.bias - 1) << layout.mantissa_bits);
  return code > layout.largest_code ? overflow : code;
}

uint32_t encode_ue8m0(double value) {
  if (value == 0) return 0;
  int power = 0;
  const double fraction = std::frexp(value, &power);  // value = fraction · 2^power, 0.5 ≤ fraction < 1
  if (fraction == 0.5) --power;
  return static_cast<uint32_t>(std::max(0, std::min(2 * kUe8m0Bias, power + kUe8m0Bias)));
}

}  // namespace

uint32_t encode(NumberFormat format, double value) {
  WARPWRIGHT_ASSERT(!std::isnan(value), "NaN has no code");
  const bool is_negative = std::signbit(value);
  if (format == NumberFormat::kUe8m0) {
    WARPWRIGHT_ASSERT(!is_negative || value == 0, "a scale is not negative");
    return std::isinf(value) ? 2 * kUe8m0Bias : encode_ue8m0(value);
  }
  const FloatLayout layout = layout_of(format);
  WARPWRIGHT_ASSERT(layout.has_sign || !is_negative || value == 0, "a scale is not negative");
  const uint32_t sign = layout.has_sign && is_negative ? 1u << (layout.exponent_bits + layout.mantissa_bits) : 0;
  return sign | encode_magnitude(layout, std::fabs(value));
}

double decode(NumberFormat format, uint32_t code) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (format == NumberFormat::kUe8m0) return code == 0xff ? kNan : std::ldexp(1.0, static_cast<int>(code) - kUe8m0Bias);
  const FloatLayout layout = layout_of(format);
  const uint32_t sign_bit = 1u << (layout.exponent_bits + layout.mantissa_bits);
  const uint32_t magnitude = code & (sign_bit - 1);
  const double sign = layout.has_sign && (code & sign_bit) != 0 ? -1 : 1;
  if (magnitude <= layout.largest_code) return sign * decode_magnitude(layout, magnitude);
  const bool is_infinity = !layout.saturates && magnitude == layout.largest_code + 1;
  return is_infinity ? sign * std::numeric_limits<double>::infinity() : kNan;
}

double largest_finite(NumberFormat format) {
  if (format == NumberFormat::kUe8m0) return std::ldexp(1.0, kUe8m0Bias);
  return decode(format, layout_of(format).largest_code);
}

}  // namespace warpwright::spec
