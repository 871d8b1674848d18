// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, logic, comparison and moves. PTX ISA 9.0, "Integer Arithmetic Instructions", "Logic and Shift
// Instructions", "Comparison and Selection Instructions".
#include "tools/emulator/machine/lanewise.h"

#include <bit>

namespace warpwright::emulator {

namespace {

// Sums and products wrap: they are taken in unsigned arithmetic.
template <class T> constexpr auto kAdd = [](T a, T b) { return static_cast<T>(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b)); };
template <class T> constexpr auto kSub = [](T a, T b) { return static_cast<T>(std::make_unsigned_t<T>(a) - std::make_unsigned_t<T>(b)); };
template <class T> constexpr auto kMulLo = [](T a, T b) { return static_cast<T>(uint64_t(a) * uint64_t(b)); };
template <class T> constexpr auto kMulHi = [](T a, T b) {
  using Wide = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof(T)));
};
template <class T> constexpr auto kMadLo = [](T a, T b, T c) { return static_cast<T>(uint64_t(a) * uint64_t(b) + uint64_t(c)); };
/// Division by zero is unspecified; all bits set, for remainders too, is what an H200 returns.
template <class T> constexpr auto kDiv = [](T a, T b) -> T {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return kSub<T>(0, a);
  return static_cast<T>(a / b);
};
template <class T> constexpr auto kRem = [](T a, T b) -> T {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
};
template <class T> constexpr auto kMin = [](T a, T b) { return a < b ? a : b; };
template <class T> constexpr auto kMax = [](T a, T b) { return a > b ? a : b; };
template <class T> constexpr auto kAnd = [](T a, T b) { return static_cast<T>(a & b); };
template <class T> constexpr auto kOr = [](T a, T b) { return static_cast<T>(a | b); };
template <class T> constexpr auto kXor = [](T a, T b) { return static_cast<T>(a ^ b); };
template <class T> constexpr auto kNot = [](T a) { return static_cast<T>(~a); };
template <class T> constexpr auto kNeg = [](T a) { return kSub<T>(0, a); };
template <class T> constexpr auto kAbs = [](T a) { return a < 0 ? kSub<T>(0, a) : a; };
// Counts beyond the width count as the width.
template <class T> constexpr auto kShl = [](T a, uint32_t n) { return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << n); };
template <class T> constexpr auto kShr = [](T a, uint32_t n) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  if (n >= kBits) return static_cast<T>(std::is_signed_v<T> && a < 0 ? -1 : 0);
  return static_cast<T>(a >> n);
};

constexpr auto kPopc = [](auto a) { return static_cast<uint32_t>(std::popcount(a)); };
constexpr auto kClz = [](auto a) { return static_cast<uint32_t>(std::countl_zero(a)); };
constexpr auto kBrev = [](auto a) {
  constexpr int kBits = 8 * sizeof a;
  decltype(a) b = 0;
  for (int i = 0; i < kBits; ++i) b |= (a >> i & 1) << (kBits - 1 - i);
  return b;
};

/// A position or a length. Both are meant to be at most 255. Of larger ones an H200 takes the low byte for 32 bits, and all there
/// is for 64.
template <class T> uint32_t field_number(uint32_t given) { return sizeof(T) == 4 ? given & 0xFF : std::min(given, 255u); }

/// bfe: `length` bits from `position` on; signed ones repeat their top bit.
template <class T> Step bit_field_extract(Execution &x, const Op &op) {
  auto *d = x.lanes<LaneOf<T>>(op.operands[0]);
  const auto *a = x.lanes<LaneOf<T>>(op.operands[1]);
  const auto *position = x.lanes<uint32_t>(op.operands[2]);
  const auto *length = x.lanes<uint32_t>(op.operands[3]);
  constexpr uint32_t kBits = 8 * sizeof(T);
  x.each_lane([&](uint32_t i) {
    const uint32_t at = field_number<T>(position[i]), len = field_number<T>(length[i]);
    const T value = from_lane<T>(a[i]);
    LaneOf<T> out = 0;
    for (uint32_t bit = 0; bit < kBits; ++bit) {
      const uint32_t source = std::min(at + std::min(bit, len ? len - 1 : 0), kBits - 1);
      const bool is_inside = bit < len && at + bit < kBits;
      const bool is_set = value >> source & 1;
      if (len && (is_inside ? is_set : std::is_signed_v<T> && is_set)) out |= LaneOf<T>{1} << bit;
    }
    d[i] = out;
  });
  return Step::kNext;
}

