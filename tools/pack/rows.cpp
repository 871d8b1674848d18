// SPDX-License-Identifier: Apache-2.0
// Floating-point rows, and the published 4-bit formats dequantised.
#include "tools/pack/rows.h"
#include "tools/pack/fail.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpwright::pack {
namespace {

float float_of_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  return sign != 0 ? -magnitude : magnitude;
}

const std::vector<float> &half_values() {
  static const std::vector<float> values = [] {
    std::vector<float> out(1 << 16);
    for (size_t i = 0; i < out.size(); ++i) out[i] = float_of_half(static_cast<uint16_t>(i));
    return out;
  }();
  return values;
}

uint32_t word_at(const std::vector<char> &bytes, int64_t index) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + index * 4, 4);
  return word;
}

int32_t nibble(uint32_t word, int64_t place) { return static_cast<int32_t>(word >> (4 * place) & 0xf); }

// Where column 8c + i of AWQ lies in its word: casper-hansen/AutoAWQ, awq/utils/packing_utils.py, AWQ_REVERSE_ORDER.
constexpr std::array<int64_t, 8> kAwqPlace = {0, 4, 1, 5, 2, 6, 3, 7};

}  // namespace

void widen(const std::string &dtype, const void *from, int64_t count, float *out) {
  if (dtype == "F32") {
    std::memcpy(out, from, static_cast<size_t>(count) * sizeof(float));
    return;
  }
  const auto *bytes = static_cast<const char *>(from);
  const float *halves = half_values().data();
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes + 2 * i, 2);
    out[i] = dtype == "F16" ? halves[bits] : std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
}

bool RowReader::load(const TensorRef &tensor, std::vector<char> &out, support::Diagnostics &diagnostics) const {
  out.resize(static_cast<size_t>(tensor.entry->bytes));
  return checkpoint_.read(tensor, 0, tensor.entry->bytes, out.data(), diagnostics);
}

bool RowReader::open(support::Diagnostics &diagnostics) {
  if (layer_.smooth) {
    const TensorEntry &entry = *layer_.smooth->entry;
    std::vector<char> raw(static_cast<size_t>(entry.bytes));
    if (!smooth_file_->read(entry.begin, entry.bytes, raw.data(), diagnostics)) return false;
    smooth_.resize(static_cast<size_t>(layer_.k));
    widen(entry.dtype, raw.data(), layer_.k, smooth_.data());
    for (size_t i = 0; i < smooth_.size(); ++i)
      if (!(smooth_[i] > 0) || !std::isfinite(smooth_[i]))
        return fail({smooth_file_->path()}, "pack.smooth", entry.name, fmt::format("factor {} is {}: it must be positive", i, smooth_[i]),
                    diagnostics);
  }
  return layer_.format == SourceFormat::kFloat || open_groups(diagnostics);
}

bool RowReader::open_groups(support::Diagnostics &diagnostics) {
  if (!load(layer_.weight, weight_, diagnostics) || !load(*layer_.scales, scales_, diagnostics)) return false;
  if (layer_.zeros && !load(*layer_.zeros, zeros_, diagnostics)) return false;
  const int64_t groups = layer_.scales->entry->shape[layer_.format == SourceFormat::kCompressedTensors ? 1 : 0];
  group_of_col_.resize(static_cast<size_t>(layer_.k));
  if (!layer_.g_idx) {
    for (int64_t col = 0; col < layer_.k; ++col) group_of_col_[static_cast<size_t>(col)] = static_cast<int32_t>(col / (layer_.k / groups));
    return true;
  }
  if (!checkpoint_.read(*layer_.g_idx, 0, layer_.g_idx->entry->bytes, group_of_col_.data(), diagnostics)) return false;
  for (size_t col = 0; col < group_of_col_.size(); ++col)
    if (group_of_col_[col] < 0 || group_of_col_[col] >= groups)
      return fail({checkpoint_.files[layer_.g_idx->file].path()}, "pack.source-format", layer_.g_idx->entry->name,
                  fmt::format("column {} is in group {} of {}", col, group_of_col_[col], groups), diagnostics);
  return true;
}

int32_t RowReader::code(int64_t row, int64_t col) const {
  switch (layer_.format) {
    case SourceFormat::kAwq: return nibble(word_at(weight_, col * (layer_.n / 8) + row / 8), kAwqPlace[static_cast<size_t>(row % 8)]);
    case SourceFormat::kGptq: return nibble(word_at(weight_, col / 8 * layer_.n + row), col % 8);
    default: return nibble(word_at(weight_, row * ((layer_.k + 7) / 8) + col / 8), col % 8) - 8;
  }
}

int32_t RowReader::zero(int64_t row, int64_t group) const {
  if (layer_.format != SourceFormat::kCompressedTensors) {
    const bool is_awq = layer_.format == SourceFormat::kAwq;
    const uint32_t word = word_at(zeros_, group * (layer_.n / 8) + row / 8);
    return nibble(word, is_awq ? kAwqPlace[static_cast<size_t>(row % 8)] : row % 8) + static_cast<int32_t>(layer_.zero_shift);
  }
  if (!layer_.zeros) return 0;
  const int64_t groups = layer_.scales->entry->shape[1];
  if (layer_.zeros->entry->dtype == "I8") return static_cast<int8_t>(zeros_[static_cast<size_t>(row * groups + group)]);
  return nibble(word_at(zeros_, row / 8 * groups + group), row % 8) - 8;
}

void RowReader::dequantise(int64_t first, int64_t count, float *out) const {
  const bool is_compressed = layer_.format == SourceFormat::kCompressedTensors;
  const TensorEntry &scales = *layer_.scales->entry;
  const int64_t groups = scales.shape[is_compressed ? 1 : 0];
  std::vector<float> scale_of(static_cast<size_t>(groups));
  std::vector<int32_t> zero_of(static_cast<size_t>(groups));
  const int64_t element = dtype_bytes(scales.dtype);
  for (int64_t row = first; row < first + count; ++row) {
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t at = is_compressed ? row * groups + group : group * layer_.n + row;
      widen(scales.dtype, scales_.data() + at * element, 1, &scale_of[static_cast<size_t>(group)]);
      zero_of[static_cast<size_t>(group)] = zero(row, group);
    }
    for (int64_t col = 0; col < layer_.k; ++col) {
      const auto group = static_cast<size_t>(group_of_col_[static_cast<size_t>(col)]);
      *out++ = static_cast<float>(code(row, col) - zero_of[group]) * scale_of[group];
    }
  }
}

bool RowReader::read(int64_t first, int64_t count, float *out, support::Diagnostics &diagnostics) {
  if (layer_.format == SourceFormat::kFloat) {
    const TensorEntry &entry = *layer_.weight.entry;
    const int64_t row_bytes = layer_.k * dtype_bytes(entry.dtype);
    bytes_.resize(static_cast<size_t>(count * row_bytes));
    if (!checkpoint_.read(layer_.weight, first * row_bytes, count * row_bytes, bytes_.data(), diagnostics)) return false;
    widen(entry.dtype, bytes_.data(), count * layer_.k, out);
  } else {
    dequantise(first, count, out);
  }
  if (smooth_.empty()) return true;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t col = 0; col < layer_.k; ++col) out[row * layer_.k + col] *= smooth_[static_cast<size_t>(col)];
  return true;
}

}  // namespace warpwright::pack
