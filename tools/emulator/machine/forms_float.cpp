// SPDX-License-Identifier: Apache-2.0
// FP32 arithmetic, packed pairs of it, and the approximations. PTX ISA 9.0, "Floating Point Instructions".
#include "tools/emulator/machine/lanewise.h"

namespace warpwright::emulator {

namespace {

constexpr auto kAdd = [](float a, float b) { return a + b; };
constexpr auto kSub = [](float a, float b) { return a - b; };
constexpr auto kMul = [](float a, float b) { return a * b; };
constexpr auto kFma = [](float a, float b, float c) { return std::fma(a, b, c); };
constexpr auto kDiv = [](float a, float b) { return a / b; };
// min and max give the other operand for a NaN.
constexpr auto kMin = [](float a, float b) { return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b; };
constexpr auto kMax = [](float a, float b) { return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b; };
template <auto F> constexpr auto kFlush1 = [](float a) { return flush(F(flush(a))); };
template <auto F> constexpr auto kFlush2 = [](float a, float b) { return flush(F(flush(a), flush(b))); };
template <auto F> constexpr auto kFlush3 = [](float a, float b, float c) { return flush(F(flush(a), flush(b), flush(c))); };

// The approximations have error bounds, not values; these are correctly rounded but for double rounding.
constexpr auto kExp2 = [](float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); };
constexpr auto kLog2 = [](float a) { return static_cast<float>(std::log2(static_cast<double>(a))); };
constexpr auto kRcp = [](float a) { return 1.0f / a; };
constexpr auto kSqrt = [](float a) { return std::sqrt(a); };
constexpr auto kRsqrt = [](float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); };
constexpr auto kTanh = [](float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); };
constexpr auto kSin = [](float a) { return static_cast<float>(std::sin(static_cast<double>(a))); };
constexpr auto kCos = [](float a) { return static_cast<float>(std::cos(static_cast<double>(a))); };

/// PTX ISA 9.0, "div": a / b is 0 for |b| in (2^126, 2^128), NaN when a is infinite there too.
constexpr auto kDivApprox = [](float a, float b) {
  const float size = std::fabs(b);
  return size > 0x1p126f && size < std::numeric_limits<float>::infinity() ? a * std::copysign(0.0f, b) : a / b;
};

/// Pairs of FP32 in 64 bits.
template <auto F> Step pair_of_two(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) {
    for (uint32_t h = 2 * i; h < 2 * i + 2; ++h) d[h] = to_lane<float>(F(from_lane<float>(a[h]), from_lane<float>(b[h])));
  });
  return Step::kNext;
}
template <auto F> Step pair_of_three(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  const auto *c = x.lanes<uint32_t>(op.operands[3]);
  x.each_lane([&](uint32_t i) {
    for (uint32_t h = 2 * i; h < 2 * i + 2; ++h)
      d[h] = to_lane<float>(F(from_lane<float>(a[h]), from_lane<float>(b[h]), from_lane<float>(c[h])));
  });
  return Step::kNext;
}

#define WW_TWO(name, F)                                                     \
  {name ".f32", ">w w w", binary<float, float, F>}, {name ".ftz.f32", ">w w w", binary<float, float, kFlush2<F>>}
#define WW_ONE(name, F)                                                     \
  {name ".f32", ">w w", unary<float, float, F>}, {name ".ftz.f32", ">w w", unary<float, float, kFlush1<F>>}
template <auto F> constexpr auto kFlushed = [](float a, float b) { return F(flush(a), flush(b)); };

#define WW_SETP(name, F)                                   \
  {"setp." name ".f32", ">p|p w w", compare<float, F>}, {"setp." name ".ftz.f32", ">p|p w w", compare<float, kFlushed<F>>}

const Form kForms[] = {
    WW_TWO("add", kAdd), WW_TWO("add.rn", kAdd), WW_TWO("sub", kSub), WW_TWO("sub.rn", kSub), WW_TWO("mul", kMul),
    WW_TWO("mul.rn", kMul), WW_TWO("min", kMin), WW_TWO("max", kMax), WW_TWO("div.rn", kDiv), WW_TWO("div.approx", kDivApprox),
    WW_TWO("div.full", kDiv),
    {"fma.rn.f32", ">w w w w", ternary<float, float, kFma>},
    {"fma.rn.ftz.f32", ">w w w w", ternary<float, float, kFlush3<kFma>>},
    WW_ONE("ex2.approx", kExp2), WW_ONE("lg2.approx", kLog2), WW_ONE("rcp.approx", kRcp), WW_ONE("rcp.rn", kRcp),
    WW_ONE("sqrt.approx", kSqrt), WW_ONE("sqrt.rn", kSqrt), WW_ONE("rsqrt.approx", kRsqrt),
    WW_ONE("sin.approx", kSin), WW_ONE("cos.approx", kCos),
    {"tanh.approx.f32", ">w w", unary<float, float, kTanh>},
    {"neg.f32", ">w w", unary<float, float, [](float a) { return -a; }>},
    {"abs.f32", ">w w", unary<float, float, [](float a) { return std::fabs(a); }>},
    {"neg.ftz.f32", ">w w", unary<float, float, [](float a) { return -flush(a); }>},
    {"abs.ftz.f32", ">w w", unary<float, float, [](float a) { return std::fabs(flush(a)); }>},
    {"mov.f32", ">w w", move<uint32_t>}, {"mov.f64", ">l l", move<uint64_t>},
    {"selp.f32", ">w w w p", select<uint32_t>}, {"selp.f64", ">l l l p", select<uint64_t>},
    WW_SETP("eq", kEq), WW_SETP("ne", kNe), WW_SETP("lt", kLt), WW_SETP("le", kLe), WW_SETP("gt", kGt), WW_SETP("ge", kGe),
    WW_SETP("equ", kOrNan<kEq>), WW_SETP("neu", kOrNan<kNe>), WW_SETP("ltu", kOrNan<kLt>), WW_SETP("leu", kOrNan<kLe>),
    WW_SETP("gtu", kOrNan<kGt>), WW_SETP("geu", kOrNan<kGe>), WW_SETP("num", kNum), WW_SETP("nan", kNan),
    {"add.rn.f32x2", ">l l l", pair_of_two<kAdd>}, {"add.rn.ftz.f32x2", ">l l l", pair_of_two<kFlush2<kAdd>>},
    {"mul.rn.f32x2", ">l l l", pair_of_two<kMul>}, {"mul.rn.ftz.f32x2", ">l l l", pair_of_two<kFlush2<kMul>>},
    {"fma.rn.f32x2", ">l l l l", pair_of_three<kFma>}, {"fma.rn.ftz.f32x2", ">l l l l", pair_of_three<kFlush3<kFma>>},
};

}  // namespace

std::span<const Form> float_forms() { return kForms; }

}  // namespace warpwright::emulator
