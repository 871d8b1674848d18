// SPDX-License-Identifier: Apache-2.0
// Rows, bytes and copies from operand tiles.
#include "generator/plan/operand.h"

namespace warpwright::plan {

int64_t cta_rows(const TileOperand &operand, int64_t cta_group) {
  int64_t rows = operand.group_rows;
  if (operand.split != Split::kAllN) {
    WARPWRIGHT_ASSERT(rows % cta_group == 0,
                      "rows of " + std::string(operand.tensor_map) + " do not divide among the CTAs");
    rows /= cta_group;
  }
  return (rows + operand.row_block - 1) / operand.row_block * operand.row_block;
}

namespace {

int64_t box_bytes(const TileOperand &operand, int64_t cta_group) {
  return cta_rows(operand, cta_group) * operand.row_bytes;
}

}  // namespace

int64_t turn_bytes(const TileOperand &operand, int64_t cta_group) {
  return operand.boxes * box_bytes(operand, cta_group);
}

Copy make_copy(const TileOperand &operand, int64_t cta_group) {
  Copy copy;
  copy.tensor_map = operand.tensor_map;
  copy.region = operand.region;
  copy.role = operand.role;
  copy.split = operand.split;
  copy.boxes = operand.boxes;
  copy.box_bytes = box_bytes(operand, cta_group);
  return copy;
}

}  // namespace warpwright::plan
