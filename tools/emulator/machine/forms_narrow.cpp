// SPDX-License-Identifier: Apache-2.0
// Conversions to and from narrow floating-point formats, and whole floats. PTX ISA 9.0, "cvt".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/lanewise.h"
#include "tools/emulator/machine/small_floats.h"

namespace warpwright::emulator {

namespace {

double relu(double value, bool is_relu) { return is_relu && !std::isnan(value) && !(value > 0) ? 0.0 : value; }

template <const SmallFormat &kFormat> constexpr uint32_t kBits = 1 + kFormat.exponent_bits + kFormat.significand_bits;
/// Elements of 6 bits take a byte each; of 4 bits both share one.
template <const SmallFormat &kFormat> constexpr uint32_t kStride = kBits<kFormat> <= 4 ? 4 : kBits<kFormat> <= 8 ? 8 : 16;
template <const SmallFormat &kFormat> constexpr uint32_t kMask = (1u << kBits<kFormat>) - 1;

/// Two floats; the first goes to the upper half.
template <const SmallFormat &kTo, Rounding kRounding, bool kSaturates, bool kRelu> Step from_floats(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *high = x.lanes<uint32_t>(op.operands[1]);
  const auto *low = x.lanes<uint32_t>(op.operands[2]);
  const auto round = [](uint32_t bits) {
    return round_to(kTo, relu(static_cast<double>(from_lane<float>(bits)), kRelu), kRounding, kSaturates);
  };
  x.each_lane([&](uint32_t i) { d[i] = round(high[i]) << kStride<kTo> | round(low[i]); });
  return Step::kNext;
}

template <const SmallFormat &kTo, Rounding kRounding, bool kSaturates, bool kRelu> Step from_float(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  // tf32 lies in the upper bits of a 32-bit register.
  constexpr uint32_t kShift = kBits<kTo> == 19 ? 13 : 0;
  x.each_lane([&](uint32_t i) {
    d[i] = round_to(kTo, relu(static_cast<double>(from_lane<float>(a[i])), kRelu), kRounding, kSaturates) << kShift;
    // As an H200 does it: rounding away leaves a NaN's upper bits.
    if (kShift && kRounding == Rounding::kNearestAway && std::isnan(from_lane<float>(a[i]))) d[i] = a[i] & 0xFFFFE000;
  });
  return Step::kNext;
}

/// A pair to a pair.
template <const SmallFormat &kTo, const SmallFormat &kFrom, bool kSaturates, bool kRelu> Step from_pair(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto convert = [](uint32_t bits) {
    return round_to(kTo, relu(value_of(kFrom, bits & kMask<kFrom>), kRelu), Rounding::kNearestEven, kSaturates);
  };
  x.each_lane([&](uint32_t i) { d[i] = convert(a[i] >> kStride<kFrom>) << kStride<kTo> | convert(a[i]); });
  return Step::kNext;
}

/// ue8m0: powers of two from 2^-127 to 2^127; 0xFF is NaN; there is no sign. Source: PTX ISA 9.0, "Alternate Floating-Point
/// Data Formats", "cvt": .rz takes the power below, .rp the one above; a NaN is 0xFF.
template <bool kUp> uint32_t scale_of(double value) {
  if (std::isnan(value)) return 0xFF;
  const double size = std::fabs(value);
  if (std::isinf(size)) return 0xFE;
  if (size <= 0x1p-127) return 0;
  int exponent = std::ilogb(size);
  if (kUp && size > std::ldexp(1.0, exponent)) ++exponent;
  return static_cast<uint32_t>(std::min(exponent + 127, 0xFE));
}
template <bool kUp> Step scales_from_floats(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *high = x.lanes<uint32_t>(op.operands[1]);
  const auto *low = x.lanes<uint32_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) {
    d[i] = scale_of<kUp>(static_cast<double>(from_lane<float>(high[i]))) << 8 | scale_of<kUp>(static_cast<double>(from_lane<float>(low[i])));
  });
  return Step::kNext;
}
template <bool kUp> Step scales_from_pair(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  x.each_lane([&](uint32_t i) {
    d[i] = scale_of<kUp>(value_of(kBf16, a[i] >> 16)) << 8 | scale_of<kUp>(value_of(kBf16, a[i] & 0xFFFF));
  });
  return Step::kNext;
}
Step scales_to_pair(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto convert = [](uint32_t scale) {
    const double value = scale == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(scale) - 127);
    return round_to(kBf16, value, Rounding::kNearestEven, false);
  };
  x.each_lane([&](uint32_t i) { d[i] = convert(a[i] >> 8 & 0xFF) << 16 | convert(a[i] & 0xFF); });
  return Step::kNext;
}

