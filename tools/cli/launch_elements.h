// SPDX-License-Identifier: Apache-2.0
// Elements of the buffers of a launch description: numbers to bytes and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::cli {

/// Named as in PTX ISA 9.0, "Fundamental Types" and "Alternate Floating-Point Data Formats". e2m1 is packed, element 2i in
/// the low nibble; e2m3 and e3m2 take a byte each.
enum class ElementFormat : uint8_t {
  kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF16, kBf16, kF32, kF64, kE4m3, kE5m2, kE2m3, kE3m2, kE2m1, kUe4m3, kUe8m0,
};

/// In the order of the enumerators: "u8" …
const std::vector<std::string> &element_names();

/// Bits that one element takes in a buffer.
uint32_t bits_of(ElementFormat format);

/// The element nearest to `value`, ties to the even code; what is too large becomes the largest finite one.
uint64_t encode(ElementFormat format, double value);

/// Exact but for u64 and s64 beyond 2^53.
double decode(ElementFormat format, uint64_t bits);

uint64_t element_at(ElementFormat format, const std::vector<uint8_t> &bytes, uint64_t index);
void set_element(ElementFormat format, std::vector<uint8_t> &bytes, uint64_t index, uint64_t bits);

}  // namespace warpwright::cli
