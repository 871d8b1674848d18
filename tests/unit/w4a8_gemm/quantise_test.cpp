// SPDX-License-Identifier: Apache-2.0
// Quantisation: the protective range over every pair of bounds, hand-computed values, and what is found in bad weights.
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/families/w4a8_gemm/quantise.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace warpwright::w4a8_gemm;
using warpwright::support::Diagnostics;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A channel of two groups of 64 whose level-1 integers are its values: the last group holds ±119, so the scale is 1.
/// The first has every integer of lo … hi that is asked for, 62 at a time, besides lo and hi.
std::vector<float> channel_of(int32_t lo, int32_t hi, int32_t first) {
  std::vector<float> values(128, 0.0f);
  values[0] = static_cast<float>(lo);
  values[1] = static_cast<float>(hi);
  for (int32_t i = 0; i < 62; ++i) values[static_cast<size_t>(2 + i)] = static_cast<float>(std::clamp(first + i, lo, hi));
  values[64] = 119.0f;
  values[65] = -119.0f;
  return values;
}

std::vector<float> random_values(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> bell(0.0f, 0.02f);
  std::vector<float> values(count);
  for (float &value : values) value = bell(random);
  return values;
}

/// The definition, one value at a time, in other words than the product's.
int32_t code_by_definition(int32_t distance, int32_t scale) {
  const double exact = static_cast<double>(distance) / scale;
  return static_cast<int32_t>(std::min(15.0, std::nearbyint(exact)));
}

}  // namespace

TEST_CASE("quantise: every bounds of a group, every value: the definition, and no byte above 255") {
  for (const Rounding rounding : {Rounding::kNearest, Rounding::kUp}) {
    int32_t largest = 0, smallest = 255, worst_error = 0, wrong = 0, count = 0;
    for (int32_t lo = -119; lo <= 119; ++lo)
      for (int32_t hi = lo; hi <= 119; ++hi) {
        const double fifteenth = (hi - lo) / 15.0;
        const auto scale = static_cast<int32_t>(
            std::max(1.0, rounding == Rounding::kUp ? std::ceil(fifteenth) : std::round(fifteenth)));
        for (int32_t first = lo; first <= hi; first += 62) {
          const std::vector<float> values = channel_of(lo, hi, first);
          const QuantisedWeight weight = quantise_rows({values.data(), 1, 128}, {64, rounding});
          wrong += weight.channel_scale[0] != 1.0f || weight.group_scale[0] != scale || weight.group_offset[0] != 128 + lo;
          for (int64_t col = 0; col < 64; ++col, ++count) {
            const auto q8 = static_cast<int32_t>(values[static_cast<size_t>(col)]);
            const int32_t u = weight.operand(0, col);
            wrong += weight.code(0, col) != code_by_definition(q8 - lo, scale);
            largest = std::max(largest, u);
            smallest = std::min(smallest, u);
            worst_error = std::max(worst_error, std::abs(u - 128 - q8));
          }
        }
      }
    CHECK(count > 28000 * 64);
    CHECK(wrong == 0);
    CHECK(largest == 254);
    CHECK(smallest == 9);
    CHECK(worst_error <= 8);
  }
}

TEST_CASE("quantise: 119 is the largest protective range that holds for both roundings, ties either way") {
  const auto largest_byte = [](int32_t limit, bool up, bool ties_up) {
    int32_t largest = 0;
    for (int32_t lo = -limit; lo <= limit; ++lo)
      for (int32_t hi = lo; hi <= limit; ++hi) {
        const int32_t range = hi - lo, scale = std::max(1, up ? (range + 14) / 15 : (range + 7) / 15);
        for (int32_t distance = 0; distance <= range; ++distance) {
          const int32_t code = ties_up ? std::min(15, (2 * distance + scale) / (2 * scale)) : code_by_definition(distance, scale);
          largest = std::max(largest, code * scale + 128 + lo);
        }
      }
    return largest;
  };
  for (const bool up : {false, true})
    for (const bool ties_up : {false, true}) CHECK(largest_byte(119, up, ties_up) <= 255);
  CHECK(largest_byte(119, true, true) == 255);
  CHECK(largest_byte(120, true, true) == 256);
}

