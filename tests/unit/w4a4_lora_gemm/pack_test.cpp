// SPDX-License-Identifier: Apache-2.0
// Quantisation, scale atoms and folding: hand-computed values, round trips, and what is refused.
#include "generator/spec/number_codec.h"
#include "generator/families/w4a4_lora_gemm/pack.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <set>

using namespace warpwright::w4a4_lora_gemm;
using warpwright::spec::NumberFormat;
using warpwright::support::Diagnostics;

namespace {

std::vector<float> ramp(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>((i * 37 % 101) - 50) / 16);
  return values;
}

QuantisedMatrix must_quantise(const MatrixView &matrix, Scheme scheme, const std::vector<float> &row_scale = {}) {
  Diagnostics diagnostics;
  auto result = quantise("a", matrix, scheme, row_scale, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(result.has_value());
  return *result;
}

}  // namespace

TEST_CASE("pack: scale atoms hold 128 rows of 4 scales") {
  CHECK(scale_offset(0, 0, 3) == 0);
  CHECK(scale_offset(0, 3, 3) == 3);
  CHECK(scale_offset(1, 0, 3) == 16);
  CHECK(scale_offset(32, 0, 3) == 4);
  CHECK(scale_offset(127, 3, 3) == 31 * 16 + 3 * 4 + 3);
  CHECK(scale_offset(0, 4, 3) == 512);         // the next atom along K
  CHECK(scale_offset(128, 0, 3) == 3 * 512);   // the next block of rows
  CHECK(scale_bytes(Scheme::kNvfp4, 128, 256) == 4 * 512);
  CHECK(scale_bytes(Scheme::kNvfp4, 129, 64) == 2 * 512);
  CHECK(scale_bytes(Scheme::kMxfp4, 128, 256) == 2 * 512);
  std::set<int64_t> offsets;
  for (int64_t row = 0; row < 256; ++row)
    for (int64_t group = 0; group < 12; ++group) offsets.insert(scale_offset(row, group, 3));
  CHECK(offsets.size() == 256 * 12);
  CHECK(*offsets.rbegin() == 256 * 12 - 1);
}

TEST_CASE("pack: two elements a byte, the first in the low nibble") {
  QuantisedMatrix matrix = make_quantised(Scheme::kNvfp4, 2, 64);
  matrix.set_code(1, 2, 0x5);
  matrix.set_code(1, 3, 0xc);
  CHECK(matrix.data[32 + 1] == 0xc5);
  CHECK(matrix.code(1, 2) == 0x5);
  CHECK(matrix.code(1, 3) == 0xc);
  matrix.set_code(1, 2, 0x1);
  CHECK(matrix.data[32 + 1] == 0xc1);
}

TEST_CASE("pack: scales of rows and groups beyond the matrix are zero") {
  const std::vector<float> values(3 * 80, 6.0f);  // five groups: the second atom along K is padded
  const QuantisedMatrix matrix = must_quantise({values.data(), 3, 80}, Scheme::kNvfp4);
  REQUIRE(matrix.scales.size() == 2 * 512);
  size_t not_zero = 0;
  for (uint8_t scale : matrix.scales) not_zero += scale != 0;
  CHECK(not_zero == 3 * 5);
}

TEST_CASE("pack: NVFP4 by hand") {
  // The largest value becomes 448 · 6 · tensor_scale; the second group's scale is a sixth of its amax.
  std::vector<float> values(32, 0.0f);
  values[0] = 2688;
  values[1] = -448;
  values[16] = 12;
  values[17] = 5;    // 2.5 elements of scale 2: a tie that goes to the even 2
  values[18] = 0.4f; // 0.2 rounds to 0
  values[19] = 7;    // 3.5: a tie that goes to 4
  const QuantisedMatrix matrix = must_quantise({values.data(), 1, 32}, Scheme::kNvfp4);
  CHECK(matrix.tensor_scale == 1);
  CHECK(matrix.scale_code(0, 0) == 0x7e);
  CHECK(decode(NumberFormat::kUe4m3, matrix.scale_code(0, 1)) == 2);
  CHECK(matrix.value(0, 0) == 2688);
  CHECK(matrix.value(0, 1) == -448);
  CHECK(matrix.value(0, 16) == 12);
  CHECK(matrix.value(0, 17) == 4);
  CHECK(matrix.value(0, 18) == 0);
  CHECK(matrix.value(0, 19) == 8);
}

