// SPDX-License-Identifier: Apache-2.0
// Specs and plans for tests.
#include "tests/unit/plan/plan_fixture.h"

#include "generator/families/w4a4_lora_gemm/spec.h"

#include <stdexcept>

namespace warpwright::test {
namespace {

constexpr const char *kBase = R"({
  "edition": 1, "family": "w4a4_lora_gemm", "arch": "sm_100a",
  "problem": {"m": "dynamic", "n": 3072, "k": 3072},
  "tile": {"m": 256, "n": 256, "k": 256}, "cta_pairing": 2, "cluster": [2, 1],
  "pipeline_depth": 2, "accumulators": "overlapped",
  "epilogue": {"staging_cols": 64, "staging_buffers": 2},
  "rasterisation": {"along": "m", "group": 8}
})";

}  // namespace

spec::KernelSpec make_spec(const std::vector<std::string> &sets) {
  support::Diagnostics diagnostics;
  const auto spec = spec::load_spec_text("base.json", kBase, sets, {&w4a4_lora_gemm::family_spec()}, diagnostics);
  if (!spec) throw std::runtime_error(diagnostics.render());
  return *spec;
}

const target::SmTarget &b200() { return *target::find_target("sm_100a"); }

plan::OperatorPlan make_plan(const std::vector<std::string> &sets) {
  support::Diagnostics diagnostics;
  auto made = w4a4_lora_gemm_plan().plan(make_spec(sets), b200(), diagnostics);
  if (!made) throw std::runtime_error(diagnostics.render());
  return *std::move(made);
}

int64_t deepest_that_fits(const spec::KernelSpec &spec) {
  for (int64_t depth = 16; depth >= 2; --depth)
    if (w4a4_lora_gemm_plan().budget(spec.with("pipeline_depth", spec::integer_value(depth)), b200()).excess_bytes() ==
        0)
      return depth;
  return 0;
}

}  // namespace warpwright::test
