// SPDX-License-Identifier: Apache-2.0
// Shapes at a plan's edges, and the values and quantiles of timings.
#include "tools/cli/launch_shapes.h"

#include "tests/catch.h"
#include "tools/cli/gpu_timing.h"
#include "tools/cli/rotating_buffers.h"

#include <cmath>
#include <cstring>

using namespace warpwright;
using namespace warpwright::cli;

namespace {

plan::KernelPlan kernel(const std::string &output_tiles) {
  plan::KernelPlan plan;
  plan.output_tiles = output_tiles;
  return plan;
}

/// Tiles of 16 rows up to m = 48, of 128 rows above; nothing above 512.
plan::OperatorPlan two_rows() {
  plan::OperatorPlan op;
  op.variables = {"m"};
  op.fixed_variables = {{"n", 256}};
  op.kernels = {kernel("ceil_div(m, 16) * n / 64"), kernel("ceil_div(m, 128) * n / 64")};
  op.dispatch = {{"m <= 48", {0}}, {"m <= 512", {1}}};
  return op;
}

std::vector<int64_t> values_of_m(const std::vector<Shape> &shapes) {
  std::vector<int64_t> values;
  for (const Shape &shape : shapes) values.push_back(shape.at("m"));
  return values;
}

}  // namespace

TEST_CASE("edges are both sides of each border and of each row's first step") {
  const plan::OperatorPlan op = two_rows();
  CHECK(values_of_m(edge_shapes(op, op.fixed_variables, 132)) == std::vector<int64_t>{1, 16, 17, 48, 49, 128, 129, 512});
  CHECK(values_of_m(edge_shapes(op, {{"n", 256}, {"m", 300}}, 132)) == std::vector<int64_t>{300});
  CHECK(one_row_more(op, op.fixed_variables, 132).at("m") == 17);
}

TEST_CASE("a border may depend on the multiprocessors") {
  plan::OperatorPlan op = two_rows();
  op.dispatch = {{"m <= num_sms", {0}}, {"1", {1}}};
  CHECK(values_of_m(edge_shapes(op, op.fixed_variables, 100)) == std::vector<int64_t>{1, 16, 17, 100, 101, 128, 129});
}

TEST_CASE("shapes of the command line are held to the operator") {
  support::Diagnostics diagnostics;
  const plan::OperatorPlan op = two_rows();
  CHECK(bind_shape(op, {{"m", 7}}, diagnostics).value() == Shape{{"m", 7}, {"n", 256}});
  CHECK_FALSE(bind_shape(op, {{"q", 7}}, diagnostics));
  CHECK(diagnostics.has_slug("cli.usage"));
  CHECK_FALSE(bind_shape(op, {{"n", 128}}, diagnostics));
  CHECK(diagnostics.has_slug("run.fixed-variable"));
  CHECK(shape_words(op, {{"m", 7}, {"n", 256}}) == "m = 7");
}

TEST_CASE("random values are finite and differ by seed") {
  const std::vector<uint8_t> bytes = random_values("fp32", 4000, 1);
  for (size_t i = 0; i < bytes.size(); i += 4) {
    float value = 0;
    std::memcpy(&value, &bytes[i], 4);
    REQUIRE((value >= 0.5f && value < 1.0f));
  }
  for (const char *format : {"bf16", "fp16"}) {
    const uint16_t exponent = std::string(format) == "bf16" ? 0x7F80 : 0x7C00;
    const std::vector<uint8_t> halves = random_values(format, 4000, 1);
    for (size_t i = 0; i < halves.size(); i += 2) {
      const unsigned code = halves[i] | static_cast<unsigned>(halves[i + 1]) << 8;
      REQUIRE((code & exponent) != exponent);
    }
  }
  CHECK(random_values("u8", 64, 1) == random_values("u8", 64, 1));
  CHECK(random_values("u8", 64, 1) != random_values("u8", 64, 2));
  CHECK(random_values("u8", 3, 1).size() == 3);
}

TEST_CASE("quantiles lie between samples") {
  const TimedLaunches launches{false, {4, 1, 3, 2}};
  CHECK(launches.median_us() == 2.5);
  CHECK(launches.quantile_us(0) == 1);
  CHECK(launches.quantile_us(1) == 4);
  CHECK(launches.quantile_us(0.25) == 1.75);
  CHECK(TimedLaunches{}.median_us() == 0);
}
