// SPDX-License-Identifier: Apache-2.0
// Walks a box row by row: checks, bounds of each dimension, swizzled places in shared memory.
#include "tools/emulator/tma/box_copy.h"

#include "tools/emulator/tma/box_elements.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warpwright::emulator::tma {
namespace {

enum class Direction : uint8_t { kLoad, kStore, kReduce };

/// PTX ISA 9.0, "cp.async.bulk.tensor": the shared address is a multiple of 128 bytes.
constexpr uint32_t kSharedAlignmentBytes = 128;
constexpr uint32_t kMaxInnerBytes = 256 * 8;
/// What every swizzle keeps together: the 8-byte flip moves halves of 16 bytes.
constexpr uint32_t kPieceBytes = 8;

uint32_t span_bytes(Swizzle swizzle) {
  return swizzle == Swizzle::kNone ? 0 : swizzle == Swizzle::k32B ? 32 : swizzle == Swizzle::k64B ? 64 : 128;
}

/// Bytes from one row of a box to the next: a swizzled row takes the swizzle's whole span however narrow the box is
/// (read on an H200; the CUDA programming guide asks for shared memory "to accommodate the full swizzle width").
uint32_t pitch_bytes(const TensorMap &map) {
  return map.swizzle == Swizzle::kNone ? inner_bytes(map) : span_bytes(map.swizzle);
}

/// Elements that the box takes along a dimension; its stride is ignored along dimension 0 (cuTensorMapEncodeTiled).
uint32_t count_along(const TensorMap &map, uint32_t dim) {
  const uint32_t stride = dim == 0 ? 1 : map.element_strides[dim];
  return (map.box[dim] + stride - 1) / stride;
}

uint64_t row_count(const TensorMap &map) {
  uint64_t rows = 1;
  for (uint32_t dim = 1; dim < map.rank; ++dim) rows *= count_along(map, dim);
  return rows;
}

Error check_direction(const TensorMap &map, Direction direction) {
  if (map.interleave != Interleave::kNone) return {"tma.interleave", "interleaved tensors are not emulated"};
  if (map.type == ElementType::kTf32 || map.type == ElementType::kTf32Ftz) {
    return {"tma.type", "the rounding of TFLOAT32 copies is not documented; take FLOAT32"};
  }
  const bool is_load = direction == Direction::kLoad;
  if (map.type == ElementType::k16U4Align16B && !is_load) {
    return {"tma.direction", "16U4_ALIGN16B tensors are loaded only"};
  }
  if (map.type == ElementType::k16U6Align16B && map.swizzle == Swizzle::k128BAtom64B && is_load) {
    return {"tma.direction", "16U6_ALIGN16B with 64-byte atoms is stored only"};
  }
  return {};
}

Error check_operands(const TensorMap &map, const Coordinates &coordinates, uint32_t shared_address,
                     uint32_t shared_bytes) {
  if (shared_address % kSharedAlignmentBytes != 0) {
    return {"tma.shared-alignment", "shared address " + std::to_string(shared_address) + " is not a multiple of 128"};
  }
  const uint64_t bytes = row_count(map) * pitch_bytes(map);
  if (shared_address > shared_bytes || bytes > shared_bytes - shared_address) {
    return {"tma.shared-bounds", std::to_string(bytes) + " bytes at shared address " + std::to_string(shared_address) +
                                     " of " + std::to_string(shared_bytes)};
  }
  // The box begins on 16 bytes of the tensor (PTX ISA 9.0, "Bounding Box"; otherwise an H200 stops with an illegal
  // instruction), padded elements on a whole box of 128 (cuTensorMapEncodeTiled).
  const uint32_t bits = element_bits(map.type);
  const bool is_padded = map.type == ElementType::k16U4Align16B || map.type == ElementType::k16U6Align16B;
  const int32_t step = is_padded ? 128 : static_cast<int32_t>(128 / bits);
  if (coordinates[0] % step != 0) {
    return {"tma.coordinate",
            "coordinate 0 is " + std::to_string(coordinates[0]) + ", not a multiple of " + std::to_string(step)};
  }
  return {};
}

/// One row of the box along dimension 0.
struct Row {
  bool is_inside = false;  ///< of dimensions 1 …
  uint64_t address = 0;    ///< of element `at`
  uint32_t at = 0;         ///< first element of the row inside dimension 0
  uint32_t count = 0;
  uint32_t shared_offset = 0;
};

Row row_at(const TensorMap &map, const Coordinates &coordinates, uint32_t index) {
  Row row;
  row.shared_offset = index * pitch_bytes(map);
  row.is_inside = true;
  uint64_t offset = 0;
  for (uint32_t dim = 1; dim < map.rank; ++dim) {
    const uint32_t count = count_along(map, dim);
    const int64_t at = int64_t{coordinates[dim]} + int64_t{index % count} * map.element_strides[dim];
    index /= count;
    if (at < 0 || static_cast<uint64_t>(at) >= map.dims[dim]) row.is_inside = false;
    offset += static_cast<uint64_t>(at) * map.strides_bytes[dim - 1];
  }
  const int64_t first = coordinates[0];
  const int64_t begin = std::max<int64_t>(first, 0);
  const int64_t end = std::min<int64_t>(first + map.box[0], static_cast<int64_t>(map.dims[0]));
  if (!row.is_inside || begin >= end) return row;
  row.at = static_cast<uint32_t>(begin - first);
  row.count = static_cast<uint32_t>(end - begin);
  row.address = map.address + offset + static_cast<uint64_t>(begin) * element_bits(map.type) / 8;
  return row;
}

/// The host's view of a row's elements; an error when they are in no allocation.
Error resolve(const TensorMap &map, const Row &row, const GlobalMemory &memory, uint8_t **out) {
  const uint64_t bytes = uint64_t{row.count} * element_bits(map.type) / 8;
  *out = memory.resolve(row.address, bytes);
  if (*out != nullptr) return {};
  return {"tma.global-bounds",
          std::to_string(bytes) + " bytes of the tensor are not allocated: " + memory.describe(row.address)};
}

/// A box that begins before the tensor can be loaded; an H200 stops a store or reduction of it with an illegal instruction.
Error check_begin(const TensorMap &map, const Coordinates &coordinates) {
  for (uint32_t d = 0; d < map.rank; ++d)
    if (coordinates[d] < 0)
      return {"tma.coordinate", "coordinate " + std::to_string(d) + " of a store is " + std::to_string(coordinates[d]) +
                                    ": a negative one can be loaded from, not stored to"};
  return {};
}

/// Elements inside the tensor, for stores and reductions, with the row as shared memory has it.
template <typename Visit>
Error for_each_inner_row(const TensorMap &map, const Coordinates &coordinates, const GlobalMemory &memory,
                         uint32_t shared_address, const uint8_t *shared, Visit visit) {
  if (Error error = check_begin(map, coordinates)) return error;
  const uint32_t inner = inner_bytes(map);
  for (uint32_t index = 0; index < row_count(map); ++index) {
    const Row row = row_at(map, coordinates, index);
    if (row.count == 0) continue;
    std::array<uint8_t, kMaxInnerBytes> bytes;
    for (uint32_t i = 0; i < inner; i += kPieceBytes) {
      std::memcpy(&bytes[i], shared + swizzled_address(map.swizzle, shared_address, row.shared_offset + i),
                  kPieceBytes);
    }
    uint8_t *global = nullptr;
    if (Error error = resolve(map, row, memory, &global)) return error;
    visit(bytes.data(), row, global);
  }
  return {};
}

}  // namespace

