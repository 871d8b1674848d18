// SPDX-License-Identifier: Apache-2.0
// The layout of one CTA's dynamic shared memory.
#include "generator/plan/family_plan.h"

#include <algorithm>
#include <numeric>

namespace warpwright::plan {
namespace {

/// 128-byte swizzle repeats every 8 rows of 128 bytes. PTX ISA 9.0, "Shared memory descriptor".
constexpr int64_t kBaseAlignBytes = 1024;

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

void check_region(const SmemRegion &region) {
  const int64_t align = region.align_bytes;
  WARPWRIGHT_ASSERT(align > 0 && (align & (align - 1)) == 0 && align <= kBaseAlignBytes,
                    "alignment of " + region.name + " is not a power of two up to 1024");
  WARPWRIGHT_ASSERT(region.stage_bytes > 0 && region.stages > 0, "region " + region.name + " is empty");
}

/// Index of the first region of the same overlay group, or its own index.
size_t group_head(const std::vector<SmemRegion> &regions, size_t index) {
  if (regions[index].overlay_group.empty()) return index;
  for (size_t i = 0; i < index; ++i)
    if (regions[i].overlay_group == regions[index].overlay_group) return i;
  return index;
}

}  // namespace

SmemPlan plan_smem(std::vector<SmemRegion> regions, int64_t limit_bytes) {
  for (SmemRegion &region : regions) {
    check_region(region);
    region.stride_bytes = region.stages == 1 ? region.stage_bytes : round_up(region.stage_bytes, region.align_bytes);
  }

  // One block per overlay group: the largest member's bytes at the strictest alignment.
  std::vector<size_t> heads;
  std::vector<int64_t> block_bytes(regions.size(), 0);
  std::vector<int64_t> block_align(regions.size(), 0);
  for (size_t i = 0; i < regions.size(); ++i) {
    const size_t head = group_head(regions, i);
    if (head == i) heads.push_back(i);
    block_bytes[head] = std::max(block_bytes[head], regions[i].total_bytes());
    block_align[head] = std::max(block_align[head], regions[i].align_bytes);
  }
  std::stable_sort(heads.begin(), heads.end(), [&](size_t a, size_t b) { return block_align[a] > block_align[b]; });

  SmemPlan plan;
  plan.limit_bytes = limit_bytes;
  std::vector<int64_t> block_offset(regions.size(), 0);
  for (size_t head : heads) {
    block_offset[head] = round_up(plan.used_bytes, block_align[head]);
    plan.used_bytes = block_offset[head] + block_bytes[head];
  }
  for (size_t i = 0; i < regions.size(); ++i) regions[i].offset_bytes = block_offset[group_head(regions, i)];
  std::stable_sort(regions.begin(), regions.end(),
                   [](const SmemRegion &a, const SmemRegion &b) { return a.offset_bytes < b.offset_bytes; });
  plan.regions = std::move(regions);
  return plan;
}

}  // namespace warpwright::plan
