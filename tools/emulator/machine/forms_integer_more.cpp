// SPDX-License-Identifier: Apache-2.0
// Integer forms that compilers emit now and then: dot products, 24-bit products, fields of 64 bits, permutations by mode,
// comparisons combined with a predicate. PTX ISA 9.0, "Integer Arithmetic Instructions", "Comparison and Selection Instructions".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/lanewise.h"

#include <bit>

namespace warpwright::emulator {

namespace {

/// dp4a and dp2a: products of fields of a with bytes of b, added to c. kFirst: the first byte of b.
template <class A, class B, uint32_t kCount, uint32_t kFirst> Step dot(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  const auto *c = x.lanes<uint32_t>(op.operands[3]);
  x.each_lane([&](uint32_t i) {
    uint32_t sum = c[i];
    for (uint32_t n = 0; n < kCount; ++n) {
      const auto left = static_cast<int32_t>(static_cast<A>(a[i] >> (8 * sizeof(A) * n)));
      const auto right = static_cast<int32_t>(static_cast<B>(b[i] >> (8 * (kFirst + n))));
      sum += static_cast<uint32_t>(left * right);
    }
    d[i] = sum;
  });
  return Step::kNext;
}

/// The low 24 bits of each factor, as T is signed; kShift of the 48-bit product are dropped.
template <class T, uint32_t kShift> constexpr auto kMul24 = [](T a, T b) {
  const auto low = [](T v) { return std::is_signed_v<T> ? int64_t{static_cast<int32_t>(uint32_t(v) << 8) >> 8} : int64_t{uint32_t(v) & 0xFFFFFF}; };
  return static_cast<T>((low(a) * low(b)) >> kShift);
};
template <class T, uint32_t kShift> constexpr auto kMad24 = [](T a, T b, T c) {
  return static_cast<T>(uint32_t(kMul24<T, kShift>(a, b)) + uint32_t(c));
};
template <class T> constexpr auto kMadHi = [](T a, T b, T c) {
  using Wide = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  using Bits = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Bits>(static_cast<Bits>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof(T))) + static_cast<Bits>(c)));
};
template <class T> constexpr auto kSad = [](T a, T b, std::make_unsigned_t<T> c) {
  using Bits = std::make_unsigned_t<T>;
  return static_cast<Bits>(c + (a < b ? static_cast<Bits>(Bits(b) - Bits(a)) : static_cast<Bits>(Bits(a) - Bits(b))));
};

/// The place of the highest bit that differs from the sign, or how far to shift it up; all bits set when there is none.
template <class T, bool kIsShift> constexpr auto kBfind = [](T a) -> uint32_t {
  const auto bits = static_cast<std::make_unsigned_t<T>>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  const auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
  return kIsShift ? zeros : 8 * sizeof(T) - 1 - zeros;
};

enum class Permute { kForward4, kBackward4, kReplicate8, kClampLeft, kClampRight, kReplicate16 };

/// prmt by mode: the low two bits of the selector say which bytes of {b, a}.
template <Permute kMode> Step permute_by_mode(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  const auto *b = x.lanes<uint32_t>(op.operands[2]);
  const auto *selector = x.lanes<uint32_t>(op.operands[3]);
  x.each_lane([&](uint32_t i) {
    const uint64_t bytes = uint64_t{b[i]} << 32 | a[i];
    const uint32_t s = selector[i] & 3;
    uint32_t out = 0;
    for (uint32_t n = 0; n < 4; ++n) {
      uint32_t from = 0;
      switch (kMode) {
        case Permute::kForward4: from = s + n; break;
        case Permute::kBackward4: from = (s + 8 - n) & 7; break;
        case Permute::kReplicate8: from = s; break;
        case Permute::kClampLeft: from = std::max(s, n); break;
        case Permute::kClampRight: from = std::min(s, n); break;
        case Permute::kReplicate16: from = (s & 1) * 2 + (n & 1); break;
      }
      out |= static_cast<uint32_t>(bytes >> (8 * from) & 0xFF) << (8 * n);
    }
    d[i] = out;
  });
  return Step::kNext;
}

/// `>p|p a b c`: the comparison, and its complement, each combined with c.
template <class T, auto F, auto Combine> Step compare_with(Execution &x, const Op &op) {
  const auto *a = x.lanes<LaneOf<T>>(op.operands[2]);
  const auto *b = x.lanes<LaneOf<T>>(op.operands[3]);
  const uint32_t other = lanes_where(x, op.operands[4]);
  uint32_t holds = 0;
  x.each_lane([&](uint32_t i) { holds |= uint32_t{F(from_lane<T>(a[i]), from_lane<T>(b[i]))} << i; });
  set_predicate(x, op.operands[0], Combine(holds, other));
  set_predicate(x, op.operands[1], Combine(~holds, other));
  return Step::kNext;
}


Step pack_quarters(Execution &x, const Op &op) {
  auto *d = x.lanes<uint64_t>(op.operands[0]);
  x.each_lane([&](uint32_t i) {
    uint64_t out = 0;
    for (uint32_t n = 0; n < 4; ++n) out |= uint64_t{x.lanes<uint32_t>(op.operands[1 + n])[i] & 0xFFFF} << (16 * n);
    d[i] = out;
  });
  return Step::kNext;
}
Step unpack_quarters(Execution &x, const Op &op) {
  const auto *a = x.lanes<uint64_t>(op.operands[4]);
  x.each_lane([&](uint32_t i) {
    const uint64_t value = a[i];
    for (uint32_t n = 0; n < 4; ++n) x.lanes<uint32_t>(op.operands[n])[i] = static_cast<uint32_t>(value >> (16 * n) & 0xFFFF);
  });
  return Step::kNext;
}

