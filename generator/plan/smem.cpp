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

void check_extent(const SmemExtent &extent, std::string_view name) {
  const int64_t align = extent.align_bytes;
  WARPWRIGHT_ASSERT(align > 0 && (align & (align - 1)) == 0 && align <= kBaseAlignBytes,
                    "alignment of " + std::string(name) + " is not a power of two up to 1024");
  WARPWRIGHT_ASSERT(extent.stage_bytes > 0 && extent.stages > 0, "region " + std::string(name) + " is empty");
}

int64_t stride_of(const SmemExtent &extent) {
  return extent.stages == 1 ? extent.stage_bytes : round_up(extent.stage_bytes, extent.align_bytes);
}

/// Bytes that lie together: a region, or all regions of an overlay group.
struct Block {
  int64_t bytes = 0;
  int64_t align_bytes = 0;
  size_t head = 0;  ///< index of the first region
  int64_t offset_bytes = 0;
};

/// Places blocks, larger alignments first, and returns their end.
int64_t place_blocks(std::vector<Block> &blocks) {
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block &a, const Block &b) { return a.align_bytes > b.align_bytes; });
  int64_t end_bytes = 0;
  for (Block &block : blocks) {
    block.offset_bytes = round_up(end_bytes, block.align_bytes);
    end_bytes = block.offset_bytes + block.bytes;
  }
  return end_bytes;
}

/// Index of the first region of the same overlay group, or its own index.
size_t group_head(const std::vector<SmemRegion> &regions, size_t index) {
  if (regions[index].overlay_group.empty()) return index;
  for (size_t i = 0; i < index; ++i)
    if (regions[i].overlay_group == regions[index].overlay_group) return i;
  return index;
}

}  // namespace

int64_t smem_bytes(const std::vector<SmemExtent> &extents) {
  std::vector<Block> blocks;
  blocks.reserve(extents.size());
  for (const SmemExtent &extent : extents) {
    check_extent(extent, "a region");
    blocks.push_back({stride_of(extent) * extent.stages, extent.align_bytes});
  }
  return place_blocks(blocks);
}

SmemPlan plan_smem(std::vector<SmemRegion> regions, int64_t limit_bytes) {
  for (SmemRegion &region : regions) {
    const SmemExtent extent{region.stage_bytes, region.stages, region.align_bytes};
    check_extent(extent, region.name);
    region.stride_bytes = stride_of(extent);
  }

  // One block per overlay group: the largest member's bytes at the strictest alignment.
  std::vector<Block> blocks(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    Block &block = blocks[group_head(regions, i)];
    block.bytes = std::max(block.bytes, regions[i].total_bytes());
    block.align_bytes = std::max(block.align_bytes, regions[i].align_bytes);
    blocks[i].head = i;
  }
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(), [](const Block &block) { return block.align_bytes == 0; }),
               blocks.end());

  SmemPlan plan;
  plan.limit_bytes = limit_bytes;
  plan.used_bytes = place_blocks(blocks);
  std::vector<int64_t> block_offset(regions.size(), 0);
  for (const Block &block : blocks) block_offset[block.head] = block.offset_bytes;
  for (size_t i = 0; i < regions.size(); ++i) regions[i].offset_bytes = block_offset[group_head(regions, i)];
  std::stable_sort(regions.begin(), regions.end(),
                   [](const SmemRegion &a, const SmemRegion &b) { return a.offset_bytes < b.offset_bytes; });
  plan.regions = std::move(regions);
  return plan;
}

}  // namespace warpwright::plan
