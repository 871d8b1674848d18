// SPDX-License-Identifier: Apache-2.0
// Writes planning points of the W4A4 matrix as specs: few of them, so that every setting of every axis occurs often.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/support/files.h"
#include "tests/catch.h"
#include "tests/property/plan/matrix.h"

#include <algorithm>
#include <cstdlib>

using namespace warpwright;

namespace {

using Counts = std::vector<std::vector<size_t>>;  ///< by axis and setting

Counts zero_counts(const test::Matrix &matrix) {
  Counts counts;
  for (const auto &axis : matrix.axes) counts.emplace_back(axis.size(), 0);
  return counts;
}

void count_point(Counts &counts, const std::vector<size_t> &point) {
  for (size_t axis = 0; axis < point.size(); ++axis) ++counts[axis][point[axis]];
}

/// Greedy multi-cover: always the point with the most settings that still occur too seldom.
std::vector<std::vector<size_t>> cover(const test::Matrix &matrix, std::vector<std::vector<size_t>> points, size_t times) {
  Counts available = zero_counts(matrix);
  for (const auto &point : points) count_point(available, point);
  Counts taken = zero_counts(matrix);
  const auto gain = [&](const std::vector<size_t> &point) {
    size_t missing = 0;
    for (size_t axis = 0; axis < point.size(); ++axis)
      missing += taken[axis][point[axis]] < std::min(times, available[axis][point[axis]]) ? 1 : 0;
    return missing;
  };
  std::vector<std::vector<size_t>> chosen;
  while (!points.empty()) {
    const auto best = std::max_element(points.begin(), points.end(),
                                       [&](const auto &a, const auto &b) { return gain(a) < gain(b); });
    if (gain(*best) == 0) break;
    count_point(taken, *best);
    chosen.push_back(*best);
    points.erase(best);
  }
  for (size_t axis = 0; axis < taken.size(); ++axis)
    for (size_t setting = 0; setting < taken[axis].size(); ++setting)
      CHECK(taken[axis][setting] >= std::min(times, available[axis][setting]));
  return chosen;
}

}  // namespace

TEST_CASE("matrix: points that cover every setting of every axis", "[.cover]") {
  const char *folder = std::getenv("WARPWRIGHT_COVER_FOLDER");
  const char *times = std::getenv("WARPWRIGHT_COVER_TIMES");
  REQUIRE(folder != nullptr);
  REQUIRE(times != nullptr);
  const test::Matrix matrix = test::load_matrix();
  std::vector<std::vector<size_t>> planning;
  for (const auto &point : matrix.points)
    if (plan::can_plan(test::spec_without_rules(matrix, point), w4a4_lora_gemm_plan(), *target::find_target("sm_100a")))
      planning.push_back(point);
  const auto chosen = cover(matrix, std::move(planning), std::strtoul(times, nullptr, 10));
  REQUIRE_FALSE(chosen.empty());
  std::string why;
  for (size_t i = 0; i < chosen.size(); ++i)
    REQUIRE(support::write_file(std::string(folder) + "/point" + std::to_string(i) + ".json",
                                test::spec_without_rules(matrix, chosen[i]).canonical_json(), why));
}
