// SPDX-License-Identifier: Apache-2.0
// The planner of w4a4_lora_gemm, and its parts that tests take apart.
#pragma once

#include "generator/families/w4a4_lora_gemm/geometry.h"
#include "generator/plan/family_plan.h"

namespace warpwright {

/// Plans block-scaled FP4 GEMMs with a low-rank residual for tcgen05 targets. Lives as long as the program.
const plan::FamilyPlan &w4a4_lora_gemm_plan();

}  // namespace warpwright

namespace warpwright::w4a4_lora_gemm {

/// What the kernel shares between roles: everything that shared memory is made of.
struct Resources {
  std::vector<plan::Role> roles;
  std::vector<plan::Channel> channels;
  std::vector<plan::Barrier> barriers;  ///< without offsets
  plan::SmemPlan smem;
  plan::TmemPlan tmem;
};

/// Roles, channels, barriers and memories for these operands.
///
/// Ensures   nothing is checked against limits: the result may exceed them.
Resources make_resources(const Geometry &geometry, const std::vector<Operand> &operands,
                         const target::SmTarget &target);

/// The sizes of make_resources' memories, without making them.
plan::MemorySizes memory_sizes(const Geometry &geometry, const std::vector<Operand> &operands,
                               const target::SmTarget &target);
/// What the load rings bring in for one output tile.
std::vector<plan::RingWork> make_ring_work(const Geometry &geometry, const std::vector<Operand> &operands);
/// Bulk copies that the busiest load role issues for one output tile.
int64_t loader_boxes(const Geometry &geometry, const std::vector<Operand> &operands);

/// The accumulators and the scale columns.
plan::TmemPlan make_tmem(const Geometry &geometry, int64_t limit_cols);

/// Tensor maps of the operands and of the output, in order of the kernel's parameters.
std::vector<plan::TensorMap> make_tensor_maps(const Geometry &geometry, const std::vector<Operand> &operands);
std::vector<plan::Tensor> make_tensors(const Geometry &geometry);
std::vector<plan::KernelParam> make_params(const Geometry &geometry, const std::vector<plan::TensorMap> &maps);
std::vector<plan::Constant> make_constants(const Geometry &geometry, const plan::TmemPlan &tmem);
std::vector<plan::MmaSlots> make_mma_slots(const Geometry &geometry, const target::SmTarget &target);
plan::TileWork make_epilogue_work(const Geometry &geometry);
std::map<std::string, std::string> make_traits(const Geometry &geometry);
std::string make_kernel_name(const Geometry &geometry);

/// Output tiles and grid, as expressions over the launch variables.
std::string output_tiles(const Geometry &geometry);
std::string grid_ctas(const Geometry &geometry);
/// Launch variables that the spec binds.
std::map<std::string, int64_t> fixed_variables(const Geometry &geometry);
/// Strict ordering alternates between copies of the scale columns; one copy would wait for itself every turn.
bool lacks_scale_copies(const Geometry &geometry);

/// The sketch of a spec without autos but possibly the depth (plan::FamilyPlan::sketch).
std::unique_ptr<plan::Sketch> sketch_spec(const spec::KernelSpec &spec, const target::SmTarget &target);

/// The plan of a spec without autos (plan::FamilyPlan::plan).
std::optional<plan::OperatorPlan> plan_spec(const spec::KernelSpec &spec, const target::SmTarget &target,
                                            support::Diagnostics &diagnostics);

/// Values to try for the fields that are auto (plan::FamilyPlan::domains).
std::vector<std::pair<std::string, std::vector<spec::FieldValue>>> auto_domains(const spec::KernelSpec &spec);
/// Changes that may make room (plan::FamilyPlan::changes).
std::vector<plan::Change> possible_changes(const spec::KernelSpec &spec);

}  // namespace warpwright::w4a4_lora_gemm
