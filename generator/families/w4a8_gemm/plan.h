// SPDX-License-Identifier: Apache-2.0
// The planner of w4a8_gemm, and its parts that tests take apart.
#pragma once

#include "generator/families/w4a8_gemm/geometry.h"
#include "generator/plan/family_plan.h"

namespace warpwright {

/// Plans GEMMs of 4-bit weights and int8 activations for wgmma targets. Lives as long as the program.
const plan::FamilyPlan &w4a8_gemm_plan();

}  // namespace warpwright

namespace warpwright::w4a8_gemm {

/// What the kernel shares between roles: everything that shared memory is made of.
struct Resources {
  std::vector<plan::Role> roles;
  std::vector<plan::Channel> channels;
  std::vector<plan::Barrier> barriers;  ///< without offsets
  plan::SmemPlan smem;
};

/// Ensures   nothing is checked against limits: the result may exceed them.
Resources make_resources(const Geometry &geometry, const target::SmTarget &target);

std::vector<plan::TensorMap> make_tensor_maps(const Geometry &geometry);
std::vector<plan::Tensor> make_tensors(const Geometry &geometry);
std::vector<plan::KernelParam> make_params(const Geometry &geometry, const std::vector<plan::TensorMap> &maps);
std::vector<plan::Constant> make_constants(const Geometry &geometry);
plan::MmaSlots make_mma_slots(const Geometry &geometry, const target::SmTarget &target);
/// Dequantisation and the stores of one output tile.
std::vector<plan::TileWork> make_tile_work(const Geometry &geometry);
std::map<std::string, std::string> make_traits(const Geometry &geometry);
std::string make_kernel_name(const Geometry &geometry);

/// Output tiles, every split of them counted, and grid, as expressions over the launch variables.
std::string output_tiles(const Geometry &geometry);
std::string grid_ctas(const Geometry &geometry);
std::map<std::string, int64_t> fixed_variables(const Geometry &geometry);
/// Partial sums of all splits: an expression; "0" without splits.
std::string workspace_bytes(const Geometry &geometry);

/// One kernel of these resources.
plan::KernelPlan make_kernel(const Geometry &geometry, const target::SmTarget &target, Resources resources);

/// The sketch of a spec without autos but possibly the depth (plan::FamilyPlan::sketch).
std::unique_ptr<plan::Sketch> sketch_spec(const spec::KernelSpec &spec, const target::SmTarget &target);
/// Values to try for the fields that are auto (plan::FamilyPlan::domains).
std::vector<std::pair<std::string, std::vector<spec::FieldValue>>> auto_domains(const spec::KernelSpec &spec);
/// Changes that may make room (plan::FamilyPlan::changes).
std::vector<plan::Change> possible_changes(const spec::KernelSpec &spec);

}  // namespace warpwright::w4a8_gemm
