// SPDX-License-Identifier: Apache-2.0
// What holds of every plan, over random specs.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/laws/closed_form.h"
#include "generator/plan/check_plan.h"
#include "generator/plan/kernel_name.h"
#include "generator/plan/report.h"
#include "tests/catch.h"

#include <algorithm>

#include <rapidcheck.h>

using namespace warpwright;

namespace {

spec::KernelSpec random_spec() {
  const auto pick = [](std::initializer_list<const char *> words) {
    return std::string(*rc::gen::elementOf(std::vector<const char *>(words)));
  };
  const std::string pairing = pick({"1", "2"});
  const std::string rank = pick({"0", "16", "32", "80", "128", "256"});
  std::vector<std::string> overrides = {"quant.scheme=\"" + pick({"nvfp4", "mxfp4"}) + "\"",
                                        "cta_pairing=" + pairing,
                                        "tile.m=" + std::string(pairing == "2" ? "256" : "128"),
                                        "tile.n=" + pick({"64", "128", "192", "256"}),
                                        "tile.k=" + pick({"128", "256"}),
                                        "lora.rank=" + rank,
                                        "lora.placement=\"" + pick({"ring", "dedicated", "auto"}) + "\"",
                                        "epilogue.output=\"" + pick({"bf16", "fp16", "fp32"}) + "\"",
                                        "epilogue.staging_cols=" + pick({"32", "64"}),
                                        "epilogue.staging_buffers=" + pick({"1", "2", "3"}),
                                        "epilogue.activation=\"" + pick({"none", "silu", "gelu"}) + "\""};
  support::Diagnostics diagnostics;
  auto loaded = spec::load_spec_text("random.json", R"({"edition": 1, "family": "w4a4_lora_gemm", "arch": "sm_100a",
      "problem": {"n": 3072, "k": 3840}})",
                                     overrides, {&w4a4_lora_gemm::family_spec()}, diagnostics);
  RC_ASSERT(loaded.has_value());
  return *loaded;
}

const target::SmTarget &sm100a() { return *target::find_target("sm_100a"); }

plan::Candidate planned() {
  plan::Candidate best = plan::best_candidate(random_spec(), w4a4_lora_gemm_plan(), sm100a(), laws::ClosedForm());
  RC_PRE(best.plan.has_value());
  return best;
}

bool overlap(int64_t first, int64_t size, int64_t other, int64_t other_size) {
  return first < other + other_size && other < first + size;
}

}  // namespace

TEST_CASE("plan: regions and columns overlap only where they say so") {
  CHECK(rc::check([] {
    const plan::KernelPlan kernel = planned().plan->kernels[0];
    const auto &regions = kernel.smem.regions;
    for (size_t i = 0; i < regions.size(); ++i) {
      RC_ASSERT(regions[i].offset_bytes % regions[i].align_bytes == 0);
      RC_ASSERT(regions[i].offset_bytes + regions[i].total_bytes() <= kernel.smem.limit_bytes);
      for (size_t j = i + 1; j < regions.size(); ++j)
        RC_ASSERT(!overlap(regions[i].offset_bytes, regions[i].total_bytes(), regions[j].offset_bytes,
                           regions[j].total_bytes()));
    }
    const auto &ranges = kernel.tmem.ranges;
    for (size_t i = 0; i < ranges.size(); ++i)
      for (size_t j = i + 1; j < ranges.size(); ++j) {
        bool shares = false;
        for (const std::string &part : ranges[i].parts)
          shares = shares || std::count(ranges[j].parts.begin(), ranges[j].parts.end(), part) > 0;
        RC_ASSERT(shares == overlap(ranges[i].first_col, ranges[i].cols, ranges[j].first_col, ranges[j].cols));
      }
    RC_ASSERT(kernel.tmem.used_cols <= kernel.tmem.limit_cols);
  }));
}

TEST_CASE(
    "plan: a region's bytes are those of the copies that fill it, and a barrier expects their sum over the CTAs") {
  CHECK(rc::check([] {
    const plan::KernelPlan kernel = planned().plan->kernels[0];
    for (const plan::Channel &channel : kernel.channels) {
      std::map<std::string, int64_t> filled;
      for (const plan::Payload &payload : channel.payloads) {
        std::map<std::string, int64_t> bytes;
        for (const plan::Copy &copy : payload.copies) bytes[copy.region] += copy.bytes();
        for (const auto &[region, sum] : bytes) filled[region] = std::max(filled[region], sum);
        int64_t expected = 0;
        for (const plan::ExpectedBytes &expect : kernel.barrier(channel.name + "_full").expects)
          if (expect.payload == payload.name) expected += expect.bytes;
        RC_ASSERT(expected == kernel.cta_group * payload.cta_bytes());
      }
      for (const auto &[region, bytes] : filled) RC_ASSERT(kernel.region(region).stage_bytes == bytes);
    }
  }));
}

