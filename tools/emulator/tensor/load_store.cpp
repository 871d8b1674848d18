// SPDX-License-Identifier: Apache-2.0
// The fragments of tcgen05.ld and tcgen05.st.
// Source: PTX ISA 9.0, "Matrix fragments for shape …" (figures) and CUTLASS include/cute/atom/copy_traits_sm100.hpp,
// SM100_TMEM_LOAD_* (ValID and DstLayout).
#include "tools/emulator/tensor/load_store.h"

#include <bit>
#include <string>

namespace warpwright::emulator::tensor {
namespace {

/// Registers a thread and logical 32-bit columns of .x1, and the largest .xN (PTX ISA 9.0, Table 49).
struct Base {
  uint32_t registers, cols, most;
};

Base base_of(AccessShape shape) {
  switch (shape) {
    case AccessShape::k32x32b:
      return {1, 1, 128};
    case AccessShape::k16x64b:
      return {1, 2, 128};
    case AccessShape::k16x128b:
      return {2, 4, 64};
    case AccessShape::k16x256b:
      return {4, 8, 32};
    case AccessShape::k16x32bx2:
      return {1, 1, 128};
  }
  return {};
}

/// Lane, logical column (as if nothing were packed) and half of .16x32bx2.
struct Logical {
  uint32_t lane, col;
  bool is_second;
};

Logical logical_of(AccessShape shape, uint32_t thread, uint32_t reg) {
  switch (shape) {
    case AccessShape::k32x32b:
      return {thread, reg, false};
    // Bit 0 of the thread chooses lanes 8-15, bit 1 the odd column.
    case AccessShape::k16x64b:
      return {thread % 2 * 8 + thread / 4, 2 * reg + thread / 2 % 2, false};
    // Four threads a lane; register 1 is eight lanes further.
    case AccessShape::k16x128b:
      return {thread / 4 + reg % 2 * 8, 4 * (reg / 2) + thread % 4, false};
    // Four threads a lane, two columns each; registers 2 and 3 are eight lanes further.
    case AccessShape::k16x256b:
      return {thread / 4 + reg / 2 % 2 * 8, 8 * (reg / 4) + 2 * (thread % 4) + reg % 2, false};
    case AccessShape::k16x32bx2:
      return {thread % 16, reg, thread >= 16};
  }
  return {};
}

}  // namespace

uint32_t registers_of(const Access &access) {
  const Base base = base_of(access.shape);
  const bool is_repeat = std::has_single_bit(access.repeat) && access.repeat <= base.most;
  return is_repeat ? base.registers * access.repeat : 0;
}

uint32_t columns_of(const Access &access) {
  return base_of(access.shape).cols * access.repeat * (access.is_packed ? 2 : 1);
}

uint32_t lanes_of(AccessShape shape) { return shape == AccessShape::k32x32b ? 32 : 16; }

Cell cell_of(const Access &access, uint32_t thread, uint32_t reg) {
  const Logical logical = logical_of(access.shape, thread, reg);
  return {logical.lane, logical.col * (access.is_packed ? 2 : 1) + (logical.is_second ? access.half_split_offset : 0)};
}

uint32_t in_window(uint32_t address, uint32_t warp_in_group) {
  const uint32_t lane = TensorMemory::lane_of(address) % 32 + 32 * warp_in_group;
  return lane << 16 | TensorMemory::col_of(address);
}

Error check(const Access &access, uint32_t address, uint32_t warp_in_group) {
  if (registers_of(access) == 0) {
    return {"ldst.shape", "the shape has no .x" + std::to_string(access.repeat)};
  }
  const bool is_split = access.shape == AccessShape::k16x32bx2;
  if (!is_split && access.half_split_offset != 0) {
    return {"ldst.shape", "a half split offset goes with .16x32bx2 only"};
  }
  const uint32_t lane = TensorMemory::lane_of(address);
  const uint32_t window = 32 * warp_in_group;
  // PTX ISA 9.0, "Access restrictions".
  if (lane < window || lane + lanes_of(access.shape) > window + 32) {
    return {"ldst.lane-window", "lanes " + std::to_string(lane) + "-" +
                                    std::to_string(lane + lanes_of(access.shape) - 1) + " from warp " +
                                    std::to_string(warp_in_group) + " of its warpgroup, which reaches lanes " +
                                    std::to_string(window) + "-" + std::to_string(window + 31)};
  }
  // CUTLASS uses the 16-lane shapes at either half of a partition (copy_traits_sm100.hpp, 16dp), no other lane.
  if (lane % 16 != 0) return {"ldst.lane", "lane " + std::to_string(lane) + " is not a multiple of 16"};
  const uint32_t end = TensorMemory::col_of(address) + columns_of(access) + access.half_split_offset;
  if (end > TensorMemory::kCols) {
    return {"ldst.column-range",
            "columns up to " + std::to_string(end - 1) + " of " + std::to_string(TensorMemory::kCols)};
  }
  return {};
}

std::vector<TensorRange> ranges(const Access &access, uint32_t address) {
  const uint32_t lane = TensorMemory::lane_of(address);
  const uint32_t col = TensorMemory::col_of(address);
  const TensorRange first{lane, lanes_of(access.shape), col, columns_of(access)};
  if (access.shape != AccessShape::k16x32bx2) return {first};
  TensorRange second = first;
  second.col += access.half_split_offset;
  return {first, second};
}

void load(const Access &access, uint32_t address, const TensorMemory &tensor, uint32_t *registers) {
  const uint32_t count = registers_of(access);
  const uint32_t lane = TensorMemory::lane_of(address);
  const uint32_t col = TensorMemory::col_of(address);
  for (uint32_t reg = 0; reg < count; ++reg) {
    for (uint32_t thread = 0; thread < 32; ++thread) {
      const Cell cell = cell_of(access, thread, reg);
      const uint32_t *from = tensor.row(lane + cell.lane) + col + cell.col;
      registers[reg * 32 + thread] = access.is_packed ? (from[0] & 0xFFFF) | from[1] << 16 : from[0];
    }
  }
}

void store(const Access &access, uint32_t address, const uint32_t *registers, TensorMemory *tensor) {
  const uint32_t count = registers_of(access);
  const uint32_t lane = TensorMemory::lane_of(address);
  const uint32_t col = TensorMemory::col_of(address);
  for (uint32_t reg = 0; reg < count; ++reg) {
    for (uint32_t thread = 0; thread < 32; ++thread) {
      const Cell cell = cell_of(access, thread, reg);
      uint32_t *to = tensor->row(lane + cell.lane) + col + cell.col;
      const uint32_t value = registers[reg * 32 + thread];
      to[0] = access.is_packed ? value & 0xFFFF : value;
      if (access.is_packed) to[1] = value >> 16;
    }
  }
}

}  // namespace warpwright::emulator::tensor
