// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every host.
#pragma once

#include <cstdint>
#include <random>

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

}  // namespace warpwright::support
