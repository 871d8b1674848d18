// SPDX-License-Identifier: Apache-2.0
// Finding values that are not finite, and channels and groups without magnitude or range.
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/families/w4a8_gemm/quantise.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpwright::w4a8_gemm {
namespace {

bool is_finite(float value) { return (std::bit_cast<uint32_t>(value) & 0x7f800000u) != 0x7f800000u; }

/// Without a branch on each value: weights are long, and nearly always finite.
bool are_finite(const float *values, int64_t count) {
  uint32_t bad = 0;
  for (int64_t i = 0; i < count; ++i) bad |= is_finite(values[i]) ? 0u : 1u;
  return bad == 0;
}

std::string place_of(int64_t row, int64_t col, int64_t group) {
  if (group == kPerChannel) return fmt::format("row {}, column {}", row, col);
  const int64_t first = col / group * group;
  return fmt::format("row {}, group {} (columns {} to {})", row, col / group, first, first + group - 1);
}

void tell(support::Diagnostics &diagnostics, support::Severity severity, const char *slug, const std::string &tensor,
          std::string message) {
  support::Diagnostic d;
  d.severity = severity;
  d.slug = slug;
  d.path = tensor;
  d.message = std::move(message);
  diagnostics.add(std::move(d));
}

}  // namespace

void Census::Place::add(int64_t at_row, int64_t at_col, float seen) {
  if (count++ > 0) return;
  row = at_row;
  col = at_col;
  value = seen;
}

void Census::add(const MatrixView &channels) {
  cols_ = channels.cols;
  for (int64_t i = 0; i < channels.rows; ++i, ++rows_) {
    const float *values = channels.row(i);
    if (!are_finite(values, cols_)) {
      for (int64_t col = 0; col < cols_; ++col)
        if (!is_finite(values[col])) not_finite_.add(rows_, col, values[col]);
      continue;
    }
    float lo = values[0], hi = values[0];
    for (int64_t col = 0; col < cols_; ++col) {
      lo = std::min(lo, values[col]);
      hi = std::max(hi, values[col]);
    }
    const double amax = static_cast<double>(std::max(-lo, hi));
    const double range = static_cast<double>(std::max(0.0f, hi)) - static_cast<double>(std::min(0.0f, lo));
    const double scale = group_ == kPerChannel ? range / kLargestCode : amax / kProtectiveRange;
    if (amax == 0) zero_channels_.add(rows_, 0, 0);
    else if (!is_normal_scale(scale)) tiny_channels_.add(rows_, 0, static_cast<float>(amax));
    else if (group_ != kPerChannel) add_groups(values);
  }
}

void Census::add_groups(const float *values) {
  for (int64_t first = 0; first + group_ <= cols_; first += group_) {
    uint32_t differs = 0;
    for (int64_t i = first + 1; i < first + group_; ++i) differs |= values[i] != values[first] ? 1u : 0u;
    if (differs == 0) flat_groups_.add(rows_, first, values[first]);
  }
}

bool Census::report(const std::string &tensor, support::Diagnostics &diagnostics) const {
  using support::Severity;
  if (not_finite_.count > 0)
    tell(diagnostics, Severity::kError, "pack.not-finite", tensor,
        fmt::format("{}{}: {}; {} of {} values are not finite", place_of(not_finite_.row, not_finite_.col, group_),
                    group_ == kPerChannel ? "" : fmt::format(", column {}", not_finite_.col),
                    std::isnan(not_finite_.value) ? "NaN" : "infinity", not_finite_.count, rows_ * cols_));
  if (zero_channels_.count > 0)
    tell(diagnostics, Severity::kWarning, "pack.degenerate-channel", tensor,
        fmt::format("row {} is all zero: its scale is 1; {} of {} rows are", zero_channels_.row, zero_channels_.count, rows_));
  if (tiny_channels_.count > 0)
    tell(diagnostics, Severity::kWarning, "pack.degenerate-channel", tensor,
        fmt::format("row {} has magnitude {:g}, too small for an fp32 scale, and becomes zero; {} of {} rows do",
                    tiny_channels_.row, tiny_channels_.value, tiny_channels_.count, rows_));
  if (flat_groups_.count > 0)
    tell(diagnostics, Severity::kWarning, "pack.degenerate-group", tensor,
        fmt::format("{}: every value is {:g}; {} of {} groups have no range",
                    place_of(flat_groups_.row, flat_groups_.col, group_), flat_groups_.value, flat_groups_.count, rows_ * (cols_ / group_)));
  return not_finite_.count == 0;
}

}  // namespace warpwright::w4a8_gemm
