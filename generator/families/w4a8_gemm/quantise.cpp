// SPDX-License-Identifier: Apache-2.0
// Two-level and per-channel quantisation of weights, per-token quantisation of activations.
#include "generator/families/w4a8_gemm/quantise.h"

#include "generator/families/w4a8_gemm/packed_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace warpwright::w4a8_gemm {
namespace {

constexpr int32_t kLargestRange = 2 * kProtectiveRange;
constexpr int32_t kLargestScale = (kLargestRange + kLargestCode - 1) / kLargestCode;
static_assert(kLargestScale == 16);
// u = q4 · s + a with |q4 · s − (q8 − lo)| ≤ s / 2 where nothing is clipped, and a = 128 + lo: at most 128 + 119 + 8.
static_assert(kGroupCorrection + kProtectiveRange + kLargestScale / 2 == 255);

/// The nearest integer, ties to even, of |value| < 2^22. Adding 1.5 · 2^23 leaves no bits for a fraction; unlike a call of
/// nearbyint, the compiler makes vector code of it.
inline float round_even(float value) {
  constexpr float kShift = 12582912.0f;
  return (value + kShift) - kShift;
}

inline int32_t clamp_code(int32_t code) { return std::clamp(code, 0, kLargestCode); }

/// distance / scale to nearest even, at most 15, for every scale and distance that occur.
using CodeTable = std::array<std::array<uint8_t, kLargestRange + 1>, kLargestScale + 1>;

constexpr CodeTable make_code_table() {
  CodeTable table{};
  for (int32_t scale = 1; scale <= kLargestScale; ++scale)
    for (int32_t distance = 0; distance <= kLargestRange; ++distance) {
      const int32_t down = distance / scale, twice_rest = 2 * (distance % scale);
      const int32_t code = down + (twice_rest > scale || (twice_rest == scale && down % 2 == 1) ? 1 : 0);
      table[static_cast<size_t>(scale)][static_cast<size_t>(distance)] = static_cast<uint8_t>(std::min(code, kLargestCode));
    }
  return table;
}

constexpr CodeTable kCodes = make_code_table();

int32_t scale_of_range(int32_t range, Rounding rounding) {
  // 15 is odd: range / 15 is never halfway between two integers.
  const int32_t bias = rounding == Rounding::kUp ? kLargestCode - 1 : kLargestCode / 2;
  return std::max(1, (range + bias) / kLargestCode);
}

float amax_of(const float *values, int64_t count) {
  float amax = 0;
  for (int64_t i = 0; i < count; ++i) amax = std::max(amax, std::fabs(values[i]));
  return amax;
}

void store_codes(const std::vector<uint8_t> &codes, int64_t row, QuantisedWeight &out) {
  uint8_t *bytes = out.q4.data() + row * out.k / 2;
  for (size_t i = 0; i < codes.size(); i += 2) bytes[i / 2] = static_cast<uint8_t>(codes[i] | codes[i + 1] << 4);
}

struct Scratch {
  std::vector<int8_t> q8;
  std::vector<uint8_t> codes;
};

void quantise_grouped(const float *values, int64_t row, Rounding rounding, QuantisedWeight &out, Scratch &scratch) {
  const float scale = amax_of(values, out.k) / static_cast<float>(kProtectiveRange);
  const bool is_normal = is_normal_scale(static_cast<double>(scale));
  out.channel_scale[static_cast<size_t>(row)] = is_normal ? scale : 1.0f;
  int8_t *q8 = scratch.q8.data();
  for (int64_t i = 0; i < out.k; ++i) q8[i] = static_cast<int8_t>(is_normal ? round_even(values[i] / scale) : 0.0f);
  for (int64_t index = 0; index < out.k / out.group; ++index) {
    const int8_t *group = q8 + index * out.group;
    int32_t lo = group[0], hi = group[0];
    for (int64_t i = 1; i < out.group; ++i) {
      lo = std::min<int32_t>(lo, group[i]);
      hi = std::max<int32_t>(hi, group[i]);
    }
    const int32_t group_scale = scale_of_range(hi - lo, rounding);
    const auto place = static_cast<size_t>(row * (out.k / out.group) + index);
    out.group_scale[place] = static_cast<uint8_t>(group_scale);
    out.group_offset[place] = static_cast<uint8_t>(kGroupCorrection + lo);
    const auto &codes_of = kCodes[static_cast<size_t>(group_scale)];
    uint8_t *codes = scratch.codes.data() + index * out.group;
    for (int64_t i = 0; i < out.group; ++i) codes[i] = codes_of[static_cast<size_t>(group[i] - lo)];
  }
  store_codes(scratch.codes, row, out);
}

void quantise_channel(const float *values, int64_t row, QuantisedWeight &out, Scratch &scratch) {
  float lo = 0, hi = 0;
  for (int64_t i = 0; i < out.k; ++i) {
    lo = std::min(lo, values[i]);
    hi = std::max(hi, values[i]);
  }
  // In fp64: the range may exceed what fp32 holds, a fifteenth of it does not.
  const double exact = (static_cast<double>(hi) - static_cast<double>(lo)) / kLargestCode;
  const bool is_normal = is_normal_scale(exact);
  const float scale = is_normal ? static_cast<float>(exact) : 1.0f;
  const int32_t zero = is_normal ? clamp_code(static_cast<int32_t>(round_even(-lo / scale))) : 0;
  out.channel_scale[static_cast<size_t>(row)] = scale;
  out.zero[static_cast<size_t>(row)] = static_cast<uint8_t>(zero);
  for (int64_t i = 0; i < out.k; ++i) {
    const int32_t code = is_normal ? static_cast<int32_t>(round_even(values[i] / scale)) + zero : zero;
    scratch.codes[static_cast<size_t>(i)] = static_cast<uint8_t>(clamp_code(code));
  }
  store_codes(scratch.codes, row, out);
}

}  // namespace

