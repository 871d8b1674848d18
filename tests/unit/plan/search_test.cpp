// SPDX-License-Identifier: Apache-2.0
// The search over autos, the reasons of refusals, and suggestions that do what they say.
#include "generator/laws/closed_form.h"
#include "generator/plan/explain.h"
#include "tests/catch.h"
#include "tests/unit/plan/plan_fixture.h"

#include <algorithm>

using namespace warpwright;
using test::b200;
using test::make_spec;

namespace {

using Sets = std::vector<std::string>;

const Sets kAllAuto = {"tile.m=\"auto\"",
                       "tile.n=\"auto\"",
                       "tile.k=\"auto\"",
                       "cta_pairing=\"auto\"",
                       "cluster=\"auto\"",
                       "accumulators=\"auto\"",
                       "pipeline_depth=\"auto\"",
                       "epilogue.staging_cols=\"auto\"",
                       "epilogue.staging_buffers=\"auto\"",
                       "rasterisation.along=\"auto\"",
                       "rasterisation.group=\"auto\""};

plan::Candidate best(const spec::KernelSpec &spec) {
  return plan::best_candidate(spec, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm());
}

/// Every spec that the suggestions are tried on: dedicated LoRA, fp32 staging, narrow tiles, autos.
std::vector<spec::KernelSpec> assorted_specs() {
  return {
      make_spec({"pipeline_depth=\"auto\""}),
      make_spec({"pipeline_depth=4", "epilogue.output=\"fp32\""}),
      make_spec({"pipeline_depth=\"auto\"", "tile.n=128", "accumulators=\"double\"", "lora.rank=128",
                 "lora.placement=\"dedicated\"", "lora.stages=2"}),
      make_spec({"pipeline_depth=\"auto\"", "lora.rank=256", "lora.placement=\"dedicated\"",
                 "epilogue.staging_cols=\"auto\""}),
      make_spec({"tile.m=128", "cta_pairing=1", "cluster=[1,1]", "pipeline_depth=\"auto\""}),
      make_spec({"ordering=\"strict\"", "accumulators=\"single\"", "pipeline_depth=\"auto\"", "lora.rank=32",
                 "lora.placement=\"ring\""}),
  };
}

}  // namespace

TEST_CASE("search: with every field auto the pair's largest tile is chosen and no field stays open") {
  const plan::Candidate chosen = best(make_spec(kAllAuto));
  REQUIRE(chosen.plan.has_value());
  CHECK(chosen.spec.integer("tile.m") == 256);
  CHECK(chosen.spec.integer("tile.n") == 256);
  CHECK(chosen.spec.text("accumulators") == "overlapped");
  CHECK(w4a4_lora_gemm_plan().domains(chosen.spec).empty());
}

TEST_CASE("search: written fields are kept, whatever else is auto") {
  Sets sets = kAllAuto;
  sets.push_back("cta_pairing=1");
  sets.push_back("pipeline_depth=3");
  const plan::Candidate chosen = best(make_spec(sets));
  REQUIRE(chosen.plan.has_value());
  CHECK(chosen.spec.integer("tile.m") == 128);
  CHECK(chosen.spec.integer("pipeline_depth") == 3);
}

TEST_CASE(
    "search: candidates vary tiles, staging and LoRA placement; the chosen one is first, the slowest planned last") {
  Sets sets = kAllAuto;
  sets.push_back("lora.rank=128");
  const auto candidates =
      plan::enumerate_candidates(make_spec(sets), w4a4_lora_gemm_plan(), b200(), laws::ClosedForm());
  for (const char *path : {"tile.m", "tile.n", "tile.k", "epilogue.staging_cols", "epilogue.staging_buffers",
                           "lora.placement", "lora.stages"}) {
    INFO(path);
    const std::string first = candidates.front().spec.at(path).to_json();
    CHECK(std::any_of(candidates.begin(), candidates.end(),
                      [&](const plan::Candidate &other) { return other.spec.at(path).to_json() != first; }));
  }
  CHECK(candidates.front().spec.canonical_json() == best(make_spec(sets)).spec.canonical_json());
  double fastest_us = candidates.front().score_us;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (candidates[i].plan) fastest_us = std::min(fastest_us, candidates[i].score_us);
    // Rejected ones come last, each with a reason.
    CHECK((candidates[i - 1].plan.has_value() || !candidates[i].plan.has_value()));
    if (!candidates[i].plan) CHECK(candidates[i].diagnostics.has_errors());
    if (i > 1 && candidates[i].plan) CHECK(candidates[i - 1].score_us <= candidates[i].score_us);
  }
  CHECK(candidates.front().score_us <= fastest_us * 1.02);
}