TEST_CASE("pack: MXFP4 scales are powers of two that nothing saturates under") {
  std::vector<float> values(64, 0.0f);
  values[0] = 6;
  values[32] = 6.01f;
  const QuantisedMatrix matrix = must_quantise({values.data(), 1, 64}, Scheme::kMxfp4);
  CHECK(matrix.tensor_scale == 1);
  CHECK(matrix.scale_code(0, 0) == 127);
  CHECK(matrix.scale_code(0, 1) == 128);
  CHECK(matrix.value(0, 0) == 6);
  CHECK(matrix.value(0, 32) == 6);
}

TEST_CASE("pack: the error of each element is at most half a step of its group") {
  for (Scheme scheme : {Scheme::kNvfp4, Scheme::kMxfp4}) {
    const std::vector<float> values = ramp(64 * 128);
    const QuantisedMatrix matrix = must_quantise({values.data(), 64, 128}, scheme);
    for (int64_t row = 0; row < 64; ++row)
      for (int64_t i = 0; i < 128; ++i) {
        const double scale = decode(scale_format(scheme), matrix.scale_code(row, i / group_elems(scheme)));
        const double error =
            std::fabs(matrix.value(row, i) * matrix.tensor_scale - values[static_cast<size_t>(row * 128 + i)]);
        // The widest step of E2M1 is 2; a rounded scale can cut the largest value by another 1/16 of 6.
        if (error > 1.0 * scale * matrix.tensor_scale) CHECK(error <= 1.0 * scale * matrix.tensor_scale);
      }
  }
}

TEST_CASE("pack: groups and tensors without magnitude are zero, never NaN") {
  for (Scheme scheme : {Scheme::kNvfp4, Scheme::kMxfp4}) {
    std::vector<float> values(2 * 64, 0.0f);
    QuantisedMatrix matrix = must_quantise({values.data(), 2, 64}, scheme);
    CHECK(std::isfinite(matrix.tensor_scale));
    for (uint8_t byte : matrix.data) CHECK(byte == 0);
    values[64] = 1e30f;
    values[127] = 1e-30f;  // its scale rounds to nothing beside the other group's
    matrix = must_quantise({values.data(), 2, 64}, scheme);
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t i = 0; i < 64; ++i) CHECK(std::isfinite(matrix.value(row, i)));
    CHECK(matrix.value(0, 0) == 0);
  }
  const std::vector<float> tiny(64, 1e-44f);
  CHECK(std::isfinite(must_quantise({tiny.data(), 1, 64}, Scheme::kNvfp4).value(0, 0)));
}

TEST_CASE("pack: row scales divide before quantisation") {
  const std::vector<float> values = ramp(2 * 64);
  std::vector<float> scaled = values;
  for (size_t i = 64; i < 128; ++i) scaled[i] *= 4;
  const QuantisedMatrix plain = must_quantise({values.data(), 2, 64}, Scheme::kNvfp4);
  const QuantisedMatrix divided = must_quantise({scaled.data(), 2, 64}, Scheme::kNvfp4, {1, 4});
  CHECK(plain.data == divided.data);
  CHECK(plain.scales == divided.scales);
}