/// Integers to halves. Beyond 53 bits what is dropped stays visible in the last bit kept.
template <const SmallFormat &kTo, class T> constexpr auto kFromInteger = [](T a) -> uint16_t {
  double value = static_cast<double>(a);
  if constexpr (sizeof(T) == 8) {
    const bool is_negative = std::is_signed_v<T> && a < 0;
    uint64_t size = is_negative ? uint64_t{0} - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
    if (size >> 53) size = (size & ~uint64_t{0x7FF}) | (size & 0x7FF ? uint64_t{0x800} : 0);
    value = is_negative ? -static_cast<double>(size) : static_cast<double>(size);
  }
  return static_cast<uint16_t>(round_to(kTo, value, Rounding::kNearestEven, false));
};
template <const SmallFormat &kFrom, class T, auto F> constexpr auto kToInteger = [](uint16_t bits) -> T {
  const double a = value_of(kFrom, bits);
  if (a != a) return sizeof(T) == 8 ? static_cast<T>(uint64_t{1} << 63) : T{0};
  const double rounded = F(a);
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(rounded);
};

constexpr auto kNearest = [](auto a) { return std::nearbyint(a); };
constexpr auto kToZero = [](auto a) { return std::trunc(a); };
constexpr auto kDown = [](auto a) { return std::floor(a); };
constexpr auto kUp = [](auto a) { return std::ceil(a); };
template <auto F> constexpr auto kFlush = [](float a) { return flush(F(flush(a))); };
constexpr auto kSaturate = [](float a) { return a > 0 ? std::min(a, 1.0f) : 0.0f; };
constexpr auto kSame = [](float a) { return a; };

