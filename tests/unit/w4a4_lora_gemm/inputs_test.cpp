// SPDX-License-Identifier: Apache-2.0
// Exact inputs are exact in every order; random ones are repeatable; both have the shapes that plans promise.
#include "generator/families/w4a4_lora_gemm/inputs.h"
#include "generator/spec/number_codec.h"
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "runtime/format/expression.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace warpwright;
using namespace warpwright::w4a4_lora_gemm;
using spec::NumberFormat;

namespace {

Problem make(Scheme scheme, int64_t k, int64_t rank) {
  Problem problem;
  problem.scheme = scheme;
  problem.m = 5;
  problem.n = 7;
  problem.k = k;
  problem.rank = rank;
  return problem;
}

/// The sum in fp32, in an order of its own, with a fused multiply-add or a rounded product at random.
float sum_fp32(const Problem &p, const Tensors &t, int64_t row, int64_t col, uint64_t seed) {
  std::vector<std::pair<float, float>> terms;
  for (int64_t i = 0; i < p.k; ++i)
    terms.push_back({static_cast<float>(t.a.value(row, i)), static_cast<float>(t.b.value(col, i))});
  for (int64_t r = 0; r < p.rank; ++r)
    terms.push_back({static_cast<float>(t.lora_act.value(row, r)), static_cast<float>(t.lora_up.value(col, r))});
  std::mt19937_64 engine(seed);
  std::shuffle(terms.begin(), terms.end(), engine);
  float sum = 0;
  for (const auto &[x, w] : terms) sum = engine() % 2 != 0 ? std::fmaf(x, w, sum) : sum + x * w;
  const float factor = t.alpha * t.column_scale[static_cast<size_t>(col)];
  return factor * sum + t.bias[static_cast<size_t>(col)];
}

std::vector<uint8_t> bytes_of(const Tensors &t) {
  std::vector<uint8_t> bytes = t.a.data;
  for (const auto *part : {&t.a.scales, &t.b.data, &t.b.scales}) bytes.insert(bytes.end(), part->begin(), part->end());
  for (const HalfMatrix *half : {&t.lora_act, &t.lora_up})
    for (uint16_t code : half->codes) bytes.push_back(static_cast<uint8_t>(code ^ code >> 8));
  for (const auto *values : {&t.bias, &t.column_scale})
    for (float value : *values) bytes.push_back(static_cast<uint8_t>(encode(NumberFormat::kFp32, value) >> 12));
  return bytes;
}

int64_t value_of(const std::string &text, const std::map<std::string, int64_t> &variables) {
  std::vector<std::string> names;
  std::vector<int64_t> values;
  for (const auto &[name, value] : variables) {
    names.push_back(name);
    values.push_back(value);
  }
  warpwright::format::ExpressionFault fault;
  const auto expression = warpwright::format::Expression::parse(text, names, &fault);
  REQUIRE(expression);
  int64_t result = 0;
  REQUIRE(expression->evaluate(values.data(), &result, &fault));
  return result;
}

}  // namespace

TEST_CASE("inputs: exact tensors sum to the same fp32 in every order") {
  for (Scheme scheme : {Scheme::kNvfp4, Scheme::kMxfp4})
    for (int64_t k : {128, 1024, 15360, 57344}) {
      const Problem problem = make(scheme, k, 256);
      const Tensors tensors = exact_tensors(problem, 11);
      const std::vector<double> y = reference(problem, tensors);
      for (int64_t row = 0; row < problem.m; ++row)
        for (int64_t col = 0; col < problem.n; ++col)
          for (uint64_t seed : {1, 2}) {
            const double exact = y[static_cast<size_t>(row * problem.n + col)];
            if (sum_fp32(problem, tensors, row, col, seed) != exact) {
              INFO("k " << k << " row " << row << " col " << col);
              CHECK(sum_fp32(problem, tensors, row, col, seed) == exact);
            }
          }
    }
}

TEST_CASE("inputs: exact tensors use the formats") {
  const Problem problem = make(Scheme::kNvfp4, 1024, 32);
  const Tensors tensors = exact_tensors(problem, 3);
  std::set<uint32_t> codes, scales;
  for (int64_t i = 0; i < problem.k; ++i) codes.insert(tensors.a.code(0, i));
  for (int64_t group = 0; group < problem.k / 16; ++group) scales.insert(tensors.a.scale_code(0, group));
  CHECK(codes.size() == 16);
  CHECK(scales.size() == 7);  // six with and without mantissa, and zero
  const std::vector<double> y = reference(problem, tensors);
  CHECK(std::set<double>(y.begin(), y.end()).size() > 30);
}

