// SPDX-License-Identifier: Apache-2.0
// The CPU reference on values small enough to compute by hand.
#include "generator/spec/number_codec.h"
#include "generator/families/w4a4_lora_gemm/reference.h"
#include "tests/catch.h"

#include <cmath>

using namespace warpwright::w4a4_lora_gemm;
using warpwright::spec::NumberFormat;

namespace {

Problem small_problem() {
  Problem problem;
  problem.m = 2;
  problem.n = 2;
  problem.k = 32;
  problem.rank = 16;
  return problem;
}

void set_value(QuantisedMatrix &matrix, int64_t row, int64_t col, double element, double scale) {
  matrix.set_code(row, col, encode(NumberFormat::kE2m1, element));
  matrix.set_scale_code(row, col / group_elems(matrix.scheme), encode(scale_format(matrix.scheme), scale));
}

/// a[1] · b[1] = 6·2 · 0.5·4 + 1.5·0.5 · −2·1, and LoRA adds 3 · 5.
Tensors small_tensors(const Problem &problem) {
  Tensors t;
  t.a = make_quantised(problem.scheme, problem.m, problem.k);
  t.b = make_quantised(problem.scheme, problem.n, problem.k);
  set_value(t.a, 1, 3, 6, 2);
  set_value(t.b, 1, 3, 0.5, 4);
  set_value(t.a, 1, 31, 1.5, 0.5);
  set_value(t.b, 1, 31, -2, 1);
  t.alpha = 0.5f;
  t.column_scale = {1, 3};
  t.bias = {10, 0.25f};
  t.lora_act = {problem.lora_format, problem.m, problem.rank, std::vector<uint16_t>(32)};
  t.lora_up = {problem.lora_format, problem.n, problem.rank, std::vector<uint16_t>(32)};
  t.lora_act.codes[16 + 7] = static_cast<uint16_t>(encode(problem.lora_format, 3));
  t.lora_up.codes[16 + 7] = static_cast<uint16_t>(encode(problem.lora_format, 5));
  return t;
}

constexpr double kSum = 24 - 1.5 + 15;

}  // namespace

TEST_CASE("reference: affine of the block-scaled product with LoRA in the sum") {
  const Problem problem = small_problem();
  const std::vector<double> y = reference(problem, small_tensors(problem));
  REQUIRE(y.size() == 4);
  CHECK(y[0] == 10);
  CHECK(y[1] == 0.25);
  CHECK(y[2] == 10);
  CHECK(y[3] == 0.5 * 3 * kSum + 0.25);
}

TEST_CASE("reference: options leave their part out") {
  Problem problem = small_problem();
  Tensors tensors = small_tensors(problem);
  problem.has_bias = false;
  CHECK(reference(problem, tensors)[3] == 1.5 * kSum);
  problem.has_column_scale = false;
  CHECK(reference(problem, tensors)[3] == 0.5 * kSum);
  problem.rank = 0;
  CHECK(reference(problem, tensors)[3] == 0.5 * 22.5);
}

TEST_CASE("reference: activations act on the affine result") {
  Problem problem = small_problem();
  Tensors tensors = small_tensors(problem);
  tensors.alpha = 1.0f / 64;
  const double x = 3 * kSum / 64 + 0.25;
  problem.activation = Activation::kSilu;
  CHECK(reference(problem, tensors)[3] == Approx(x / (1 + std::exp(-x))).epsilon(1e-14));
  problem.activation = Activation::kGelu;
  const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  CHECK(reference(problem, tensors)[3] == Approx(0.5 * x * (1 + std::tanh(inner))).epsilon(1e-14));
}

TEST_CASE("reference: a block is cut out of the output") {
  const Problem problem = small_problem();
  const Tensors tensors = small_tensors(problem);
  const std::vector<double> whole = reference(problem, tensors);
  CHECK(reference(problem, tensors, {1, 1, 1, 1}) == std::vector<double>{whole[3]});
  CHECK(reference(problem, tensors, {0, 2, 1, 1}) == std::vector<double>{whole[1], whole[3]});
  CHECK_THROWS_AS(reference(problem, tensors, {1, 2, 0, 1}), warpwright::support::InternalError);
}

TEST_CASE("reference: outputs are rounded to nearest even") {
  CHECK(encode_output({1.0, 1 + 1.0 / 256}, NumberFormat::kBf16) == std::vector<uint8_t>{0x80, 0x3f, 0x80, 0x3f});
  CHECK(encode_output({-2.0}, NumberFormat::kFp16) == std::vector<uint8_t>{0x00, 0xc0});
  CHECK(encode_output({1.0}, NumberFormat::kFp32) == std::vector<uint8_t>{0, 0, 0x80, 0x3f});
}