TEST_CASE("quantise: group values by hand") {
  // 119 / 2 = amax / 119 with amax 59.5: q8 = 2 w. The first group is 10, -20, then 0: lo = -20, range 30, scale 2.
  std::vector<float> values(128, 0.0f);
  values[0] = 5.0f;
  values[1] = -10.0f;
  values[2] = 4.25f;  // q8 = 8.5, to even: 8
  values[3] = 4.75f;  // q8 = 9.5, to even: 10
  values[64] = 59.5f;
  const QuantisedWeight weight = quantise_rows({values.data(), 1, 128}, {64, Rounding::kNearest});
  CHECK(weight.channel_scale[0] == 0.5f);
  CHECK(weight.group_scale[0] == 2);
  CHECK(weight.group_offset[0] == 108);
  CHECK(weight.code(0, 0) == 15);
  CHECK(weight.code(0, 1) == 0);
  CHECK(weight.code(0, 2) == 14);
  CHECK(weight.code(0, 3) == 15);
  CHECK(weight.code(0, 4) == 10);
  CHECK(weight.q4[0] == 0x0f);  // the even column in the low nibble
  CHECK(weight.value(0, 0) == 5.0);
  CHECK(weight.value(0, 1) == -10.0);
  CHECK(weight.correction(0) == 128);
  CHECK(weight.operand(0, 64) == 119 + 128 + 1);  // 119 = lo 0 + 15 · 8, rounded: 120
  // With group 128 the range is 119 + 20: scale 9 either way.
  const QuantisedWeight wide = quantise_rows({values.data(), 1, 128}, {128, Rounding::kNearest});
  CHECK(wide.group_scale == std::vector<uint8_t>{9});
  CHECK(wide.group_offset == std::vector<uint8_t>{108});
}

TEST_CASE("quantise: rounding up never clips a code, rounding to nearest may") {
  const std::vector<float> values = channel_of(-11, 11, -11);  // range 22: 22 / 15 is 1 or 2
  const QuantisedWeight nearest = quantise_rows({values.data(), 1, 128}, {64, Rounding::kNearest});
  const QuantisedWeight up = quantise_rows({values.data(), 1, 128}, {64, Rounding::kUp});
  CHECK(nearest.group_scale[0] == 1);
  CHECK(nearest.value(0, 1) == 4.0);  // 11 clipped to -11 + 15
  CHECK(up.group_scale[0] == 2);
  CHECK(up.value(0, 1) == 11.0);
}

TEST_CASE("quantise: per channel, zero is a code and the range includes it") {
  std::vector<float> values(64, 0.0f);
  values[0] = -5.0f;
  values[1] = 10.0f;
  values[2] = 1.4f;
  const QuantisedWeight mixed = quantise_rows({values.data(), 1, 64}, {kPerChannel, Rounding::kNearest});
  CHECK(mixed.channel_scale[0] == 1.0f);
  CHECK(mixed.zero[0] == 5);
  CHECK(mixed.correction(0) == 5);
  CHECK(mixed.code(0, 0) == 0);
  CHECK(mixed.code(0, 1) == 15);
  CHECK(mixed.operand(0, 2) == 6);
  CHECK(mixed.value(0, 3) == 0.0);
  CHECK(mixed.group_scale.empty());
  std::fill(values.begin(), values.end(), 3.0f);
  const QuantisedWeight positive = quantise_rows({values.data(), 1, 64}, {kPerChannel, Rounding::kNearest});
  CHECK(positive.zero[0] == 0);
  CHECK(positive.value(0, 5) == Approx(3.0));
  std::fill(values.begin(), values.end(), -3.0f);
  const QuantisedWeight negative = quantise_rows({values.data(), 1, 64}, {kPerChannel, Rounding::kNearest});
  CHECK(negative.zero[0] == 15);
  CHECK(negative.value(0, 5) == Approx(-3.0));
}

TEST_CASE("quantise: errors stay within what the grid allows") {
  const std::vector<float> values = random_values(4 * 512, 7);
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel})
    for (const Rounding rounding : {Rounding::kNearest, Rounding::kUp}) {
      const QuantisedWeight weight = quantise_rows({values.data(), 4, 512}, {group, rounding});
      for (int64_t row = 0; row < 4; ++row)
        for (int64_t col = 0; col < 512; ++col) {
          const double step = static_cast<double>(weight.channel_scale[static_cast<size_t>(row)]);
          const auto exact = static_cast<double>(values[static_cast<size_t>(row * 512 + col)]);
          const double error = std::fabs(weight.value(row, col) - exact);
          REQUIRE(error <= step * (group == kPerChannel ? 1.001 : 8.501));
          REQUIRE(weight.operand(row, col) >= 0);
          REQUIRE(weight.operand(row, col) <= 255);
        }
    }
}

TEST_CASE("quantise: extreme magnitudes keep scales finite and bytes in range") {
  const float largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::denorm_min();
  for (const int64_t group : {int64_t{64}, kPerChannel})
    for (const float magnitude : {largest, 1e-36f, 1e-39f, smallest, 0.0f}) {
      std::vector<float> values(64, magnitude);
      values[1] = -magnitude;
      CAPTURE(group, magnitude);
      const QuantisedWeight weight = quantise_rows({values.data(), 1, 64}, {group, Rounding::kNearest});
      REQUIRE(std::isfinite(weight.channel_scale[0]));
      REQUIRE(weight.channel_scale[0] > 0);
      for (int64_t col = 0; col < 64; ++col) {
        REQUIRE(weight.operand(0, col) <= 255);
        if (magnitude < 1e-36f) REQUIRE(weight.value(0, col) == 0.0);
        if (magnitude == largest) REQUIRE(std::fabs(weight.value(0, col) / magnitude) == Approx(1).epsilon(0.07));
      }
    }
}

