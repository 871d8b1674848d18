// SPDX-License-Identifier: Apache-2.0
// The rules of the fused sum on random bits, against a model in 128-bit integers; formats code by code; time of an MMA.
#include "tools/emulator/tensor/numerics.h"
#include "tests/catch.h"
#include "tests/emulator/tensor/mma_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace warpwright::emulator::tensor;
using namespace warpwright::emulator::tensor::test;

namespace {

__extension__ typedef __int128 Wide;

/// significand · 2^lsb, aligned at `exponent`.
struct Term {
  int64_t significand = 0;
  int lsb = 0;
  int exponent = -126;
  bool is_nan = false;
  bool is_infinite = false;
};

Term term_of(Format format, uint32_t code) {
  const double value = value_of(format, code);
  Term term;
  term.is_nan = std::isnan(value);
  term.is_infinite = std::isinf(value);
  term.significand = value < 0 ? -1 : 1;  // the sign of an infinity
  if (term.is_nan || term.is_infinite) return term;
  const int least = format == Format::kE5M2 || format == Format::kF16     ? -14
                    : format == Format::kE4M3 || format == Format::kUe4m3 ? -6
                    : format == Format::kE3M2                             ? -2
                    : format == Format::kE2M3 || format == Format::kE2M1  ? 0
                    : format == Format::kUe8m0                            ? -127
                                                                          : -126;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  term.exponent = value == 0 ? -126 : std::max(exponent - 1, least);
  term.significand = static_cast<int64_t>(std::ldexp(fraction, 24));
  term.lsb = exponent - 24;
  return term;
}

Term product(const Term &x, const Term &y) {
  return {(x.significand >> 8) * (y.significand >> 8), x.lsb + y.lsb + 16, x.exponent + y.exponent,
          x.is_nan || y.is_nan, x.is_infinite || y.is_infinite};
}

Wide shift(Wide value, int by) {
  if (by >= 0) return value << by;
  const Wide magnitude = value < 0 ? -value : value;
  const Wide shifted = by <= -127 ? 0 : magnitude >> -by;
  return value < 0 ? -shifted : shifted;
}

/// total · 2^lsb toward zero to 24 bits.
uint32_t f32_of(Wide total, int lsb) {
  if (total == 0) return 0;
  const uint32_t sign = total < 0 ? 0x80000000u : 0;
  Wide magnitude = total < 0 ? -total : total;
  int top = 0;
  for (Wide rest = magnitude; rest > 1; rest >>= 1) ++top;
  const int unit = std::max(top + lsb - 23, -149);
  magnitude = shift(magnitude, lsb - unit);
  if (magnitude == 0) return 0;
  const bool is_normal = magnitude >> 23 != 0;
  const int biased = unit + 23 + 127;
  if (is_normal && biased >= 255) return sign | 0x7F800000;
  return sign | (is_normal ? static_cast<uint32_t>(biased) << 23 | (static_cast<uint32_t>(magnitude) & 0x7FFFFF)
                           : static_cast<uint32_t>(magnitude));
}

uint32_t fused(const std::vector<Term> &terms, int fraction_bits) {
  int most = -100000;
  for (const Term &term : terms) most = std::max(most, term.exponent);
  Wide total = 0;
  for (const Term &term : terms) total += shift(term.significand, term.lsb - most + fraction_bits);
  return f32_of(total, most - fraction_bits);
}

/// Infinities and NaNs among products and accumulator.
bool special(const std::vector<std::pair<Term, Term>> &products, const Term &c, uint32_t *out) {
  bool is_nan = c.is_nan, positive = c.is_infinite && c.significand > 0, negative = c.is_infinite && c.significand < 0;
  for (const auto &[x, y] : products) {
    const bool has_zero = (!x.is_infinite && x.significand == 0) || (!y.is_infinite && y.significand == 0);
    is_nan |= x.is_nan || y.is_nan || ((x.is_infinite || y.is_infinite) && has_zero);
    if (x.is_infinite || y.is_infinite) ((x.significand < 0) != (y.significand < 0) ? negative : positive) = true;
  }
  if (!is_nan && !positive && !negative) return false;
  *out = is_nan || (positive && negative) ? 0x7FFFFFFF : positive ? 0x7F800000 : 0xFF800000;
  return true;
}

uint32_t expected_products(const Setup &setup, const Matrix &a, const Matrix &b, uint32_t row, uint32_t col, uint32_t d,
                           const Matrix &sa, const Matrix &sb) {
  std::vector<std::pair<Term, Term>> products;
  std::vector<Term> terms{term_of(Format::kF32, d)};
  const Term c = terms.front();
  for (uint32_t k = 0; k < a.k; ++k) {
    Term x = term_of(setup.a_format, a.at(row, k));
    Term y = term_of(setup.b_format, b.at(col, k));
    if (setup.scale_block != 0) {
      for (auto [element, scale] : {std::pair(&x, term_of(Format::kUe8m0, sa.at(row, 0))),
                                    std::pair(&y, term_of(Format::kUe8m0, sb.at(col, 0)))}) {
        element->lsb += scale.exponent;
        element->exponent += scale.exponent;
        element->is_nan |= scale.is_nan;
      }
    }
    products.emplace_back(x, y);
    terms.push_back(product(x, y));
  }
  uint32_t out = 0;
  if (special(products, c, &out)) return out;
  return fused(terms, 25);
}

uint32_t expected_groups(const Setup &setup, const Matrix &a, const Matrix &b, uint32_t row, uint32_t col, uint32_t d,
                         const Matrix &sa, const Matrix &sb) {
  std::vector<Term> terms{term_of(Format::kF32, d)};
  bool is_nan = terms[0].is_nan;
  if (terms[0].is_infinite) return d;
  for (uint32_t group = 0; group < 4; ++group) {
    int64_t dot = 0;  // in quarters
    for (uint32_t k = 16 * group; k < 16 * group + 16; ++k) {
      dot += static_cast<int64_t>(4 * value_of(Format::kE2M1, a.at(row, k)) * value_of(Format::kE2M1, b.at(col, k)));
    }
    const uint32_t index = group * 16 / setup.scale_block;
    const Term x = term_of(setup.scale_format, sa.at(row, index));
    const Term y = term_of(setup.scale_format, sb.at(col, index));
    is_nan |= x.is_nan || y.is_nan;
    Term term = product(x, y);
    term.significand = (term.significand >> 20) * dot;  // scales have at most 4 significant bits
    term.lsb += 20 - 2;
    terms.push_back(term);
  }
  return is_nan ? 0x7FFFFFFF : fused(terms, 35);
}

/// `rare`: of 1 in so many elements the bits are any; the others' magnitudes stay near each other.
void check_random(const Setup &setup, uint32_t seed, bool is_near) {
  std::mt19937 random(seed);
  Bench bench(setup);
  const uint32_t k = k_of(setup.kind);
  const uint32_t bits = setup.a_format == Format::kTf32 ? 32 : k == 16 ? 16 : setup.a_format == Format::kE2M1 ? 4 : 8;
  Matrix a = random_matrix(setup.m, k, bits, random);
  Matrix b = random_matrix(setup.n, k, bits, random);
  if (is_near && bits == 16) {
    // Exponents within a few of each other, so that truncation, not dominance, decides.
    for (auto *matrix : {&a, &b}) {
      for (uint32_t &code : matrix->codes) {
        code = setup.a_format == Format::kBf16 ? (code & 0x87FF) | 0x3800 : (code & 0x8FFF) | 0x2000;
      }
    }
  }
  const uint32_t scales = scales_a_row(setup);
  Matrix sa = random_matrix(setup.m, scales, 8, random), sb = random_matrix(setup.n, scales, 8, random);
  if (is_near && setup.scale_format == Format::kUe8m0) {
    for (auto *matrix : {&sa, &sb}) {
      for (uint32_t &code : matrix->codes) code = 112 + code % 32;
    }
  }
  Matrix d = random_matrix(setup.m, setup.n, 32, random);
  if (is_near) {
    for (uint32_t &cell : d.codes) cell = (cell & 0x83FFFFFF) | 0x3C000000;
  }
  bench.place(a, b);
  if (scales != 0) bench.place_scales(sa, sb);
  bench.set_d(d);
  REQUIRE_FALSE(bench.run());
  const bool has_groups = k == 64;
  for (uint32_t row = 0; row < setup.m; row += 3) {
    for (uint32_t col = 0; col < setup.n; ++col) {
      const uint32_t expected =
          (has_groups ? expected_groups : expected_products)(setup, a, b, row, col, d.at(row, col), sa, sb);
      if (bench.d(row, col) != expected) {
        FAIL(name_of(setup.kind) << " D[" << row << "][" << col << "] is " << std::hex << bench.d(row, col) << ", not "
                                 << expected << ", from C " << d.at(row, col));
      }
    }
  }
}

}  // namespace

