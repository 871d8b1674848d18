// SPDX-License-Identifier: Apache-2.0
// The canonical layouts of PTX ISA 9.0, "Canonical Layouts" and "Shared Memory Layout and Swizzling", as address
// arithmetic.
#include "tools/emulator/tensor/operand_layout.h"

#include <algorithm>

namespace warpwright::emulator::tensor {
namespace {

/// Bytes that a row of the swizzle atom spans; 16 without a swizzle (PTX ISA 9.0, Table 55).
uint32_t span_bytes(OperandSwizzle swizzle) {
  switch (swizzle) {
    case OperandSwizzle::kNone:
      return 16;
    case OperandSwizzle::k32B:
      return 32;
    case OperandSwizzle::k64B:
      return 64;
    case OperandSwizzle::k128B:
    case OperandSwizzle::k128BAtom32B:
      return 128;
  }
  return 16;
}

/// The address bits that the swizzle replaces. It is a function of the address, not of the offset in the matrix: bits
/// 7-9 less the base offset count the 128-byte lines of the pattern (PTX ISA 9.0, Table 41 and "Swizzling Modes").
/// Swizzle<B, 4, 3> of CUTLASS include/cute/swizzle.hpp; Swizzle<2, 5, 2> for 32-byte atoms
/// (include/cute/atom/mma_traits_sm100.hpp, Layout_MN_SW128_32B_Atom).
uint32_t swizzled(const MatrixDescriptor &matrix, uint32_t address) {
  const uint32_t line = ((address >> 7) - matrix.base_offset) & 7;
  switch (matrix.swizzle) {
    case OperandSwizzle::kNone:
      return address;
    case OperandSwizzle::k32B:
      return address ^ ((line & 1) << 4);
    case OperandSwizzle::k64B:
      return address ^ ((line & 3) << 4);
    case OperandSwizzle::k128B:
      return address ^ (line << 4);
    case OperandSwizzle::k128BAtom32B:
      return address ^ ((line & 3) << 5);
  }
  return address;
}

}  // namespace

uint32_t container_bits(MmaKind kind, Format format) {
  switch (format) {
    case Format::kF16:
    case Format::kBf16:
      return 16;
    case Format::kTf32:
      return 32;
    case Format::kE2M1:
      return kind == MmaKind::kMxF4 || kind == MmaKind::kMxF4Nvf4 ? 4 : 8;
    default:
      return 8;
  }
}

// K-major: ((8,m),(T,2k)) : ((1T,SBO),(1,LBO)) without, ((W T/16,SBO),(1,T)) with a swizzle of W bytes.
uint32_t k_major_address(const MatrixDescriptor &matrix, uint32_t row, uint32_t unit) {
  const uint32_t pitch = span_bytes(matrix.swizzle);
  const uint32_t step = matrix.swizzle == OperandSwizzle::kNone ? matrix.leading_bytes : kUnitBytes;
  return swizzled(matrix, matrix.address + row / 8 * matrix.stride_bytes + row % 8 * pitch + unit * step);
}

// MN-major: ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO)) without, ((T,W/16,m),(8,k)) : ((1,T,LBO),(W T/16,SBO)) with a
// swizzle of W bytes. The atom of 128 bytes with 32-byte atoms has four columns of K, not eight (Table 55: 8x4).
uint32_t mn_major_address(const MatrixDescriptor &matrix, uint32_t unit, uint32_t k) {
  if (matrix.swizzle == OperandSwizzle::kNone) {
    return matrix.address + unit * matrix.stride_bytes + k % 8 * kUnitBytes + k / 8 * matrix.leading_bytes;
  }
  const uint32_t span = span_bytes(matrix.swizzle);
  const uint32_t units = span / kUnitBytes;
  const uint32_t columns = matrix.swizzle == OperandSwizzle::k128BAtom32B ? 4 : 8;
  return swizzled(matrix, matrix.address + unit % units * kUnitBytes + unit / units * matrix.leading_bytes +
                              k % columns * span + k / columns * matrix.stride_bytes);
}

std::vector<ByteRange> operand_ranges(const MatrixDescriptor &matrix, bool is_mn_major, uint32_t rows,
                                      uint32_t k_elements, uint32_t element_bits, uint32_t first_row) {
  std::vector<uint32_t> units;
  if (is_mn_major) {
    const uint32_t along = (rows * element_bits / 8 + kUnitBytes - 1) / kUnitBytes;
    units.reserve(size_t{along} * k_elements);
    const uint32_t first = first_row * element_bits / 8 / kUnitBytes;
    for (uint32_t k = 0; k < k_elements; ++k) {
      for (uint32_t unit = first; unit < first + along; ++unit) units.push_back(mn_major_address(matrix, unit, k));
    }
  } else {
    const uint32_t along = k_elements * element_bits / 8 / kUnitBytes;
    units.reserve(size_t{along} * rows);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
      for (uint32_t unit = 0; unit < along; ++unit) units.push_back(k_major_address(matrix, row, unit));
    }
  }
  std::sort(units.begin(), units.end());
  std::vector<ByteRange> ranges;
  for (const uint32_t address : units) {
    if (!ranges.empty() && address <= ranges.back().offset + ranges.back().bytes) {
      ranges.back().bytes = std::max(ranges.back().bytes, address + kUnitBytes - ranges.back().offset);
    } else {
      ranges.push_back({address, kUnitBytes});
    }
  }
  return ranges;
}

}  // namespace warpwright::emulator::tensor
