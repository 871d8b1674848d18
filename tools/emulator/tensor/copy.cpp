// SPDX-License-Identifier: Apache-2.0
// Rows of the source matrix to lanes, with the multicasts; 4- and 6-bit elements spread to bytes on the way.
#include "tools/emulator/tensor/copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace warpwright::emulator::tensor {
namespace {

/// Rows and bytes a row of the source, and the lanes that each row goes to: group g of `group_rows` rows begins at lane
/// `group_lanes` · g, and again `copy_lanes` further for each copy.
/// Source: PTX ISA 9.0, "tcgen05.cp"; CUTLASS include/cute/atom/copy_traits_sm100.hpp, SM100_UTCCP_* (ValID and
/// SrcLayout).
struct Shape {
  uint32_t rows, bytes;
  uint32_t group_rows, group_lanes;
  uint32_t copies, copy_lanes;
};

Shape shape_of(CopyShape shape) {
  switch (shape) {
    case CopyShape::k128x256b:
      return {128, 32, 128, 0, 1, 0};
    case CopyShape::k4x256b:
      return {4, 32, 1, 32, 1, 0};
    case CopyShape::k128x128b:
      return {128, 16, 128, 0, 1, 0};
    case CopyShape::k64x128bWarpx2_02_13:
      return {64, 16, 64, 0, 2, 64};
    case CopyShape::k64x128bWarpx2_01_23:
      return {64, 16, 32, 64, 2, 32};
    case CopyShape::k32x128bWarpx4:
      return {32, 16, 32, 0, 4, 32};
  }
  return {};
}

uint32_t cols_of(const Shape &shape) { return shape.bytes / 4; }

/// 16 elements of `bits` bits, packed low end first, to bytes. Source: PTX ISA 9.0, "Optional Decompression". The place
/// of the bits in the byte is that of the elements of A in tensor memory, whose 8-bit containers they become: E2M1 with
/// two bits of padding on either side, 6-bit formats with two above.
void decompress(const uint8_t *from, uint32_t bits, uint8_t *to) {
  const uint32_t left = bits == 4 ? 2 : 0;
  for (uint32_t i = 0; i < kUnitBytes; ++i) {
    const uint32_t first = i * bits;
    const uint32_t pair = static_cast<uint32_t>(from[first / 8] | from[first / 8 + 1] << 8);
    to[i] = static_cast<uint8_t>((pair >> first % 8 & ((1u << bits) - 1)) << left);
  }
}

Error check_place(const CopyRequest &request, const Shape &shape) {
  const uint32_t lane = TensorMemory::lane_of(request.address);
  const uint32_t col = TensorMemory::col_of(request.address);
  // The four rows of .4x256b go to one lane of each 32-lane partition, any lane of it; the other shapes fill all 128
  // lanes.
  const uint32_t most = request.shape == CopyShape::k4x256b ? 31 : 0;
  if (lane > most) {
    return {"cp.lane", "tcgen05.cp begins at lane " + std::to_string(lane) + "; this shape begins at lane 0" +
                           (most != 0 ? " … 31" : "")};
  }
  if (col + cols_of(shape) > TensorMemory::kCols) {
    return {"cp.column-range", "tcgen05.cp writes columns " + std::to_string(col) + "-" +
                                   std::to_string(col + cols_of(shape) - 1) + " of " +
                                   std::to_string(TensorMemory::kCols)};
  }
  return {};
}

}  // namespace

Error footprint(const CopyRequest &request, uint32_t shared_bytes, CopyFootprint *out) {
  const Shape shape = shape_of(request.shape);
  MatrixDescriptor matrix;
  if (Error error = decode_matrix(request.descriptor, &matrix)) return error;
  if (Error error = check_place(request, shape)) return error;
  *out = {};
  out->reads = operand_ranges(matrix, false, shape.rows, shape.bytes, 8);
  const ByteRange &last = out->reads.back();
  if (last.offset + last.bytes > shared_bytes) {
    return {"cp.shared-range", "tcgen05.cp reads up to byte " + std::to_string(last.offset + last.bytes) + " of " +
                                   std::to_string(shared_bytes) + " bytes of shared memory"};
  }
  const uint32_t lane = TensorMemory::lane_of(request.address);
  const uint32_t col = TensorMemory::col_of(request.address);
  if (request.shape == CopyShape::k4x256b) {
    for (uint32_t i = 0; i < 4; ++i) out->writes.push_back({lane + 32 * i, 1, col, cols_of(shape)});
  } else {
    out->writes.push_back({0, TensorMemory::kLanes, col, cols_of(shape)});
  }
  return {};
}

Error perform(const CopyRequest &request, const SharedView &shared, TensorMemory *tensor) {
  CopyFootprint touched;
  if (Error error = footprint(request, shared.bytes, &touched)) return error;
  const Shape shape = shape_of(request.shape);
  MatrixDescriptor matrix;
  if (Error error = decode_matrix(request.descriptor, &matrix)) return error;
  const uint32_t first_lane = TensorMemory::lane_of(request.address);
  const uint32_t col = TensorMemory::col_of(request.address);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    std::array<uint8_t, 32> bytes{};
    for (uint32_t unit = 0; unit < shape.bytes / kUnitBytes; ++unit) {
      const uint8_t *from = shared.data + k_major_address(matrix, row, unit);
      uint8_t *to = bytes.data() + unit * kUnitBytes;
      switch (request.source) {
        case CopySource::kAsIs:
          std::memcpy(to, from, kUnitBytes);
          break;
        case CopySource::kB4x16P64:
          decompress(from, 4, to);
          break;
        case CopySource::kB6x16P32:
          decompress(from, 6, to);
          break;
      }
    }
    const uint32_t lane = first_lane + row / shape.group_rows * shape.group_lanes + row % shape.group_rows;
    for (uint32_t i = 0; i < shape.copies; ++i) {
      std::memcpy(tensor->row(lane + i * shape.copy_lanes) + col, bytes.data(), shape.bytes);
    }
  }
  return {};
}

Error shift_down(uint32_t address, TensorMemory *tensor) {
  const uint32_t lane = TensorMemory::lane_of(address);
  const uint32_t col = TensorMemory::col_of(address);
  // PTX ISA 9.0, "tcgen05.shift": 32-byte elements, the lane a multiple of 32.
  constexpr uint32_t kShiftCols = 8;
  if (lane % 32 != 0 || lane >= TensorMemory::kLanes) {
    return {"shift.lane", "tcgen05.shift begins at lane " + std::to_string(lane) + ", not a multiple of 32 below 128"};
  }
  if (col + kShiftCols > TensorMemory::kCols) {
    return {"shift.column-range", "tcgen05.shift moves columns " + std::to_string(col) + "-" +
                                      std::to_string(col + kShiftCols - 1) + " of " +
                                      std::to_string(TensorMemory::kCols)};
  }
  // The last lane is the one to refill (CUTLASS include/cute/atom/copy_traits_sm100.hpp, SM100_UTCCP_4dp256bit:
  // "refresh the last 4 lanes"), so each lane takes the next one's.
  for (uint32_t i = lane; i < lane + 31; ++i) {
    std::memcpy(tensor->row(i) + col, tensor->row(i + 1) + col, kShiftCols * sizeof(uint32_t));
  }
  return {};
}

}  // namespace warpwright::emulator::tensor
