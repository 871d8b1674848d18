// SPDX-License-Identifier: Apache-2.0
// Weights to 4-bit codes on a two-level integer grid, activations to signed bytes: the numbers that the kernel multiplies.
#pragma once

#include "generator/support/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::w4a8_gemm {

/// The level-1 integers keep to ±119: then no u = q4 · scale + offset exceeds 255, whichever way the scale is rounded.
inline constexpr int32_t kProtectiveRange = 119;
inline constexpr int32_t kLargestCode = 15;
inline constexpr int32_t kGroupCorrection = 128;  ///< the kernel's operand is u = value + 128

/// How the integer scale of a group follows from its range divided by 15. Up: no code is ever clipped.
enum class Rounding { kNearest, kUp };

struct Scheme {
  int64_t group = 64;  ///< 64, 128 or kPerChannel
  Rounding rounding = Rounding::kNearest;
};

/// A row-major matrix that somebody else owns.
struct MatrixView {
  const float *values = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  const float *row(int64_t index) const { return values + index * cols; }
};

/// A weight, or some of its channels, in canonical form.
///
/// Shapes    q4 [rows, k / 2]: element 2i of a row in the low nibble of byte i; group_scale and group_offset [rows, k / group],
///           zero [rows] (per channel only), channel_scale [rows].
/// Values    grouped: u = q4 · group_scale + group_offset, value = channel_scale · (u − 128); per channel: u = q4, value =
///           channel_scale · (u − zero).
struct QuantisedWeight {
  int64_t rows = 0;
  int64_t k = 0;
  int64_t group = 64;
  std::vector<uint8_t> q4;
  std::vector<uint8_t> group_scale;
  std::vector<uint8_t> group_offset;
  std::vector<uint8_t> zero;
  std::vector<float> channel_scale;

  int32_t code(int64_t row, int64_t col) const;
  int32_t operand(int64_t row, int64_t col) const;  ///< u: the byte that the tensor core multiplies
  int32_t correction(int64_t row) const;            ///< what the epilogue takes off, times the sum of the token's bytes
  double value(int64_t row, int64_t col) const;
};

/// Whether a channel's scale has the precision of fp32.
bool is_normal_scale(double scale);

/// All codes zero. Requires that the shape fits the layout along K.
QuantisedWeight make_weight(int64_t rows, int64_t k, int64_t group);

/// Quantises finite channels.
///
/// Values    Grouped. Level 1: channel_scale = amax / 119, q8 = w / channel_scale rounded to nearest even, both in fp32. Level
///           2: lo = smallest q8 of the group, group_scale = (largest − lo) / 15, rounded as `scheme` says, at least 1;
///           group_offset = 128 + lo; q4 = (q8 − lo) / group_scale rounded to nearest even, at most 15.
///           Per channel. lo = min(0, smallest), hi = max(0, largest); channel_scale = (hi − lo) / 15; zero = −lo /
///           channel_scale and q4 = w / channel_scale + zero, rounded to nearest even, in 0 … 15.
///           A channel whose scale would be below the smallest normal fp32 has scale 1 and all its values are zero.
/// Requires  finite values; 64 divides k, and so does the group.
QuantisedWeight quantise_rows(const MatrixView &channels, const Scheme &scheme);

/// What a weight's values are like, gathered over any number of calls; rows are counted from the weight's first.
class Census {
 public:
  explicit Census(int64_t group) : group_(group) {}
  void add(const MatrixView &channels);

  /// Errors    pack.not-finite (tensor, first row, group and element, how many).
  /// Warnings  pack.degenerate-channel: the first row that is all zero, or too small for an fp32 scale; pack.degenerate-group:
  ///           the first row and group of equal values in a channel that is not zero; each with how many.
  /// Returns whether every value is finite.
  bool report(const std::string &tensor, support::Diagnostics &diagnostics) const;

 private:
  struct Place {
    int64_t count = 0;
    int64_t row = 0;
    int64_t col = 0;
    float value = 0;
    void add(int64_t at_row, int64_t at_col, float seen);
  };
  void add_groups(const float *values);

  int64_t group_;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  Place not_finite_, flat_groups_, zero_channels_, tiny_channels_;
};

/// Census, then quantise_rows().
///
/// Errors    pack.shape (N or K do not fit the layout), pack.not-finite.
std::optional<QuantisedWeight> quantise(const std::string &tensor, const MatrixView &matrix, const Scheme &scheme,
                                        support::Diagnostics &diagnostics);

/// Activations, one scale a token.
struct QuantisedTokens {
  int64_t tokens = 0;
  int64_t k = 0;
  std::vector<int8_t> x8;
  std::vector<float> x_scale;
  std::vector<int32_t> sum_x;  ///< of a token's x8
};

/// x_scale = amax / 127, x8 = x / x_scale rounded to nearest even, in fp32 and within ±127. A token whose scale comes to zero,
/// an all-zero one above all, has scale 0 and all bytes 0.
///
/// Errors    pack.not-finite.
std::optional<QuantisedTokens> quantise_tokens(const std::string &tensor, const MatrixView &tokens,
                                               support::Diagnostics &diagnostics);

}  // namespace warpwright::w4a8_gemm
