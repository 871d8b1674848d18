// SPDX-License-Identifier: Apache-2.0
// An operand's tile: the one place where rows, bytes of a row and split become bytes of a copy and a box.
#pragma once

#include "generator/plan/records.h"

#include <string_view>

namespace warpwright::plan {

/// A tile of a tensor that bulk copies bring into a region of shared memory. The names outlive it: literals.
struct TileOperand {
  std::string_view tensor_map;
  std::string_view region;
  std::string_view role;  ///< the role that issues the copy
  Split split = Split::kOwnRows;
  int64_t group_rows = 0;  ///< rows of the tile of the whole CTA group
  int64_t row_block = 1;   ///< a CTA's rows are stored in whole blocks of this many (128 for scale atoms)
  int64_t row_bytes = 0;   ///< bytes that one row takes in one box
  int64_t boxes = 1;       ///< boxes of row_bytes that lie side by side along the contiguous dimension
  bool is_swizzled = true;  ///< its tensor map arranges rows for the tensor core
};

/// Rows of the operand that one CTA of the group holds, in whole row blocks.
///
/// Requires  group_rows divides evenly where it is split (our bug otherwise).
int64_t cta_rows(const TileOperand &operand, int64_t cta_group);

/// Bytes of all boxes that fill one turn of the operand in one CTA.
int64_t turn_bytes(const TileOperand &operand, int64_t cta_group);

/// The copy that fills one turn of the operand.
///
/// Ensures   its bytes are turn_bytes.
Copy make_copy(const TileOperand &operand, int64_t cta_group);

}  // namespace warpwright::plan
