// SPDX-License-Identifier: Apache-2.0
// The planner's face: from a resolved spec to an operator of one kernel.
#include "generator/families/w4a8_gemm/plan.h"

#include "generator/families/w4a8_gemm/spec.h"
#include "generator/plan/budget.h"
#include "generator/plan/operator_parts.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::w4a8_gemm {
namespace {

using plan::OperatorPlan;

/// The tokens when the spec leaves them open: a decoding batch of the models this family serves.
constexpr int64_t kTypicalM = 64;

plan::MemorySizes sizes_of(const Geometry &g, const target::SmTarget &target) {
  return {make_resources(g, target).smem.used_bytes, target.smem_optin_bytes, 0, 0};
}

std::map<std::string, std::string> make_facts(const Geometry &g, const plan::KernelPlan &kernel) {
  return {
      {"formats", fmt::format("w4 {} x s8 -> {}", kernel.trait("group"), kernel.trait("output"))},
      {"tile", fmt::format("{} tokens x {} channels x {}", g.tile_m, g.tile_n, g.stage_blocks * kBlockElems)},
      {"compute_warpgroups", std::to_string(g.warpgroups)},
      {"pipeline_depth", std::to_string(g.stages)},
      {"split_k", std::to_string(g.splits)},
      {"smem_slack_bytes", std::to_string(kernel.smem.slack_bytes())},
  };
}

class GeometrySketch : public plan::Sketch {
 public:
  GeometrySketch(const spec::KernelSpec &spec, const target::SmTarget &target) : geometry_(make_geometry(spec)), target_(target) {}

  plan::MemorySizes sizes(int64_t depth) const override { return sizes_of(at_depth(depth), target_); }
  std::optional<plan::Workload> work(int64_t depth) const override {
    const Geometry g = at_depth(depth);
    OperatorPlan op;
    op.tensors = make_tensors(g);
    op.fixed_variables = fixed_variables(g);
    op.kernels.push_back(make_kernel(g, target_, make_resources(g, target_)));
    return plan::work_of(op);
  }

 private:
  Geometry at_depth(int64_t depth) const {
    Geometry g = geometry_;
    g.stages = depth;
    return g;
  }
  Geometry geometry_;
  const target::SmTarget &target_;
};

std::optional<OperatorPlan> plan_spec(const spec::KernelSpec &spec, const target::SmTarget &target, support::Diagnostics &diagnostics) {
  const Geometry g = make_geometry(spec);
  Resources resources = make_resources(g, target);
  if (resources.smem.used_bytes > target.smem_optin_bytes) {
    const plan::Budget budget{std::move(resources.smem), {}};
    plan::report_over_budget(budget, spec, "pipeline_depth", diagnostics);
    return std::nullopt;
  }
  OperatorPlan op;
  op.spec = spec;
  op.name = plan::operator_name(spec.file);
  op.fixed_variables = fixed_variables(g);
  if (!g.has_fixed_m) op.variables = {"m"};
  op.tensors = make_tensors(g);
  op.kernels.push_back(make_kernel(g, target, std::move(resources)));
  op.dispatch = {{"1", {0}}};
  op.workspace_bytes = workspace_bytes(g);
  op.facts = make_facts(g, op.kernels.front());
  return op;
}

std::map<std::string, int64_t> typical_shape(const spec::KernelSpec &spec) {
  const spec::FieldValue &m = spec.at("problem.m");
  return {{"m", m.is_dynamic() ? kTypicalM : m.integer}, {"n", spec.integer("problem.n")}, {"k", spec.integer("problem.k")}};
}

/// The narrowest tile that takes all tokens, or the typical one.
int64_t tile_for(const spec::FieldValue &m) {
  const int64_t tokens = m.is_dynamic() ? kTypicalM : m.integer;
  for (const int64_t tile : {8, 16, 32, 64, 96, 128})
    if (tokens <= tile) return tile;
  return 128;
}

/// A slab a warpgroup while registers last: more warps hide more of each other's waits.
int64_t warpgroups_for(int64_t tile_m, int64_t tile_n) {
  const int64_t slabs = tile_n / kSlabRows;
  for (int64_t warpgroups = std::min(slabs, most_warpgroups(tile_m)); warpgroups > 1; --warpgroups)
    if (slabs % warpgroups == 0) return warpgroups;
  return 1;
}

std::vector<int64_t> channel_tiles(int64_t tile_m) {
  std::vector<int64_t> tiles;
  for (const int64_t slabs : {4, 2, 3, 5, 6, 7})
    if (slabs <= most_warpgroups(tile_m)) tiles.push_back(slabs * kSlabRows);
  return tiles;
}

std::vector<int64_t> possible_splits(int64_t k, int64_t stage_elems) {
  std::vector<int64_t> splits;
  for (const int64_t split : family_spec().find("split_k")->integers)
    if (split <= most_splits(k, stage_elems)) splits.push_back(split);
  return splits;
}

}  // namespace

