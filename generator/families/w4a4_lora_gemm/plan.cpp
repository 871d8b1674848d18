// SPDX-License-Identifier: Apache-2.0
// The planner's face: from a resolved spec to an operator of one kernel.
#include "generator/families/w4a4_lora_gemm/plan.h"

#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/plan/budget.h"
#include "generator/plan/operator_parts.h"

#include <fmt/format.h>

namespace warpwright::w4a4_lora_gemm {
namespace {

using plan::KernelPlan;
using plan::OperatorPlan;

/// The problem's rows when the spec leaves them open: a typical prompt of the image models this family serves.
constexpr int64_t kTypicalM = 4096;

plan::Budget budget_of(const spec::KernelSpec &spec, const target::SmTarget &target) {
  const Geometry geometry = make_geometry(spec, target);
  Resources resources = make_resources(geometry, make_operands(geometry), target);
  return {std::move(resources.smem), std::move(resources.tmem)};
}

plan::LaunchRecipe make_launch(const Geometry &g, const KernelPlan &kernel) {
  plan::LaunchRecipe launch;
  launch.grid_x = grid_ctas(g);
  launch.cluster_x = g.cta_group;
  launch.threads = plan::launch_threads(kernel.roles);
  launch.dynamic_smem_bytes = kernel.smem.used_bytes;
  launch.programmatic_dependent_launch = g.has_pdl;
  launch.requires_true = {"m >= 1", "m <= 1048576"};
  return launch;
}

KernelPlan make_kernel(const Geometry &g, const target::SmTarget &target, const std::vector<Operand> &operands,
                       Resources resources) {
  KernelPlan kernel;
  kernel.name = make_kernel_name(g);
  kernel.arch = g.arch;
  kernel.cta_group = g.cta_group;
  kernel.roles = std::move(resources.roles);
  kernel.smem = std::move(resources.smem);
  kernel.tmem = std::move(resources.tmem);
  kernel.channels = std::move(resources.channels);
  kernel.barriers = std::move(resources.barriers);
  plan::place_barriers(kernel.barriers, kernel.region("barriers"));
  // Id 0 is __syncthreads. PTX ISA 9.0, "bar, barrier".
  kernel.named_barriers = {{"epilogue_sync", 1, 128, "a sub-tile is staged, or its buffer may be written again"}};
  kernel.bulk_groups = {{"store", "epilogue", g.staging_buffers - 1}};
  kernel.tensor_maps = make_tensor_maps(g, operands);
  kernel.params = make_params(g, kernel.tensor_maps);
  kernel.mma = make_mma_slots(g, target);
  kernel.tile_work = {make_epilogue_work(g)};
  kernel.output_tiles = output_tiles(g);
  kernel.constants = make_constants(g, kernel.tmem);
  kernel.traits = make_traits(g);
  kernel.launch = make_launch(g, kernel);
  return kernel;
}

std::map<std::string, std::string> make_facts(const Geometry &g, const KernelPlan &kernel) {
  return {
      {"formats", fmt::format("{} x {} -> {}", kernel.trait("scheme"), kernel.trait("scheme"), kernel.trait("output"))},
      {"tile", fmt::format("{} x {} x {}", g.tile_m, g.tile_n, g.tile_k)},
      {"cta_group", std::to_string(g.cta_group)},
      {"pipeline_depth", std::to_string(g.stages)},
      {"accumulators", kernel.trait("accumulators")},
      {"lora", g.has_lora() ? fmt::format("rank {}, {}, {}", g.lora_rank, kernel.trait("lora_type"),
                                          kernel.trait("lora_placement"))
                            : std::string("none")},
      {"smem_slack_bytes", std::to_string(kernel.smem.slack_bytes())},
  };
}

bool check_strict_copies(const Geometry &g, const spec::KernelSpec &spec, support::Diagnostics &diagnostics) {
  if (!lacks_scale_copies(g)) return true;
  support::Diagnostic error;
  error.slug = "plan.strict-needs-scale-copies";
  error.path = "ordering";
  error.where = spec.at("ordering").where;
  error.message = fmt::format(
      "strict ordering needs two copies of {} scale columns; {} beside {} accumulator columns leave room for {}",
      g.scale_cols(), spec.arch, g.acc_buffers() * g.tile_n, g.scale_copies);
  error.hints = {"--set accumulators=single", "--set ordering=pipe"};
  diagnostics.add(std::move(error));
  return false;
}

void check_tx_bytes(const std::vector<plan::Barrier> &barriers, const target::SmTarget &target) {
  for (const plan::Barrier &barrier : barriers) {
    std::map<std::string, int64_t> bytes;
    for (const plan::ExpectedBytes &expect : barrier.expects) bytes[expect.payload] += expect.bytes;
    for (const auto &[payload, sum] : bytes)
      WARPWRIGHT_ASSERT(sum <= target.mbarrier_max_tx_bytes, barrier.name + " expects too many bytes of " + payload);
  }
}

std::map<std::string, int64_t> typical_shape(const spec::KernelSpec &spec) {
  const spec::FieldValue &m = spec.at("problem.m");
  return {{"m", m.is_dynamic() ? kTypicalM : m.integer},
          {"n", spec.integer("problem.n")},
          {"k", spec.integer("problem.k")}};
}

}  // namespace

std::optional<OperatorPlan> plan_spec(const spec::KernelSpec &spec, const target::SmTarget &target,
                                      support::Diagnostics &diagnostics) {
  const Geometry geometry = make_geometry(spec, target);
  const std::vector<Operand> operands = make_operands(geometry);
  Resources resources = make_resources(geometry, operands, target);
  if (memory_sizes(geometry, operands, target).excess_bytes() > 0) {
    const plan::Budget budget{std::move(resources.smem), std::move(resources.tmem)};
    plan::report_over_budget(budget, spec, "pipeline_depth", diagnostics);
    return std::nullopt;
  }
  if (!check_strict_copies(geometry, spec, diagnostics)) return std::nullopt;
  check_tx_bytes(resources.barriers, target);

  OperatorPlan op;
  op.spec = spec;
  op.name = plan::operator_name(spec.file);
  op.fixed_variables = fixed_variables(geometry);
  if (!geometry.has_fixed_m) op.variables = {"m"};
  op.tensors = make_tensors(geometry);
  op.kernels.push_back(make_kernel(geometry, target, operands, std::move(resources)));
  op.dispatch = {{"1", {0}}};
  op.facts = make_facts(geometry, op.kernels.front());
  return op;
}

}  // namespace warpwright::w4a4_lora_gemm

