// SPDX-License-Identifier: Apache-2.0
// The W4A4 matrix: half of it plans, refusals are counted, and every refusal has a way out that was tried.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/laws/closed_form.h"
#include "generator/plan/explain.h"
#include "generator/plan/repair.h"
#include "tests/catch.h"
#include "tests/property/plan/matrix.h"

#include <cstdlib>
#include <fstream>

using namespace warpwright;

namespace {

const target::SmTarget &sm100a() { return *target::find_target("sm_100a"); }

bool plans(const spec::KernelSpec &spec) { return plan::can_plan(spec, w4a4_lora_gemm_plan(), sm100a()); }

void check_golden(const std::string &text) {
  const std::string golden = WARPWRIGHT_SOURCE_DIR "/tests/golden/w4a4_matrix.txt";
  if (const char *update = std::getenv("WARPWRIGHT_UPDATE_GOLDENS"); update && std::string(update) == "1")
    std::ofstream(golden) << text;
  std::ifstream file(golden);
  INFO("to accept: WARPWRIGHT_UPDATE_GOLDENS=1 and run this test again");
  REQUIRE(file);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
}

/// Checks the faults of a refused spec and their way out; returns how many changes that takes.
size_t check_refusal(const spec::KernelSpec &spec, std::map<std::string, size_t> &counts) {
  const plan::FamilyPlan &family = w4a4_lora_gemm_plan();
  support::Diagnostics faults;
  plan::report_faults(spec, family, sm100a(), laws::ClosedForm(), faults);
  INFO(spec.canonical_json() << faults.render());
  for (const support::Diagnostic &fault : faults.all()) {
    ++counts[fault.slug];
    CHECK_FALSE(fault.hints.empty());
  }
  const auto repair = plan::find_repair(spec, family, sm100a());
  REQUIRE(repair.has_value());
  spec::KernelSpec repaired = spec;
  for (const plan::Change &change : repair->changes) {
    // One field, to a legal value of it.
    REQUIRE(change.sets.size() == 1);
    repaired = plan::apply_change(repaired, change);
  }
  CHECK(plans(repaired));
  // As many errors as changes, at least: one error means that a neighbour plans.
  CHECK(static_cast<size_t>(faults.error_count()) >= repair->changes.size());
  return repair->changes.size();
}

}  // namespace

TEST_CASE("matrix: half plans, refusals and the changes that they are away from a plan are a golden") {
  const test::Matrix matrix = test::load_matrix();
  REQUIRE(matrix.points.size() >= 2000);
  std::map<std::string, size_t> counts;
  std::map<size_t, size_t> away;
  size_t planned = 0;
  for (const auto &point : matrix.points) {
    const spec::KernelSpec spec = test::spec_without_rules(matrix, point);
    if (plans(spec)) {
      ++planned;
    } else {
      ++away[check_refusal(spec, counts)];
    }
  }
  CHECK(2 * planned >= matrix.points.size());
  std::string text = "plans " + std::to_string(planned) + "\n";
  for (const auto &[changes, count] : away)
    text += "refused, " + std::to_string(changes) + " away " + std::to_string(count) + "\n";
  for (const auto &[slug, count] : counts) text += slug + " " + std::to_string(count) + "\n";
  check_golden(text);
}
