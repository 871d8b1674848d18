// SPDX-License-Identifier: Apache-2.0
// The CPU reference.
#include "generator/families/w4a8_gemm/reference.h"

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/number_codec.h"

#include <cmath>

namespace warpwright::w4a8_gemm {
namespace {

/// 16 bits, because compilers multiply and add those pairwise. No sum leaves s32: k is at most kMostK.
int32_t dot(const int16_t *x, const int16_t *u, int64_t length) {
  int32_t sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += int32_t{x[i]} * u[i];
  return sum;
}

int32_t without_correction(int32_t sum, int32_t correction, int32_t sum_x) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum) - static_cast<uint32_t>(correction) * static_cast<uint32_t>(sum_x));
}

/// Dot product of two 16-bit rows; exact enough in fp64: products have 22 bits, and there are at most 128.
double lora_dot(const Problem &p, const Tensors &t, size_t token, size_t channel) {
  const auto rank = static_cast<size_t>(p.rank);
  double sum = 0;
  for (size_t r = 0; r < rank; ++r)
    sum += spec::decode(p.lora_format, t.lora_act[token * rank + r]) * spec::decode(p.lora_format, t.lora_up[channel * rank + r]);
  return sum;
}

float finish(const Problem &p, const Tensors &t, float integer, size_t token, size_t channel) {
  const float scale = t.x.x_scale[token] * t.weight.channel_scale[channel];
  if (p.rank == 0 && !p.has_column_scale && p.has_bias) return std::fma(integer, scale, t.bias[channel]);
  float value = integer * scale;
  if (p.rank > 0) value = static_cast<float>(double{value} + lora_dot(p, t, token, channel));
  const float bias = p.has_bias ? t.bias[channel] : 0;
  if (p.has_column_scale) return p.has_bias ? std::fma(value, t.column_scale[channel], bias) : value * t.column_scale[channel];
  return p.has_bias ? value + bias : value;
}

void check_shapes(const Problem &p, const Tensors &t, const Block &block) {
  WARPWRIGHT_ASSERT(t.weight.rows == p.n && t.weight.k == p.k && t.weight.group == p.group && t.x.tokens == p.m && t.x.k == p.k,
                    "operands of another shape");
  WARPWRIGHT_ASSERT(p.k <= kMostK, "sums beyond s32");
  const auto channels = static_cast<size_t>(p.n);
  WARPWRIGHT_ASSERT(t.column_scale.size() == (p.has_column_scale ? channels : 0), "column scales of another shape");
  WARPWRIGHT_ASSERT(t.lora_act.size() == static_cast<size_t>(p.m * p.rank) && t.lora_up.size() == static_cast<size_t>(p.n * p.rank),
                    "LoRA operands of another shape");
  WARPWRIGHT_ASSERT(t.bias.size() == (p.has_bias ? channels : 0), "a bias of another shape");
  WARPWRIGHT_ASSERT(block.first_row >= 0 && block.first_row + block.rows <= p.m && block.first_col >= 0 &&
                        block.first_col + block.cols <= p.n,
                    "a block outside the output");
}

spec::NumberFormat format_of(const std::string &word) {
  for (spec::NumberFormat format : {spec::NumberFormat::kBf16, spec::NumberFormat::kFp16})
    if (spec::name_of(format) == word) return format;
  throw support::InternalError("no reference for the format '" + word + "'");
}

}  // namespace

Problem make_problem(const spec::KernelSpec &spec, int64_t m) {
  Problem problem;
  problem.m = m;
  problem.n = spec.integer("problem.n");
  problem.k = spec.integer("problem.k");
  problem.group = group_of(spec.text("quant.group")).value();
  problem.rank = spec.integer("lora.rank");
  problem.lora_format = format_of(spec.text("lora.type"));
  problem.has_column_scale = spec.flag("epilogue.column_scale");
  problem.has_bias = spec.flag("epilogue.bias");
  problem.output = format_of(spec.text("epilogue.output"));
  return problem;
}

std::vector<float> reference(const Problem &problem, const Tensors &tensors, const Block &block) {
  check_shapes(problem, tensors, block);
  const auto k = static_cast<size_t>(problem.k);
  const auto first_byte = tensors.x.x8.begin() + block.first_row * problem.k;
  const std::vector<int16_t> x(first_byte, first_byte + block.rows * problem.k);
  std::vector<int16_t> u(k);
  std::vector<float> out(static_cast<size_t>(block.rows * block.cols));
  for (int64_t col = 0; col < block.cols; ++col) {
    const int64_t channel = block.first_col + col;
    for (size_t i = 0; i < k; ++i) u[i] = static_cast<int16_t>(tensors.weight.operand(channel, static_cast<int64_t>(i)));
    const int32_t correction = tensors.weight.correction(channel);
    const auto n = static_cast<size_t>(channel);
    for (int64_t row = 0; row < block.rows; ++row) {
      const auto token = static_cast<size_t>(block.first_row + row);
      const int32_t sum = dot(x.data() + row * problem.k, u.data(), problem.k);
      const auto value = static_cast<float>(without_correction(sum, correction, tensors.x.sum_x[token]));
      out[static_cast<size_t>(row * block.cols + col)] = finish(problem, tensors, value, token, n);
    }
  }
  return out;
}

std::vector<float> reference(const Problem &problem, const Tensors &tensors) {
  return reference(problem, tensors, {0, problem.m, 0, problem.n});
}

std::vector<uint8_t> encode_output(const std::vector<float> &values, spec::NumberFormat format) {
  return spec::encoded(values, format);
}

}  // namespace warpwright::w4a8_gemm
