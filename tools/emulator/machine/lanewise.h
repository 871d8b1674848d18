// SPDX-License-Identifier: Apache-2.0
// Instructions that do the same in every lane, from a function of one lane's values.
#pragma once

#include "tools/emulator/machine/forms.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace warpwright::emulator {

/// Values of 8 and 16 bits live in 32-bit lanes, zero-extended.
template <class T> using LaneOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T> T from_lane(LaneOf<T> bits) {
  if constexpr (std::is_floating_point_v<T>) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  } else {
    return static_cast<T>(bits);
  }
}

template <class T> LaneOf<T> to_lane(T value) {
  if constexpr (std::is_same_v<T, float>) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    // PTX ISA 9.0, "Floating Point Instructions": NaN results of 32-bit instructions are canonical.
    return value != value ? 0x7FFFFFFFu : bits;
  } else if constexpr (std::is_same_v<T, double>) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

/// .ftz: subnormal inputs and results are zero of the same sign.
inline float flush(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

template <class R, class A, auto F> Step unary(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<R>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<A>>(op.operands[1]);
  x.each_lane([&](uint32_t i) { d[i] = to_lane<R>(static_cast<R>(F(from_lane<A>(a[i])))); });
  return Step::kNext;
}

template <class R, class T, auto F> Step binary(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<R>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<T>>(op.operands[1]);
  const auto *b = x.lanes<LaneOf<T>>(op.operands[2]);
  x.each_lane([&](uint32_t i) { d[i] = to_lane<R>(static_cast<R>(F(from_lane<T>(a[i]), from_lane<T>(b[i])))); });
  return Step::kNext;
}

/// The second operand is a 32-bit count.
template <class T, auto F> Step shift(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<T>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<T>>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  uint32_t differs = ~x.mask;
  for (uint32_t i = 0; i < 32; ++i) differs |= b[i] ^ b[0];
  if (differs) {
    x.each_lane([&](uint32_t i) { d[i] = to_lane<T>(static_cast<T>(F(from_lane<T>(a[i]), b[i]))); });
  } else {
    // One count for all, as nearly always: then lanes are shifted together.
    const uint32_t count = b[0];
    for (uint32_t i = 0; i < 32; ++i) d[i] = to_lane<T>(static_cast<T>(F(from_lane<T>(a[i]), count)));
  }
  return Step::kNext;
}

template <class R, class T, auto F> Step ternary(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<R>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<T>>(op.operands[1]);
  const auto *b = x.lanes<LaneOf<T>>(op.operands[2]);
  const auto *c = x.lanes<LaneOf<R>>(op.operands[3]);
  x.each_lane([&](uint32_t i) {
    d[i] = to_lane<R>(static_cast<R>(F(from_lane<T>(a[i]), from_lane<T>(b[i]), from_lane<R>(c[i]))));
  });
  return Step::kNext;
}

/// Comparisons; of floats the ordered ones, which a NaN fails.
inline constexpr auto kEq = [](auto a, auto b) { return a == b; };
inline constexpr auto kNe = [](auto a, auto b) {
  if constexpr (std::is_floating_point_v<decltype(a)>) return a < b || a > b;
  else return a != b;
};
inline constexpr auto kLt = [](auto a, auto b) { return a < b; };
inline constexpr auto kLe = [](auto a, auto b) { return a <= b; };
inline constexpr auto kGt = [](auto a, auto b) { return a > b; };
inline constexpr auto kGe = [](auto a, auto b) { return a >= b; };
inline constexpr auto kNum = [](auto a, auto b) { return a == a && b == b; };
inline constexpr auto kNan = [](auto a, auto b) { return a != a || b != b; };
/// The unordered comparisons hold for a NaN.
template <auto F> constexpr auto kOrNan = [](auto a, auto b) { return kNan(a, b) || F(a, b); };

/// `>p|p w w`: the second predicate is the complement of the first.
template <class T, auto F> Step compare(Execution &x, const Op &op) {
  const auto *a = x.lanes<LaneOf<T>>(op.operands[2]);
  const auto *b = x.lanes<LaneOf<T>>(op.operands[3]);
  uint32_t holds = 0;
  x.each_lane([&](uint32_t i) { holds |= -uint32_t{F(from_lane<T>(a[i]), from_lane<T>(b[i]))} & kLaneBits[i]; });
  set_predicate(x, op.operands[0], holds);
  set_predicate(x, op.operands[1], ~holds);
  return Step::kNext;
}

template <class T> Step move(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<T>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<T>>(op.operands[1]);
  x.each_lane([&](uint32_t i) { d[i] = a[i]; });
  return Step::kNext;
}

template <class T> Step select(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<T>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<T>>(op.operands[1]);
  const auto *b = x.lanes<LaneOf<T>>(op.operands[2]);
  const uint32_t takes_first = lanes_where(x, op.operands[3]);
  x.each_lane([&](uint32_t i) { d[i] = takes_first & kLaneBits[i] ? a[i] : b[i]; });
  return Step::kNext;
}

}  // namespace warpwright::emulator
