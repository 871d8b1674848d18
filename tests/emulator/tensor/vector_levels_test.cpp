// SPDX-License-Identifier: Apache-2.0
// The inner loops give the same bits with each instruction set that this processor has.
#include "tests/catch.h"
#include "tools/emulator/tensor/fused_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace warpwright::emulator::tensor;

namespace {

constexpr size_t kStride = 256, kK = 32;

/// Values of few bits and wide range, as decoded elements are, with exponents that need not match them.
struct Values {
  explicit Values(uint32_t seed) {
    std::mt19937 random(seed);
    const auto fill = [&](std::vector<double> *values, std::vector<int32_t> *exponents, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        const int exponent = static_cast<int>(random() % 40) - 20;
        values->push_back(std::ldexp(static_cast<int>(random() % 512) - 256, exponent - 8));
        exponents->push_back(exponent);
      }
    };
    fill(&a, &a_exponent, kK);
    fill(&b, &b_exponent, kK * kStride);
    fill(&c, &c_exponent, kStride);
    for (size_t i = 0; i < 64; ++i) a_group.push_back(static_cast<float>(random() % 13) - 6);
    for (size_t i = 0; i < 64 * kStride; ++i) b_group.push_back(static_cast<float>(random() % 13) - 6);
  }

  std::vector<double> a, b, c;
  std::vector<int32_t> a_exponent, b_exponent, c_exponent;
  std::vector<float> a_group, b_group;
};

}  // namespace

TEST_CASE("every vector level gives the bits of the plain one") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const Values values(seed);
    std::vector<std::vector<double>> sums;
    std::vector<std::vector<uint32_t>> rounded;
    for (int level = 0; level <= best_vector_level(); ++level) {
      std::vector<double> products(kStride), groups(kStride);
      const RowSum row{kStride, kStride, 25, values.c.data(), values.c_exponent.data(), products.data()};
      sum_products({row, kK, values.a.data(), values.a_exponent.data(), values.b.data(), values.b_exponent.data()},
                   level);
      RowSum other = row;
      other.fraction_bits = 35;
      other.sum = groups.data();
      sum_groups({other, values.a_group.data(), values.a.data(), values.a_exponent.data(), values.b_group.data(),
                  values.b.data(), values.b_exponent.data()},
                 level);
      std::vector<uint32_t> cells(kStride);
      round_row(products.data(), kStride, cells.data(), level);
      products.insert(products.end(), groups.begin(), groups.end());
      sums.push_back(products);
      rounded.push_back(cells);
    }
    for (size_t level = 1; level < sums.size(); ++level) {
      CHECK(std::memcmp(sums[level].data(), sums[0].data(), sums[0].size() * sizeof(double)) == 0);
      CHECK(rounded[level] == rounded[0]);
    }
    CHECK(std::count(sums[0].begin(), sums[0].end(), 0.0) < 20);
  }
}
