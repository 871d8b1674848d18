// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16 and bf16, one value or two. PTX ISA 9.0, "Half Precision Floating Point Instructions", "Half Precision
// Comparison Instructions".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/lanewise.h"
#include "tools/emulator/machine/small_floats.h"

namespace warpwright::emulator {

namespace {

enum : uint32_t { kFtz = 1, kSat = 2, kRelu = 4, kKeepsNan = 8, kXorSign = 16 };

template <bool kIsBf16> constexpr const SmallFormat &format_of() {
  if constexpr (kIsBf16) return kBf16;
  else return kF16;
}

/// Subnormals are zero of their sign.
template <bool kIsBf16, uint32_t kFlags> uint32_t flush_half(uint32_t bits) {
  constexpr SmallFormat kFormat = format_of<kIsBf16>();
  constexpr uint32_t kExponent = ((1u << kFormat.exponent_bits) - 1) << kFormat.significand_bits;
  return kFlags & kFtz && (bits & kExponent) == 0 ? bits & 0x8000 : bits;
}

template <bool kIsBf16, uint32_t kFlags> uint32_t finish(double value) {
  if (kFlags & kSat) value = value > 0 ? std::min(value, 1.0) : 0.0;  // of NaN and -0 too
  if (kFlags & kRelu && !std::isnan(value) && !(value > 0)) value = 0;
  return flush_half<kIsBf16, kFlags>(round_to(format_of<kIsBf16>(), value, Rounding::kNearestEven, false));
}

/// `d, a` to `d, a, b, c` on kHalves values side by side.
template <bool kIsBf16, uint32_t kHalves, uint32_t kSources, uint32_t kFlags, auto F> Step half(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  x.each_lane([&](uint32_t i) {
    uint32_t out = 0;
    for (uint32_t h = 0; h < kHalves; ++h) {
      double values[3]{};
      for (uint32_t s = 0; s < kSources; ++s) {
        const uint32_t bits = x.lanes<uint32_t>(op.operands[1 + s])[i] >> (16 * h) & 0xFFFF;
        values[s] = value_of(format_of<kIsBf16>(), flush_half<kIsBf16, kFlags>(bits));
      }
      out |= finish<kIsBf16, kFlags>(F(values[0], values[1], values[2])) << (16 * h);
    }
    d[i] = out;
  });
  return Step::kNext;
}

constexpr auto kAdd = [](double a, double b, double) { return add_to_odd(a, b); };
constexpr auto kSub = [](double a, double b, double) { return add_to_odd(a, -b); };
constexpr auto kMul = [](double a, double b, double) { return a * b; };  // 22 bits
constexpr auto kFma = [](double a, double b, double c) { return add_to_odd(a * b, c); };
constexpr auto kNeg = [](double a, double, double) { return -a; };
constexpr auto kAbs = [](double a, double, double) { return std::fabs(a); };
constexpr auto kExp2 = [](double a, double, double) { return std::exp2(a); };
constexpr auto kTanh = [](double a, double, double) { return std::tanh(a); };

/// The lesser or greater of two values. Of a NaN and a number the number, unless .NaN; -0 is less than +0; .xorsign.abs
/// compares sizes and gives the product's sign.
template <class T, bool kIsMax, uint32_t kFlags> T choose(T a, T b) {
  const bool is_negative = std::signbit(a) != std::signbit(b);
  if (kFlags & kXorSign) a = std::fabs(a), b = std::fabs(b);
  T chosen = a;
  if (std::isnan(a) || std::isnan(b)) {
    if (kFlags & kKeepsNan || (std::isnan(a) && std::isnan(b))) return std::numeric_limits<T>::quiet_NaN();
    chosen = std::isnan(a) ? b : a;
  } else if (a == b) {
    chosen = std::signbit(a) == kIsMax ? b : a;
  } else {
    chosen = (a > b) == kIsMax ? a : b;
  }
  if (kFlags & kXorSign) chosen = is_negative ? -chosen : chosen;
  return chosen;
}
template <bool kIsMax, uint32_t kFlags> constexpr auto kChoose = [](double a, double b, double) {
  return choose<double, kIsMax, kFlags>(a, b);
};

/// Comparisons of one value, or of two: then the second predicate is the upper half's.
template <bool kIsBf16, bool kIsPair, uint32_t kFlags, auto F> Step compare_half(Execution &x, const Op &op) {
  uint32_t holds[2]{};
  constexpr uint32_t kFirst = kIsPair ? 2 : 1;
  const auto *a = x.lanes<uint32_t>(op.operands[kFirst]);
  const auto *b = x.lanes<uint32_t>(op.operands[kFirst + 1]);
  x.each_lane([&](uint32_t i) {
    for (uint32_t h = 0; h < (kIsPair ? 2 : 1); ++h) {
      const auto value = [&](uint32_t bits) {
        return value_of(format_of<kIsBf16>(), flush_half<kIsBf16, kFlags>(bits >> (16 * h) & 0xFFFF));
      };
      holds[h] |= uint32_t{F(value(a[i]), value(b[i]))} << i;
    }
  });
  set_predicate(x, op.operands[0], holds[0]);
  if constexpr (kIsPair) set_predicate(x, op.operands[1], holds[1]);
  return Step::kNext;
}


class Rows : public FormRows {
 public:
  template <bool kIsBf16, uint32_t kHalves> void add_type() {
    type_ = std::string(kIsBf16 ? ".bf16" : ".f16") + (kHalves == 2 ? "x2" : "");
    for (const char *word : {"", ".rn"}) add_sums<kIsBf16, kHalves, 0>(word);
    add("fma.rn" + type_, ">w w w w", half<kIsBf16, kHalves, 3, 0, kFma>);
    add("fma.rn.relu" + type_, ">w w w w", half<kIsBf16, kHalves, 3, kRelu, kFma>);
    add_signs_and_choices<kIsBf16, kHalves, 0>("");
    add("tanh.approx" + type_, ">w w", half<kIsBf16, kHalves, 1, 0, kTanh>);
    add_comparisons<kIsBf16, kHalves, 0>("");
    if constexpr (kIsBf16) {
      add("ex2.approx.ftz" + type_, ">w w", half<true, kHalves, 1, kFtz, kExp2>);
    } else {
      for (const char *word : {"", ".rn"}) {
        add_sums<false, kHalves, kFtz>(std::string(word) + ".ftz");
        add_sums<false, kHalves, kSat>(std::string(word) + ".sat");
        add_sums<false, kHalves, kFtz | kSat>(std::string(word) + ".ftz.sat");
      }
      add("fma.rn.ftz" + type_, ">w w w w", half<false, kHalves, 3, kFtz, kFma>);
      add("fma.rn.sat" + type_, ">w w w w", half<false, kHalves, 3, kSat, kFma>);
      add("fma.rn.ftz.sat" + type_, ">w w w w", half<false, kHalves, 3, kFtz | kSat, kFma>);
      add("fma.rn.ftz.relu" + type_, ">w w w w", half<false, kHalves, 3, kFtz | kRelu, kFma>);
      add_signs_and_choices<false, kHalves, kFtz>(".ftz");
      add_comparisons<false, kHalves, kFtz>(".ftz");
      add("ex2.approx" + type_, ">w w", half<false, kHalves, 1, 0, kExp2>);
    }
  }

