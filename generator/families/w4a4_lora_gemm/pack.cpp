// SPDX-License-Identifier: Apache-2.0
// Quantisation, the layout of block scales, and folding of LoRA-up.
#include "generator/families/w4a4_lora_gemm/pack.h"

#include "generator/families/w4a4_lora_gemm/geometry.h"
#include "generator/spec/number_codec.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace warpwright::w4a4_lora_gemm {
namespace {

using spec::NumberFormat;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t atoms_along_k(Scheme scheme, int64_t k) { return ceil_div(k, kAtomScales * group_elems(scheme)); }

void report(support::Diagnostics &diagnostics, const char *slug, const std::string &tensor, const std::string &message,
            std::vector<std::string> hints = {}) {
  support::Diagnostic d;
  d.slug = slug;
  d.path = tensor;
  d.message = message;
  d.hints = std::move(hints);
  diagnostics.add(std::move(d));
}

/// True if every value is finite; otherwise says where the first one is not. `group` 0 counts columns.
bool check_finite(const std::string &tensor, const MatrixView &matrix, int64_t group,
                  support::Diagnostics &diagnostics) {
  int64_t first = -1, count = 0;
  for (int64_t i = 0; i < matrix.rows * matrix.cols; ++i) {
    if (std::isfinite(matrix.values[i])) continue;
    if (first < 0) first = i;
    ++count;
  }
  if (count == 0) return true;
  const int64_t row = first / matrix.cols, col = first % matrix.cols;
  const char *kind = std::isnan(matrix.values[first]) ? "NaN" : "infinity";
  const std::string place = group > 0 ? fmt::format("group {} (elements {} to {}), element {}", col / group,
                                                    col / group * group, col / group * group + group - 1, col)
                                      : fmt::format("column {}", col);
  report(diagnostics, "pack.not-finite", tensor,
         fmt::format("row {}, {}: {}; {} of {} values are not finite", row, place, kind, count,
                     matrix.rows * matrix.cols));
  return false;
}

/// True if every row's factor can be divided by. `what` names the factor.
bool check_factors(const std::string &tensor, const std::vector<double> &factors, const char *what,
                   support::Diagnostics &diagnostics) {
  for (size_t row = 0; row < factors.size(); ++row)
    if (factors[row] == 0 || !std::isfinite(factors[row])) {
      report(diagnostics, "pack.row-scale", tensor,
             fmt::format("row {} would be divided by {} = {}", row, what, factors[row]));
      return false;
    }
  return true;
}

bool check_rows(const std::string &tensor, const MatrixView &matrix, size_t factors, support::Diagnostics &diagnostics) {
  if (factors == 0 || factors == static_cast<size_t>(matrix.rows)) return true;
  report(diagnostics, "pack.shape", tensor, fmt::format("{} rows, but {} row scales", matrix.rows, factors));
  return false;
}

/// The largest magnitude of `count` values of a row, after division.
double amax_of(const MatrixView &matrix, int64_t row, int64_t first, int64_t count, double factor) {
  double amax = 0;
  for (int64_t i = first; i < first + count; ++i) amax = std::max(amax, std::fabs(matrix.at(row, i) / factor));
  return amax;
}

float tensor_scale_of(const MatrixView &matrix, const std::vector<double> &factors) {
  double amax = 0;
  for (int64_t row = 0; row < matrix.rows; ++row)
    amax = std::max(amax, amax_of(matrix, row, 0, matrix.cols, factors[static_cast<size_t>(row)]));
  if (amax == 0) return 1;
  const double scale = amax / (largest_finite(NumberFormat::kUe4m3) * largest_finite(NumberFormat::kE2m1));
  // A subnormal factor would have lost its precision.
  return std::max(static_cast<float>(scale), std::numeric_limits<float>::min());
}

void quantise_group(const MatrixView &matrix, int64_t row, int64_t group, double factor, QuantisedMatrix &out) {
  const int64_t elems = group_elems(out.scheme), first = group * elems;
  const double amax = amax_of(matrix, row, first, elems, factor);
  const double wanted = amax / (largest_finite(NumberFormat::kE2m1) * out.tensor_scale);
  const uint32_t scale_code = encode(scale_format(out.scheme), wanted);
  out.set_scale_code(row, group, scale_code);
  const double scale = decode(scale_format(out.scheme), scale_code) * out.tensor_scale;
  if (amax == 0 || scale == 0) return;  // elements stay zero: no 0 / 0
  for (int64_t i = first; i < first + elems; ++i)
    out.set_code(row, i, encode(NumberFormat::kE2m1, matrix.at(row, i) / factor / scale));
}

/// Encodes `at(row, col)`; reports the first value beyond the format's range.
template <typename At>
std::optional<HalfMatrix> encode_half(const std::string &tensor, int64_t rows, int64_t cols, NumberFormat format,
                                      support::Diagnostics &diagnostics, At at) {
  HalfMatrix out{format, rows, cols, {}};
  out.codes.reserve(static_cast<size_t>(rows * cols));
  const double limit = largest_finite(format);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col) {
      const double value = at(row, col);
      const uint32_t code = encode(format, value);
      if (std::isinf(decode(format, code))) {
        std::vector<std::string> hints;
        if (format == NumberFormat::kFp16) hints.push_back("--set lora.type=\"bf16\"");
        report(diagnostics, "pack.half-range", tensor,
               fmt::format("row {}, column {}: {:g} is beyond the largest {} value {:g}", row, col, value,
                           spec::name_of(format), limit),
               std::move(hints));
        return std::nullopt;
      }
      out.codes.push_back(static_cast<uint16_t>(code));
    }
  return out;
}