TEST_CASE("plan: a sketch has the sizes of the budget at every depth, and the work of the plan") {
  CHECK(rc::check([] {
    const plan::Candidate best = planned();
    const plan::FamilyPlan &family = w4a4_lora_gemm_plan();
    for (int64_t depth = family.depth_min; depth <= family.depth_max; ++depth) {
      const spec::KernelSpec at_depth = best.spec.with(family.depth_path, spec::integer_value(depth));
      RC_ASSERT(family.sketch(best.spec, sm100a())->sizes(depth) == family.budget(at_depth, sm100a()).sizes());
      support::Diagnostics diagnostics;
      const auto plan = family.plan(at_depth, sm100a(), diagnostics);
      if (!plan) continue;
      const auto work = family.sketch(best.spec, sm100a())->work(depth);
      RC_ASSERT(work.has_value());
      RC_ASSERT(*work == plan::work_of(*plan));
    }
    const auto strict = best.spec.with("ordering", spec::text_value("strict"));
    support::Diagnostics refused;
    if (family.budget(strict, sm100a()).excess_bytes() > 0) return;
    const bool plans = family.plan(strict, sm100a(), refused).has_value();
    RC_ASSERT(family.sketch(strict, sm100a())->work(best.spec.integer(family.depth_path)).has_value() == plans);
  }));
}

TEST_CASE("plan: the depth is the largest that fits") {
  CHECK(rc::check([] {
    const plan::Candidate best = planned();
    const plan::FamilyPlan &family = w4a4_lora_gemm_plan();
    const int64_t depth = best.plan->spec.integer(family.depth_path);
    if (depth == family.depth_max) return;
    const auto deeper = best.plan->spec.with(family.depth_path, spec::integer_value(depth + 1));
    RC_ASSERT(family.budget(deeper, sm100a()).excess_bytes() > 0);
  }));
}

TEST_CASE("plan: a kernel's name parses back to what it was made from") {
  CHECK(rc::check([] {
    const std::string name = planned().plan->kernels[0].name;
    const auto key = plan::parse_kernel_name(name);
    RC_ASSERT(key.has_value());
    RC_ASSERT(plan::format_kernel_name(*key) == name);
  }));
}

TEST_CASE(
    "plan: every change that is said to give one more stage, or to make a spec plan, does so on the spec as written") {
  CHECK(rc::check([] {
    const spec::KernelSpec spec = random_spec();
    const plan::FamilyPlan &family = w4a4_lora_gemm_plan();
    const laws::ClosedForm scorer;
    const plan::Candidate best = plan::best_candidate(spec, family, sm100a(), scorer);
    RC_PRE(best.plan.has_value());
    const plan::Marginal marginal = plan::explain_depth(*best.plan, family, sm100a(), scorer);
    for (const plan::TriedChange &tried : marginal.changes) {
      const plan::Candidate changed =
          plan::best_candidate(plan::apply_change(spec, tried.change), family, sm100a(), scorer);
      RC_ASSERT(changed.plan.has_value());
      RC_ASSERT(changed.plan->spec.integer(family.depth_path) == marginal.depth + 1);
    }
    const auto too_deep = best.spec.with(family.depth_path, spec::integer_value(family.depth_max));
    if (family.budget(too_deep, sm100a()).excess_bytes() == 0) return;
    const auto changes = plan::changes_that_plan(too_deep, too_deep, family, sm100a(), scorer, {});
    RC_ASSERT(!changes.empty());
    for (const plan::TriedChange &tried : changes)
      RC_ASSERT(
          plan::best_candidate(plan::apply_change(too_deep, tried.change), family, sm100a(), scorer).plan.has_value());
  }));
}

TEST_CASE("plan: a plan obeys the rules that edited plans are held to, and reads back from its JSON") {
  CHECK(rc::check([] {
    const plan::OperatorPlan op = *planned().plan;
    const std::string text = plan::plan_json(op);
    support::Diagnostics diagnostics;
    const auto placed = plan::read_plan("plan.json", text, {&w4a4_lora_gemm::family_spec()}, diagnostics);
    RC_ASSERT(placed.has_value());
    RC_ASSERT(plan::plan_json(placed->plan) == text);
    plan::check_plan(*placed, sm100a(), diagnostics);
    RC_ASSERT(diagnostics.all().empty());
  }));
}
