// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every host.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace warpwright::support {

/// The standard's distributions differ between libraries; these do not.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// 0 … count − 1; the bias of the remainder is below 2^−50 for counts of a few thousand.
  int64_t below(int64_t count) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// Bell-shaped with mean 0 and variance 1, within ± 6: a sum of twelve, without the mathematics library.
  double bell() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

/// So many bell-shaped values with mean 0.
inline std::vector<float> bell_values(int64_t count, double deviation, Random &random) {
  std::vector<float> values;
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.bell() * deviation));
  return values;
}

/// A row-major matrix like activations of transformers: one column in 64 is ten times as large as the others.
inline std::vector<float> activation_values(int64_t rows, int64_t cols, Random &random) {
  std::vector<float> values = bell_values(rows * cols, 1, random);
  for (int64_t col = 0; col < cols; ++col) {
    if (random.below(64) != 0) continue;
    for (int64_t row = 0; row < rows; ++row) values[static_cast<size_t>(row * cols + col)] *= 10;
  }
  return values;
}

}  // namespace warpwright::support
