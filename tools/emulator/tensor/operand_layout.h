// SPDX-License-Identifier: Apache-2.0
// Where the bytes of an operand lie in shared memory: canonical layouts, K-major and MN-major, for every swizzle.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/tensor/descriptors.h"

#include <cstdint>
#include <vector>

namespace warpwright::emulator::tensor {

/// The shared memory of one CTA: `data` is the byte at shared address 0.
struct SharedView {
  const uint8_t *data = nullptr;
  uint32_t bytes = 0;
};

/// A unit of 16 bytes of a matrix in shared memory.
constexpr uint32_t kUnitBytes = 16;

/// Every tcgen05.mma without sparsity reads 32 bytes of K a row (PTX ISA 9.0, "Matrix Shape": K is 256 bits of elements
/// in their containers, for each kind).
constexpr uint32_t kRowBytes = 32;

/// Bits that an element takes in shared memory as tcgen05.mma reads it: 4 for kind::mxf4 and mxf4nvf4, 8 for the padded
/// 4- and 6-bit forms of f8f6f4 (PTX ISA 9.0, "Packing format for matrix A and B").
uint32_t container_bits(MmaKind kind, Format format);

/// Shared address of unit `unit` of row `row` of a K-major matrix: 16 bytes of consecutive K.
uint32_t k_major_address(const MatrixDescriptor &matrix, uint32_t row, uint32_t unit);

/// Shared address of the 16 bytes that hold elements `first` … of column `k` of an MN-major matrix; `first` counts
/// units of 16 bytes along M or N.
uint32_t mn_major_address(const MatrixDescriptor &matrix, uint32_t unit, uint32_t k);

/// The bytes that one MMA reads of `rows` rows of an operand from `first_row` on, a multiple of 16, in ranges that neither
/// overlap nor touch, ascending.
std::vector<ByteRange> operand_ranges(const MatrixDescriptor &matrix, bool is_mn_major, uint32_t rows,
                                      uint32_t k_elements, uint32_t element_bits, uint32_t first_row = 0);

}  // namespace warpwright::emulator::tensor