TEST_CASE("search: the largest depth is the one that trying all of them finds") {
  for (const spec::KernelSpec &spec : assorted_specs()) {
    const spec::KernelSpec resolved = best(spec).spec;
    INFO(resolved.canonical_json());
    CHECK(plan::largest_depth(resolved, w4a4_lora_gemm_plan(), b200()) == test::deepest_that_fits(resolved));
  }
  // One CTA, 256 columns, rank 256 in dedicated slots: 196,608 B of LoRA leave no room for two stages.
  const auto nothing_fits = make_spec({"tile.m=128", "cta_pairing=1", "cluster=[1,1]", "lora.rank=256",
                                       "lora.placement=\"dedicated\"", "lora.stages=1"});
  CHECK(plan::largest_depth(nothing_fits, w4a4_lora_gemm_plan(), b200()) == 0);
}

TEST_CASE("search: every change that is said to give one more stage gives it, applied to the user's own spec") {
  size_t changes = 0;
  for (const spec::KernelSpec &spec : assorted_specs()) {
    const plan::Candidate chosen = best(spec);
    REQUIRE(chosen.plan.has_value());
    const plan::Marginal marginal =
        plan::explain_depth(*chosen.plan, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm());
    CHECK(marginal.depth == chosen.spec.integer("pipeline_depth"));
    for (const plan::TriedChange &tried : marginal.changes) {
      INFO(tried.change.flags());
      const plan::Candidate changed = best(plan::apply_change(spec, tried.change));
      REQUIRE(changed.plan.has_value());
      CHECK(changed.spec.integer("pipeline_depth") == marginal.depth + 1);
      CHECK(tried.depth == marginal.depth + 1);
      ++changes;
    }
  }
  CHECK(changes >= 12);
}

TEST_CASE("search: the marginal cost of a stage is its operands and two barriers, and names what is in the way") {
  const plan::Candidate chosen = best(make_spec({"pipeline_depth=\"auto\""}));
  const plan::Marginal marginal = plan::explain_depth(*chosen.plan, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm());
  CHECK(marginal.needed_bytes == 38912 + 16);
  CHECK(marginal.free_bytes == chosen.plan->kernels[0].smem.slack_bytes());
  CHECK(marginal.missing_bytes() == marginal.needed_bytes - marginal.free_bytes);
  REQUIRE(marginal.blockers_bytes.size() == 1);
  CHECK(marginal.blockers_bytes[0].first == "staging");
  CHECK(marginal.blockers_bytes[0].second == 32768);
}

TEST_CASE("search: dedicated LoRA of rank 128 is in the way of a stage, and the ring is among the changes") {
  const plan::Candidate chosen =
      best(make_spec({"pipeline_depth=\"auto\"", "tile.n=128", "accumulators=\"double\"", "lora.rank=128",
                      "lora.placement=\"dedicated\"", "lora.stages=2", "epilogue.staging_buffers=1"}));
  const plan::Marginal marginal = plan::explain_depth(*chosen.plan, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm());
  CHECK(marginal.depth == 4);
  CHECK(marginal.blockers_bytes.front().first == "lora_act");
  std::vector<std::string> flags;
  for (const plan::TriedChange &tried : marginal.changes) flags.push_back(tried.change.flags());
  CHECK(flags.size() >= 2);
  CHECK(std::any_of(flags.begin(), flags.end(),
                    [](const std::string &text) { return text.find("lora.placement=\"ring\"") != std::string::npos; }));
  CHECK(std::any_of(flags.begin(), flags.end(),
                    [](const std::string &text) { return text.find("lora.rank=64") != std::string::npos; }));
}

TEST_CASE("search: at the spec's largest depth there is no next stage") {
  const plan::Candidate chosen =
      best(make_spec({"tile.n=64", "tile.k=128", "accumulators=\"double\"", "pipeline_depth=16"}));
  REQUIRE(chosen.plan.has_value());
  const plan::Marginal marginal = plan::explain_depth(*chosen.plan, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm());
  CHECK(marginal.at_spec_limit);
  CHECK(marginal.changes.empty());
}