namespace warpwright {

const plan::FamilyPlan &w4a4_lora_gemm_plan() {
  static const plan::FamilyPlan family = [] {
    plan::FamilyPlan made;
    made.name = w4a4_lora_gemm::family_spec().name;
    made.check = [](const spec::KernelSpec &spec, support::Diagnostics &diagnostics) {
      spec::check_spec(spec, w4a4_lora_gemm::family_spec(), diagnostics);
    };
    made.domains = w4a4_lora_gemm::auto_domains;
    made.depth_path = "pipeline_depth";
    const spec::Field *depth = w4a4_lora_gemm::family_spec().find(made.depth_path);
    made.depth_min = depth->min;
    made.depth_max = depth->max;
    made.budget = w4a4_lora_gemm::budget_of;
    made.sketch = w4a4_lora_gemm::sketch_spec;
    made.typical_shape = w4a4_lora_gemm::typical_shape;
    made.plan = w4a4_lora_gemm::plan_spec;
    made.changes = w4a4_lora_gemm::possible_changes;
    made.open_paths = {"pipeline_depth", "epilogue.staging_buffers", "epilogue.staging_cols", "lora.stages",
                       "lora.placement", "accumulators",             "cluster",               "cta_pairing",
                       "tile.m",         "tile.k",                   "tile.n"};
    return made;
  }();
  return family;
}

}  // namespace warpwright
