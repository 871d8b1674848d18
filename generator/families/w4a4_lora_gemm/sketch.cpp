// SPDX-License-Identifier: Apache-2.0
// What choosing between candidates needs of a plan: its numbers, from the geometry alone.
#include "generator/families/w4a4_lora_gemm/plan.h"

#include <fmt/format.h>

namespace warpwright::w4a4_lora_gemm {
namespace {

class GeometrySketch : public plan::Sketch {
 public:
  GeometrySketch(const spec::KernelSpec &spec, const target::SmTarget &target)
      : geometry_(make_geometry(spec, target)), operands_(make_operands(geometry_)), target_(target) {}

  plan::MemorySizes sizes(int64_t depth) const override { return memory_sizes(at_depth(depth), operands_, target_); }

  std::optional<plan::Workload> work(int64_t depth) const override {
    const Geometry g = at_depth(depth);
    if (lacks_scale_copies(g)) return std::nullopt;
    plan::Workload work;
    plan::KernelWork &kernel = work.kernels.emplace_back();
    kernel.cta_group = g.cta_group;
    kernel.output_tiles = output_tiles(g);
    kernel.grid_x = grid_ctas(g);
    kernel.rings = make_ring_work(g, operands_);
    kernel.loader_boxes = loader_boxes(g, operands_);
    for (const plan::MmaSlots &slots : make_mma_slots(g, target_)) plan::add_mma_work(kernel, slots);
    kernel.tile_work = {make_epilogue_work(g)};
    for (plan::Tensor &tensor : make_tensors(g)) work.tensor_bytes.push_back(std::move(tensor.bytes));
    work.fixed_variables = fixed_variables(g);
    return work;
  }

 private:
  Geometry at_depth(int64_t depth) const {
    Geometry g = geometry_;
    g.stages = depth;
    return g;
  }

  Geometry geometry_;
  std::vector<Operand> operands_;  ///< of every depth
  const target::SmTarget &target_;
};

}  // namespace

std::string output_tiles(const Geometry &g) {
  return fmt::format("ceil_div(m, {}) * ceil_div(n, {})", g.tile_m, g.tile_n);
}

std::string grid_ctas(const Geometry &g) {
  const std::string tiles = output_tiles(g);
  return g.cta_group == 1 ? fmt::format("min({}, num_sms)", tiles)
                          : fmt::format("min({}, num_sms / {}) * {}", tiles, g.cta_group, g.cta_group);
}

std::map<std::string, int64_t> fixed_variables(const Geometry &g) {
  std::map<std::string, int64_t> variables = {{"n", g.n}, {"k", g.k}};
  if (g.has_lora()) variables["rank"] = g.lora_rank;
  if (g.has_fixed_m) variables["m"] = g.m;
  return variables;
}

bool lacks_scale_copies(const Geometry &g) { return g.is_strict && g.scale_copies < 2; }

std::unique_ptr<plan::Sketch> sketch_spec(const spec::KernelSpec &spec, const target::SmTarget &target) {
  return std::make_unique<GeometrySketch>(spec, target);
}

}  // namespace warpwright::w4a4_lora_gemm