bool is_normal_scale(double scale) { return scale >= static_cast<double>(std::numeric_limits<float>::min()); }

int32_t QuantisedWeight::code(int64_t row, int64_t col) const {
  const uint8_t byte = q4[static_cast<size_t>((row * k + col) / 2)];
  return col % 2 == 0 ? byte & 0xf : byte >> 4;
}

int32_t QuantisedWeight::operand(int64_t row, int64_t col) const {
  if (group == kPerChannel) return code(row, col);
  const auto place = static_cast<size_t>(row * (k / group) + col / group);
  return code(row, col) * group_scale[place] + group_offset[place];
}

int32_t QuantisedWeight::correction(int64_t row) const {
  return group == kPerChannel ? zero[static_cast<size_t>(row)] : kGroupCorrection;
}

double QuantisedWeight::value(int64_t row, int64_t col) const {
  return static_cast<double>(channel_scale[static_cast<size_t>(row)]) * (operand(row, col) - correction(row));
}

QuantisedWeight make_weight(int64_t rows, int64_t k, int64_t group) {
  WARPWRIGHT_ASSERT(rows > 0 && fits(kSlabRows, k, group), "a weight that does not fit the layout along K");
  QuantisedWeight weight{rows, k, group, {}, {}, {}, {}, {}};
  weight.q4.resize(static_cast<size_t>(rows * k / 2));
  weight.group_scale.resize(static_cast<size_t>(rows * groups_along_k(k, group)));
  weight.group_offset.resize(weight.group_scale.size());
  weight.zero.resize(static_cast<size_t>(group == kPerChannel ? rows : 0));
  weight.channel_scale.resize(static_cast<size_t>(rows));
  return weight;
}

QuantisedWeight quantise_rows(const MatrixView &channels, const Scheme &scheme) {
  QuantisedWeight out = make_weight(channels.rows, channels.cols, scheme.group);
  const auto k = static_cast<size_t>(channels.cols);
  Scratch scratch{std::vector<int8_t>(k), std::vector<uint8_t>(k)};
  for (int64_t row = 0; row < channels.rows; ++row) {
    if (scheme.group == kPerChannel) quantise_channel(channels.row(row), row, out, scratch);
    else quantise_grouped(channels.row(row), row, scheme.rounding, out, scratch);
  }
  return out;
}

std::optional<QuantisedWeight> quantise(const std::string &tensor, const MatrixView &matrix, const Scheme &scheme,
                                        support::Diagnostics &diagnostics) {
  if (const std::string why = misfit(matrix.rows, matrix.cols, scheme.group); !why.empty()) {
    support::Diagnostic d;
    d.slug = "pack.shape";
    d.path = tensor;
    d.message = why;
    diagnostics.add(std::move(d));
    return std::nullopt;
  }
  Census census(scheme.group);
  census.add(matrix);
  if (!census.report(tensor, diagnostics)) return std::nullopt;
  return quantise_rows(matrix, scheme);
}

std::optional<QuantisedTokens> quantise_tokens(const std::string &tensor, const MatrixView &tokens,
                                               support::Diagnostics &diagnostics) {
  Census census(kPerChannel);
  census.add(tokens);
  support::Diagnostics found;
  // A token without magnitude is ordinary: only what is not finite counts.
  if (!census.report(tensor, found)) {
    diagnostics.append(found);
    return std::nullopt;
  }
  constexpr float kLargest = 127;
  QuantisedTokens out{tokens.rows, tokens.cols, {}, {}, {}};
  for (int64_t token = 0; token < tokens.rows; ++token) {
    const float *x = tokens.row(token);
    const float scale = amax_of(x, tokens.cols) / kLargest;
    int32_t sum = 0;
    for (int64_t i = 0; i < tokens.cols; ++i) {
      // A subnormal scale is coarse: a quotient may exceed 127 by far.
      const float quotient = scale > 0 ? std::clamp(x[i] / scale, -kLargest, kLargest) : 0.0f;
      out.x8.push_back(static_cast<int8_t>(round_even(quotient)));
      sum += out.x8.back();
    }
    out.x_scale.push_back(scale);
    out.sum_x.push_back(sum);
  }
  return out;
}

}  // namespace warpwright::w4a8_gemm