TEST_CASE("pack: what cannot be quantised is reported by tensor, row and group") {
  std::vector<float> values = ramp(4 * 64);
  Diagnostics diagnostics;
  SECTION("NaN") {
    values[2 * 64 + 50] = std::numeric_limits<float>::quiet_NaN();
    CHECK_FALSE(quantise("b", {values.data(), 4, 64}, Scheme::kNvfp4, {}, diagnostics));
    CHECK_THAT(diagnostics.render(),
               Catch::Contains("error[pack.not-finite]: b: row 2, group 3 (elements 48 to 63), element 50: NaN; 1 of "
                               "256 values are not finite"));
  }
  SECTION("infinity, in groups of 32") {
    values[64 + 33] = -std::numeric_limits<float>::infinity();
    values[64 + 34] = std::numeric_limits<float>::infinity();
    CHECK_FALSE(quantise("a", {values.data(), 4, 64}, Scheme::kMxfp4, {}, diagnostics));
    CHECK_THAT(diagnostics.render(), Catch::Contains("row 1, group 1 (elements 32 to 63), element 33: infinity; 2 of"));
  }
  SECTION("k that is no multiple of the group") {
    CHECK_FALSE(quantise("a", {values.data(), 4, 40}, Scheme::kNvfp4, {}, diagnostics));
    CHECK(diagnostics.has_slug("pack.shape"));
  }
  SECTION("row scales for another matrix") {
    CHECK_FALSE(quantise("a", {values.data(), 4, 64}, Scheme::kNvfp4, {1, 1}, diagnostics));
    CHECK(diagnostics.has_slug("pack.shape"));
  }
  SECTION("a row scale of zero") {
    CHECK_FALSE(quantise("a", {values.data(), 4, 64}, Scheme::kNvfp4, {1, 1, 0, 1}, diagnostics));
    CHECK_THAT(diagnostics.render(), Catch::Contains("pack.row-scale") && Catch::Contains("row 2"));
  }
}

TEST_CASE("pack: LoRA-up is divided by alpha and the column scale") {
  const std::vector<float> up = {1, 2, 3, 4};
  Diagnostics diagnostics;
  const auto folded = fold_lora_up({up.data(), 2, 2}, 0.5f, {1, 4}, NumberFormat::kBf16, diagnostics);
  REQUIRE(folded);
  CHECK(folded->value(0, 0) == 2);
  CHECK(folded->value(0, 1) == 4);
  CHECK(folded->value(1, 0) == 1.5);
  CHECK(folded->value(1, 1) == 2);
  CHECK(folded_amax({up.data(), 2, 2}, 0.5f, {1, 4}) == 4);
  const auto unscaled = fold_lora_up({up.data(), 2, 2}, 0.5f, {}, NumberFormat::kFp16, diagnostics);
  REQUIRE(unscaled);
  CHECK(unscaled->value(1, 1) == 8);
}

TEST_CASE("pack: LoRA-up beyond fp16 names row and column and proposes bf16") {
  const std::vector<float> up = {0.01f, 0.01f, 0.01f, 0.05f};
  Diagnostics diagnostics;
  CHECK_FALSE(fold_lora_up({up.data(), 2, 2}, 7e-7f, {}, NumberFormat::kFp16, diagnostics));
  CHECK_THAT(diagnostics.render(), Catch::Contains("pack.half-range") && Catch::Contains("row 1, column 1: 71428.6") &&
                                       Catch::Contains("65504") && Catch::Contains("lora.type=\"bf16\""));
  Diagnostics bf16;
  CHECK(fold_lora_up({up.data(), 2, 2}, 7e-7f, {}, NumberFormat::kBf16, bf16));
}

TEST_CASE("pack: LoRA-up that cannot be folded") {
  const std::vector<float> up = {1, 2, std::numeric_limits<float>::quiet_NaN(), 4};
  Diagnostics diagnostics;
  CHECK_FALSE(fold_lora_up({up.data(), 2, 2}, 1, {}, NumberFormat::kBf16, diagnostics));
  CHECK_THAT(diagnostics.render(), Catch::Contains("lora_up: row 1, column 0: NaN"));
  Diagnostics zero;
  CHECK_FALSE(fold_lora_up({up.data(), 1, 2}, 0, {}, NumberFormat::kBf16, zero));
  CHECK(zero.has_slug("pack.row-scale"));
  Diagnostics act;
  CHECK_FALSE(to_half("lora_act", {up.data(), 2, 2}, NumberFormat::kBf16, act));
  CHECK_THAT(act.render(), Catch::Contains("lora_act: row 1, column 0: NaN"));
}