TEST_CASE("search: a depth that does not fit is refused with the table, and every hint makes it plan") {
  const spec::KernelSpec spec = make_spec({"pipeline_depth=7"});
  support::Diagnostics diagnostics;
  CHECK_FALSE(plan::choose_plan(spec, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm(), diagnostics).has_value());
  REQUIRE(diagnostics.all().size() == 1);
  const support::Diagnostic &error = diagnostics.all()[0];
  CHECK(error.slug == "plan.smem-over-budget");
  CHECK(error.path == "pipeline_depth");
  // 7 x 38,912 + 32,768 of staging + 16 barriers + 4.
  CHECK(error.message ==
        "7 stages need 305,284 B of shared memory; sm_100a allows 232,448 B per CTA (over by 72,836 B)");
  REQUIRE(error.notes.size() == 1);
  CHECK(error.notes[0].find("a_tile") != std::string::npos);
  CHECK(error.notes[0].find("over by") != std::string::npos);
  REQUIRE_FALSE(error.hints.empty());
  CHECK(error.hints[0] == "--set pipeline_depth=5  # 5 stages fit");

  const auto changes = plan::changes_that_plan(spec, spec, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm(), {});
  CHECK(changes.size() >= 2);
  for (const plan::TriedChange &tried : changes) {
    INFO(tried.change.flags());
    CHECK(best(plan::apply_change(spec, tried.change)).plan.has_value());
  }
}

TEST_CASE("search: where the depth is auto and nothing fits, the smallest depth is the one that is refused") {
  const spec::KernelSpec spec = make_spec({"tile.m=128", "cta_pairing=1", "cluster=[1,1]", "pipeline_depth=\"auto\"",
                                           "lora.rank=256", "lora.placement=\"dedicated\"", "lora.stages=1"});
  support::Diagnostics diagnostics;
  CHECK_FALSE(plan::choose_plan(spec, w4a4_lora_gemm_plan(), b200(), laws::ClosedForm(), diagnostics).has_value());
  REQUIRE(diagnostics.has_slug("plan.smem-over-budget"));
  CHECK(diagnostics.all()[0].message.rfind("2 stages need", 0) == 0);
}

TEST_CASE("search: less tensor memory than the columns need is refused with their table") {
  target::SmTarget small = b200();
  small.tmem_cols = 448;
  support::Diagnostics diagnostics;
  CHECK_FALSE(w4a4_lora_gemm_plan().plan(make_spec({}), small, diagnostics).has_value());
  REQUIRE(diagnostics.has_slug("plan.tmem-over-budget"));
  CHECK(diagnostics.all()[0].notes[0].find("acc1") != std::string::npos);
  CHECK(w4a4_lora_gemm_plan().budget(make_spec({}), small).excess_bytes() == (512 - 448) * 512);
}

TEST_CASE("search: strict ordering has as many copies of the scales as fit, up to four, and needs two") {
  const auto copies = [](const Sets &sets, int64_t tmem_cols) -> int64_t {
    target::SmTarget target = b200();
    target.tmem_cols = tmem_cols;
    support::Diagnostics diagnostics;
    const auto made = w4a4_lora_gemm_plan().plan(make_spec(sets), target, diagnostics);
    if (made) return made->kernels[0].constant("kScaleCopies");
    return diagnostics.has_slug("plan.strict-needs-scale-copies") ? 0 : -1;
  };
  const Sets narrow = {"ordering=\"strict\"", "accumulators=\"double\"", "tile.n=192"};
  CHECK(copies(narrow, 512) == 2);
  CHECK(copies(narrow, 448) == 0);
  CHECK(copies({"ordering=\"strict\"", "accumulators=\"single\""}, 512) == 4);
  CHECK(copies({}, 512) == 1);
}

TEST_CASE("search: strict ordering waits by barrier where pipe ordering relies on the tensor pipe") {
  const auto strict =
      best(make_spec({"ordering=\"strict\"", "accumulators=\"single\"", "lora.rank=32", "lora.placement=\"ring\""}));
  REQUIRE(strict.plan.has_value());
  const plan::KernelPlan &kernel = strict.plan->kernels[0];
  CHECK(kernel.barrier("scales_empty").count == kernel.constant("kScaleCopies"));
  CHECK(kernel.barrier("kinds_full").arrivals == 1);
  const auto pipe = best(make_spec({"lora.rank=32", "lora.placement=\"ring\""}));
  CHECK_THROWS_AS(pipe.plan->kernels[0].barrier("scales_empty"), support::InternalError);
  CHECK_THROWS_AS(pipe.plan->kernels[0].barrier("kinds_full"), support::InternalError);
}
