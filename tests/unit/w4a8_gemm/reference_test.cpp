// SPDX-License-Identifier: Apache-2.0
// The integer reference: values against fp64, each rounding step alone, and blocks of the output.
#include "generator/families/w4a8_gemm/inputs.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "tests/catch.h"

#include <cmath>

using namespace warpwright;
using namespace warpwright::w4a8_gemm;

namespace {

Problem problem_of(int64_t m, int64_t n, int64_t k, int64_t group, bool has_bias) {
  Problem problem;
  problem.m = m, problem.n = n, problem.k = k, problem.group = group, problem.has_bias = has_bias;
  return problem;
}

/// One token and 64 channels whose first has the codes 1, 0, 0 … with step 1 from offset 128: u − 128 = 1, 0, 0 …
struct Single {
  Problem problem = problem_of(1, 64, 64, 64, true);
  Tensors tensors;
  Single() {
    tensors.weight = make_weight(64, 64, 64);
    for (size_t row = 0; row < 64; ++row) tensors.weight.group_scale[row] = 1, tensors.weight.group_offset[row] = 128;
    tensors.weight.q4[0] = 1;
    tensors.x = {1, 64, std::vector<int8_t>(64), {1.0F}, {0}};
    tensors.bias.assign(64, 0);
    tensors.weight.channel_scale.assign(64, 1);
  }
  /// With the integer `sum` in place of the product: u · byte is 129 · byte, and the correction makes up the rest.
  float value(int32_t sum, float x_scale, float w_scale, float bias) {
    const int32_t byte = sum % 128;
    tensors.x.x8[0] = static_cast<int8_t>(byte);
    tensors.x.sum_x[0] = byte - (sum - byte) / 128;
    tensors.x.x_scale[0] = x_scale;
    tensors.weight.channel_scale[0] = w_scale;
    tensors.bias[0] = bias;
    return reference(problem, tensors, {0, 1, 0, 1}).at(0);
  }
};

}  // namespace

TEST_CASE("w4a8 reference: agrees with the dequantised product in fp64") {
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel})
    for (const bool has_bias : {false, true}) {
      CAPTURE(group, has_bias);
      const Problem problem = problem_of(5, 64, 256, group, has_bias);
      const Tensors t = random_tensors(problem, 3);
      const std::vector<float> out = reference(problem, t);
      REQUIRE(out.size() == 5 * 64);
      for (int64_t m = 0; m < problem.m; ++m)
        for (int64_t n = 0; n < problem.n; ++n) {
          double wanted = has_bias ? t.bias[static_cast<size_t>(n)] : 0, magnitude = std::fabs(wanted);
          for (int64_t k = 0; k < problem.k; ++k) {
            const double term = t.x.x8[static_cast<size_t>(m * problem.k + k)] * double{t.x.x_scale[static_cast<size_t>(m)]} * t.weight.value(n, k);
            wanted += term, magnitude += std::fabs(term);
          }
          REQUIRE(std::fabs(out[static_cast<size_t>(m * problem.n + n)] - wanted) <= magnitude * 0x1p-22);
        }
    }
}

TEST_CASE("w4a8 reference: integers are converted to nearest even") {
  Single single;
  CHECK(single.value(-5, 1, 1, 0) == -5.0F);
  CHECK(single.value((1 << 24) + 1, 1, 1, 0) == 0x1p24F);
  CHECK(single.value((1 << 24) + 3, 1, 1, 0) == 0x1p24F + 4);
  CHECK(single.value(-(1 << 24) - 3, 1, 1, 0) == -0x1p24F - 4);
  CHECK(single.value(INT32_MAX, 1, 1, 0) == 0x1p31F);
}

