// SPDX-License-Identifier: Apache-2.0
// Tests of generator/spec/load_spec: keys, overrides, defaults, all problems in one pass.
#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"
#include "tests/unit/support/temporary_folder.h"

#include "generator/support/files.h"

using namespace warpwright;
using tests::load;
using tests::load_with;
using Findings = std::vector<std::string>;

TEST_CASE("load spec: absent fields have their defaults, marked as such") {
  const auto loaded = load_with("");
  REQUIRE(loaded.spec);
  CHECK(loaded.spec->family == "w4a4_lora_gemm");
  CHECK(loaded.spec->arch == "sm_100a");
  CHECK(loaded.spec->at("lora.rank").is_default);
  CHECK(loaded.spec->integer("lora.rank") == 0);
  CHECK_FALSE(loaded.spec->at("problem.n").is_default);
  CHECK(loaded.spec->values.size() == w4a4_lora_gemm::family_spec().fields.size());
}

TEST_CASE("load spec: auto means the default, or the planner's choice where there is none") {
  const auto loaded = load_with(R"("quant": {"scheme": "auto"}, "tile": {"n": "auto"}, "arch": "auto")");
  REQUIRE(loaded.spec);
  CHECK(loaded.spec->text("quant.scheme") == "nvfp4");
  CHECK(loaded.spec->is_auto("tile.n"));
  CHECK(loaded.spec->arch == "sm_100a");
}

TEST_CASE("load spec: every problem is reported, in the order of the file") {
  const auto loaded = load(
      "{\"edition\": 7, \"family\": \"w4a4_lora_gemm\", \"arch\": \"sm_90a\",\n"
      "\"tile\": {\"n\": 96, \"n\": 64, \"m\": \"256\"}, \"color\": 1,\n"
      "\"quant\": 5, \"problem\": {\"m\": 0}, \"lora\": {\"rank\": 20, \"type\": \"bf17\"}}");
  CHECK_FALSE(loaded.spec);
  CHECK(loaded.findings() == Findings{"spec.unknown-edition edition", "spec.unknown-arch arch", "spec.out-of-range tile.n",
                                      "spec.duplicate-key tile.n", "spec.wrong-type tile.m", "spec.unknown-key color",
                                      "spec.wrong-type quant", "spec.missing-key problem.n", "spec.missing-key problem.k",
                                      "spec.out-of-range problem.m", "spec.out-of-range lora.rank",
                                      "spec.not-a-choice lora.type"});
}

TEST_CASE("load spec: unknown keys name what was meant") {
  CHECK_THAT(load_with(R"("tyle": {})").first().message, Catch::Contains("did you mean \"tile\"?"));
  CHECK_THAT(load_with(R"("lora": {"rnak": 32})").first().message, Catch::Contains("did you mean \"rank\"?"));
  CHECK_THAT(load_with(R"("rank": 32)").first().message, Catch::Contains("the field is lora.rank"));
  CHECK(load_with(R"("type": 1)").first().hints.front() == "write \"lora\": {\"type\": …}");
  CHECK(load_with(R"("lora.rank": 32)").findings() == Findings{"spec.unknown-key lora.rank"});
  CHECK(load_with(R"("": 1)").findings() == Findings{"spec.unknown-key "});
  CHECK(load_with(R"("tile": {"": {"x": 1}})").findings() == Findings{"spec.unknown-key tile."});
}

TEST_CASE("load spec: $comment may stand in every object and hold anything") {
  CHECK(load_with(R"("$comment": {"a": [1]}, "tile": {"$comment": null, "n": 128}, "$schema": "x")").spec);
  CHECK(load_with(R"("$schema": 5)").findings() == Findings{"spec.wrong-type $schema"});
}

TEST_CASE("load spec: integral numbers with a point are integers, others are not") {
  CHECK(load_with(R"("tile": {"n": 128.0})").spec);
  CHECK(load_with(R"("tile": {"n": 1.28e2})").spec);
  CHECK(load_with(R"("tile": {"n": 128.5})").findings() == Findings{"spec.wrong-type tile.n"});
  CHECK(load_with(R"("tile": {"n": 1e300})").findings() == Findings{"spec.out-of-range tile.n"});
  CHECK(load_with(R"("pipeline_depth": 99999999999999999999)").findings() == Findings{"spec.out-of-range pipeline_depth"});
  CHECK(load_with(R"("pipeline_depth": -9223372036854775808)").findings() == Findings{"spec.out-of-range pipeline_depth"});
}

TEST_CASE("load spec: what is not a spec at all is one finding") {
  CHECK(load("[]").findings() == Findings{"spec.not-object "});
  CHECK(load("null").findings() == Findings{"spec.not-object "});
  CHECK(load("{").findings() == Findings{"spec.not-json "});
  CHECK(load("{}").findings() == Findings{"spec.missing-key family"});
  CHECK(load(R"({"family": 3})").findings() == Findings{"spec.wrong-type family"});
  CHECK(load(R"({"family": "gemm"})").findings() == Findings{"spec.unknown-family family"});
}

TEST_CASE("load spec: files that cannot be read") {
  const tests::TemporaryFolder folder;
  support::Diagnostics found;
  CHECK_FALSE(spec::load_spec(folder.file("absent.json"), {}, {&w4a4_lora_gemm::family_spec()}, found));
  CHECK_FALSE(spec::load_spec(folder.path(), {}, {&w4a4_lora_gemm::family_spec()}, found));
  std::string why;
  REQUIRE(support::write_file(folder.file("long.json"), std::string((1 << 20) + 1, ' '), why));
  CHECK_FALSE(spec::load_spec(folder.file("long.json"), {}, {&w4a4_lora_gemm::family_spec()}, found));
  REQUIRE(found.all().size() == 3);
  for (const auto &d : found.all()) CHECK(d.slug == "spec.unreadable");
}