TEST_CASE("quantise: what is not finite is told by tensor, row, group and column") {
  std::vector<float> values = random_values(64 * 256, 1);
  values[2 * 256 + 200] = kNan;
  values[2 * 256 + 201] = kInfinity;
  values[5 * 256] = -kInfinity;
  for (const auto &[group, words] : {std::pair<int64_t, const char *>{
                                         64, "row 2, group 3 (columns 192 to 255), column 200: NaN; 3 of 16384 values"},
                                     {128, "row 2, group 1 (columns 128 to 255), column 200: NaN; 3 of 16384 values"},
                                     {kPerChannel, "row 2, column 200: NaN; 3 of 16384 values"}}) {
    Diagnostics diagnostics;
    CHECK_FALSE(quantise("model.layers.0.w", {values.data(), 64, 256}, {group, Rounding::kNearest}, diagnostics));
    CHECK_THAT(diagnostics.render(), Catch::Contains("error[pack.not-finite]: model.layers.0.w: ") && Catch::Contains(words));
  }
}

TEST_CASE("quantise: degenerate channels and groups are told, and stay exact where they can") {
  std::vector<float> values = random_values(64 * 128, 2);
  std::fill_n(values.begin() + 3 * 128, 128, 0.0f);
  std::fill_n(values.begin() + 9 * 128, 128, 0x1p-133f);
  std::fill_n(values.begin() + 11 * 128 + 64, 64, 0.0f);
  Diagnostics diagnostics;
  const auto weight = quantise("w", {values.data(), 64, 128}, {64, Rounding::kNearest}, diagnostics);
  REQUIRE(weight);
  CHECK_FALSE(diagnostics.has_errors());
  const std::string text = diagnostics.render();
  CHECK_THAT(text, Catch::Contains("warning[pack.degenerate-channel]: w: row 3 is all zero: its scale is 1; 1 of 64 rows are"));
  CHECK_THAT(text, Catch::Contains("row 9 has magnitude 9.18355e-41, too small for an fp32 scale, and becomes zero; ") &&
                       Catch::Contains("1 of 64 rows do"));
  CHECK_THAT(text, Catch::Contains("pack.degenerate-group]: w: row 11, group 1 (columns 64 to 127): every value is 0; ") &&
                       Catch::Contains("1 of 128 groups have no range"));
  CHECK(weight->channel_scale[3] == 1.0f);
  CHECK(weight->operand(3, 0) == 128);
  CHECK(weight->value(11, 100) == 0.0);
  Diagnostics silent;
  CHECK_FALSE(quantise("w", {values.data(), 32, 128}, {64, Rounding::kNearest}, silent).has_value());
  CHECK_THAT(silent.render(), Catch::Contains("error[pack.shape]: w: N = 32 is no multiple of 64"));
}

TEST_CASE("quantise: a census of slabs is that of the whole") {
  std::vector<float> values = random_values(128 * 128, 3);
  values[100 * 128 + 70] = kNan;
  Diagnostics whole, parts;
  Census one(64), two(64);
  one.add({values.data(), 128, 128});
  two.add({values.data(), 64, 128});
  two.add({values.data() + 64 * 128, 64, 128});
  CHECK_FALSE(one.report("w", whole));
  CHECK_FALSE(two.report("w", parts));
  CHECK(whole.render() == parts.render());
  CHECK_THAT(whole.render(), Catch::Contains("row 100, group 1"));
}

TEST_CASE("quantise: tokens by hand") {
  std::vector<float> values(2 * 64, 0.0f);
  values[0] = 254.0f;
  values[1] = -254.0f;
  values[2] = 3.0f;  // 1.5, to even
  values[3] = 5.0f;  // 2.5, to even
  Diagnostics diagnostics;
  const auto tokens = quantise_tokens("x", {values.data(), 2, 64}, diagnostics);
  REQUIRE(tokens);
  CHECK(diagnostics.all().empty());
  CHECK(tokens->x_scale == std::vector<float>{2.0f, 0.0f});
  CHECK(std::vector<int8_t>(tokens->x8.begin(), tokens->x8.begin() + 5) == std::vector<int8_t>{127, -127, 2, 2, 0});
  CHECK(tokens->sum_x == std::vector<int32_t>{4, 0});
  CHECK(std::all_of(tokens->x8.begin() + 64, tokens->x8.end(), [](int8_t x) { return x == 0; }));
  for (const float magnitude : {std::numeric_limits<float>::max(), 1e-42f, std::numeric_limits<float>::denorm_min()}) {
    std::vector<float> extreme(64, magnitude);
    extreme[1] = -magnitude;
    const auto token = quantise_tokens("x", {extreme.data(), 1, 64}, diagnostics);
    REQUIRE(token);
    CHECK(std::isfinite(token->x_scale[0]));
    for (const int8_t x : token->x8) CHECK(std::abs(x) <= 127);
  }
  values[70] = kNan;
  CHECK_FALSE(quantise_tokens("x", {values.data(), 2, 64}, diagnostics));
  CHECK_THAT(diagnostics.render(), Catch::Contains("pack.not-finite]: x: row 1, column 6: NaN"));
}
