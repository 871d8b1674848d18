// SPDX-License-Identifier: Apache-2.0
// Formats by their exponent and fraction widths, and the constants of the fused sum.
#include "tools/emulator/tensor/numerics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpwright::emulator::tensor {
namespace {

enum class Special : uint8_t { kNone, kIeee, kNanOnly };

/// Source: PTX ISA 9.0, "Alternate Floating-Point Data Formats"; OCP Microscaling Formats 1.0 for the 4- and 6-bit
/// formats.
struct Layout {
  uint32_t exponent_bits;
  uint32_t fraction_bits;
  Special special;  ///< kIeee: the top exponent is infinity and NaN; kNanOnly: only all ones is NaN
};

Layout layout_of(Format format) {
  switch (format) {
    case Format::kF16:
      return {5, 10, Special::kIeee};
    case Format::kBf16:
      return {8, 7, Special::kIeee};
    case Format::kTf32:
    case Format::kF32:
      return {8, 23, Special::kIeee};
    case Format::kE5M2:
      return {5, 2, Special::kIeee};
    case Format::kE4M3:
    case Format::kUe4m3:
      return {4, 3, Special::kNanOnly};
    case Format::kE3M2:
      return {3, 2, Special::kNone};
    case Format::kE2M3:
      return {2, 3, Special::kNone};
    default:
      return {2, 1, Special::kNone};  // E2M1
  }
}

double power_of_two(int32_t exponent) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52); }

Decoded decode_float(Format format, uint32_t bits) {
  const Layout layout = layout_of(format);
  const uint32_t fraction_mask = (1u << layout.fraction_bits) - 1;
  const uint32_t exponent_mask = (1u << layout.exponent_bits) - 1;
  const uint32_t fraction = bits & fraction_mask;
  const uint32_t biased = (bits >> layout.fraction_bits) & exponent_mask;
  const bool is_negative =
      format != Format::kUe4m3 && ((bits >> (layout.exponent_bits + layout.fraction_bits)) & 1) != 0;
  const int32_t bias = (1 << (layout.exponent_bits - 1)) - 1;
  Decoded out;
  if (layout.special == Special::kIeee && biased == exponent_mask) {
    out.value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (layout.special == Special::kNanOnly && biased == exponent_mask && fraction == fraction_mask) {
    out.value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const uint32_t significand = biased != 0 ? fraction | (fraction_mask + 1) : fraction;
    const int32_t exponent = static_cast<int32_t>(std::max(biased, 1u)) - bias;
    out.value = significand * power_of_two(exponent - static_cast<int32_t>(layout.fraction_bits));
    out.exponent = significand != 0 ? exponent : kZeroExponent;
  }
  if (is_negative) out.value = -out.value;
  return out;
}

}  // namespace

Decoded decode(Format format, uint32_t bits) {
  switch (format) {
    // The tensor core reads the upper 19 bits (MMA-Sim, truncate_to_tf32).
    case Format::kTf32:
      return decode_float(format, bits & ~0x1FFFu);
    case Format::kUe8m0:
      // OCP Microscaling Formats 1.0, E8M0: 2^(code - 127), 255 is NaN; there is no zero and no subnormal.
      if ((bits & 0xFF) == 0xFF) return {std::numeric_limits<double>::quiet_NaN(), 0};
      return {power_of_two(static_cast<int32_t>(bits & 0xFF) - 127), static_cast<int32_t>(bits & 0xFF) - 127};
    case Format::kU8:
      return {static_cast<double>(bits & 0xFF), 0};
    case Format::kS8:
      return {static_cast<double>(static_cast<int8_t>(bits & 0xFF)), 0};
    case Format::kS32:
      return {static_cast<double>(static_cast<int32_t>(bits)), 0};
    default:
      return decode_float(format, bits);
  }
}

FusedSum fused_sum_of(Architecture architecture, MmaKind kind) {
  const bool is_fp8 = kind == MmaKind::kF8F6F4;
  if (architecture == Architecture::kHopper) return is_fp8 ? FusedSum{13, 13} : FusedSum{25, 23};
  const bool has_groups = kind == MmaKind::kMxF4 || kind == MmaKind::kMxF4Nvf4;
  return has_groups ? FusedSum{35, 23} : FusedSum{25, 23};
}

uint32_t round_to_f32(double sum, int32_t fraction_bits) {
  if (std::isnan(sum)) return 0x7FFFFFFF;
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  const uint32_t sign = static_cast<uint32_t>(bits >> 63) << 31;
  const double magnitude = std::fabs(sum);
  if (magnitude >= 0x1p128) return sign | 0x7F800000;
  double cut = 0;
  if (magnitude < 0x1p-126) {
    const double units = power_of_two(126 + fraction_bits);
    cut = std::trunc(magnitude * units) / units;
  } else {
    const uint64_t dropped = (uint64_t{1} << (52 - fraction_bits)) - 1;
    cut = std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) & ~dropped);
  }
  return cut == 0 ? 0 : sign | std::bit_cast<uint32_t>(static_cast<float>(cut));
}

uint32_t round_to_f16(double sum) {
  if (std::isnan(sum)) return 0x7FFF;
  const uint32_t sign = std::signbit(sum) ? 0x8000 : 0;
  const double magnitude = std::fabs(sum);
  if (magnitude == 0) return 0;
  if (magnitude >= 65520) return sign | 0x7C00;  // halfway between the largest finite number and 2^16
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, -14);
  // nearbyint rounds to even; the significand carries into the exponent by itself.
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const uint32_t whole = static_cast<uint32_t>(units);
  return whole == 0 ? 0 : sign | (whole + (static_cast<uint32_t>(exponent + 14) << 10));
}

}  // namespace warpwright::emulator::tensor
