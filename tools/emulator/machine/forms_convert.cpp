// SPDX-License-Identifier: Apache-2.0
// Conversions. PTX ISA 9.0, "Data Movement and Conversion Instructions: cvt".
#include "tools/emulator/machine/lanewise.h"

namespace warpwright::emulator {

namespace {

/// To nearest even; overflow is infinity; NaN is 0x7FFF.
uint32_t half_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 0x7FFF;
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // 65,520 and above round to infinity
  if (magnitude < 0x33000001) return sign;            // 2^-25 is half of the least subnormal, a tie with zero
  int32_t exponent = static_cast<int32_t>(magnitude >> 23) - 127;
  const uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000;
  const uint32_t drop = exponent < -14 ? static_cast<uint32_t>(-1 - exponent) : 13;
  uint32_t kept = significand >> drop;
  const uint32_t rest = significand & ((1u << drop) - 1), half = 1u << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // A carry out of the significand walks into the exponent, as it should.
  return sign | (exponent < -14 ? kept : kept + (static_cast<uint32_t>(exponent + 14) << 10));
}

uint32_t bf16_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value) return 0x7FFF;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

float float_of_half(uint32_t half) {
  const float sign = half & 0x8000 ? -1.0f : 1.0f;
  const int exponent = static_cast<int>(half >> 10 & 0x1F);
  const float fraction = static_cast<float>(half & 0x3FF);
  if (exponent == 31) return half & 0x3FF ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// Two halves from two floats: the first operand goes to the upper half.
template <auto F> Step pack_two(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *high = x.lanes<uint32_t>(op.operands[1]);
  const auto *low = x.lanes<uint32_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) { d[i] = F(from_lane<float>(high[i])) << 16 | F(from_lane<float>(low[i])); });
  return Step::kNext;
}

/// A float to an integer of type T: rounded by F, saturated, NaN is 0 (32 bits) or the most negative number (64 bits).
template <class T, auto F> constexpr auto kToInteger = [](float a) -> T {
  if (a != a) return sizeof(T) == 8 ? static_cast<T>(uint64_t{1} << 63) : T{0};
  const double rounded = F(static_cast<double>(a));
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(rounded);
};
constexpr auto kNearest = [](double a) { return std::nearbyint(a); };
constexpr auto kToZero = [](double a) { return std::trunc(a); };
constexpr auto kDown = [](double a) { return std::floor(a); };
constexpr auto kUp = [](double a) { return std::ceil(a); };

// Narrowing drops bits; widening follows the source's sign; a narrow signed result fills its register with its sign.
#define WW_INTEGER(to, T, ts, from, F, fs) \
  {"cvt." to "." from, ">" ts " " fs,      \
   unary<std::conditional_t<sizeof(T) < 4 && std::is_signed_v<T>, int32_t, T>, F, [](F a) { return static_cast<T>(a); }>}
#define WW_FROM(from, F, fs)                                                                                          \
  WW_INTEGER("u8", uint8_t, "w", from, F, fs), WW_INTEGER("s8", int8_t, "w", from, F, fs),                            \
      WW_INTEGER("u16", uint16_t, "w", from, F, fs), WW_INTEGER("s16", int16_t, "w", from, F, fs),                    \
      WW_INTEGER("u32", uint32_t, "w", from, F, fs), WW_INTEGER("s32", int32_t, "w", from, F, fs),                    \
      WW_INTEGER("u64", uint64_t, "l", from, F, fs), WW_INTEGER("s64", int64_t, "l", from, F, fs),                    \
      {"cvt.rn.f32." from, ">w " fs, unary<float, F, [](F a) { return static_cast<float>(a); }>}
#define WW_TO(to, T, ts)                                                                                              \
  {"cvt.rni." to ".f32", ">" ts " w", unary<T, float, kToInteger<T, kNearest>>},                                      \
      {"cvt.rzi." to ".f32", ">" ts " w", unary<T, float, kToInteger<T, kToZero>>},                                   \
      {"cvt.rmi." to ".f32", ">" ts " w", unary<T, float, kToInteger<T, kDown>>},                                     \
      {"cvt.rpi." to ".f32", ">" ts " w", unary<T, float, kToInteger<T, kUp>>}

const Form kForms[] = {
    WW_FROM("u8", uint8_t, "w"), WW_FROM("s8", int8_t, "w"), WW_FROM("u16", uint16_t, "w"), WW_FROM("s16", int16_t, "w"),
    WW_FROM("u32", uint32_t, "w"), WW_FROM("s32", int32_t, "w"), WW_FROM("u64", uint64_t, "l"), WW_FROM("s64", int64_t, "l"),
    WW_TO("u32", uint32_t, "w"), WW_TO("s32", int32_t, "w"), WW_TO("u64", uint64_t, "l"), WW_TO("s64", int64_t, "l"),
    {"cvt.rn.bf16x2.f32", ">w w w", pack_two<bf16_of>}, {"cvt.rn.f16x2.f32", ">w w w", pack_two<half_of>},
    {"cvt.rn.bf16.f32", ">w w", unary<uint16_t, float, bf16_of>}, {"cvt.rn.f16.f32", ">w w", unary<uint16_t, float, half_of>},
    {"cvt.f32.f16", ">w w", unary<float, uint16_t, float_of_half>},
    {"cvt.f32.bf16", ">w w", unary<uint32_t, uint16_t, [](uint16_t a) { return uint32_t{a} << 16; }>},
};

}  // namespace

std::span<const Form> convert_forms() { return kForms; }

}  // namespace warpwright::emulator