TEST_CASE("formats decode as defined, code by code") {
  for (const Format format : {Format::kF16, Format::kBf16, Format::kE4M3, Format::kE5M2, Format::kE2M3, Format::kE3M2,
                              Format::kE2M1, Format::kU8, Format::kS8, Format::kUe8m0, Format::kUe4m3}) {
    const bool is_16 = format == Format::kF16 || format == Format::kBf16;
    const uint32_t bits = is_16                                                ? 16
                          : format == Format::kE2M1                            ? 4
                          : format == Format::kE2M3 || format == Format::kE3M2 ? 6
                                                                               : 8;
    for (uint32_t code = 0; code < (1u << bits); ++code) {
      const double value = value_of(format, code);
      const Decoded decoded = decode(format, code);
      if (std::isnan(value) ? !std::isnan(decoded.value) : value != decoded.value) FAIL("code " << code);
      const bool is_finite_float = std::isfinite(value) && format != Format::kU8 && format != Format::kS8;
      if (is_finite_float && decoded.exponent != term_of(format, code).exponent) FAIL("exponent of code " << code);
    }
  }
  CHECK(decode(Format::kTf32, 0x3F801FFF).value == 1.0);
  CHECK(decode(Format::kTf32, 0x3F802000).value == 1.0 + 0x1p-10);
}

