// SPDX-License-Identifier: Apache-2.0
// The number codec against LLVM's APFloat: every code, every midpoint, and its neighbours.
#include "generator/spec/number_codec.h"
#include "generator/support/diagnostics.h"
#include "tests/catch.h"

#include <llvm/ADT/APFloat.h>

#include <cmath>
#include <limits>

using namespace warpwright::spec;
using llvm::APFloat;

namespace {

struct Case {
  NumberFormat format;
  const llvm::fltSemantics *semantics;
  unsigned bits;       ///< of APFloat's code
  uint32_t num_codes;  ///< that we use; the unsigned format has no sign bit
  bool saturates;
};

const Case kCases[] = {
    {NumberFormat::kE2m1, &APFloat::Float4E2M1FN(), 4, 16, true},
    {NumberFormat::kUe4m3, &APFloat::Float8E4M3FN(), 8, 128, true},
    {NumberFormat::kBf16, &APFloat::BFloat(), 16, 65536, false},
    {NumberFormat::kFp16, &APFloat::IEEEhalf(), 16, 65536, false},
};

double decode_llvm(const Case &c, uint32_t code) {
  APFloat value(*c.semantics, llvm::APInt(c.bits, code));
  bool loses_info = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses_info);
  return value.convertToDouble();
}

uint32_t encode_llvm(const Case &c, double x) {
  APFloat value(x);
  bool loses_info = false;
  value.convert(*c.semantics, APFloat::rmNearestTiesToEven, &loses_info);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

/// APFloat makes NaN or infinity of what does not fit; ours saturates where the hardware does.
uint32_t expected_code(const Case &c, double x) {
  const double largest = largest_finite(c.format);
  if (c.saturates && std::fabs(x) >= largest) return encode_llvm(c, std::copysign(largest, x));
  return encode_llvm(c, x);
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace

TEST_CASE("codec: every code decodes as in APFloat") {
  for (const Case &c : kCases)
    for (uint32_t code = 0; code < c.num_codes; ++code) {
      INFO(warpwright::spec::name_of(c.format) << " code " << code);
      if (!same(decode(c.format, code), decode_llvm(c, code)))
        CHECK(decode(c.format, code) == decode_llvm(c, code));
    }
  CHECK(decode(NumberFormat::kE2m1, 7) == 6);
  CHECK(std::isnan(decode(NumberFormat::kUe4m3, 0x7f)));
}

TEST_CASE("codec: values, midpoints and their neighbours encode as in APFloat") {
  int compared = 0;
  for (const Case &c : kCases)
    for (uint32_t code = 0; code + 1 < c.num_codes; ++code) {
      const double low = decode(c.format, code), high = decode(c.format, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      const double infinity = std::numeric_limits<double>::infinity();
      for (double x : {low, middle, std::nextafter(middle, infinity), std::nextafter(middle, -infinity)}) {
        if (c.format == NumberFormat::kUe4m3 && x < 0) continue;
        ++compared;
        if (encode(c.format, x) == expected_code(c, x)) continue;
        INFO(warpwright::spec::name_of(c.format) << " " << x);
        CHECK(encode(c.format, x) == expected_code(c, x));
      }
    }
  CHECK(compared > 4 * 2 * 31000);
}

TEST_CASE("codec: what does not fit") {
  CHECK(encode(NumberFormat::kE2m1, 1e30) == 0x7);
  CHECK(encode(NumberFormat::kE2m1, -7) == 0xf);
  CHECK(encode(NumberFormat::kUe4m3, 1e30) == 0x7e);
  CHECK(encode(NumberFormat::kUe4m3, std::numeric_limits<double>::infinity()) == 0x7e);
  CHECK(encode(NumberFormat::kFp16, 65519) == 0x7bff);
  CHECK(encode(NumberFormat::kFp16, 65520) == 0x7c00);  // rounds up to infinity
  CHECK(encode(NumberFormat::kBf16, 3.4e38) == 0x7f80);
  CHECK(encode(NumberFormat::kFp32, 1e39) == 0x7f800000);
  CHECK(encode(NumberFormat::kFp32, 1.0f / 3.0f) == 0x3eaaaaab);
  CHECK_THROWS_AS(encode(NumberFormat::kE2m1, std::nan("")), warpwright::support::InternalError);
  CHECK_THROWS_AS(encode(NumberFormat::kUe4m3, -1.0), warpwright::support::InternalError);
  CHECK_THROWS_AS(encode(NumberFormat::kS8, 1.0), warpwright::support::InternalError);
}

TEST_CASE("codec: E8M0 as in APFloat, rounded up") {
  for (uint32_t code = 0; code < 256; ++code) {
    APFloat value(APFloat::Float8E8M0FNU(), llvm::APInt(8, code));
    if (value.isNaN()) {  // APFloat has no NaN to convert this one to
      CHECK(code == 255);
      CHECK(std::isnan(decode(NumberFormat::kUe8m0, code)));
      continue;
    }
    bool loses_info = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses_info);
    CHECK(same(decode(NumberFormat::kUe8m0, code), value.convertToDouble()));
    const double x = decode(NumberFormat::kUe8m0, code);
    CHECK(encode(NumberFormat::kUe8m0, x) == code);
    CHECK(encode(NumberFormat::kUe8m0, std::nextafter(x, 1e300)) == std::min<uint32_t>(code + 1, 254));
    CHECK(encode(NumberFormat::kUe8m0, x * 0.51) == code);
  }
  CHECK(encode(NumberFormat::kUe8m0, 0) == 0);
  CHECK(encode(NumberFormat::kUe8m0, 1e-300) == 0);
  CHECK(encode(NumberFormat::kUe8m0, 1e300) == 254);
}
