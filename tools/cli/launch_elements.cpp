// SPDX-License-Identifier: Apache-2.0
// Codecs: short floats by a sorted table of all their values, the rest by the compiler's own conversions.
#include "tools/cli/launch_elements.h"

#include "generator/support/diagnostics.h"
#include "tools/emulator/tensor/numerics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::cli {
namespace {

using emulator::tensor::Format;

struct Row {
  const char *name;
  uint32_t bits;
  bool is_integer, is_signed;
  Format format;  ///< of short floats
};
constexpr std::array<Row, 19> kRows = {{
    {"u8", 8, true, false, Format::kU8},       {"s8", 8, true, true, Format::kS8},         {"u16", 16, true, false, Format::kU8},
    {"s16", 16, true, true, Format::kS8},      {"u32", 32, true, false, Format::kU8},      {"s32", 32, true, true, Format::kS32},
    {"u64", 64, true, false, Format::kU8},     {"s64", 64, true, true, Format::kS8},       {"f16", 16, false, true, Format::kF16},
    {"bf16", 16, false, true, Format::kBf16},  {"f32", 32, false, true, Format::kF32},     {"f64", 64, false, true, Format::kF32},
    {"e4m3", 8, false, true, Format::kE4M3},   {"e5m2", 8, false, true, Format::kE5M2},    {"e2m3", 8, false, true, Format::kE2M3},
    {"e3m2", 8, false, true, Format::kE3M2},   {"e2m1", 4, false, true, Format::kE2M1},    {"ue4m3", 8, false, false, Format::kUe4m3},
    {"ue8m0", 8, false, false, Format::kUe8m0},
}};

const Row &row_of(ElementFormat format) { return kRows[static_cast<size_t>(format)]; }

/// Bits of a code: the 6-bit formats take a byte but have 64 codes, UE4M3 ignores its top bit.
uint32_t code_bits(ElementFormat format) {
  if (format == ElementFormat::kE2m3 || format == ElementFormat::kE3m2) return 6;
  return format == ElementFormat::kUe4m3 ? 7 : row_of(format).bits;
}

struct Code {
  double value;
  uint32_t bits;
};

/// The finite values of a float of at most 16 bits, in order, the positive zero alone for both.
std::vector<Code> make_table(ElementFormat format) {
  std::vector<Code> table;
  for (uint32_t bits = 0; bits < 1u << code_bits(format); ++bits) {
    const double value = emulator::tensor::decode(row_of(format).format, bits).value;
    const bool is_second_zero = value == 0 && bits != 0;
    if (std::isfinite(value) && !is_second_zero) table.push_back({value, bits});
  }
  std::sort(table.begin(), table.end(), [](const Code &a, const Code &b) { return a.value < b.value; });
  return table;
}

const std::vector<Code> &table_of(ElementFormat format) {
  static const std::array<std::vector<Code>, kRows.size()> tables = [] {
    std::array<std::vector<Code>, kRows.size()> made;
    for (size_t i = 0; i < kRows.size(); ++i)
      if (!kRows[i].is_integer && kRows[i].bits <= 16) made[i] = make_table(static_cast<ElementFormat>(i));
    return made;
  }();
  return tables[static_cast<size_t>(format)];
}

uint64_t encode_short(ElementFormat format, double value) {
  const std::vector<Code> &table = table_of(format);
  const auto above = std::lower_bound(table.begin(), table.end(), value, [](const Code &c, double v) { return c.value < v; });
  if (above == table.end()) return table.back().bits;
  if (above == table.begin()) return above->bits;
  const Code &high = *above, &low = *(above - 1);
  const double to_high = high.value - value, to_low = value - low.value;
  if (to_high != to_low) return to_high < to_low ? high.bits : low.bits;
  return high.bits % 2 == 0 ? high.bits : low.bits;
}

uint64_t encode_integer(const Row &row, double value) {
  const double rounded = std::nearbyint(value);
  const double limit = std::ldexp(1.0, static_cast<int>(row.bits) - (row.is_signed ? 1 : 0));
  const double least = row.is_signed ? -limit : 0;
  const uint64_t mask = row.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << row.bits) - 1;
  if (rounded >= limit) return row.is_signed ? mask >> 1 : mask;
  if (rounded <= least) return row.is_signed ? (mask >> 1) + 1 : 0;
  return (row.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(rounded)) : static_cast<uint64_t>(rounded)) & mask;
}

}  // namespace

const std::vector<std::string> &element_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const Row &row : kRows) made.emplace_back(row.name);
    return made;
  }();
  return names;
}

uint32_t bits_of(ElementFormat format) { return row_of(format).bits; }

uint64_t encode(ElementFormat format, double value) {
  WARPWRIGHT_ASSERT(!std::isnan(value), "no element stands for NaN");
  const Row &row = row_of(format);
  if (row.is_integer) return encode_integer(row, value);
  if (row.bits == 64) return std::bit_cast<uint64_t>(value);
  if (row.bits == 32) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return std::bit_cast<uint32_t>(static_cast<float>(std::clamp(value, -kMost, kMost)));
  }
  return encode_short(format, value);
}

double decode(ElementFormat format, uint64_t bits) {
  const Row &row = row_of(format);
  if (row.is_integer) {
    if (!row.is_signed) return static_cast<double>(bits);
    const uint32_t unused = 64 - row.bits;
    return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
  }
  if (row.bits == 64) return std::bit_cast<double>(bits);
  return emulator::tensor::decode(row.format, static_cast<uint32_t>(bits)).value;
}

uint64_t element_at(ElementFormat format, const std::vector<uint8_t> &bytes, uint64_t index) {
  const uint32_t bits = bits_of(format);
  if (bits == 4) return bytes[index / 2] >> (index % 2 * 4) & 0xF;
  uint64_t element = 0;
  std::memcpy(&element, bytes.data() + index * (bits / 8), bits / 8);
  return element;
}

void set_element(ElementFormat format, std::vector<uint8_t> &bytes, uint64_t index, uint64_t element) {
  const uint32_t bits = bits_of(format);
  if (bits == 4) {
    const uint32_t shift = index % 2 * 4;
    bytes[index / 2] = static_cast<uint8_t>((bytes[index / 2] & ~(0xF << shift)) | element << shift);
  } else {
    std::memcpy(bytes.data() + index * (bits / 8), &element, bits / 8);
  }
}

}  // namespace warpwright::cli
