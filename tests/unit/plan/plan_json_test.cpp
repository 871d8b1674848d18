// SPDX-License-Identifier: Apache-2.0
// Plans as JSON: they read back, edited ones are held to the rules, and differences are named.
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/plan/check_plan.h"
#include "generator/plan/diff.h"
#include "generator/plan/report.h"
#include "tests/catch.h"
#include "tests/unit/plan/plan_fixture.h"

#include <algorithm>

using namespace warpwright;
using test::b200;
using test::make_plan;

namespace {

using Sets = std::vector<std::string>;

std::optional<plan::PlacedPlan> read(const std::string &text, support::Diagnostics &diagnostics) {
  return plan::read_plan("edited.json", text, {&w4a4_lora_gemm::family_spec()}, diagnostics);
}

const Sets kDedicated = {"lora.rank=128", "lora.placement=\"dedicated\"", "lora.stages=2", "tile.n=128",
                         "accumulators=\"double\""};

/// The first slug that an edit of a plan's records is refused with.
std::string slug_of(const std::function<void(plan::KernelPlan &)> &edit) {
  plan::PlacedPlan placed;
  placed.plan = make_plan(kDedicated);
  edit(placed.plan.kernels[0]);
  support::Diagnostics diagnostics;
  placed.plan.facts.clear();
  plan::check_plan(placed, b200(), diagnostics);
  return diagnostics.all().empty() ? "" : diagnostics.all()[0].slug;
}

plan::SmemRegion &region(plan::KernelPlan &kernel, const std::string &name) {
  for (plan::SmemRegion &candidate : kernel.smem.regions)
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no region " + name);
}

plan::Barrier &barrier(plan::KernelPlan &kernel, const std::string &name) {
  for (plan::Barrier &candidate : kernel.barriers)
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no barrier " + name);
}

/// Lays shared memory out again, the barriers with their region.
void lay_out_again(plan::KernelPlan &kernel) {
  const int64_t before_bytes = region(kernel, "barriers").offset_bytes;
  kernel.smem = plan::plan_smem(kernel.smem.regions, kernel.smem.limit_bytes);
  kernel.launch.dynamic_smem_bytes = kernel.smem.used_bytes;
  for (plan::Barrier &each : kernel.barriers) each.offset_bytes += region(kernel, "barriers").offset_bytes - before_bytes;
}

}  // namespace

TEST_CASE("plan JSON: reads back to the same bytes, whatever the plan has") {
  for (const Sets &sets : {Sets{}, kDedicated,
                           Sets{"ordering=\"strict\"", "accumulators=\"single\"", "lora.rank=16",
                                "lora.placement=\"ring\"", "problem.m=4352"}}) {
    const std::string text = plan::plan_json(make_plan(sets));
    CHECK(plan::looks_like_plan(text));
    support::Diagnostics diagnostics;
    const auto placed = read(text, diagnostics);
    INFO(diagnostics.render());
    REQUIRE(placed.has_value());
    CHECK(plan::plan_json(placed->plan) == text);
    plan::check_plan(*placed, b200(), diagnostics);
    CHECK(diagnostics.all().empty());
  }
}

TEST_CASE("plan JSON: a plan inside what `plan --json` prints is found, a spec is no plan") {
  const std::string wrapped = "{\"plan\": " + plan::plan_json(make_plan({})) + ", \"marginal\": {}}";
  CHECK(plan::looks_like_plan(wrapped));
  support::Diagnostics diagnostics;
  CHECK(read(wrapped, diagnostics).has_value());
  CHECK_FALSE(plan::looks_like_plan(test::make_spec({}).source_text));
  CHECK_FALSE(plan::looks_like_plan("{\"plan_edition\": 1"));
}