TEST_CASE("random bits follow the 128-bit model, products") {
  uint32_t seed = 7;
  for (const Format format :
       {Format::kF16, Format::kBf16, Format::kTf32, Format::kE4M3, Format::kE5M2, Format::kE2M1}) {
    for (const bool is_near : {false, true}) {
      Setup setup;
      setup.kind = format == Format::kTf32                             ? MmaKind::kTf32
                   : format == Format::kF16 || format == Format::kBf16 ? MmaKind::kF16
                                                                       : MmaKind::kF8F6F4;
      setup.a_format = setup.b_format = format;
      check_random(setup, seed++, is_near);
      if (setup.kind != MmaKind::kF8F6F4) continue;
      setup.kind = MmaKind::kMxF8F6F4;
      setup.scale_block = 32;
      check_random(setup, seed++, is_near);
    }
  }
}

TEST_CASE("random bits follow the 128-bit model, groups of 16") {
  uint32_t seed = 70;
  for (const auto &[scale, block] :
       {std::pair(Format::kUe4m3, 16u), std::pair(Format::kUe8m0, 16u), std::pair(Format::kUe8m0, 32u)}) {
    for (const bool is_near : {false, true}) {
      Setup setup;
      setup.kind = MmaKind::kMxF4Nvf4;
      setup.ctas = 2;
      setup.m = 256;
      setup.a_format = setup.b_format = Format::kE2M1;
      setup.scale_format = scale;
      setup.scale_block = block;
      check_random(setup, seed++, is_near);
    }
  }
}

TEST_CASE("final rounding: toward zero to FP32, to nearest even to FP16, zeros positive") {
  CHECK(round_to_f32(1 + 0x1p-23 + 0x1p-24, 23) == 0x3F800001);
  CHECK(round_to_f32(-(1 + 0x1p-24), 23) == 0xBF800000);
  CHECK(round_to_f32(0x1p-149 * 1.75, 23) == 1);
  CHECK(round_to_f32(-0x1p-150, 23) == 0);
  CHECK(round_to_f32(0x1p128, 23) == 0x7F800000);
  CHECK(round_to_f32(1 + 0x1p-13 + 0x1p-14, 13) == 0x3F800400);
  CHECK(round_to_f16(-0.0) == 0);
  CHECK(round_to_f16(1 + 0x1p-11) == 0x3C00);
  CHECK(round_to_f16(1 + 3 * 0x1p-11) == 0x3C02);
  CHECK(round_to_f16(2 - 0x1p-12) == 0x4000);
  CHECK(round_to_f16(65519.9) == 0x7BFF);
  CHECK(round_to_f16(-65520) == 0xFC00);
  CHECK(round_to_f16(0x1p-24 * 1.5) == 2);
  CHECK(round_to_f16(0x1p-25) == 0);
}

TEST_CASE("rule constants") {
  CHECK(fused_sum_of(Architecture::kBlackwell, MmaKind::kF16).fraction_bits == 25);
  CHECK(fused_sum_of(Architecture::kBlackwell, MmaKind::kMxF4).fraction_bits == 35);
  CHECK(fused_sum_of(Architecture::kHopper, MmaKind::kF8F6F4).fraction_bits == 13);
  CHECK(fused_sum_of(Architecture::kHopper, MmaKind::kF8F6F4).result_fraction_bits == 13);
}
