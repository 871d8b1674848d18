// SPDX-License-Identifier: Apache-2.0
// What predictions read of a plan: numbers, and the expressions that a shape completes.
#pragma once

#include "generator/plan/records.h"

namespace warpwright::plan {

/// A ring that bulk copies fill, for one output tile in one CTA.
struct RingWork {
  int64_t depth = 1;
  int64_t turns = 0;
  int64_t fill_bytes = 0;   ///< of all turns
  int64_t scale_bytes = 0;  ///< those of them that no swizzle arranges for the tensor core: scales

  bool operator==(const RingWork &) const = default;
};

/// One kernel's work for one output tile.
struct KernelWork {
  int64_t cta_group = 1;
  std::string output_tiles;        ///< expression (KernelPlan)
  std::string grid_x;              ///< expression (LaunchRecipe)
  std::vector<RingWork> rings;     ///< in order of the channels
  int64_t loader_boxes = 0;        ///< bulk copies that the busiest loading role issues
  int64_t mma_instructions = 0;    ///< of all kinds
  int64_t mma_clocks = 0;
  int64_t mma_operand_bytes = 0;   ///< that one CTA's tensor core reads
  std::vector<TileWork> tile_work;

  bool operator==(const KernelWork &) const = default;
};

/// An operator's work.
struct Workload {
  std::vector<KernelWork> kernels;
  std::vector<std::string> tensor_bytes;           ///< expressions (Tensor)
  std::map<std::string, int64_t> fixed_variables;  ///< as in OperatorPlan

  bool operator==(const Workload &) const = default;
};

/// Adds the slots of one kind of MMA.
void add_mma_work(KernelWork &work, const MmaSlots &slots);

KernelWork work_of(const KernelPlan &kernel);
Workload work_of(const OperatorPlan &plan);

}  // namespace warpwright::plan