TEST_CASE("plan JSON: a missing key, a wrong type, an unknown word and another edition are refused at their place") {
  const std::string text = plan::plan_json(make_plan({}));
  const auto edited = [&](const std::string &from, const std::string &to) {
    std::string copy = text;
    const size_t at = copy.find(from);
    REQUIRE(at != std::string::npos);
    support::Diagnostics diagnostics;
    CHECK_FALSE(read(copy.replace(at, from.size(), to), diagnostics).has_value());
    REQUIRE_FALSE(diagnostics.all().empty());
    CHECK(diagnostics.all()[0].where.line > 0);
    return diagnostics.all()[0].slug + ": " + diagnostics.all()[0].message;
  };
  CHECK(edited("\"stage_bytes\"", "\"stage_byte\"") == "plan.bad-record: \"stage_bytes\" is missing");
  CHECK(edited("\"used_bytes\": ", "\"used_bytes\": \"x\", \"was\": ") ==
        "plan.bad-record: \"used_bytes\" has the wrong type");
  CHECK(edited("\"runs_in\": \"self\"", "\"runs_in\": \"nowhere\"") ==
        "plan.bad-record: \"runs_in\" is a word that plans do not have");
  CHECK(edited("\"used_bytes\": ", "\"used_bytes\": -1, \"was\": ") ==
        "plan.bad-record: \"used_bytes\" is -1; it is 0 to 2147483647");
  CHECK(edited("\"kernels\": [", "\"kernels\": [], \"were\": [") == "plan.bad-record: \"kernels\" is empty");
  CHECK(edited("\"chain\": [", "\"chain\": [], \"was\": [") ==
        "plan.bad-record: \"chain\" has fewer than two positions");
  CHECK(edited("\"chain\": [", "\"chain\": [[], ") ==
        "plan.bad-record: a position of \"chain\" is a list of at least one owner");
  CHECK(edited("\"plan_edition\": 1", "\"plan_edition\": 2") == "plan.bad-record: not a plan of edition 1");
  CHECK(edited("{", "[").rfind("plan.not-json", 0) == 0);
}

TEST_CASE("check plan: computed plans obey the rules, and each edit breaks the one that it should") {
  CHECK(slug_of([](plan::KernelPlan &) {}) == "");
  CHECK(slug_of([](plan::KernelPlan &k) { region(k, "b_tile").offset_bytes -= 1024; }) == "plan.region-overlap");
  CHECK(slug_of([](plan::KernelPlan &k) { region(k, "a_scales").stride_bytes -= 128; }) == "plan.region-overlap");
  CHECK(slug_of([](plan::KernelPlan &k) { region(k, "tmem_address").offset_bytes += 2; }) == "plan.region-misaligned");
  CHECK(slug_of([](plan::KernelPlan &k) { k.smem.used_bytes += 16; }) == "plan.smem-total");
  CHECK(slug_of([](plan::KernelPlan &k) { k.launch.dynamic_smem_bytes -= 16; }) == "plan.smem-total");
  CHECK(slug_of([](plan::KernelPlan &k) { k.tmem.ranges[1].first_col -= 8; }) == "plan.tmem-overlap");
  CHECK(slug_of([](plan::KernelPlan &k) { k.tmem.alloc_cols = 500; }) == "plan.tmem-alloc");
  CHECK(slug_of([](plan::KernelPlan &k) { k.tmem.alloc_cols = 256; }) == "plan.tmem-alloc");
  CHECK(slug_of([](plan::KernelPlan &k) { barrier(k, "ab_full").expects[0].bytes += 16; }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { barrier(k, "acc_empty").arrivals -= 1; }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { barrier(k, "ab_empty").count -= 1; }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { k.barriers.pop_back(); }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) {
          k.barriers.push_back(k.barriers[0]);
          k.barriers.back().name = "extra";
        }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { barrier(k, "ab_full").offset_bytes += 4; }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { barrier(k, "ab_full").offset_bytes = 0; }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { barrier(k, "ab_full").offset_bytes = barrier(k, "ab_empty").offset_bytes; }) ==
        "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { k.channels[0].chain.clear(); }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { k.channels[0].chain[0].clear(); }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { k.channels[0].payloads.clear(); }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) {
          for (plan::Role &role : k.roles)
            if (role.name == "load_weights") role.runs_in = plan::CtaScope::kLeader;
        }) == "plan.barrier-mismatch");
  CHECK(slug_of([](plan::KernelPlan &k) { k.roles[2].first_warp = 4; }) == "plan.warp-overlap");
  CHECK(slug_of([](plan::KernelPlan &k) { k.launch.threads = 192; }) == "plan.too-many-threads");
  CHECK(slug_of([](plan::KernelPlan &k) { k.roles[0].registers = 512; }) == "plan.too-many-registers");
  CHECK(slug_of([](plan::KernelPlan &k) { k.roles[1].name = "tensor"; }) == "plan.unknown-name");
}

// The published bug as an edit: LoRA-up counted for the pair is a region larger than its copies.
TEST_CASE("check plan: LoRA-up counted for the pair does not match the copies that fill it") {
  CHECK(slug_of([](plan::KernelPlan &k) {
          region(k, "lora_up").stage_bytes *= 2;
          // Room for it, so that only the bytes are wrong.
          lay_out_again(k);
        }) == "plan.region-bytes");
}

