// SPDX-License-Identifier: Apache-2.0
// Elements of a box: fills, conversions on the way, and the arithmetic of reductions.
#pragma once

#include "tools/emulator/tma/box_copy.h"

#include <cstdint>

namespace warpwright::emulator::tma {

/// Bytes of shared memory that the innermost row of a box takes.
uint32_t inner_bytes(const TensorMap &map);

/// Writes the fill of elements out of bounds over `bytes` bytes.
void fill_row(const TensorMap &map, uint8_t *row, uint32_t bytes);

/// The elements [first, first + count) of a row of global memory, from `from` (the byte of element `first`), to a row
/// as shared memory has it, element 0 of the row at `row`. `at` is the first element's place in the row.
void load_elements(const TensorMap &map, const uint8_t *from, uint32_t at, uint32_t count, uint8_t *row);

/// The reverse.
void store_elements(const TensorMap &map, const uint8_t *row, uint32_t at, uint32_t count, uint8_t *to);

/// Whether the type has the reduction. Source: PTX ISA 9.0, "cp.reduce.async.bulk", table of .redOp and element type,
/// .global.
bool has_reduction(ElementType type, Reduction reduction);

/// to = to op row, element by element.
void reduce_elements(const TensorMap &map, Reduction reduction, const uint8_t *row, uint32_t at, uint32_t count,
                     uint8_t *to);

}  // namespace warpwright::emulator::tma
