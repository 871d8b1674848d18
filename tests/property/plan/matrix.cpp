// SPDX-License-Identifier: Apache-2.0
// Reads the sweep and draws its points.
#include "tests/property/plan/matrix.h"

#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/spec/family_spec.h"
#include "tests/catch.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace warpwright::test {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers with every standard library, unlike <random>'s distributions.
uint64_t next_random(uint64_t &state) {
  uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

Setting Matrix::overrides(const std::vector<size_t> &point) const {
  Setting all;
  for (size_t i = 0; i < point.size(); ++i) all.insert(all.end(), axes[i][point[i]].begin(), axes[i][point[i]].end());
  return all;
}

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
  uint64_t state = json.at("seed").get<uint64_t>();
  matrix.points.resize(json.at("draws").get<size_t>());
  for (std::vector<size_t> &point : matrix.points)
    for (const auto &axis : matrix.axes) {
      const bool takes_first = next_random(state) % 2 == 0;
      point.push_back(takes_first ? 0 : 1 + next_random(state) % (axis.size() - 1));
    }
  return matrix;
}

spec::KernelSpec spec_without_rules(const Matrix &matrix, const std::vector<size_t> &point) {
  static const spec::FamilySpec family = [] {
    spec::FamilySpec rows_only = w4a4_lora_gemm::family_spec();
    rows_only.check = nullptr;
    return rows_only;
  }();
  support::Diagnostics diagnostics;
  auto spec = spec::load_spec_text("matrix.json", matrix.base, matrix.overrides(point), {&family}, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(spec.has_value());
  return *std::move(spec);
}

}  // namespace warpwright::test