TEST_CASE("inputs: the longest exact sum") {
  for (Scheme scheme : {Scheme::kNvfp4, Scheme::kMxfp4}) {
    Problem problem = make(scheme, 64, 256);
    const int64_t longest = max_exact_k(problem);
    CHECK(longest >= 100000);
    problem.m = problem.n = 1;
    problem.k = longest / 128 * 128 + 128;
    CHECK_THROWS_AS(exact_tensors(problem, 1), support::InternalError);
  }
}

TEST_CASE("inputs: equal seeds give equal bytes, others do not") {
  for (Scheme scheme : {Scheme::kNvfp4, Scheme::kMxfp4}) {
    const Problem problem = make(scheme, 256, 32);
    CHECK(bytes_of(exact_tensors(problem, 5)) == bytes_of(exact_tensors(problem, 5)));
    CHECK(bytes_of(exact_tensors(problem, 5)) != bytes_of(exact_tensors(problem, 6)));
    CHECK(bytes_of(random_tensors(problem, 5)) == bytes_of(random_tensors(problem, 5)));
    CHECK(bytes_of(random_tensors(problem, 5)) != bytes_of(random_tensors(problem, 6)));
  }
}

TEST_CASE("inputs: random tensors have the magnitude of a layer") {
  for (NumberFormat lora_format : {NumberFormat::kBf16, NumberFormat::kFp16}) {
    Problem problem = make(Scheme::kNvfp4, 512, 32);
    problem.lora_format = lora_format;
    const Tensors tensors = random_tensors(problem, 9);
    double sum_of_squares = 0;
    for (double y : reference(problem, tensors)) {
      REQUIRE(std::isfinite(y));
      sum_of_squares += y * y;
    }
    const double rms = std::sqrt(sum_of_squares / static_cast<double>(problem.m * problem.n));
    CHECK(rms > 0.05);
    CHECK(rms < 50);
  }
}

TEST_CASE("inputs: tensors have the bytes that the plan promises") {
  for (const char *scheme : {"nvfp4", "mxfp4"})
    for (int64_t m : {1, 128, 300}) {
      const std::string text = std::string(R"({"edition": 1, "family": "w4a4_lora_gemm", "arch": "sm_100a",
        "problem": {"n": 192, "k": 384}, "tile": {"m": 128, "n": 64}, "pipeline_depth": 2, "lora": {"rank": 48},
        "quant": {"scheme": ")") + scheme + "\"}}";
      support::Diagnostics diagnostics;
      const auto loaded = spec::load_spec_text("t.json", text, {}, {&family_spec()}, diagnostics);
      INFO(diagnostics.render());
      REQUIRE(loaded);
      spec::KernelSpec fixed = *loaded;
      for (int round = 0; round < 16; ++round)  // the first guess for whatever is still auto
        for (const auto &[path, values] : w4a4_lora_gemm_plan().domains(fixed))
          if (fixed.is_auto(path)) fixed = fixed.with(path, values.front());
      const auto plan = w4a4_lora_gemm_plan().plan(fixed, *target::find_target("sm_100a"), diagnostics);
      REQUIRE(plan);
      const Problem problem = make_problem(plan->kernels.at(0), m);
      const Tensors tensors = random_tensors(problem, 1);
      std::map<std::string, size_t> actual = {
          {"a", tensors.a.data.size()},          {"a_scales", tensors.a.scales.size()},
          {"b", tensors.b.data.size()},          {"b_scales", tensors.b.scales.size()},
          {"alpha", sizeof(float)},              {"column_scale", tensors.column_scale.size() * sizeof(float)},
          {"bias", tensors.bias.size() * sizeof(float)}, {"lora_act", tensors.lora_act.codes.size() * 2},
          {"lora_up", tensors.lora_up.codes.size() * 2},
          {"out", encode_output(reference(problem, tensors), problem.output).size()}};
      std::map<std::string, int64_t> variables = plan->fixed_variables;
      variables["m"] = m;
      CHECK(plan->tensors.size() == actual.size());
      for (const plan::Tensor &tensor : plan->tensors) {
        INFO(tensor.name << ": " << tensor.bytes);
        CHECK(value_of(tensor.bytes, variables) == static_cast<int64_t>(actual.at(tensor.name)));
      }
    }
}