TEST_CASE("w4a8 reference: the correction is the given sum times 128, channel by channel") {
  Single single;
  single.tensors.x.x8[0] = -127;
  CHECK(reference(single.problem, single.tensors, {0, 1, 0, 2}) == std::vector<float>{-127.0F * 129, -127.0F * 128});
  single.tensors.x.sum_x[0] = -127;
  CHECK(reference(single.problem, single.tensors, {0, 1, 0, 2}) == std::vector<float>{-127.0F, 0.0F});
}

TEST_CASE("w4a8 reference: scales are multiplied first, then one fused multiply-add") {
  Single single;
  const float x_scale = 1 + 0x1p-12F, w_scale = 1 + 0x1p-12F + 0x1p-21F;
  const float scale = x_scale * w_scale;
  REQUIRE(128 * 3 * x_scale * w_scale != 128 * 3 * scale);  // the other order rounds differently
  CHECK(single.value(128 * 3, x_scale, w_scale, 0) == 128 * 3 * scale);
  // Exact in fp64, so that its conversion rounds once.
  const float bias = -384.0F;
  const auto fused = static_cast<float>(384.0 * double{scale} + double{bias});
  const float product = 384.0F * scale;
  REQUIRE(product + bias != fused);
  CHECK(single.value(128 * 3, x_scale, w_scale, bias) == fused);
}

TEST_CASE("w4a8 reference: residual, channel's factor and bias, one rounding each and in that order") {
  Single single;
  single.problem.rank = 16, single.problem.has_column_scale = true;
  single.tensors.lora_act.assign(16, 0), single.tensors.lora_up.assign(64 * 16, 0);
  single.tensors.column_scale.assign(64, 1);
  single.tensors.lora_act[0] = 0x3F80, single.tensors.lora_up[0] = 0x3F80;  // 1 · 1 in bf16
  CHECK(single.value(5, 1, 1, 0) == 6.0F);
  single.tensors.column_scale[0] = 3;
  CHECK(single.value(5, 1, 1, 0.5F) == 18.5F);
  // The residual is rounded into the value before the factor: 2^24 + 1 is a tie that goes to even.
  CHECK(single.value(1 << 24, 1, 1, 0) == 3 * 0x1p24F);
  single.tensors.column_scale[0] = 1 + 0x1p-12F;
  single.problem.rank = 0;
  single.tensors.lora_act.clear(), single.tensors.lora_up.clear();
  // Scaled, then fused with the bias.
  const float scaled = 384.0F * (1 + 0x1p-12F + 0x1p-21F), bias = -scaled;
  CHECK(single.value(384, 1, 1 + 0x1p-12F + 0x1p-21F, bias) ==
        static_cast<float>(double{scaled} * double{1 + 0x1p-12F} + double{bias}));
}

TEST_CASE("w4a8 reference: a block is that part of the whole") {
  const Problem problem = problem_of(6, 128, 192, 64, true);
  const Tensors tensors = exact_tensors(problem, 9);
  const std::vector<float> whole = reference(problem, tensors), part = reference(problem, tensors, {2, 3, 70, 5});
  for (size_t row = 0; row < 3; ++row)
    for (size_t col = 0; col < 5; ++col) CHECK(part[row * 5 + col] == whole[(row + 2) * 128 + col + 70]);
  CHECK_THROWS_AS(reference(problem, tensors, {4, 3, 0, 1}), support::InternalError);
}

TEST_CASE("w4a8 reference: outputs round to nearest even and overflow to infinity") {
  const std::vector<float> values = {1.0F, 1 + 0x1p-8F, 1 + 0x3p-8F, -65520.0F};
  CHECK(encode_output(values, spec::NumberFormat::kBf16) ==
        std::vector<uint8_t>{0x80, 0x3F, 0x80, 0x3F, 0x82, 0x3F, 0x80, 0xC7});
  CHECK(encode_output({1.0F, -65520.0F, 65519.0F}, spec::NumberFormat::kFp16) ==
        std::vector<uint8_t>{0x00, 0x3C, 0x00, 0xFC, 0xFF, 0x7B});
}