 private:
  template <bool kIsBf16, uint32_t kHalves, uint32_t kFlags> void add_sums(const std::string &word) {
    add("add" + word + type_, ">w w w", half<kIsBf16, kHalves, 2, kFlags, kAdd>);
    add("sub" + word + type_, ">w w w", half<kIsBf16, kHalves, 2, kFlags, kSub>);
    add("mul" + word + type_, ">w w w", half<kIsBf16, kHalves, 2, kFlags, kMul>);
  }
  template <bool kIsBf16, uint32_t kHalves, uint32_t kFlags> void add_signs_and_choices(const std::string &word) {
    add("neg" + word + type_, ">w w", half<kIsBf16, kHalves, 1, kFlags, kNeg>);
    add("abs" + word + type_, ">w w", half<kIsBf16, kHalves, 1, kFlags, kAbs>);
    add_choice<kIsBf16, kHalves, kFlags>(word);
    add_choice<kIsBf16, kHalves, kFlags | kKeepsNan>(word + ".NaN");
    add_choice<kIsBf16, kHalves, kFlags | kXorSign>(word + ".xorsign.abs");
    add_choice<kIsBf16, kHalves, kFlags | kKeepsNan | kXorSign>(word + ".NaN.xorsign.abs");
  }
  template <bool kIsBf16, uint32_t kHalves, uint32_t kFlags> void add_choice(const std::string &word) {
    add("min" + word + type_, ">w w w", half<kIsBf16, kHalves, 2, kFlags, kChoose<false, kFlags>>);
    add("max" + word + type_, ">w w w", half<kIsBf16, kHalves, 2, kFlags, kChoose<true, kFlags>>);
  }
  template <bool kIsBf16, uint32_t kHalves, uint32_t kFlags> void add_comparisons(const std::string &word) {
    const auto one = [&](const char *name, Handler handler) { add("setp." + std::string(name) + word + type_, kHalves == 2 ? ">p|p w w" : ">p w w", handler); };
#define WW_COMPARE(name, F) one(name, compare_half<kIsBf16, kHalves == 2, kFlags, F>)
    WW_COMPARE("eq", kEq), WW_COMPARE("ne", kNe), WW_COMPARE("lt", kLt), WW_COMPARE("le", kLe), WW_COMPARE("gt", kGt);
    WW_COMPARE("ge", kGe), WW_COMPARE("num", kNum), WW_COMPARE("nan", kNan), WW_COMPARE("equ", kOrNan<kEq>);
    WW_COMPARE("neu", kOrNan<kNe>), WW_COMPARE("ltu", kOrNan<kLt>), WW_COMPARE("leu", kOrNan<kLe>), WW_COMPARE("gtu", kOrNan<kGt>);
    WW_COMPARE("geu", kOrNan<kGe>);
#undef WW_COMPARE
  }
  std::string type_;
};

template <bool kIsMax, uint32_t kFlags> constexpr auto kChoose32 = [](float a, float b) {
  if (kFlags & kFtz) a = flush(a), b = flush(b);
  return choose<float, kIsMax, kFlags>(a, b);
};

template <uint32_t kFlags> void add_choices32(Rows &rows, const std::string &word) {
  rows.add("min" + word + ".f32", ">w w w", binary<float, float, kChoose32<false, kFlags>>);
  rows.add("max" + word + ".f32", ">w w w", binary<float, float, kChoose32<true, kFlags>>);
}

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_type<false, 1>(), rows.add_type<false, 2>(), rows.add_type<true, 1>(), rows.add_type<true, 2>();
    add_choices32<kKeepsNan>(rows, ".NaN"), add_choices32<kXorSign>(rows, ".xorsign.abs");
    add_choices32<kKeepsNan | kXorSign>(rows, ".NaN.xorsign.abs"), add_choices32<kFtz | kKeepsNan>(rows, ".ftz.NaN");
    add_choices32<kFtz | kXorSign>(rows, ".ftz.xorsign.abs");
    add_choices32<kFtz | kKeepsNan | kXorSign>(rows, ".ftz.NaN.xorsign.abs");
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> half_forms() { return rows().forms; }

}  // namespace warpwright::emulator