TEST_CASE("load spec: overrides replace, the last one holds, places are theirs") {
  const auto loaded = load_with(R"("lora": {"rank": 16})",
                                {"lora.rank=32", "lora.rank=64", "arch=sm_103a", "quant.scheme=\"mxfp4\"",
                                 "cluster=[2, 1]", "tile={\"m\": 256, \"n\": 128}", "epilogue.activation=silu"});
  REQUIRE(loaded.spec);
  CHECK(loaded.spec->integer("lora.rank") == 64);
  CHECK(loaded.spec->arch == "sm_103a");
  CHECK(loaded.spec->text("quant.scheme") == "mxfp4");
  CHECK(loaded.spec->list("cluster") == std::vector<int64_t>{2, 1});
  CHECK(loaded.spec->integer("tile.n") == 128);
  CHECK(loaded.spec->text("epilogue.activation") == "silu");
  const support::SourceLocation &where = loaded.spec->at("lora.rank").where;
  CHECK(where.file == "--set");
  CHECK(where.line == 2);
  CHECK(where.column == 11);
}

TEST_CASE("load spec: an override can mend a wrong value, not an unknown key") {
  CHECK(load_with(R"("tile": {"n": 96})", {"tile.n=128"}).spec);
  CHECK(load_with(R"("tyle": {"n": 96})", {"tile.n=128"}).findings() == Findings{"spec.unknown-key tyle"});
}

TEST_CASE("load spec: overrides are checked like the file, with the same slugs") {
  const auto loaded = load_with("", {"tile.n=96", "lora.rnak=1", "lora.rank=true", "edition=9", "tile=3", "quant.scheme=x"});
  CHECK(loaded.findings() == Findings{"spec.out-of-range tile.n", "spec.unknown-key lora.rnak", "spec.wrong-type lora.rank",
                                      "spec.unknown-edition edition", "spec.wrong-type tile", "spec.not-a-choice quant.scheme"});
  CHECK_THAT(loaded.found.render(), Catch::Contains("--set:1:8: error[spec.out-of-range]: tile.n: ") &&
                                        Catch::Contains("    1 | tile.n=96\n      |        ^~\n") &&
                                        Catch::Contains("    6 | quant.scheme=x\n      |              ^\n"));
}

TEST_CASE("load spec: malformed overrides are refused one by one") {
  for (const std::string bad : {"lora.rank", "=3", "", "lora.rank=", "lora.rank=[1", "lora.rank=1 2", "lora.rank=a b",
                                 "lora.rank=\"x", "lora={\"rank\": 1, \"rank\": 2}", "lora.rank=\xff"}) {
    INFO(bad);
    const auto loaded = load_with("", {bad, "tile.n=128"});
    CHECK_FALSE(loaded.spec);
    REQUIRE(loaded.found.all().size() == 1);
    CHECK(loaded.first().slug == "spec.bad-override");
  }
  CHECK(load_with("", {"lora.rank=\n32"}).spec);
}

TEST_CASE("load spec: the nearest legal values are those on either side") {
  const auto message = [](const std::string &members) { return load_with(members).first().message; };
  CHECK(message(R"("tile": {"n": 250})") == "250 columns are not 64, 128, 192 or 256; nearest legal values: 192 and 256");
  CHECK(message(R"("tile": {"n": 1})") == "1 columns is not 64, 128, 192 or 256; nearest legal value: 64");
  CHECK(message(R"("tile": {"n": 300})") == "300 columns are not 64, 128, 192 or 256; nearest legal value: 256");
  CHECK(message(R"("lora": {"rank": 40})") == "40 ranks are not a multiple of 16; nearest legal values: 32 and 48");
  CHECK(message(R"("lora": {"rank": 272})") == "272 ranks are above the limit of 256; nearest legal value: 256");
  CHECK(message(R"("lora": {"rank": -1})") == "-1 ranks are below the limit of 0; nearest legal value: 0");
  CHECK(message(R"("pipeline_depth": 17)") == "17 stages are above the limit of 16; nearest legal value: 16");
  CHECK(message(R"("cluster": [2])") == "the list has 1 values; it needs 2");
  CHECK(message(R"("lora": {"folded_amax": 0})") == "0 is not above 0 to 3.3895313892515355e+38");
}

TEST_CASE("load spec: a spec changed in memory is checked like a file") {
  const auto loaded = load_with(R"("tile": {"n": 128})");
  REQUIRE(loaded.spec);
  support::Diagnostics found;
  spec::check_spec(*loaded.spec, w4a4_lora_gemm::family_spec(), found);
  CHECK_FALSE(found.has_errors());
  spec::check_spec(loaded.spec->with("tile.n", spec::integer_value(96)), w4a4_lora_gemm::family_spec(), found);
  CHECK(found.has_slug("spec.out-of-range"));
  spec::check_spec(loaded.spec->with("accumulators", spec::text_value("overlapped")), w4a4_lora_gemm::family_spec(), found);
  CHECK(found.has_slug("spec.overlap-needs-n256"));
  spec::check_spec(loaded.spec->with("tile.n", spec::text_value("x")), w4a4_lora_gemm::family_spec(), found);
  CHECK(found.has_slug("spec.wrong-type"));
  CHECK_THAT(found.render(), Catch::Contains("\"tile\": {\"n\": 128}"));
}
