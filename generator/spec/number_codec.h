// SPDX-License-Identifier: Apache-2.0
// Values to bits and back for the formats that kernels read and write.
#pragma once

#include "generator/spec/number_format.h"

#include <cstdint>
#include <vector>

namespace warpwright::spec {

/// The code of `value`, rounded to nearest, ties to even.
///
/// Requires  `value` is not NaN; for kUe4m3 and kUe8m0 it is not negative (our bug otherwise). Formats: kE2m1, kUe4m3,
///           kUe8m0, kBf16, kFp16, kFp32.
/// Ensures   kE2m1 and kUe4m3 saturate at 6 and 448. kUe8m0 is the smallest power of two that is not below the value, in
///           2^−127 … 2^127. kBf16, kFp16 and kFp32 overflow to infinity.
/// Source    PTX ISA 9.0, "cvt" (.rn, .satfinite; .rp for .ue8m0x2); OCP Microscaling Formats 1.0, "Element and scale data
///           formats".
uint32_t encode(NumberFormat format, double value);

/// The codes of `values`, whole bytes each, little endian. As encode().
template <class T>
std::vector<uint8_t> encoded(const std::vector<T> &values, NumberFormat format) {
  const int64_t bytes = bytes_of(format, 1);
  std::vector<uint8_t> out;
  out.reserve(values.size() * static_cast<size_t>(bytes));
  for (const T value : values) {
    const uint32_t code = encode(format, value);
    for (int64_t i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(code >> 8 * i));
  }
  return out;
}

/// The value of a code; NaN codes give NaN.
double decode(NumberFormat format, uint32_t code);

/// The largest finite value: 6, 448, 2^127, …
double largest_finite(NumberFormat format);

}  // namespace warpwright::spec
