// SPDX-License-Identifier: Apache-2.0
// Specs of w4a8_gemm: the field table, and rules between fields that each refuse and each have a legal neighbour.
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/families/w4a8_gemm/spec.h"
#include "generator/support/files.h"
#include "tests/catch.h"

using namespace warpwright;
using Findings = std::vector<std::string>;

namespace {

struct Loaded {
  std::optional<spec::KernelSpec> spec;
  support::Diagnostics found;
  Findings findings() const {
    Findings out;
    for (const support::Diagnostic &d : found.all()) out.push_back(d.slug + " " + d.path);
    return out;
  }
};

Loaded load(const std::string &text, const std::vector<std::string> &overrides = {}) {
  Loaded out;
  out.spec = spec::load_spec_text("t.json", text, overrides, {&w4a8_gemm::family_spec()}, out.found);
  return out;
}

Loaded load_with(const std::vector<std::string> &sets) {
  return load(R"({"edition": 1, "family": "w4a8_gemm", "problem": {"n": 4096, "k": 4096}})", sets);
}

/// The values are refused by `slug` at `path` alone, and every hint, applied, mends them.
void check_rule(const std::vector<std::string> &sets, const std::string &slug, const std::string &path) {
  const Loaded loaded = load_with(sets);
  INFO(loaded.found.render());
  CHECK_FALSE(loaded.spec);
  REQUIRE(loaded.findings() == Findings{slug + " " + path});
  const support::Diagnostic &d = loaded.found.all().at(0);
  CHECK_THAT(d.message, Catch::Contains("nearest legal value"));
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0], Catch::StartsWith("source: "));
  REQUIRE_FALSE(d.hints.empty());
  for (std::string hint : d.hints) {
    REQUIRE(hint.rfind("--set ", 0) == 0);
    hint = hint.substr(6);
    if (hint.front() == '\'') hint = hint.substr(1, hint.size() - 2);
    std::vector<std::string> mended = sets;
    mended.push_back(hint);
    INFO(hint);
    CHECK(load_with(mended).spec);
  }
}

std::string committed(const std::string &path) {
  std::string why;
  return support::read_file(WARPWRIGHT_SOURCE_DIR "/" + path, why).value_or("");
}

}  // namespace

TEST_CASE("w4a8 spec: absent fields have their defaults") {
  const Loaded loaded = load_with({});
  REQUIRE(loaded.spec);
  CHECK(loaded.spec->arch == "sm_90a");
  CHECK(loaded.spec->at("problem.m").is_dynamic());
  CHECK(loaded.spec->text("quant.group") == "64");
  CHECK(loaded.spec->text("quant.dequant") == "u8");
  CHECK(loaded.spec->integer("tile.k") == 128);
  CHECK(loaded.spec->text("epilogue.output") == "bf16");
  CHECK_FALSE(loaded.spec->flag("epilogue.column_scale"));
  CHECK_FALSE(loaded.spec->flag("epilogue.bias"));
  CHECK(loaded.spec->integer("lora.rank") == 0);
  CHECK(loaded.spec->flag("programmatic_dependent_launch"));
  for (const char *path : {"tile.m", "tile.n", "compute_warpgroups", "pipeline_depth", "split_k"}) CHECK(loaded.spec->is_auto(path));
}

TEST_CASE("w4a8 spec: starter specs load, with every field or without") {
  const spec::FamilySpec &family = w4a8_gemm::family_spec();
  const Loaded brief = load(spec::starter_spec(family, false)), full = load(spec::starter_spec(family, true));
  INFO(brief.found.render() << full.found.render());
  REQUIRE(brief.spec);
  REQUIRE(full.spec);
  CHECK(brief.spec->canonical_json() == full.spec->canonical_json());
  CHECK(brief.spec->integer("problem.n") == 12288);
  for (const spec::Field &field : family.fields) {
    INFO(field.path);
    CHECK(field.text.back() == '.');
    if (!field.required && !field.default_value.is_auto())
      CHECK(load_with({field.path + "=" + field.default_value.to_json()}).spec);
  }
}

TEST_CASE("w4a8 spec: the longest K is the longest whose sums stay in s32, and can be packed") {
  CHECK(w4a8_gemm::kMostK * 255 * 128 <= INT32_MAX);
  CHECK((w4a8_gemm::kMostK + 64) * 255 * 128 > INT32_MAX);
  CHECK(w4a8_gemm::fits(64, w4a8_gemm::kMostK, 64));
  CHECK(load_with({"problem.k=65792"}).spec);
  CHECK(load_with({"problem.k=65856"}).findings() == Findings{"spec.out-of-range problem.k"});
  CHECK(load_with({"problem.k=4128"}).findings() == Findings{"spec.out-of-range problem.k"});
  CHECK(load_with({"problem.n=96"}).findings() == Findings{"spec.out-of-range problem.n"});
}