TEST_CASE("check plan: memories beyond the target are refused, overlays that are declared are not") {
  CHECK(slug_of([](plan::KernelPlan &k) {
          region(k, "staging").stages = 20;
          lay_out_again(k);
        }) == "plan.smem-over-budget");
  CHECK(slug_of([](plan::KernelPlan &k) {
          region(k, "lora_up").overlay_group = region(k, "staging").overlay_group = "late";
          lay_out_again(k);
        }) == "");
}

TEST_CASE("diff: fields and figures that differ are named, equal plans have none") {
  const auto before = make_plan({"pipeline_depth=5"});
  CHECK(plan::diff_fields(before.spec, before.spec).empty());
  CHECK(plan::diff_figures(before, before).empty());
  const auto after = make_plan({"pipeline_depth=4", "epilogue.output=\"fp32\""});
  const auto fields = plan::diff_fields(before.spec, after.spec);
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].path == "epilogue.output");
  CHECK(fields[1].path == "pipeline_depth");
  CHECK(fields[1].before_json == "5");
  CHECK(fields[1].after_json == "4");
  const auto figures = plan::diff_figures(before, after);
  const auto staging = std::find_if(figures.begin(), figures.end(), [](const plan::FigureChange &change) {
    return change.what == "region staging, bytes a stage";
  });
  REQUIRE(staging != figures.end());
  CHECK(staging->before == 16384);
  CHECK(staging->after == 32768);
}

TEST_CASE("diff: a record on one side only has one figure") {
  const auto figures = plan::diff_figures(make_plan({"tile.n=128", "accumulators=\"double\""}), make_plan(kDedicated));
  const auto added = std::find_if(figures.begin(), figures.end(), [](const plan::FigureChange &change) {
    return change.what == "region lora_up, bytes a stage";
  });
  REQUIRE(added != figures.end());
  CHECK_FALSE(added->before.has_value());
  CHECK(added->after == 16384);
}

TEST_CASE("report: roles, memories, barriers and MMA slots are in the text, with the bytes of every payload") {
  const auto op = make_plan({"pipeline_depth=5", "lora.rank=32", "lora.placement=\"ring\""});
  const std::string text = plan::plan_text(op, b200());
  for (const char *words :
       {"Roles: 224 threads a CTA", "<= 255", "Shared memory of one CTA: 227,428 B of 232,448 B, slack 5,020 B",
        "[208, 464)", "part shared", "main 77,824 = load_weights 40,960 + load_activations 36,864",
        "lora 65,536 = load_weights 32,768 + load_activations 32,768", "8 x epilogue (arrive)", "both CTAs", "4.0 %"}) {
    INFO(words);
    CHECK(text.find(words) != std::string::npos);
  }
}

TEST_CASE(
    "plan records: every box of a tensor map brings the bytes that its copy counts, and a store empties a stage") {
  for (const Sets &sets : {Sets{}, kDedicated, Sets{"tile.k=128", "lora.rank=48", "lora.placement=\"ring\""},
                           Sets{"tile.n=192", "accumulators=\"double\""}, Sets{"quant.scheme=\"mxfp4\""},
                           Sets{"epilogue.output=\"fp32\""}}) {
    const auto op = make_plan(sets);
    const plan::KernelPlan &kernel = op.kernels[0];
    const auto box_bytes = [&](const plan::TensorMap &map) {
      int64_t bytes = map.element == "u8" ? 1 : map.element == "fp32" ? 4 : 2;
      for (const int64_t extent : map.box) {
        CHECK(extent >= 1);
        // CUDA Driver API 13.0, cuTensorMapEncodeTiled: a box has at most 256 elements a dimension.
        CHECK(extent <= 256);
        bytes *= extent;
      }
      CHECK(map.dims.size() == map.box.size());
      CHECK(map.strides_bytes.size() + 1 == map.dims.size());
      return bytes;
    };
    for (const plan::Channel &channel : kernel.channels)
      for (const plan::Payload &payload : channel.payloads)
        for (const plan::Copy &copy : payload.copies)
          CHECK(box_bytes(kernel.tensor_map(copy.tensor_map)) == copy.box_bytes);
    CHECK(box_bytes(kernel.tensor_map("map_out")) * kernel.constant("kStagingPanels") ==
          kernel.region("staging").stage_bytes);
  }
}
