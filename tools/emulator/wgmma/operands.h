// SPDX-License-Identifier: Apache-2.0
// A and B as the fused sums want them, and which register of which lane holds an element of A or D.
#pragma once

#include "tools/emulator/tensor/numerics.h"
#include "tools/emulator/wgmma/mma.h"

#include <vector>

namespace warpwright::emulator::wgmma {

/// Element (row, k) at row · row_step + k · k_step.
struct Operand {
  size_t row_step = 0;
  size_t k_step = 0;
  std::vector<double> values;
  std::vector<int32_t> exponents;
  std::vector<uint8_t> has_special;  ///< by row: an infinity or a NaN
  std::vector<int32_t> integers;     ///< instead of `values` and `exponents`
};

/// A: rows of K elements.
Operand read_a(const Request &request, const tensor::MatrixDescriptor &matrix, const tensor::SharedView &shared,
               std::span<const WarpRegisters, kWarps> warps);
/// B: K rows of `stride` columns.
Operand read_b(const Request &request, const tensor::MatrixDescriptor &matrix, const tensor::SharedView &shared,
               size_t stride);

/// Where D's element (row, column) is: a register of a lane of a warp, which FP16 results fill by halves.
/// Source: PTX ISA 9.0, "Matrix fragments for wgmma.mma_async.m64nNk16" and the other shapes: D.
struct Place {
  uint32_t reg = 0;
  uint32_t lane = 0;
  uint32_t half = 0;
};
inline Place place_of_d(uint32_t row, uint32_t column, bool is_f16) {
  const uint32_t lane = row % 8 * 4 + column % 8 / 2, upper = row / 8 % 2, first = column / 8;
  if (is_f16) return {2 * first + upper, lane, column % 2};
  return {4 * first + 2 * upper + column % 2, lane, 0};
}

}  // namespace warpwright::emulator::wgmma