template <class T> Step bit_field_insert(Execution &x, const Op &op) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  auto *d = x.lanes<T>(op.operands[0]);
  const auto *a = x.lanes<T>(op.operands[1]);
  const auto *b = x.lanes<T>(op.operands[2]);
  const auto *position = x.lanes<uint32_t>(op.operands[3]);
  const auto *length = x.lanes<uint32_t>(op.operands[4]);
  x.each_lane([&](uint32_t i) {
    const uint32_t at = field_number<T>(position[i]), len = std::min(field_number<T>(length[i]), kBits);
    const T ones = len == kBits ? ~T{0} : (T{1} << len) - 1;
    const T mask = at >= kBits ? 0 : ones << at;
    d[i] = (b[i] & ~mask) | (at >= kBits ? 0 : a[i] << at & mask);
  });
  return Step::kNext;
}

/// prmt in its default mode: each nibble of the selector picks a byte of {b, a}, its top bit repeats the byte's sign.
Step permute(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  const auto *selector = x.lanes<uint32_t>(op.operands[3]);
  x.each_lane([&](uint32_t i) {
    const uint64_t bytes = uint64_t{b[i]} << 32 | a[i];
    uint32_t out = 0;
    for (int n = 0; n < 4; ++n) {
      const uint32_t choice = selector[i] >> (4 * n) & 0xF;
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (choice & 7)) & 0xFF);
      if (choice & 8) byte = byte & 0x80 ? 0xFF : 0;
      out |= byte << (8 * n);
    }
    d[i] = out;
  });
  return Step::kNext;
}

Step three_way_logic(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  const auto *c = x.lanes<uint32_t>(op.operands[3]);
  std::array<uint32_t, 8> rows;
  for (uint32_t row = 0; row < 8; ++row) rows[row] = op.operands[4] >> row & 1 ? ~0u : 0;
  const auto pick = [](uint32_t bits, uint32_t where_set, uint32_t where_clear) { return where_clear ^ (bits & (where_set ^ where_clear)); };
  x.each_lane([&](uint32_t i) {
    const uint32_t set = pick(b[i], pick(c[i], rows[7], rows[6]), pick(c[i], rows[5], rows[4]));
    const uint32_t clear = pick(b[i], pick(c[i], rows[3], rows[2]), pick(c[i], rows[1], rows[0]));
    d[i] = pick(a[i], set, clear);
  });
  return Step::kNext;
}

/// shf: the 64 bits {b, a} shifted by c, of which the upper (left) or lower (right) half stays.
template <bool kIsLeft, bool kWraps> Step funnel_shift(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  const auto *c = x.lanes<uint32_t>(op.operands[3]);
  x.each_lane([&](uint32_t i) {
    const uint32_t n = kWraps ? c[i] & 31 : std::min(c[i], 32u);
    const uint64_t both = uint64_t{b[i]} << 32 | a[i];
    d[i] = static_cast<uint32_t>(kIsLeft ? both << n >> 32 : both >> n);
  });
  return Step::kNext;
}

template <auto F> Step predicate_logic(Execution &x, const Op &op) {
  set_predicate(x, op.operands[0], F(lanes_where(x, op.operands[1]), lanes_where(x, op.operands[2])));
  return Step::kNext;
}
Step predicate_move(Execution &x, const Op &op) {
  set_predicate(x, op.operands[0], lanes_where(x, op.operands[1]));
  return Step::kNext;
}
Step predicate_not(Execution &x, const Op &op) {
  set_predicate(x, op.operands[0], ~lanes_where(x, op.operands[1]));
  return Step::kNext;
}