std::unique_ptr<plan::Sketch> sketch_spec(const spec::KernelSpec &spec, const target::SmTarget &target) {
  return std::make_unique<GeometrySketch>(spec, target);
}

std::vector<std::pair<std::string, std::vector<spec::FieldValue>>> auto_domains(const spec::KernelSpec &spec) {
  std::vector<plan::Domain> domains = plan::default_domains(spec, family_spec());
  const auto open = [&](const char *path) { return spec.at(path).is_auto(); };
  if (open("tile.m")) domains.push_back({"tile.m", plan::integer_values({tile_for(spec.at("problem.m"))})});
  if (open("tile.n") && !open("tile.m")) domains.push_back({"tile.n", plan::integer_values(channel_tiles(spec.integer("tile.m")))});
  if (open("compute_warpgroups") && !open("tile.n") && !open("tile.m"))
    domains.push_back({"compute_warpgroups", plan::integer_values({warpgroups_for(spec.integer("tile.m"), spec.integer("tile.n"))})});
  if (open("split_k") && !open("tile.k"))
    domains.push_back({"split_k", plan::integer_values(possible_splits(spec.integer("problem.k"), spec.integer("tile.k")))});
  if (domains.empty() && open("compute_warpgroups")) domains.push_back({"compute_warpgroups", plan::integer_values({2})});
  return domains;
}

std::vector<plan::Change> possible_changes(const spec::KernelSpec &spec) {
  std::vector<plan::Change> changes;
  if (spec.integer("tile.n") == 256)
    changes.push_back({{{"tile.n", spec::integer_value(128)}, {"compute_warpgroups", spec::integer_value(2)}}, "half the channels of a tile"});
  if (spec.integer("tile.m") > 8 && spec.integer("tile.m") % 16 == 0)
    changes.push_back({{{"tile.m", spec::integer_value(spec.integer("tile.m") == 96 ? 64 : spec.integer("tile.m") / 2)}}, "fewer tokens a tile"});
  return changes;
}

}  // namespace warpwright::w4a8_gemm

namespace warpwright {

const plan::FamilyPlan &w4a8_gemm_plan() {
  static const plan::FamilyPlan family = [] {
    plan::FamilyPlan made;
    made.name = w4a8_gemm::family_spec().name;
    made.check = [](const spec::KernelSpec &spec, support::Diagnostics &diagnostics) {
      spec::check_spec(spec, w4a8_gemm::family_spec(), diagnostics);
    };
    made.domains = w4a8_gemm::auto_domains;
    made.depth_path = "pipeline_depth";
    const spec::Field *depth = w4a8_gemm::family_spec().find(made.depth_path);
    made.depth_min = depth->min;
    made.depth_max = depth->max;
    made.budget = [](const spec::KernelSpec &spec, const target::SmTarget &target) {
      return plan::Budget{w4a8_gemm::make_resources(w4a8_gemm::make_geometry(spec), target).smem, {}};
    };
    made.sketch = w4a8_gemm::sketch_spec;
    made.typical_shape = w4a8_gemm::typical_shape;
    made.plan = w4a8_gemm::plan_spec;
    made.changes = w4a8_gemm::possible_changes;
    made.open_paths = {"pipeline_depth", "split_k", "compute_warpgroups", "tile.m", "tile.n"};
    return made;
  }();
  return family;
}

}  // namespace warpwright
