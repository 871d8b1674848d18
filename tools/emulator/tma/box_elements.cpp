// SPDX-License-Identifier: Apache-2.0
// One row of a box at a time.
#include "tools/emulator/tma/box_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace warpwright::emulator::tma {
namespace {

bool is_padded(ElementType type) { return type == ElementType::k16U4Align16B || type == ElementType::k16U6Align16B; }

constexpr uint32_t kGroupElems = 16;
constexpr uint32_t kGroupBytes = 16;

/// FP16 and BF16 to float and back, to nearest even.
float widen(ElementType type, uint16_t code) {
  if (type == ElementType::kBf16) return std::bit_cast<float>(uint32_t{code} << 16);
  const int exponent = code >> 10 & 31;
  const int fraction = code & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction != 0 ? NAN : INFINITY;
  } else {
    magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t narrow(ElementType type, double value) {
  if (std::isnan(value)) return 0x7FFF;
  const bool is_bf16 = type == ElementType::kBf16;
  const int fraction_bits = is_bf16 ? 7 : 10;
  const int least = is_bf16 ? -126 : -14;
  const int most = is_bf16 ? 127 : 15;
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  int exponent = least + 1;
  if (magnitude != 0 && std::isfinite(magnitude)) std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, least);
  const double units = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  const bool is_carried = units >= std::ldexp(2.0, fraction_bits);
  if (!std::isfinite(magnitude) || exponent > most || (exponent == most && is_carried)) {
    return static_cast<uint16_t>(sign | (is_bf16 ? 0x7F80u : 0x7C00u));
  }
  const uint32_t whole = static_cast<uint32_t>(units);
  return static_cast<uint16_t>(sign | (whole + (static_cast<uint32_t>(exponent - least) << fraction_bits)));
}

float flushed(float value) { return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value; }

template <typename T>
T combine_integer(Reduction reduction, T old, T value) {
  using Unsigned = std::make_unsigned_t<T>;
  switch (reduction) {
    case Reduction::kAdd:
      return static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(value));
    case Reduction::kMin:
      return std::min(old, value);
    case Reduction::kMax:
      return std::max(old, value);
    // PTX ISA 9.0, "atom": inc wraps to 0 beyond the operand, dec wraps to the operand at 0 or beyond it.
    case Reduction::kInc:
      return old >= value ? T{0} : static_cast<T>(old + 1);
    case Reduction::kDec:
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case Reduction::kAnd:
      return old & value;
    case Reduction::kOr:
      return old | value;
    case Reduction::kXor:
      return old ^ value;
  }
  return old;
}

/// A NaN loses against a number (PTX ISA 9.0, "red", .min and .max).
float combine_half(Reduction reduction, float old, float value) {
  if (reduction == Reduction::kAdd) return old + value;
  if (std::isnan(old)) return value;
  if (std::isnan(value)) return old;
  return reduction == Reduction::kMin ? std::min(old, value) : std::max(old, value);
}

template <typename T, typename Combine>
void for_each(const uint8_t *row, uint8_t *to, uint32_t count, Combine combine) {
  for (uint32_t i = 0; i < count; ++i) {
    T old, value;
    std::memcpy(&old, to + i * sizeof(T), sizeof(T));
    std::memcpy(&value, row + i * sizeof(T), sizeof(T));
    const T result = combine(old, value);
    std::memcpy(to + i * sizeof(T), &result, sizeof(T));
  }
}

template <typename T>
void reduce_integers(Reduction reduction, const uint8_t *row, uint8_t *to, uint32_t count) {
  for_each<T>(row, to, count, [&](T old, T value) { return combine_integer<T>(reduction, old, value); });
}

}  // namespace

uint32_t inner_bytes(const TensorMap &map) {
  return is_padded(map.type) ? map.box[0] / kGroupElems * kGroupBytes : map.box[0] * element_bits(map.type) / 8;
}

void fill_row(const TensorMap &map, uint8_t *row, uint32_t bytes) {
  std::memset(row, 0, bytes);
  if (map.oob_fill == OobFill::kZero) return;
  // "A special NaN constant" (CUDA Driver API 13.0): 0x7FF7 in every 16 bits, as an H200 fills FLOAT16,
  // BFLOAT16 and FLOAT32.
  for (uint32_t i = 0; i < bytes; ++i) row[i] = i % 2 == 0 ? 0xF7 : 0x7F;
}

