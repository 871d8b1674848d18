// SPDX-License-Identifier: Apache-2.0
// An operand's tile: the one place where rows, bytes of a row and split become bytes of a copy and a box.
#pragma once

#include "generator/plan/records.h"

namespace warpwright::plan {

/// A tile of a tensor that bulk copies bring into a region of shared memory.
struct TileOperand {
  std::string tensor_map;
  std::string region;
  std::string role;  ///< the role that issues the copy
  Split split = Split::kOwnRows;
  int64_t group_rows = 0;  ///< rows of the tile of the whole CTA group
  int64_t row_block = 1;   ///< a CTA's rows are stored in whole blocks of this many (128 for scale atoms)
  int64_t row_bytes = 0;   ///< bytes that one row takes in one box
  int64_t boxes = 1;       ///< boxes of row_bytes that lie side by side along the contiguous dimension
};

/// Rows of the operand that one CTA of the group holds, in whole row blocks.
///
/// Requires  group_rows divides evenly where it is split (our bug otherwise).
int64_t cta_rows(const TileOperand &operand, int64_t cta_group);

/// The copy that fills one turn of the operand.
Copy make_copy(const TileOperand &operand, int64_t cta_group);

/// Gives every region of `channel` the bytes of the payload that fills most of it.
///
/// Ensures   a region that no copy names keeps its bytes.
void size_regions(std::vector<SmemRegion> &regions, const Channel &channel);

}  // namespace warpwright::plan
