// SPDX-License-Identifier: Apache-2.0
// Tests of the rules between fields of w4a4_lora_gemm: each refuses, and each has a legal neighbour.
#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"

using namespace warpwright;
using tests::load_with;

namespace {

/// The members are refused by `slug` at `path` alone, and every hint ("--set …"), applied, mends them.
void check_rule(const std::string &members, const std::string &slug, const std::string &path) {
  const auto loaded = load_with(members);
  INFO(members << "\n" << loaded.found.render());
  CHECK_FALSE(loaded.spec);
  REQUIRE(loaded.findings() == std::vector<std::string>{slug + " " + path});
  const support::Diagnostic &d = loaded.first();
  CHECK_THAT(d.message, Catch::Contains("nearest legal value"));
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0], Catch::StartsWith("source: "));
  REQUIRE_FALSE(d.hints.empty());
  for (std::string hint : d.hints) {
    REQUIRE(hint.rfind("--set ", 0) == 0);
    hint = hint.substr(6);
    if (hint.front() == '\'') hint = hint.substr(1, hint.size() - 2);
    const auto mended = load_with(members, {hint});
    INFO(hint << "\n" << mended.found.render());
    CHECK(mended.spec);
  }
}

}  // namespace

TEST_CASE("w4a4 rules: a pair goes with 256 rows, one CTA with 128") {
  check_rule(R"("tile": {"m": 128}, "cta_pairing": 2)", "spec.pair-needs-m256", "tile.m");
  check_rule(R"("tile": {"m": 256}, "cta_pairing": 1)", "spec.m256-needs-pair", "tile.m");
  CHECK(load_with(R"("tile": {"m": 256}, "cta_pairing": 2)").spec);
  CHECK(load_with(R"("tile": {"m": 128}, "cta_pairing": 1)").spec);
  CHECK(load_with(R"("tile": {"m": 128})").spec);
  CHECK(load_with(R"("cta_pairing": 2)").spec);
}

TEST_CASE("w4a4 rules: the cluster is the CTA group") {
  for (const char *cluster : {"[1, 1]", "[4, 1]", "[2, 2]", "[3, 1]", "[16, 16]", "[1, 2]"}) {
    check_rule(std::string(R"("cta_pairing": 2, "cluster": )") + cluster, "spec.cluster-shape", "cluster");
  }
  check_rule(R"("cta_pairing": 1, "cluster": [2, 1])", "spec.cluster-shape", "cluster");
  check_rule(R"("tile": {"m": 256}, "cluster": [1, 1])", "spec.cluster-shape", "cluster");
  check_rule(R"("cluster": [4, 1])", "spec.cluster-shape", "cluster");
  CHECK_THAT(load_with(R"("cta_pairing": 2, "cluster": [16, 2])").first().message, Catch::Contains("at most 16"));
  CHECK_THAT(load_with(R"("cta_pairing": 2, "cluster": [3, 1])").first().message, Catch::Contains("neighbouring ranks"));
  CHECK(load_with(R"("cta_pairing": 2, "cluster": [2, 1])").spec);
  CHECK(load_with(R"("cta_pairing": 1, "cluster": [1, 1])").spec);
  CHECK(load_with(R"("cluster": [2, 1])").spec);
  CHECK(load_with(R"("cluster": [1, 1])").spec);
}

TEST_CASE("w4a4 rules: K fills whole scale atoms") {
  const std::string mxfp4 = R"("quant": {"scheme": "mxfp4"})";
  const auto with_k = [&](const std::string &members, const std::string &k) {
    return load_with(members, {"problem.k=" + k});
  };
  CHECK(with_k(mxfp4, "64").findings() == std::vector<std::string>{"spec.k-granularity problem.k"});
  CHECK_THAT(with_k(mxfp4, "64").first().message, Catch::Contains("nearest legal value: 128"));
  CHECK_THAT(with_k(mxfp4, "3008").first().message, Catch::Contains("nearest legal values: 2944 and 3072"));
  CHECK(with_k(mxfp4, "128").spec);
  CHECK(with_k("", "64").spec);
  CHECK(with_k("", "96").findings() == std::vector<std::string>{"spec.out-of-range problem.k"});
}

TEST_CASE("w4a4 rules: accumulators fit beside the scales") {
  check_rule(R"("tile": {"n": 128}, "accumulators": "overlapped")", "spec.overlap-needs-n256", "accumulators");
  check_rule(R"("tile": {"n": 256}, "accumulators": "double")", "spec.double-needs-n192", "accumulators");
  check_rule(R"("accumulators": "overlapped", "ordering": "strict")", "spec.strict-no-overlap", "ordering");
  CHECK(load_with(R"("tile": {"n": 256}, "accumulators": "overlapped")").spec);
  CHECK(load_with(R"("tile": {"n": 192}, "accumulators": "double", "ordering": "strict")").spec);
  CHECK(load_with(R"("tile": {"n": 256}, "accumulators": "single", "ordering": "strict")").spec);
  CHECK(load_with(R"("accumulators": "overlapped")").spec);
}

TEST_CASE("w4a4 rules: LoRA stages need dedicated memory") {
  check_rule(R"("lora": {"rank": 32, "placement": "ring", "stages": 2})", "spec.lora-stages-without-dedicated", "lora.stages");
  check_rule(R"("lora": {"rank": 32, "stages": 2})", "spec.lora-stages-without-dedicated", "lora.stages");
  CHECK(load_with(R"("lora": {"rank": 32, "placement": "dedicated", "stages": 2})").spec);
  CHECK(load_with(R"("lora": {"rank": 32, "placement": "ring", "stages": "auto"})").spec);
  // A misspelt placement is one problem, not two.
  CHECK(load_with(R"("lora": {"rank": 32, "placement": "dedicted", "stages": 2})").findings() ==
        std::vector<std::string>{"spec.not-a-choice lora.placement"});
}

TEST_CASE("w4a4 rules: fp16 LoRA must be known to fit") {
  check_rule(R"("lora": {"rank": 32, "type": "fp16"})", "spec.fp16-lora-range", "lora.type");
  check_rule(R"("lora": {"rank": 32, "type": "fp16", "folded_amax": 65505})", "spec.fp16-lora-range", "lora.folded_amax");
  CHECK(load_with(R"("lora": {"rank": 32, "type": "fp16", "folded_amax": 65504})").spec);
  CHECK(load_with(R"("lora": {"rank": 0, "type": "fp16"})").spec);
  CHECK(load_with(R"("lora": {"rank": 32, "type": "bf16", "folded_amax": 1e30})").spec);
  CHECK(load_with(R"("lora": {"rank": 32, "type": "fp16", "folded_amax": -1})").findings() ==
        std::vector<std::string>{"spec.out-of-range lora.folded_amax"});
}