void load_elements(const TensorMap &map, const uint8_t *from, uint32_t at, uint32_t count, uint8_t *row) {
  const uint32_t bits = element_bits(map.type);
  if (is_padded(map.type)) {
    const uint32_t group = kGroupElems * bits / 8;
    for (uint32_t i = 0; i < count / kGroupElems; ++i) {
      uint8_t *to = row + (at / kGroupElems + i) * kGroupBytes;
      std::memcpy(to, from + i * group, group);
      // The padding is uninitialised (PTX ISA 9.0, "Sub-byte Types").
      std::memset(to + group, GlobalMemory::kPoison, kGroupBytes - group);
    }
    return;
  }
  // FLOAT32_FTZ too: an H200 loads its subnormals as they are.
  std::memcpy(row + at * bits / 8, from, count * bits / 8);
}

void store_elements(const TensorMap &map, const uint8_t *row, uint32_t at, uint32_t count, uint8_t *to) {
  const uint32_t bits = element_bits(map.type);
  if (!is_padded(map.type)) {
    std::memcpy(to, row + at * bits / 8, count * bits / 8);
    return;
  }
  // .b6p2x16: the low 6 bits of each byte, packed (PTX ISA 9.0, "Sub-byte Types").
  std::memset(to, 0, count * bits / 8);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t code = row[at + i] & 63u;
    const uint32_t first = i * 6;
    to[first / 8] = static_cast<uint8_t>(to[first / 8] | code << first % 8);
    if (first % 8 > 2) to[first / 8 + 1] = static_cast<uint8_t>(to[first / 8 + 1] | code >> (8 - first % 8));
  }
}

bool has_reduction(ElementType type, Reduction reduction) {
  const bool is_bitwise = reduction == Reduction::kAnd || reduction == Reduction::kOr || reduction == Reduction::kXor;
  const bool is_count = reduction == Reduction::kInc || reduction == Reduction::kDec;
  switch (type) {
    case ElementType::kU32:
      return true;
    case ElementType::kS32:
      return !is_count;
    case ElementType::kU64:
      return !is_count;
    case ElementType::kS64:  // an H200 stops the others with an illegal instruction
      return reduction == Reduction::kMin || reduction == Reduction::kMax;
    case ElementType::kF16:
    case ElementType::kBf16:
      return !is_bitwise && !is_count;
    case ElementType::kF32:
    case ElementType::kF64:
      return reduction == Reduction::kAdd;
    default:
      return false;
  }
}

void reduce_elements(const TensorMap &map, Reduction reduction, const uint8_t *row, uint32_t at, uint32_t count,
                     uint8_t *to) {
  row += at * element_bits(map.type) / 8;
  switch (map.type) {
    case ElementType::kU32:
      return reduce_integers<uint32_t>(reduction, row, to, count);
    case ElementType::kS32:
      return reduce_integers<int32_t>(reduction, row, to, count);
    case ElementType::kU64:
      return reduce_integers<uint64_t>(reduction, row, to, count);
    case ElementType::kS64:
      return reduce_integers<int64_t>(reduction, row, to, count);
    case ElementType::kF64:
      return for_each<double>(row, to, count, [](double old, double value) { return old + value; });
    // PTX ISA 9.0, "cp.reduce.async.bulk": .f32 flushes subnormal inputs and results; .f16 and .bf16 do not.
    case ElementType::kF32:
      return for_each<float>(row, to, count,
                             [](float old, float value) { return flushed(flushed(old) + flushed(value)); });
    default:
      break;
  }
  for_each<uint16_t>(row, to, count, [&](uint16_t old, uint16_t value) {
    const float a = widen(map.type, old), b = widen(map.type, value);
    // A double holds the exact sum of two halves; two BF16 far apart round the same from its 53 bits.
    if (reduction == Reduction::kAdd) return narrow(map.type, static_cast<double>(a) + static_cast<double>(b));
    return narrow(map.type, combine_half(reduction, a, b));
  });
}

}  // namespace warpwright::emulator::tma
