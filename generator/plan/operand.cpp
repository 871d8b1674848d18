// SPDX-License-Identifier: Apache-2.0
// Copies and region sizes from operand tiles.
#include "generator/plan/operand.h"

#include <algorithm>

namespace warpwright::plan {

int64_t cta_rows(const TileOperand &operand, int64_t cta_group) {
  int64_t rows = operand.group_rows;
  if (operand.split != Split::kAllN) {
    WARPWRIGHT_ASSERT(rows % cta_group == 0, "rows of " + operand.tensor_map + " do not divide among the CTAs");
    rows /= cta_group;
  }
  return (rows + operand.row_block - 1) / operand.row_block * operand.row_block;
}

Copy make_copy(const TileOperand &operand, int64_t cta_group) {
  Copy copy;
  copy.tensor_map = operand.tensor_map;
  copy.region = operand.region;
  copy.role = operand.role;
  copy.split = operand.split;
  copy.boxes = operand.boxes;
  copy.box_bytes = cta_rows(operand, cta_group) * operand.row_bytes;
  return copy;
}

void size_regions(std::vector<SmemRegion> &regions, const Channel &channel) {
  for (SmemRegion &region : regions) {
    int64_t most_bytes = 0;
    for (const Payload &payload : channel.payloads) {
      int64_t bytes = 0;
      for (const Copy &copy : payload.copies)
        if (copy.region == region.name) bytes += copy.bytes();
      most_bytes = std::max(most_bytes, bytes);
    }
    if (most_bytes > 0) region.stage_bytes = most_bytes;
  }
}

}  // namespace warpwright::plan
