// SPDX-License-Identifier: Apache-2.0
// What the kernel computes, on the CPU and to the bit: sums in integers, then one rounding a step.
#pragma once

#include "generator/families/w4a8_gemm/quantise.h"
#include "generator/spec/kernel_spec.h"
#include "generator/spec/number_format.h"

#include <vector>

namespace warpwright::w4a8_gemm {

/// One launch: shapes and options.
struct Problem {
  int64_t m = 0, n = 0, k = 0;
  int64_t group = 64;  ///< 64, 128 or kPerChannel
  bool has_column_scale = false, has_bias = false;
  int64_t rank = 0;  ///< of the residual
  spec::NumberFormat lora_format = spec::NumberFormat::kBf16;
  spec::NumberFormat output = spec::NumberFormat::kBf16;
};

/// The problem that a kernel of `spec` solves for `m` tokens.
Problem make_problem(const spec::KernelSpec &spec, int64_t m);

/// The tensors of one launch, the weight in canonical form. What the problem has not is empty. LoRA rows are 16-bit codes.
struct Tensors {
  QuantisedWeight weight;  ///< n × k
  QuantisedTokens x;       ///< m × k
  std::vector<float> column_scale, bias;       ///< n
  std::vector<uint16_t> lora_act, lora_up;     ///< m × rank, n × rank
};

/// Rows (tokens) and columns (channels) of the output.
struct Block {
  int64_t first_row = 0, rows = 0;
  int64_t first_col = 0, cols = 0;
};

/// out[m, n] = column_scale[n] · (float(Σ x8 · u − c[n] · sum_x[m]) · (x_scale[m] · channel_scale[n]) + Σ act · up) + bias[n]
/// for the rows and columns of `block`, row-major, in fp32. c is 128, or the channel's zero.
///
/// Values    Every step rounds to nearest even: the conversion of the integer, the product of the two scales, the product with
///           them, the residual (which the kernel's MMAs round otherwise), the last multiply-add, which is fused. Without
///           column scale and residual the products and the bias are one fused multiply-add. The difference wraps as s32
///           does, which shows only if `sum_x` is not the sum.
/// Requires  shapes of `tensors` that match `problem`, and a block inside the output (our bug otherwise).
/// Cost      block.rows · block.cols · k multiply-adds of 16-bit integers.
std::vector<float> reference(const Problem &problem, const Tensors &tensors, const Block &block);

/// The whole output.
std::vector<float> reference(const Problem &problem, const Tensors &tensors);

/// Rounded to the output format (nearest even, overflow to infinity), little endian.
std::vector<uint8_t> encode_output(const std::vector<float> &values, spec::NumberFormat format);

}  // namespace warpwright::w4a8_gemm