class Rows : public FormRows {
 public:
  template <class T> void add_comparisons(const std::string &type, const char *width) {
    add_one(".eq", type, width, kHandlers<T, kEq>), add_one(".ne", type, width, kHandlers<T, kNe>);
    if (type[1] == 'b') return;
    add_one(".lt", type, width, kHandlers<T, kLt>), add_one(".le", type, width, kHandlers<T, kLe>);
    add_one(".gt", type, width, kHandlers<T, kGt>), add_one(".ge", type, width, kHandlers<T, kGe>);
  }
  void add_unordered() {
    add_one(".equ", ".f32", "w", kHandlers<float, kOrNan<kEq>>), add_one(".neu", ".f32", "w", kHandlers<float, kOrNan<kNe>>);
    add_one(".ltu", ".f32", "w", kHandlers<float, kOrNan<kLt>>), add_one(".leu", ".f32", "w", kHandlers<float, kOrNan<kLe>>);
    add_one(".gtu", ".f32", "w", kHandlers<float, kOrNan<kGt>>), add_one(".geu", ".f32", "w", kHandlers<float, kOrNan<kGe>>);
  }

 private:
  struct Handlers { Handler both, either, one; };
  template <class T, auto F> static constexpr Handlers kHandlers{
      compare_with<T, F, [](uint32_t a, uint32_t b) { return a & b; }>, compare_with<T, F, [](uint32_t a, uint32_t b) { return a | b; }>,
      compare_with<T, F, [](uint32_t a, uint32_t b) { return a ^ b; }>};
  void add_one(const std::string &name, const std::string &type, const char *width, const Handlers &handlers) {
    const std::string signature = std::string(">p|p ") + width + " " + width + " p";
    add("setp" + name + ".and" + type, signature, handlers.both);
    add("setp" + name + ".or" + type, signature, handlers.either);
    add("setp" + name + ".xor" + type, signature, handlers.one);
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
#define WW_DOT(a, A, b, B)                                                                    \
  rows.add("dp4a." a "." b, ">w w w w", dot<A##8_t, B##8_t, 4, 0>);                           \
  rows.add("dp2a.lo." a "." b, ">w w w w", dot<A##16_t, B##8_t, 2, 0>);                       \
  rows.add("dp2a.hi." a "." b, ">w w w w", dot<A##16_t, B##8_t, 2, 2>)
    WW_DOT("u32", uint, "u32", uint), WW_DOT("u32", uint, "s32", int), WW_DOT("s32", int, "u32", uint), WW_DOT("s32", int, "s32", int);
#undef WW_DOT
#define WW_24(type, T)                                                                                                       \
  rows.add("mul24.lo." type, ">w w w", binary<T, T, kMul24<T, 0>>), rows.add("mul24.hi." type, ">w w w", binary<T, T, kMul24<T, 16>>); \
  rows.add("mad24.lo." type, ">w w w w", ternary<T, T, kMad24<T, 0>>), rows.add("mad24.hi." type, ">w w w w", ternary<T, T, kMad24<T, 16>>)
    WW_24("s32", int32_t), WW_24("u32", uint32_t);
#undef WW_24
#define WW_EACH(name, T, w)                                                                                      \
  rows.add("mad.hi." name, ">" w " " w " " w " " w, ternary<T, T, kMadHi<T>>);                                   \
  rows.add("sad." name, ">" w " " w " " w " " w, ternary<std::make_unsigned_t<T>, T, kSad<T>>)
    WW_EACH("s16", int16_t, "w"), WW_EACH("u16", uint16_t, "w"), WW_EACH("s32", int32_t, "w"), WW_EACH("u32", uint32_t, "w");
    WW_EACH("s64", int64_t, "l"), WW_EACH("u64", uint64_t, "l");
#undef WW_EACH
#define WW_FIND(name, T, w)                                                         \
  rows.add("bfind." name, ">w " w, unary<uint32_t, T, kBfind<T, false>>);           \
  rows.add("bfind.shiftamt." name, ">w " w, unary<uint32_t, T, kBfind<T, true>>)
    WW_FIND("s32", int32_t, "w"), WW_FIND("u32", uint32_t, "w"), WW_FIND("s64", int64_t, "l"), WW_FIND("u64", uint64_t, "l");
#undef WW_FIND
    rows.add("prmt.b32.f4e", ">w w w w", permute_by_mode<Permute::kForward4>);
    rows.add("prmt.b32.b4e", ">w w w w", permute_by_mode<Permute::kBackward4>);
    rows.add("prmt.b32.rc8", ">w w w w", permute_by_mode<Permute::kReplicate8>);
    rows.add("prmt.b32.ecl", ">w w w w", permute_by_mode<Permute::kClampLeft>);
    rows.add("prmt.b32.ecr", ">w w w w", permute_by_mode<Permute::kClampRight>);
    rows.add("prmt.b32.rc16", ">w w w w", permute_by_mode<Permute::kReplicate16>);
    rows.add("mov.b64", ">l w4", pack_quarters), rows.add("mov.b64", ">w4 l", unpack_quarters);
    rows.add_comparisons<int16_t>(".s16", "w"), rows.add_comparisons<uint16_t>(".u16", "w"), rows.add_comparisons<uint16_t>(".b16", "w");
    rows.add_comparisons<int32_t>(".s32", "w"), rows.add_comparisons<uint32_t>(".u32", "w"), rows.add_comparisons<uint32_t>(".b32", "w");
    rows.add_comparisons<int64_t>(".s64", "l"), rows.add_comparisons<uint64_t>(".u64", "l"), rows.add_comparisons<uint64_t>(".b64", "l");
    rows.add_comparisons<float>(".f32", "w"), rows.add_unordered();
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> integer_more_forms() { return rows().forms; }

}  // namespace warpwright::emulator
