// SPDX-License-Identifier: Apache-2.0
// The tiled bulk-tensor copies: a box of a tensor to shared memory, back, and back with a reduction.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/tma/tensor_map.h"

#include <array>
#include <cstdint>

namespace warpwright::emulator::tma {

/// Element coordinates of the box's first element, dimension 0 first; may be negative.
using Coordinates = std::array<int32_t, 5>;

/// Bytes of shared memory that a box fills, and that complete_tx counts, elements out of bounds included.
/// Source: PTX ISA 9.0, "cp.async.bulk.tensor"; packed types with padding count it ("Sub-byte Types").
/// Rows narrower than their swizzle lie a whole span apart; the gaps are not counted (read on an H200) and not written.
uint32_t box_bytes(const TensorMap &map);

/// Where the byte at `linear` of the unswizzled box lies when the box begins at shared address `base`.
/// Source: PTX ISA 9.0, "Swizzling Modes": the pattern is a function of the address.
uint32_t swizzled_address(Swizzle swizzle, uint32_t base, uint32_t linear);

/// Copies a box to shared memory. `shared` is the byte at shared address 0 of the destination CTA, of `shared_bytes`.
///
/// Errors    tma.shared-alignment, tma.shared-bounds, tma.coordinate, tma.interleave, tma.type, tma.direction,
/// tma.global-bounds (an element inside the
///           tensor lies outside every allocation)
Error load_box(const TensorMap &map, const Coordinates &coordinates, const GlobalMemory &memory,
               uint32_t shared_address, uint8_t *shared, uint32_t shared_bytes);

/// Copies shared memory to the part of a box that lies inside the tensor.
Error store_box(const TensorMap &map, const Coordinates &coordinates, const GlobalMemory &memory,
                uint32_t shared_address, const uint8_t *shared, uint32_t shared_bytes);

/// PTX ISA 9.0, "cp.reduce.async.bulk.tensor", .redOp.
enum class Reduction : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

/// Combines shared memory into the part of a box that lies inside the tensor. Elements are combined one at a time; the
/// caller orders whole boxes, so that each element's combination is atomic.
///
/// Errors    those of store_box; tma.reduction (an operation that the type does not have)
Error reduce_box(const TensorMap &map, const Coordinates &coordinates, Reduction reduction, const GlobalMemory &memory,
                 uint32_t shared_address, const uint8_t *shared, uint32_t shared_bytes);

}  // namespace warpwright::emulator::tma
