// SPDX-License-Identifier: Apache-2.0
// The work of a whole plan, from its records.
#include "generator/plan/workload.h"

#include <algorithm>

namespace warpwright::plan {
namespace {

RingWork ring_of(const Channel &channel, const KernelPlan &kernel) {
  RingWork ring;
  ring.depth = channel.depth;
  for (const Payload &payload : channel.payloads) {
    ring.turns += payload.turns_per_tile;
    ring.fill_bytes += payload.cta_bytes() * payload.turns_per_tile;
    // Copies that no swizzle arranges for the tensor core are what tcgen05.cp moves to tensor memory.
    // Bytes that no map arranges go through registers and cross the port again as well.
    for (const Copy &copy : payload.copies)
      if (const TensorMap *map = kernel.find_tensor_map(copy.tensor_map); !map || map->swizzle == Swizzle::kNone)
        ring.scale_bytes += copy.bytes() * payload.turns_per_tile;
  }
  return ring;
}

int64_t busiest_loader_boxes(const KernelPlan &kernel) {
  std::map<std::string, int64_t> boxes;
  for (const Channel &channel : kernel.channels)
    for (const Payload &payload : channel.payloads)
      for (const Copy &copy : payload.copies) boxes[copy.role] += copy.boxes * payload.turns_per_tile;
  int64_t most = 0;
  for (const auto &[role, count] : boxes) most = std::max(most, count);
  return most;
}

}  // namespace

void add_mma_work(KernelWork &work, const MmaSlots &slots) {
  work.mma_instructions += slots.instructions;
  work.mma_clocks += slots.clocks;
  work.mma_operand_bytes += slots.operand_bytes;
}

KernelWork work_of(const KernelPlan &kernel) {
  KernelWork work;
  work.cta_group = kernel.cta_group;
  work.output_tiles = kernel.output_tiles;
  work.grid_x = kernel.launch.grid_x;
  for (const Channel &channel : kernel.channels)
    if (!channel.payloads.empty()) work.rings.push_back(ring_of(channel, kernel));
  work.loader_boxes = busiest_loader_boxes(kernel);
  for (const MmaSlots &slots : kernel.mma) add_mma_work(work, slots);
  work.tile_work = kernel.tile_work;
  return work;
}

Workload work_of(const OperatorPlan &plan) {
  Workload workload;
  for (const KernelPlan &kernel : plan.kernels) workload.kernels.push_back(work_of(kernel));
  for (const Tensor &tensor : plan.tensors) workload.tensor_bytes.push_back(tensor.bytes);
  workload.fixed_variables = plan.fixed_variables;
  return workload;
}

}  // namespace warpwright::plan
