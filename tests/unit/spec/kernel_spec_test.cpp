// SPDX-License-Identifier: Apache-2.0
// Tests of generator/spec/kernel_spec: typed access and canonical text.
#include "generator/spec/kernel_spec.h"

#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"

using namespace warpwright;
using tests::load;
using tests::load_with;

TEST_CASE("kernel spec: values are read by path and kind; the wrong kind is our bug") {
  const auto loaded = load_with(R"("tile": {"n": 128}, "cluster": [1, 1], "lora": {"folded_amax": 2})");
  REQUIRE(loaded.spec);
  const spec::KernelSpec &spec = *loaded.spec;
  CHECK(spec.integer("tile.n") == 128);
  CHECK(spec.text("quant.scheme") == "nvfp4");
  CHECK(spec.flag("epilogue.bias"));
  CHECK(spec.number("lora.folded_amax") == 2.0);
  CHECK(spec.list("cluster") == std::vector<int64_t>{1, 1});
  CHECK(spec.is_auto("tile.m"));
  CHECK(spec.at("problem.m").is_dynamic());
  CHECK_THROWS_AS(spec.integer("tile.m"), support::InternalError);
  CHECK_THROWS_AS(spec.text("tile.n"), support::InternalError);
  CHECK_THROWS_AS(spec.at("tile.o"), support::InternalError);
}

TEST_CASE("kernel spec: literals are JSON") {
  CHECK(spec::integer_value(-3).to_json() == "-3");
  CHECK(spec::number_value(0.5).to_json() == "0.5");
  CHECK(spec::boolean_value(true).to_json() == "true");
  CHECK(spec::text_value("a\"b").to_json() == "\"a\\\"b\"");
  CHECK(spec::list_value({2, 1}).to_json() == "[2, 1]");
  CHECK(spec::auto_value().to_json() == "\"auto\"");
  CHECK(spec::dynamic_value().to_json() == "\"dynamic\"");
  CHECK(spec::integer_value(1).same_value(spec::integer_value(1)));
  CHECK_FALSE(spec::integer_value(1).same_value(spec::number_value(1)));
  CHECK_FALSE(spec::text_value("auto").same_value(spec::auto_value()));
}

TEST_CASE("kernel spec: canonical text is sorted, complete, and loads to itself") {
  const auto loaded = load_with(R"("lora": {"rank": 32}, "arch": "sm_103a", "$comment": "x")");
  REQUIRE(loaded.spec);
  const std::string text = loaded.spec->canonical_json();
  CHECK_THAT(text, Catch::StartsWith("{\n  \"accumulators\": \"auto\",\n  \"arch\": \"sm_103a\",\n"));
  CHECK_THAT(text, Catch::Contains("  \"lora\": {\n    \"folded_amax\": \"auto\",\n    \"placement\": \"auto\",\n    \"rank\": 32,"));
  const auto again = load(text);
  REQUIRE(again.spec);
  CHECK(again.spec->canonical_json() == text);
  // The order and spelling of the file do not matter.
  const auto other = load(R"({"problem": {"k": 3072.0, "n": 3072}, "lora": {"rank": 32}, "arch": "sm_103a",
                              "family": "w4a4_lora_gemm", "edition": 1, "quant": {"scheme": "auto"}})");
  REQUIRE(other.spec);
  CHECK(other.spec->canonical_json() == text);
}

TEST_CASE("kernel spec: a candidate keeps the place of the field it replaces") {
  const auto loaded = load_with(R"("tile": {"n": 128})");
  REQUIRE(loaded.spec);
  const spec::KernelSpec candidate = loaded.spec->with("tile.n", spec::integer_value(256));
  CHECK(candidate.integer("tile.n") == 256);
  CHECK(loaded.spec->integer("tile.n") == 128);
  CHECK(candidate.at("tile.n").where.column == loaded.spec->at("tile.n").where.column);
  CHECK_THROWS_AS(loaded.spec->with("no.such", spec::integer_value(1)), support::InternalError);
}