Step pack_halves(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *low = x.lanes<uint32_t>(op.operands[1]);
  const auto *high = x.lanes<uint32_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) { d[i] = (low[i] & 0xFFFF) | high[i] << 16; });
  return Step::kNext;
}
Step unpack_halves(Execution &x, const Op &op) {
  auto *low = x.lanes<uint32_t>(op.operands[0]);
  auto *high = x.lanes<uint32_t>(op.operands[1]);
  const auto *a = x.lanes<uint32_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) {
    const uint32_t value = a[i];
    low[i] = value & 0xFFFF;
    high[i] = value >> 16;
  });
  return Step::kNext;
}
Step pack_words(Execution &x, const Op &op) {
  auto *d = x.lanes<uint64_t>(op.operands[0]);
  const auto *low = x.lanes<uint32_t>(op.operands[1]);
  const auto *high = x.lanes<uint32_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) { d[i] = low[i] | uint64_t{high[i]} << 32; });
  return Step::kNext;
}
Step unpack_words(Execution &x, const Op &op) {
  auto *low = x.lanes<uint32_t>(op.operands[0]);
  auto *high = x.lanes<uint32_t>(op.operands[1]);
  const auto *a = x.lanes<uint64_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) {
    const uint64_t value = a[i];
    low[i] = static_cast<uint32_t>(value);
    high[i] = static_cast<uint32_t>(value >> 32);
  });
  return Step::kNext;
}

#define WW_COMPARE(type, T, s)                                                                                \
  {"setp.eq." type, ">p|p " s " " s, compare<T, kEq>}, {"setp.ne." type, ">p|p " s " " s, compare<T, kNe>}
#define WW_ORDER(type, T, s)                                                                                  \
  WW_COMPARE(type, T, s), {"setp.lt." type, ">p|p " s " " s, compare<T, kLt>},                             \
      {"setp.le." type, ">p|p " s " " s, compare<T, kLe>}, {"setp.gt." type, ">p|p " s " " s, compare<T, kGt>},  \
      {"setp.ge." type, ">p|p " s " " s, compare<T, kGe>}
#define WW_ARITHMETIC(type, T, s)                                                                             \
  {"add." type, ">" s " " s " " s, binary<T, T, kAdd<T>>}, {"sub." type, ">" s " " s " " s, binary<T, T, kSub<T>>},    \
      {"mul.lo." type, ">" s " " s " " s, binary<T, T, kMulLo<T>>},                                           \
      {"mul.hi." type, ">" s " " s " " s, binary<T, T, kMulHi<T>>},                                           \
      {"mad.lo." type, ">" s " " s " " s " " s, ternary<T, T, kMadLo<T>>},                                    \
      {"div." type, ">" s " " s " " s, binary<T, T, kDiv<T>>}, {"rem." type, ">" s " " s " " s, binary<T, T, kRem<T>>}, \
      {"min." type, ">" s " " s " " s, binary<T, T, kMin<T>>}, {"max." type, ">" s " " s " " s, binary<T, T, kMax<T>>}, \
      {"shr." type, ">" s " " s " w", shift<T, kShr<T>>}, {"selp." type, ">" s " " s " " s " p", select<T>},  \
      {"mov." type, ">" s " " s, move<T>}, WW_ORDER(type, T, s)
#define WW_SIGNED(type, T, s)                                                                                 \
  {"neg." type, ">" s " " s, unary<T, T, kNeg<T>>}, {"abs." type, ">" s " " s, unary<T, T, kAbs<T>>},         \
      WW_ARITHMETIC(type, T, s)