TEST_CASE("w4a8 rules: K is a multiple of the group, and LQQ needs groups") {
  check_rule({"problem.k=1728", "quant.group=\"128\""}, "spec.k-group", "problem.k");
  check_rule({"problem.k=64", "quant.group=\"128\""}, "spec.k-group", "problem.k");
  CHECK_THAT(load_with({"problem.k=1728", "quant.group=\"128\""}).found.all().at(0).message,
             Catch::Contains("nearest legal values: 1664 and 1792"));
  CHECK(load_with({"problem.k=1728"}).spec);
  CHECK(load_with({"problem.k=1728", "quant.group=channel"}).spec);
  CHECK(load_with({"problem.k=1792", "quant.group=\"128\""}).spec);
  check_rule({"quant.dequant=lqq", "quant.group=channel"}, "spec.lqq-needs-group", "quant.dequant");
  CHECK(load_with({"quant.dequant=lqq", "quant.group=\"128\""}).spec);
}

TEST_CASE("w4a8 spec: a rank is a multiple of 16 up to 128") {
  for (const char *rank : {"lora.rank=16", "lora.rank=48", "lora.rank=128"}) CHECK(load_with({rank, "lora.type=fp16"}).spec);
  for (const char *rank : {"lora.rank=8", "lora.rank=144", "lora.rank=-16"})
    CHECK(load_with({rank}).findings() == Findings{"spec.out-of-range lora.rank"});
}

TEST_CASE("w4a8 rules: warpgroups have 64 channels each and registers for their tokens") {
  check_rule({"compute_warpgroups=4", "tile.n=128"}, "spec.warpgroups-need-channels", "compute_warpgroups");
  check_rule({"compute_warpgroups=3", "tile.n=256"}, "spec.warpgroups-need-channels", "compute_warpgroups");
  check_rule({"compute_warpgroups=4", "tile.n=256", "tile.m=96"}, "spec.accumulator-registers", "tile.m");
  check_rule({"compute_warpgroups=7", "tile.n=448", "tile.m=32"}, "spec.accumulator-registers", "tile.m");
  check_rule({"compute_warpgroups=2", "tile.m=128", "tile.n=256"}, "spec.accumulator-registers", "tile.m");
  check_rule({"compute_warpgroups=2", "tile.m=256"}, "spec.accumulator-registers", "tile.m");
  check_rule({"compute_warpgroups=1", "tile.m=192", "tile.n=192"}, "spec.accumulator-registers", "tile.m");
  CHECK(load_with({"compute_warpgroups=4", "tile.n=256", "tile.m=64"}).spec);
  CHECK(load_with({"compute_warpgroups=4"}).spec);
  CHECK(load_with({"compute_warpgroups=7", "tile.n=448", "tile.m=16"}).spec);
  CHECK(load_with({"compute_warpgroups=1", "tile.m=192", "tile.n=64"}).spec);
  // ptxas spills these where the epilogue is long.
  check_rule({"compute_warpgroups=2", "tile.m=192", "tile.n=128"}, "spec.accumulator-registers", "tile.m");
  check_rule({"compute_warpgroups=2", "tile.m=96", "tile.n=256"}, "spec.accumulator-registers", "tile.m");
  CHECK(load_with({"compute_warpgroups=1", "tile.m=256", "tile.n=64"}).spec);
  CHECK(load_with({"tile.m=64", "tile.n=256", "compute_warpgroups=2"}).spec);
}

TEST_CASE("w4a8 rules: registers of a thread by warpgroups, warps dealt among four partitions") {
  // 6, 10, 14, 18, 22, 26 and 30 warps: at most 2, 3, 4, 5, 6, 7 and 8 on one partition.
  const std::vector<int64_t> expected = {255, 168, 128, 96, 80, 72, 64};
  for (int64_t warpgroups = 1; warpgroups <= 7; ++warpgroups)
    CHECK(w4a8_gemm::thread_registers(warpgroups) == expected[static_cast<size_t>(warpgroups - 1)]);
  CHECK(w4a8_gemm::most_warpgroups(16) == 7);
  CHECK(w4a8_gemm::most_warpgroups(64) == 4);
  CHECK(w4a8_gemm::most_warpgroups(192) == 1);
  CHECK(w4a8_gemm::most_warpgroups(256) == 1);
}

TEST_CASE("w4a8 rules: a split of K has whole blocks") {
  check_rule({"problem.k=1344", "split_k=4"}, "spec.uneven-splits", "split_k");
  check_rule({"problem.k=384", "split_k=8"}, "spec.uneven-splits", "split_k");
  CHECK_THAT(load_with({"problem.k=384", "split_k=4"}).found.all().at(0).message, Catch::Contains("nearest legal value: 3"));
  CHECK(load_with({"problem.k=1280", "split_k=4"}).spec);
  CHECK(load_with({"problem.k=1088", "split_k=1"}).spec);
  CHECK(load_with({"split_k=9"}).findings() == Findings{"spec.out-of-range split_k"});
}

TEST_CASE("w4a8 spec: the committed schema and field table are those of the code") {
  const spec::FamilySpec &family = w4a8_gemm::family_spec();
  CHECK(committed("configs/schemas/w4a8_gemm.schema.json") == spec::json_schema(family));
  CHECK_THAT(committed("generator/families/w4a8_gemm/README.md"), Catch::Contains("\n" + spec::markdown_table(family) + "<!-- fields: end -->"));
}