uint32_t box_bytes(const TensorMap &map) {
  // A box of 256 along five dimensions is a valid map that no shared memory holds.
  return static_cast<uint32_t>(std::min<uint64_t>(row_count(map) * inner_bytes(map), UINT32_MAX));
}

uint32_t swizzled_address(Swizzle swizzle, uint32_t base, uint32_t linear) {
  const uint32_t address = base + linear;
  const uint32_t line = address >> 7;
  switch (swizzle) {
    case Swizzle::kNone:
      return address;
    case Swizzle::k32B:
      return address ^ (line & 1) << 4;
    case Swizzle::k64B:
      return address ^ (line & 3) << 4;
    case Swizzle::k128B:
      return address ^ (line & 7) << 4;
    case Swizzle::k128BAtom32B:
      return address ^ (line & 3) << 5;
    case Swizzle::k128BAtom32BFlip8B:
      return address ^ ((line & 3) << 5 | (line & 1) << 3);
    case Swizzle::k128BAtom64B:
      return address ^ (line & 1) << 6;
  }
  return address;
}

Error load_box(const TensorMap &map, const Coordinates &coordinates, const GlobalMemory &memory,
               uint32_t shared_address, uint8_t *shared, uint32_t shared_bytes) {
  if (Error error = check_direction(map, Direction::kLoad)) return error;
  if (Error error = check_operands(map, coordinates, shared_address, shared_bytes)) return error;
  const uint32_t inner = inner_bytes(map);
  for (uint32_t index = 0; index < row_count(map); ++index) {
    const Row row = row_at(map, coordinates, index);
    std::array<uint8_t, kMaxInnerBytes> bytes;
    if (row.count != map.box[0]) fill_row(map, bytes.data(), inner);
    if (row.count != 0) {
      uint8_t *global = nullptr;
      if (Error error = resolve(map, row, memory, &global)) return error;
      load_elements(map, global, row.at, row.count, bytes.data());
    }
    for (uint32_t i = 0; i < inner; i += kPieceBytes) {
      std::memcpy(shared + swizzled_address(map.swizzle, shared_address, row.shared_offset + i), &bytes[i],
                  kPieceBytes);
    }
  }
  return {};
}

Error store_box(const TensorMap &map, const Coordinates &coordinates, const GlobalMemory &memory,
                uint32_t shared_address, const uint8_t *shared, uint32_t shared_bytes) {
  if (Error error = check_direction(map, Direction::kStore)) return error;
  if (Error error = check_operands(map, coordinates, shared_address, shared_bytes)) return error;
  return for_each_inner_row(map, coordinates, memory, shared_address, shared,
                            [&](const uint8_t *bytes, const Row &row, uint8_t *global) {
                              store_elements(map, bytes, row.at, row.count, global);
                            });
}

Error reduce_box(const TensorMap &map, const Coordinates &coordinates, Reduction reduction, const GlobalMemory &memory,
                 uint32_t shared_address, const uint8_t *shared, uint32_t shared_bytes) {
  if (Error error = check_direction(map, Direction::kReduce)) return error;
  if (!has_reduction(map.type, reduction)) return {"tma.reduction", "the element type does not have this reduction"};
  if (Error error = check_operands(map, coordinates, shared_address, shared_bytes)) return error;
  return for_each_inner_row(map, coordinates, memory, shared_address, shared,
                            [&](const uint8_t *bytes, const Row &row, uint8_t *global) {
                              reduce_elements(map, reduction, bytes, row.at, row.count, global);
                            });
}

}  // namespace warpwright::emulator::tma
