// SPDX-License-Identifier: Apache-2.0
// What the kernel computes, on the CPU in double precision from the very bytes that the kernel reads.
#pragma once

#include "generator/families/w4a4_lora_gemm/pack.h"
#include "generator/plan/records.h"

#include <vector>

namespace warpwright::w4a4_lora_gemm {

enum class Activation { kNone, kSilu, kGelu };

/// One launch: shapes and options.
struct Problem {
  Scheme scheme = Scheme::kNvfp4;
  int64_t m = 0, n = 0, k = 0;
  int64_t rank = 0;
  spec::NumberFormat lora_format = spec::NumberFormat::kBf16;
  bool has_column_scale = true;
  bool has_bias = true;
  Activation activation = Activation::kNone;
  spec::NumberFormat output = spec::NumberFormat::kBf16;
};

/// The problem that a planned kernel solves for `m` rows.
Problem make_problem(const plan::KernelPlan &kernel, int64_t m);

/// The tensors of one launch. Vectors are empty where the problem has none.
struct Tensors {
  QuantisedMatrix a;         ///< m × k
  QuantisedMatrix b;         ///< n × k
  float alpha = 1;
  std::vector<float> column_scale;  ///< n
  std::vector<float> bias;          ///< n
  HalfMatrix lora_act;       ///< m × rank
  HalfMatrix lora_up;        ///< n × rank, divided by alpha · column_scale
};

/// Rows and columns of the output.
struct Block {
  int64_t first_row = 0, rows = 0;
  int64_t first_col = 0, cols = 0;
};

/// y[m, n] = act(alpha · s_w[n] · S[m, n] + bias[n]), S the block-scaled product plus lora_act · lora_upᵀ, for the rows and
/// columns of `block`, row-major. GELU is the tanh form, x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))).
///
/// Requires  shapes of `tensors` that match `problem`, and a block inside the output (our bug otherwise).
/// Cost      block.rows · block.cols · k multiply-adds.
std::vector<double> reference(const Problem &problem, const Tensors &tensors, const Block &block);

/// The whole output.
std::vector<double> reference(const Problem &problem, const Tensors &tensors);

/// Rounded to the output format (nearest even, overflow to infinity), little endian.
std::vector<uint8_t> encode_output(const std::vector<double> &values, spec::NumberFormat format);

}  // namespace warpwright::w4a4_lora_gemm
