// SPDX-License-Identifier: Apache-2.0
// The element types that kernels read and write, with their sizes.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpwright::spec {

/// Element types, named as in PTX ISA 9.0, "Alternate Floating-Point Data Formats".
enum class NumberFormat { kE2m1, kUe4m3, kUe8m0, kE4m3, kS8, kU8, kBf16, kFp16, kFp32, kS32 };

/// Bits of one element; E2M1 is packed two to a byte, element 2i in the low nibble.
constexpr int64_t bits_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::kE2m1: return 4;
    case NumberFormat::kUe4m3:
    case NumberFormat::kUe8m0:
    case NumberFormat::kE4m3:
    case NumberFormat::kS8:
    case NumberFormat::kU8: return 8;
    case NumberFormat::kBf16:
    case NumberFormat::kFp16: return 16;
    case NumberFormat::kFp32:
    case NumberFormat::kS32: return 32;
  }
  return 0;
}

/// Bytes of `elems` packed elements. Requires a whole number of bytes.
constexpr int64_t bytes_of(NumberFormat format, int64_t elems) { return elems * bits_of(format) / 8; }

constexpr std::string_view name_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::kE2m1: return "e2m1";
    case NumberFormat::kUe4m3: return "ue4m3";
    case NumberFormat::kUe8m0: return "ue8m0";
    case NumberFormat::kE4m3: return "e4m3";
    case NumberFormat::kS8: return "s8";
    case NumberFormat::kU8: return "u8";
    case NumberFormat::kBf16: return "bf16";
    case NumberFormat::kFp16: return "fp16";
    case NumberFormat::kFp32: return "fp32";
    case NumberFormat::kS32: return "s32";
  }
  return "?";
}

}  // namespace warpwright::spec
