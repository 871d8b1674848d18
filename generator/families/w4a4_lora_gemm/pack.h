// SPDX-License-Identifier: Apache-2.0
// From 32-bit matrices to the tensors that the kernel reads: FP4 values, block scales in atoms, folded LoRA weights.
#pragma once

#include "generator/spec/number_format.h"
#include "generator/support/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::w4a4_lora_gemm {

enum class Scheme { kNvfp4, kMxfp4 };

/// Elements along K that share a scale, and the scale's format.
/// Source: PTX ISA 9.0, "tcgen05.mma", block scaling: .block16 with .ue4m3, .block32 with .ue8m0.
int64_t group_elems(Scheme scheme);
spec::NumberFormat scale_format(Scheme scheme);

/// A row-major matrix that somebody else owns.
struct MatrixView {
  const float *values = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  float at(int64_t row, int64_t col) const { return values[row * cols + col]; }
};

/// Bytes of the scales of a rows × k matrix: whole atoms of 128 rows × 4 scales, 512 bytes each.
int64_t scale_bytes(Scheme scheme, int64_t rows, int64_t k);

/// Where the scale of (row, group) lies. Atoms follow each other along K first; in an atom, rows 0, 32, 64 and 96 share
/// 16 bytes.
/// Source: cuBLAS 13 documentation, "1D Block Scaling Factors Layout"; PTX ISA 9.0, "tcgen05.cp", .32x128b.warpx4.
int64_t scale_offset(int64_t row, int64_t group, int64_t atoms_along_k);

/// A quantised matrix as the kernel reads it.
///
/// Shapes    data: rows × k / 2 bytes, element 2i of a row in the low nibble of byte i; scales: atoms, those of rows
///           and groups beyond the matrix zero, so that a padded group contributes 0 and never NaN.
struct QuantisedMatrix {
  Scheme scheme = Scheme::kNvfp4;
  int64_t rows = 0;
  int64_t k = 0;
  std::vector<uint8_t> data;
  std::vector<uint8_t> scales;
  float tensor_scale = 1;  ///< NVFP4: a factor of alpha; MXFP4: 1

  uint32_t code(int64_t row, int64_t col) const;
  uint32_t scale_code(int64_t row, int64_t group) const;
  /// Element times block scale, without tensor_scale: exactly what the tensor core multiplies.
  double value(int64_t row, int64_t col) const;

  void set_code(int64_t row, int64_t col, uint32_t code);
  void set_scale_code(int64_t row, int64_t group, uint32_t code);
};

/// All zero.
QuantisedMatrix make_quantised(Scheme scheme, int64_t rows, int64_t k);

/// Quantises `matrix` after dividing each row by its `row_scale` (empty: ones).
///
/// Values    NVFP4: tensor_scale = amax / (448 · 6), scale = amax of the group / (6 · tensor_scale) in UE4M3; MXFP4: scale =
///           amax / 6 rounded up to a power of two, so that nothing saturates. Elements are rounded to nearest even after
///           division by the rounded scale. A group without magnitude, or whose scale rounds to zero, is all zero.
/// Errors    pack.not-finite (tensor, first row and group, how many), pack.shape (k not a multiple of the group),
///           pack.row-scale (a factor that is zero or not finite).
std::optional<QuantisedMatrix> quantise(const std::string &tensor, const MatrixView &matrix, Scheme scheme,
                                        const std::vector<float> &row_scale, support::Diagnostics &diagnostics);

/// A matrix of bf16 or fp16 codes.
struct HalfMatrix {
  spec::NumberFormat format = spec::NumberFormat::kBf16;
  int64_t rows = 0;
  int64_t cols = 0;
  std::vector<uint16_t> codes;
  double value(int64_t row, int64_t col) const;
};

/// Errors    pack.not-finite, pack.half-range (row, column, value, limit; for fp16 the hint to take bf16).
std::optional<HalfMatrix> to_half(const std::string &tensor, const MatrixView &matrix, spec::NumberFormat format,
                                  support::Diagnostics &diagnostics);

/// LoRA-up as the kernel reads it: up[n, r] / (alpha · column_scale[n]), since the accumulator that it is added to is
/// multiplied by alpha · column_scale[n] afterwards.
///
/// Errors    pack.not-finite, pack.half-range, pack.row-scale (alpha · column_scale[n] zero or not finite).
std::optional<HalfMatrix> fold_lora_up(const MatrixView &up, float alpha, const std::vector<float> &column_scale,
                                       spec::NumberFormat format, support::Diagnostics &diagnostics);

/// Largest magnitude of the folded weights: the spec's lora.folded_amax. Requires finite input.
double folded_amax(const MatrixView &up, float alpha, const std::vector<float> &column_scale);

}  // namespace warpwright::w4a4_lora_gemm
