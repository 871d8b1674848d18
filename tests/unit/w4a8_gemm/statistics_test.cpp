// SPDX-License-Identifier: Apache-2.0
// Error statistics against values by hand.
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/families/w4a8_gemm/statistics.h"
#include "tests/catch.h"

#include <cmath>
#include <vector>

using namespace warpwright::w4a8_gemm;

TEST_CASE("statistics: a group with one clipped code, by hand") {
  std::vector<float> values(128, 0.0f);
  values[0] = -11.0f;
  values[1] = 11.0f;    // range 22, scale 1: the code is clipped to 15, the value to 4
  values[64] = 119.0f;  // range 119, scale 8: 119 / 8 rounds to 15, the value is 120
  const QuantisedWeight weight = quantise_rows({values.data(), 1, 128}, {64, Rounding::kNearest});
  ErrorStatistics statistics;
  statistics.add({values.data(), 1, 128}, weight);
  CHECK(statistics.max_error() == 7.0);
  CHECK(statistics.rms_error() == Approx(std::sqrt(50.0 / 128)));
  CHECK(statistics.relative_error() == Approx(std::sqrt(50.0 / (2 * 121 + 119 * 119))));
  const double products = 11 * 11 + 11 * 4 + 119 * 120, source = 2 * 121 + 119 * 119, value = 121 + 16 + 120 * 120;
  CHECK(statistics.cosine() == Approx(products / std::sqrt(source * value)));
  CHECK(statistics.clipped_share() == Approx(1.0 / 128));
  ErrorStatistics up;
  up.add({values.data(), 1, 128}, quantise_rows({values.data(), 1, 128}, {64, Rounding::kUp}));
  CHECK(up.clipped_share() == 0.0);
}

TEST_CASE("statistics: per channel both ends of the range keep within half a step, and zeros are exact") {
  std::vector<float> values(128, 0.0f);
  ErrorStatistics zeros;
  zeros.add({values.data(), 2, 64}, quantise_rows({values.data(), 2, 64}, {kPerChannel, Rounding::kNearest}));
  CHECK(zeros.cosine() == 1.0);
  CHECK(zeros.relative_error() == 0.0);
  // Range 15, zero at 7.25, rounded to 7: both ends are a quarter of a step off.
  values[0] = -7.25f;
  values[1] = 7.75f;
  ErrorStatistics shifted;
  const QuantisedWeight weight = quantise_rows({values.data(), 1, 128}, {kPerChannel, Rounding::kNearest});
  CHECK(weight.zero[0] == 7);
  shifted.add({values.data(), 1, 128}, weight);
  CHECK(shifted.max_error() == 0.25);
  CHECK(shifted.clipped_share() == 0.0);
}