class Rows : public FormRows {
 public:
  template <const SmallFormat &kTo> void add_small(const std::string &type) {
    for (const bool is_relu : {false, true}) {
      const std::string word = is_relu ? ".relu" : "";
      const auto pick = [&](Handler plain, Handler with_relu) { return is_relu ? with_relu : plain; };
      add("cvt.rn.satfinite" + word + type + ".f32", ">w w w",
          pick(from_floats<kTo, Rounding::kNearestEven, true, false>, from_floats<kTo, Rounding::kNearestEven, true, true>));
      if (kBits<kTo> == 8)
        add("cvt.rn.satfinite" + word + type + ".f16x2", ">w w", pick(from_pair<kTo, kF16, true, false>, from_pair<kTo, kF16, true, true>));
      add("cvt.rn" + word + ".f16x2" + type, ">w w", pick(from_pair<kF16, kTo, false, false>, from_pair<kF16, kTo, false, true>));
    }
  }
  template <const SmallFormat &kTo> void add_half(const std::string &type) {
    using R = Rounding;
    add("cvt.rn.relu" + type + "x2.f32", ">w w w", from_floats<kTo, R::kNearestEven, false, true>);
    add("cvt.rz" + type + "x2.f32", ">w w w", from_floats<kTo, R::kToZero, false, false>);
    add("cvt.rz.relu" + type + "x2.f32", ">w w w", from_floats<kTo, R::kToZero, false, true>);
    add("cvt.rn.relu" + type + ".f32", ">w w", from_float<kTo, R::kNearestEven, false, true>);
    add("cvt.rz" + type + ".f32", ">w w", from_float<kTo, R::kToZero, false, false>);
    add("cvt.rz.relu" + type + ".f32", ">w w", from_float<kTo, R::kToZero, false, true>);
#define WW_INTEGER(name, T, width)                                                                                  \
  add("cvt.rn" + type + "." name, ">w " width, unary<uint16_t, T, kFromInteger<kTo, T>>);                            \
  add("cvt.rni." name + type, ">" width " w", unary<T, uint16_t, kToInteger<kTo, T, kNearest>>);                     \
  add("cvt.rzi." name + type, ">" width " w", unary<T, uint16_t, kToInteger<kTo, T, kToZero>>);                      \
  add("cvt.rmi." name + type, ">" width " w", unary<T, uint16_t, kToInteger<kTo, T, kDown>>);                        \
  add("cvt.rpi." name + type, ">" width " w", unary<T, uint16_t, kToInteger<kTo, T, kUp>>)
    WW_INTEGER("s16", int16_t, "w"), WW_INTEGER("u16", uint16_t, "w"), WW_INTEGER("s32", int32_t, "w");
    WW_INTEGER("u32", uint32_t, "w"), WW_INTEGER("s64", int64_t, "l"), WW_INTEGER("u64", uint64_t, "l");
#undef WW_INTEGER
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_small<kE4m3>(".e4m3x2"), rows.add_small<kE5m2>(".e5m2x2"), rows.add_small<kE2m3>(".e2m3x2");
    rows.add_small<kE3m2>(".e3m2x2"), rows.add_small<kE2m1>(".e2m1x2");
    rows.add_half<kF16>(".f16"), rows.add_half<kBf16>(".bf16");
    for (const char *word : {"", ".satfinite"}) {
      rows.add(std::string("cvt.rz") + word + ".ue8m0x2.f32", ">w w w", scales_from_floats<false>);
      rows.add(std::string("cvt.rp") + word + ".ue8m0x2.f32", ">w w w", scales_from_floats<true>);
      rows.add(std::string("cvt.rz") + word + ".ue8m0x2.bf16x2", ">w w", scales_from_pair<false>);
      rows.add(std::string("cvt.rp") + word + ".ue8m0x2.bf16x2", ">w w", scales_from_pair<true>);
    }
    rows.add("cvt.rn.bf16x2.ue8m0x2", ">w w", scales_to_pair);
    using R = Rounding;
    rows.add("cvt.rna.tf32.f32", ">w w", from_float<kTf32, R::kNearestAway, false, false>);
    rows.add("cvt.rn.tf32.f32", ">w w", from_float<kTf32, R::kNearestEven, false, false>);
    rows.add("cvt.rn.relu.tf32.f32", ">w w", from_float<kTf32, R::kNearestEven, false, true>);
    rows.add("cvt.rz.tf32.f32", ">w w", from_float<kTf32, R::kToZero, false, false>);
    rows.add("cvt.rz.relu.tf32.f32", ">w w", from_float<kTf32, R::kToZero, false, true>);
    // Floats to whole floats.
#define WW_WHOLE(name, F)                                                 \
  rows.add("cvt." name ".f32.f32", ">w w", unary<float, float, F>);       \
  rows.add("cvt." name ".ftz.f32.f32", ">w w", unary<float, float, kFlush<F>>)
    WW_WHOLE("rni", kNearest), WW_WHOLE("rzi", kToZero), WW_WHOLE("rmi", kDown), WW_WHOLE("rpi", kUp);
#undef WW_WHOLE
    rows.add("cvt.sat.f32.f32", ">w w", unary<float, float, kSaturate>);
    rows.add("cvt.ftz.f32.f32", ">w w", unary<float, float, kFlush<kSame>>);
    rows.add("cvt.ftz.sat.f32.f32", ">w w", unary<float, float, kFlush<kSaturate>>);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> narrow_forms() { return rows().forms; }

}  // namespace warpwright::emulator