std::vector<double> folded_factors(const MatrixView &up, float alpha, const std::vector<float> &column_scale) {
  std::vector<double> factors(static_cast<size_t>(up.rows), alpha);
  for (size_t n = 0; n < column_scale.size() && n < factors.size(); ++n) factors[n] *= column_scale[n];
  return factors;
}

}  // namespace

int64_t group_elems(Scheme scheme) { return scheme == Scheme::kNvfp4 ? 16 : 32; }

NumberFormat scale_format(Scheme scheme) {
  return scheme == Scheme::kNvfp4 ? NumberFormat::kUe4m3 : NumberFormat::kUe8m0;
}

int64_t scale_bytes(Scheme scheme, int64_t rows, int64_t k) {
  return ceil_div(rows, kAtomRows) * atoms_along_k(scheme, k) * kAtomBytes;
}

int64_t scale_offset(int64_t row, int64_t group, int64_t atoms) {
  const int64_t atom = row / kAtomRows * atoms + group / kAtomScales;
  return atom * kAtomBytes + row % 32 * 16 + row % kAtomRows / 32 * kAtomScales + group % kAtomScales;
}

QuantisedMatrix make_quantised(Scheme scheme, int64_t rows, int64_t k) {
  QuantisedMatrix matrix{scheme, rows, k, {}, {}, 1};
  matrix.data.resize(static_cast<size_t>(rows * k / 2));
  matrix.scales.resize(static_cast<size_t>(scale_bytes(scheme, rows, k)));
  return matrix;
}

uint32_t QuantisedMatrix::code(int64_t row, int64_t col) const {
  const uint8_t byte = data[static_cast<size_t>((row * k + col) / 2)];
  return col % 2 == 0 ? byte & 0xf : byte >> 4;
}

void QuantisedMatrix::set_code(int64_t row, int64_t col, uint32_t code) {
  uint8_t &byte = data[static_cast<size_t>((row * k + col) / 2)];
  byte = static_cast<uint8_t>(col % 2 == 0 ? (byte & 0xf0) | code : (byte & 0x0f) | code << 4);
}

uint32_t QuantisedMatrix::scale_code(int64_t row, int64_t group) const {
  return scales[static_cast<size_t>(scale_offset(row, group, atoms_along_k(scheme, k)))];
}

void QuantisedMatrix::set_scale_code(int64_t row, int64_t group, uint32_t code) {
  scales[static_cast<size_t>(scale_offset(row, group, atoms_along_k(scheme, k)))] = static_cast<uint8_t>(code);
}

double QuantisedMatrix::value(int64_t row, int64_t col) const {
  return decode(NumberFormat::kE2m1, code(row, col)) *
         decode(scale_format(scheme), scale_code(row, col / group_elems(scheme)));
}

std::optional<QuantisedMatrix> quantise(const std::string &tensor, const MatrixView &matrix, Scheme scheme,
                                        const std::vector<float> &row_scale, support::Diagnostics &diagnostics) {
  const int64_t elems = group_elems(scheme);
  if (matrix.cols % elems != 0) {
    report(diagnostics, "pack.shape", tensor,
           fmt::format("{} elements along k are no multiple of the group of {}", matrix.cols, elems));
    return std::nullopt;
  }
  if (!check_rows(tensor, matrix, row_scale.size(), diagnostics)) return std::nullopt;
  std::vector<double> factors(row_scale.begin(), row_scale.end());
  factors.resize(static_cast<size_t>(matrix.rows), 1);
  const bool is_finite = check_finite(tensor, matrix, elems, diagnostics);
  if (!check_factors(tensor, factors, "its scale", diagnostics) || !is_finite) return std::nullopt;

  QuantisedMatrix out = make_quantised(scheme, matrix.rows, matrix.cols);
  if (scheme == Scheme::kNvfp4) out.tensor_scale = tensor_scale_of(matrix, factors);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t group = 0; group < matrix.cols / elems; ++group)
      quantise_group(matrix, row, group, factors[static_cast<size_t>(row)], out);
  return out;
}

double HalfMatrix::value(int64_t row, int64_t col) const {
  return decode(format, codes[static_cast<size_t>(row * cols + col)]);
}

std::optional<HalfMatrix> to_half(const std::string &tensor, const MatrixView &matrix, NumberFormat format,
                                  support::Diagnostics &diagnostics) {
  if (!check_finite(tensor, matrix, 0, diagnostics)) return std::nullopt;
  return encode_half(tensor, matrix.rows, matrix.cols, format, diagnostics,
                     [&](int64_t row, int64_t col) { return static_cast<double>(matrix.at(row, col)); });
}

std::optional<HalfMatrix> fold_lora_up(const MatrixView &up, float alpha, const std::vector<float> &column_scale,
                                       NumberFormat format, support::Diagnostics &diagnostics) {
  if (!check_rows("lora_up", up, column_scale.size(), diagnostics)) return std::nullopt;
  const std::vector<double> factors = folded_factors(up, alpha, column_scale);
  const bool is_finite = check_finite("lora_up", up, 0, diagnostics);
  if (!check_factors("lora_up", factors, "alpha * column_scale", diagnostics) || !is_finite) return std::nullopt;
  return encode_half("lora_up", up.rows, up.cols, format, diagnostics,
                     [&](int64_t row, int64_t col) { return up.at(row, col) / factors[static_cast<size_t>(row)]; });
}

double folded_amax(const MatrixView &up, float alpha, const std::vector<float> &column_scale) {
  const std::vector<double> factors = folded_factors(up, alpha, column_scale);
  double amax = 0;
  for (int64_t row = 0; row < up.rows; ++row)
    amax = std::max(amax, amax_of(up, row, 0, up.cols, factors[static_cast<size_t>(row)]));
  return amax;
}

}  // namespace warpwright::w4a4_lora_gemm
