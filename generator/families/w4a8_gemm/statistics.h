// SPDX-License-Identifier: Apache-2.0
// How far quantised values are from those that they stand for.
#pragma once

#include "generator/families/w4a8_gemm/quantise.h"

#include <cstdint>

namespace warpwright::w4a8_gemm {

/// Sums over any number of rows, in fp64.
class ErrorStatistics {
 public:
  /// `channels`: what quantise_rows() was given; `weight`: what came of it, or what a packed one holds.
  void add(const MatrixView &channels, const QuantisedWeight &weight);

  double max_error() const { return max_error_; }
  double rms_error() const;
  double relative_error() const;      ///< rms_error over the rms of the source; 0 if the source is all zero
  double cosine() const;              ///< of source and quantised values as two vectors; 1 if both are all zero
  double clipped_share() const;       ///< codes that would lie beyond 0 … 15

 private:
  int64_t count_ = 0;
  int64_t clipped_ = 0;
  double max_error_ = 0;
  double error_squares_ = 0;
  double source_squares_ = 0;
  double value_squares_ = 0;
  double products_ = 0;
};

}  // namespace warpwright::w4a8_gemm
