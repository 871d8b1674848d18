// SPDX-License-Identifier: Apache-2.0
// Errors of quantised values, row by row.
#include "generator/families/w4a8_gemm/statistics.h"

#include "generator/families/w4a8_gemm/packed_layout.h"

#include <algorithm>
#include <cmath>

namespace warpwright::w4a8_gemm {

void ErrorStatistics::add(const MatrixView &channels, const QuantisedWeight &weight) {
  for (int64_t row = 0; row < channels.rows; ++row) {
    const float *source = channels.row(row);
    const auto scale = static_cast<double>(weight.channel_scale[static_cast<size_t>(row)]);
    const int32_t correction = weight.correction(row);
    for (int64_t col = 0; col < channels.cols; ++col) {
      const int32_t integer = weight.operand(row, col) - correction, code = weight.code(row, col);
      const auto exact = static_cast<double>(source[col]);
      const double value = scale * integer, error = std::fabs(value - exact);
      max_error_ = std::max(max_error_, error);
      error_squares_ += error * error;
      source_squares_ += exact * exact;
      value_squares_ += value * value;
      products_ += exact * value;
      if (code != 0 && code != kLargestCode) continue;
      // Beyond half a step from the nearest code: at level 2, measured from the level-1 integer.
      const bool is_grouped = weight.group != kPerChannel;
      const double step = is_grouped ? weight.group_scale[static_cast<size_t>((row * channels.cols + col) / weight.group)] : 1.0;
      const double nearest = is_grouped ? std::nearbyint(exact / scale) : exact / scale;
      if (std::fabs(nearest - integer) > step / 2) ++clipped_;
    }
  }
  count_ += channels.rows * channels.cols;
}

double ErrorStatistics::rms_error() const {
  return count_ == 0 ? 0 : std::sqrt(error_squares_ / static_cast<double>(count_));
}

double ErrorStatistics::relative_error() const {
  return source_squares_ == 0 ? 0 : std::sqrt(error_squares_ / source_squares_);
}

double ErrorStatistics::cosine() const {
  if (source_squares_ == 0 && value_squares_ == 0) return 1;
  const double lengths = std::sqrt(source_squares_) * std::sqrt(value_squares_);
  return lengths == 0 ? 0 : products_ / lengths;
}

double ErrorStatistics::clipped_share() const {
  return count_ == 0 ? 0 : static_cast<double>(clipped_) / static_cast<double>(count_);
}

}  // namespace warpwright::w4a8_gemm
