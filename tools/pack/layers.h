// SPDX-License-Identifier: Apache-2.0
// Which tensors of a checkpoint are weights to quantise, in which published format they are, and what is asked of each.
#pragma once

#include "generator/families/w4a8_gemm/quantise.h"
#include "tools/pack/checkpoint.h"
#include "tools/pack/options.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::pack {

enum class SourceFormat { kFloat, kAwq, kGptq, kCompressedTensors };

/// "bf16", "AWQ INT4", …
std::string name_of(SourceFormat format);

enum class Split { kNone, kColumn, kRow };

/// A linear layer: y = x · weightᵀ with weight [n, k].
struct Layer {
  std::string name;  ///< without ".weight"
  SourceFormat format = SourceFormat::kFloat;
  int64_t n = 0;
  int64_t k = 0;
  TensorRef weight;                  ///< weight, qweight or weight_packed
  std::optional<TensorRef> scales;   ///< scales or weight_scale
  std::optional<TensorRef> zeros;    ///< qzeros or weight_zero_point
  std::optional<TensorRef> g_idx;
  std::optional<TensorRef> bias;
  std::optional<TensorRef> smooth;   ///< in the calibration file
  int64_t zero_shift = 0;            ///< GPTQ v1 stores zeros less one
  std::vector<std::string> tensors;  ///< names of all tensors above but smooth, and weight_shape

  w4a8_gemm::Scheme scheme;
  Split split = Split::kNone;
  std::vector<int64_t> parts;  ///< of a fused layer's rows, each split by itself; at least one
};

/// The layers to quantise, in order of name, with overrides, ignore list and split applied.
///
/// Errors    pack.source-format (tensors or settings that no published format has), pack.shape (a layer that does not fit, with
///           what would), pack.split (a layer that cannot be split, or of which nobody knows how), pack.no-layers, pack.overrides.
/// Warnings  pack.unmatched: a pattern that matches no layer.
std::optional<std::vector<Layer>> find_layers(const Checkpoint &checkpoint, const Options &options,
                                              support::Diagnostics &diagnostics);

/// Whether `name` matches a pattern of letters, '*' (any characters) and '?' (one).
bool matches(const std::string &pattern, const std::string &name);

}  // namespace warpwright::pack
