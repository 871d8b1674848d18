// SPDX-License-Identifier: Apache-2.0
// The W4A4 matrix: at least half of it plans, refusals are counted, and each has a neighbour that plans.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/laws/closed_form.h"
#include "generator/support/files.h"
#include "tests/catch.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <set>

using namespace warpwright;

namespace {

using Setting = std::vector<std::string>;  ///< "path=JSON"

struct Matrix {
  std::string base;
  std::vector<std::vector<Setting>> axes;
  size_t points() const {
    size_t product = 1;
    for (const auto &axis : axes) product *= axis.size();
    return product;
  }
};

Matrix load_matrix() {
  std::ifstream file(WARPWRIGHT_SOURCE_DIR "/configs/sweeps/w4a4_matrix.json");
  const nlohmann::json json = nlohmann::json::parse(file);
  Matrix matrix;
  matrix.base = json.at("base").dump();
  for (const auto &axis : json.at("axes")) {
    matrix.axes.emplace_back();
    for (const auto &setting : axis) {
      matrix.axes.back().emplace_back();
      for (const auto &[path, value] : setting.items()) matrix.axes.back().back().push_back(path + "=" + value.dump());
    }
  }
  return matrix;
}

std::vector<size_t> choices_of(const Matrix &matrix, size_t point) {
  std::vector<size_t> choices;
  for (const auto &axis : matrix.axes) {
    choices.push_back(point % axis.size());
    point /= axis.size();
  }
  return choices;
}

size_t point_of(const Matrix &matrix, const std::vector<size_t> &choices) {
  size_t point = 0;
  for (size_t i = choices.size(); i-- > 0;) point = point * matrix.axes[i].size() + choices[i];
  return point;
}

/// The first error's slug, or nothing where the point plans.
std::string refusal(const Matrix &matrix, size_t point) {
  std::vector<std::string> overrides;
  const std::vector<size_t> choices = choices_of(matrix, point);
  for (size_t i = 0; i < choices.size(); ++i)
    for (const std::string &item : matrix.axes[i][choices[i]]) overrides.push_back(item);
  support::Diagnostics diagnostics;
  const auto loaded = spec::load_spec_text("matrix.json", matrix.base, overrides, {&w4a4_lora_gemm::family_spec()}, diagnostics);
  if (loaded) {
    const plan::FamilyPlan &family = w4a4_lora_gemm_plan();
    const plan::Candidate best = plan::best_candidate(*loaded, family, *target::find_target(loaded->arch), laws::ClosedForm());
    if (best.plan) return "";
    return best.diagnostics.all().empty() ? "none" : best.diagnostics.all().front().slug;
  }
  return diagnostics.all().front().slug;
}

}  // namespace

TEST_CASE("matrix: half plans, refusals are a golden, each has a neighbour that plans") {
  const Matrix matrix = load_matrix();
  REQUIRE(matrix.points() >= 1900);
  std::vector<std::string> refusals;
  std::map<std::string, size_t> counts;
  for (size_t point = 0; point < matrix.points(); ++point) {
    refusals.push_back(refusal(matrix, point));
    ++counts[refusals.back().empty() ? "plans" : refusals.back()];
  }
  CHECK(2 * counts["plans"] >= matrix.points());

  std::string text;
  for (const auto &[slug, count] : counts) text += slug + " " + std::to_string(count) + "\n";
  const std::string golden = WARPWRIGHT_SOURCE_DIR "/tests/golden/w4a4_matrix.txt";
  if (const char *update = std::getenv("WARPWRIGHT_UPDATE_GOLDENS"); update && std::string(update) == "1") std::ofstream(golden) << text;
  std::ifstream file(golden);
  INFO("to accept: WARPWRIGHT_UPDATE_GOLDENS=1 and run this test again");
  REQUIRE(file);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);

  for (size_t point = 0; point < matrix.points(); ++point) {
    if (refusals[point].empty()) continue;
    bool has_neighbour = false;
    const std::vector<size_t> choices = choices_of(matrix, point);
    for (size_t axis = 0; axis < choices.size(); ++axis)
      for (size_t choice = 0; choice < matrix.axes[axis].size(); ++choice) {
        std::vector<size_t> other = choices;
        other[axis] = choice;
        has_neighbour = has_neighbour || refusals[point_of(matrix, other)].empty();
      }
    INFO("point " << point << ": " << refusals[point]);
    CHECK(has_neighbour);
  }
}