#define WW_BITS(type, T, s)                                                                                   \
  {"and." type, ">" s " " s " " s, binary<T, T, kAnd<T>>}, {"or." type, ">" s " " s " " s, binary<T, T, kOr<T>>},      \
      {"xor." type, ">" s " " s " " s, binary<T, T, kXor<T>>}, {"not." type, ">" s " " s, unary<T, T, kNot<T>>},       \
      {"shl." type, ">" s " " s " w", shift<T, kShl<T>>}, {"shr." type, ">" s " " s " w", shift<T, kShr<T>>},  \
      {"selp." type, ">" s " " s " " s " p", select<T>}, {"mov." type, ">" s " " s, move<T>}, WW_COMPARE(type, T, s)
#define WW_WIDE(type, T, W, s, l)                                                                             \
  {"mul.wide." type, ">" l " " s " " s, binary<W, T, [](T a, T b) { return static_cast<W>(a) * static_cast<W>(b); }>}, \
      {"mad.wide." type, ">" l " " s " " s " " l,                                                             \
       ternary<W, T, [](T a, T b, W c) { return static_cast<W>(uint64_t(W(a)) * uint64_t(W(b)) + uint64_t(c)); }>}

const Form kForms[] = {
    WW_SIGNED("s16", int16_t, "w"), WW_ARITHMETIC("u16", uint16_t, "w"), WW_BITS("b16", uint16_t, "w"),
    WW_SIGNED("s32", int32_t, "w"), WW_ARITHMETIC("u32", uint32_t, "w"), WW_BITS("b32", uint32_t, "w"),
    WW_SIGNED("s64", int64_t, "l"), WW_ARITHMETIC("u64", uint64_t, "l"), WW_BITS("b64", uint64_t, "l"),
    WW_WIDE("s16", int16_t, int32_t, "w", "w"), WW_WIDE("u16", uint16_t, uint32_t, "w", "w"),
    WW_WIDE("s32", int32_t, int64_t, "w", "l"), WW_WIDE("u32", uint32_t, uint64_t, "w", "l"),
    {"popc.b32", ">w w", unary<uint32_t, uint32_t, kPopc>}, {"popc.b64", ">w l", unary<uint32_t, uint64_t, kPopc>},
    {"clz.b32", ">w w", unary<uint32_t, uint32_t, kClz>}, {"clz.b64", ">w l", unary<uint32_t, uint64_t, kClz>},
    {"brev.b32", ">w w", unary<uint32_t, uint32_t, kBrev>}, {"brev.b64", ">l l", unary<uint64_t, uint64_t, kBrev>},
    {"bfe.u32", ">w w w w", bit_field_extract<uint32_t>}, {"bfe.s32", ">w w w w", bit_field_extract<int32_t>},
    {"bfe.u64", ">l l w w", bit_field_extract<uint64_t>}, {"bfe.s64", ">l l w w", bit_field_extract<int64_t>},
    {"bfi.b32", ">w w w w w", bit_field_insert<uint32_t>}, {"bfi.b64", ">l l l w w", bit_field_insert<uint64_t>},
    {"prmt.b32", ">w w w w", permute},
    {"lop3.b32", ">w w w w i", three_way_logic},
    {"shf.l.wrap.b32", ">w w w w", funnel_shift<true, true>}, {"shf.l.clamp.b32", ">w w w w", funnel_shift<true, false>},
    {"shf.r.wrap.b32", ">w w w w", funnel_shift<false, true>}, {"shf.r.clamp.b32", ">w w w w", funnel_shift<false, false>},
    {"and.pred", ">p p p", predicate_logic<[](uint32_t a, uint32_t b) { return a & b; }>},
    {"or.pred", ">p p p", predicate_logic<[](uint32_t a, uint32_t b) { return a | b; }>},
    {"xor.pred", ">p p p", predicate_logic<[](uint32_t a, uint32_t b) { return a ^ b; }>},
    {"not.pred", ">p p", predicate_not}, {"mov.pred", ">p p", predicate_move},
    {"mov.b32", ">w w2", pack_halves}, {"mov.b32", ">w2 w", unpack_halves},
    {"mov.b64", ">l w2", pack_words}, {"mov.b64", ">w2 l", unpack_words},
};

}  // namespace

std::span<const Form> integer_forms() { return kForms; }

}  // namespace warpwright::emulator
