// SPDX-License-Identifier: Apache-2.0
// Generates exact and random tensors.
#include "generator/families/w4a8_gemm/inputs.h"

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/number_codec.h"
#include "generator/support/random.h"

#include <cmath>

namespace warpwright::w4a8_gemm {
namespace {

using support::Random;

constexpr int64_t kLargestByte = 127;       ///< of an activation (quantise_tokens)
constexpr int64_t kSmallestOffset = 128 - kProtectiveRange;
constexpr int64_t kLargestGroupScale = 16;  ///< (2 · 119) / 15, rounded either way

constexpr int64_t kLoraLargest = 4;         ///< of an exact LoRA value, in its units

float mantissa(Random &random) { return static_cast<float>(0.5 + random.uniform() / 2); }

QuantisedWeight every_weight(const Problem &problem, Random &random) {
  QuantisedWeight weight = make_weight(problem.n, problem.k, problem.group);
  for (uint8_t &pair : weight.q4) pair = static_cast<uint8_t>(random.below(256));
  for (size_t i = 0; i < weight.group_scale.size(); ++i) {
    const int64_t scale = random.between(1, kLargestGroupScale);
    weight.group_scale[i] = static_cast<uint8_t>(scale);
    weight.group_offset[i] = static_cast<uint8_t>(random.between(kSmallestOffset, 255 - kLargestCode * scale));
  }
  for (uint8_t &zero : weight.zero) zero = static_cast<uint8_t>(random.between(0, kLargestCode));
  // A sum is below 2^14 · k, a token's scale below 2^-7: this keeps the product below 2^8.
  const int length_bits = std::ilogb(static_cast<double>(problem.k)) + 1;
  for (float &scale : weight.channel_scale) scale = std::ldexp(problem.rank > 0 ? 1.0F : mantissa(random), 1 - length_bits);
  return weight;
}

QuantisedTokens every_token(const Problem &problem, Random &random) {
  QuantisedTokens x;
  x.tokens = problem.m;
  x.k = problem.k;
  for (int64_t token = 0; token < problem.m; ++token) {
    const int64_t kind = random.below(8);
    int64_t sum = 0;
    for (int64_t i = 0; i < problem.k; ++i) {
      const int64_t byte = kind == 0   ? 0
                           : kind == 1 ? kLargestByte * (random.below(8) == 0 ? -1 : 1)
                                       : random.between(-kLargestByte, kLargestByte);
      x.x8.push_back(static_cast<int8_t>(byte));
      sum += byte;
    }
    x.sum_x.push_back(static_cast<int32_t>(sum));
    x.x_scale.push_back(kind == 0 ? 0.0F : std::ldexp(problem.rank > 0 ? 1.0F : mantissa(random), -7));
  }
  return x;
}

std::vector<uint16_t> codes_of(spec::NumberFormat format, const std::vector<float> &values) {
  std::vector<uint16_t> codes;
  codes.reserve(values.size());
  for (const float value : values) codes.push_back(static_cast<uint16_t>(spec::encode(format, double{value})));
  return codes;
}

/// Integers of a unit that the products of scales have: a power of two.
std::vector<float> exact_lora(int64_t count, float unit, Random &random) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(unit * static_cast<float>(random.between(-kLoraLargest, kLoraLargest)));
  return values;
}

void add_vectors(const Problem &problem, Tensors &tensors, Random &random) {
  for (int64_t n = 0; n < problem.n && problem.has_column_scale; ++n) tensors.column_scale.push_back(static_cast<float>(0.5 + random.uniform()));
  if (problem.has_bias) tensors.bias = support::bell_values(problem.n, 1, random);
}

}  // namespace

Tensors exact_tensors(const Problem &problem, uint64_t seed) {
  WARPWRIGHT_ASSERT(fits(problem.n, problem.k, problem.group), misfit(problem.n, problem.k, problem.group));
  Random random(seed);
  Tensors tensors;
  tensors.weight = every_weight(problem, random);
  tensors.x = every_token(problem, random);
  if (problem.rank > 0) {
    tensors.lora_act = codes_of(problem.lora_format, exact_lora(problem.m * problem.rank, 0x1p-7F, random));
    tensors.lora_up = codes_of(problem.lora_format, exact_lora(problem.n * problem.rank, tensors.weight.channel_scale.front(), random));
  }
  add_vectors(problem, tensors, random);
  return tensors;
}

Tensors random_tensors(const Problem &problem, uint64_t seed) {
  WARPWRIGHT_ASSERT(fits(problem.n, problem.k, problem.group), misfit(problem.n, problem.k, problem.group));
  Random random(seed);
  Tensors tensors;
  const std::vector<float> weight = support::bell_values(problem.n * problem.k, 0.02, random);
  Scheme scheme;
  scheme.group = problem.group;
  tensors.weight = quantise_rows({weight.data(), problem.n, problem.k}, scheme);
  const std::vector<float> tokens = support::activation_values(problem.m, problem.k, random);
  support::Diagnostics diagnostics;
  auto x = quantise_tokens("x", {tokens.data(), problem.m, problem.k}, diagnostics);
  WARPWRIGHT_ASSERT(x.has_value(), "generated activations cannot be quantised: " + diagnostics.render());
  tensors.x = std::move(*x);
  if (problem.rank > 0) {
    tensors.lora_act = codes_of(problem.lora_format, support::activation_values(problem.m, problem.rank, random));
    tensors.lora_up = codes_of(problem.lora_format, support::bell_values(problem.n * problem.rank, 0.02, random));
  }
  add_vectors(problem, tensors, random);
  return tensors;
}

}  // namespace warpwright::w4a8_gemm
