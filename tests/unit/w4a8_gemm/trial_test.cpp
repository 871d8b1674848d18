// SPDX-License-Identifier: Apache-2.0
// Inputs and trials: what generated tensors hold, the bytes of a launch, and the judgement of its output.
#include "generator/families/w4a8_gemm/pack.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/families/w4a8_gemm/spec.h"
#include "generator/families/w4a8_gemm/trial.h"
#include "tests/catch.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace warpwright;
using namespace warpwright::w4a8_gemm;

namespace {

spec::KernelSpec spec_of(const std::vector<std::string> &sets) {
  support::Diagnostics found;
  const auto loaded = spec::load_spec_text("t.json", R"({"edition": 1, "family": "w4a8_gemm", "problem": {"n": 128, "k": 256}})", sets,
                                           {&family_spec()}, found);
  INFO(found.render());
  REQUIRE(loaded);
  return *loaded;
}

template <class T>
std::vector<T> values_of(const std::vector<uint8_t> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

TEST_CASE("w4a8 inputs: exact ones have every code and both extremes, and stay within fp16") {
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel})
    for (const int64_t k : {int64_t{128}, int64_t{8192}}) {
      CAPTURE(group, k);
      Problem problem;
      problem.m = 64, problem.n = 64, problem.k = k, problem.group = group, problem.has_bias = true;
      const Tensors t = exact_tensors(problem, 1);
      std::set<int32_t> codes;
      int32_t least = 255, most = 0;
      for (int64_t row = 0; row < problem.n; ++row)
        for (int64_t col = 0; col < k; ++col) {
          const int32_t u = t.weight.operand(row, col);
          codes.insert(t.weight.code(row, col));
          least = std::min(least, u), most = std::max(most, u);
        }
      CHECK(codes.size() == 16);
      CHECK(most == (group == kPerChannel ? 15 : 255));
      CHECK(least == (group == kPerChannel ? 0 : 9));
      CHECK(std::set<int8_t>(t.x.x8.begin(), t.x.x8.end()).size() == 255);
      CHECK(std::count(t.x.x_scale.begin(), t.x.x_scale.end(), 0.0F) > 0);
      for (const float value : reference(problem, t)) REQUIRE(std::fabs(value) < 512);
    }
}

TEST_CASE("w4a8 inputs: equal seeds give equal tensors, others do not") {
  Problem problem;
  problem.m = 3, problem.n = 64, problem.k = 128, problem.has_bias = true;
  for (const auto make : {exact_tensors, random_tensors}) {
    const Tensors one = make(problem, 5), same = make(problem, 5), other = make(problem, 6);
    CHECK((one.weight.q4 == same.weight.q4 && one.x.x8 == same.x.x8 && one.bias == same.bias));
    CHECK(one.weight.q4 != other.weight.q4);
    CHECK(one.x.x8 != other.x.x8);
  }
  // The generator's first codes and bytes on any host.
  const Tensors fixed = exact_tensors(problem, 1);
  CHECK(std::vector<int>(fixed.weight.q4.begin(), fixed.weight.q4.begin() + 4) == std::vector<int>{104, 78, 154, 142});
}

TEST_CASE("w4a8 trial: the bytes of a launch are those that the reference multiplies") {
  for (const char *group : {"quant.group=\"64\"", "quant.group=\"128\"", "quant.group=channel"}) {
    CAPTURE(group);
    const spec::KernelSpec spec = spec_of({group, "epilogue.bias=true", "epilogue.output=fp16"});
    const Trial trial = make_trial(spec, 7, TrialInputs::kExact, 2);
    const std::vector<uint8_t> &w = trial.inputs.at("w");
    Tensors t;
    t.weight = unpack({reinterpret_cast<const char *>(w.data()), w.size()}, 128, 256, trial.problem.group);
    t.weight.channel_scale = values_of<float>(trial.inputs.at("w_scale"));
    CHECK(trial.inputs.count("w_zero") == (trial.problem.group == kPerChannel ? 1 : 0));
    if (trial.problem.group == kPerChannel) t.weight.zero = trial.inputs.at("w_zero");
    t.x = {7, 256, values_of<int8_t>(trial.inputs.at("x")), values_of<float>(trial.inputs.at("x_scale")),
           values_of<int32_t>(trial.inputs.at("x_sum"))};
    t.bias = values_of<float>(trial.inputs.at("bias"));
    CHECK(reference(trial.problem, t) == trial.expected);
  }
  CHECK(make_trial(spec_of({}), 2, TrialInputs::kRandom, 2).inputs.count("bias") == 0);
}

TEST_CASE("w4a8 trial: exact inputs with a residual have sums that no order of additions rounds") {
  for (const char *type : {"lora.type=bf16", "lora.type=fp16"}) {
    CAPTURE(type);
    const spec::KernelSpec spec = spec_of({"lora.rank=32", type, "epilogue.column_scale=true", "epilogue.bias=true"});
    const Trial trial = make_trial(spec, 9, TrialInputs::kExact, 2);
    CHECK(trial.tolerance.empty());
    CHECK(trial.inputs.at("lora_act").size() == 9 * 32 * 2);
    CHECK(trial.inputs.at("lora_up").size() == 128 * 32 * 2);
    CHECK(trial.inputs.at("column_scale").size() == 128 * 4);
    for (const float scale : values_of<float>(trial.inputs.at("w_scale"))) CHECK(std::ilogb(scale) == std::log2(scale));
    const Trial random = make_trial(spec, 9, TrialInputs::kRandom, 2);
    REQUIRE(random.tolerance.size() == random.expected.size());
    CHECK(judge(random, encode_output(random.expected, random.problem.output)).empty());
    std::vector<float> far = random.expected;
    far[17] += 3 * static_cast<float>(random.tolerance[17]);
    CHECK_THAT(judge(random, encode_output(far, random.problem.output)), Catch::StartsWith("1 of 1152 values are wrong; the first is row 0, column 17: "));
  }
  CHECK(make_trial(spec_of({}), 2, TrialInputs::kRandom, 2).tolerance.empty());
}

TEST_CASE("w4a8 trial: one bit of the output is enough to fail") {
  const Trial trial = make_trial(spec_of({}), 3, TrialInputs::kRandom, 4);
  std::vector<uint8_t> output = encode_output(trial.expected, trial.problem.output);
  CHECK(judge(trial, output).empty());
  output[(128 + 5) * 2] ^= 1;
  CHECK_THAT(judge(trial, output), Catch::StartsWith("1 of 384 values are wrong; the first is row 1, column 5: "));
  output.pop_back();
  CHECK(judge(trial, output) == "767 bytes of output instead of 768");
}

TEST_CASE("w4a8 trial: edges are around the tile, or the fixed number alone") {
  CHECK(edge_tokens(spec_of({}), 64) == std::vector<int64_t>{1, 7, 64, 65, 191});
  CHECK(edge_tokens(spec_of({}), 8) == std::vector<int64_t>{1, 7, 8, 9, 23});
  CHECK(edge_tokens(spec_of({"problem.m=33"}), 64) == std::vector<int64_t>{33});
}
