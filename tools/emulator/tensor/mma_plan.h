// SPDX-License-Identifier: Apache-2.0
// A checked MMA: its descriptors decoded, and which lanes and columns hold which rows of D, A and the scales.
#pragma once

#include "tools/emulator/tensor/mma.h"

#include <cstdint>

namespace warpwright::emulator::tensor {

/// Data-path layouts of D. Source: PTX ISA 9.0, "Data Path Layout Organization"; CUTLASS
/// include/cute/atom/mma_traits_sm100_frag.hpp, tmem_frg.
enum class DataPath : uint8_t {
  kFull,      ///< A and D: lane = row, 128 rows a CTA
  kHalf,      ///< F: M = 64 of one CTA, 16 lanes of each 32-lane partition
  kTwoByTwo,  ///< B: M = 128 of two CTAs; lanes 64-127 hold the upper half of the columns
};

struct MmaPlan {
  InstructionDescriptor instruction;
  MatrixDescriptor a;  ///< unused when A is in tensor memory
  MatrixDescriptor b;
  DataPath path = DataPath::kFull;
  uint32_t ctas = 1;
  uint32_t rows = 0;       ///< of A and D in a CTA
  uint32_t b_rows = 0;     ///< of B in a CTA's shared memory
  uint32_t d_cols = 0;     ///< columns of tensor memory that D takes
  uint32_t half_lane = 0;  ///< kHalf: 0 or 16
  uint32_t a_col = 0;
  uint32_t d_col = 0;
  uint32_t scale_a_col = 0;
  uint32_t scale_b_col = 0;

  /// The lane of row `row` of the CTA, of its columns below d_cols.
  uint32_t lane_of_row(uint32_t row) const {
    return path == DataPath::kHalf ? row / 16 * 32 + row % 16 + half_lane : row;
  }
};

/// Errors    those of footprint (mma.h), except the ranges in shared memory
Error make_plan(const MmaRequest &request, MmaPlan *out);

/// Columns that the scales of `rows` rows take: 32 rows a column (PTX ISA 9.0, "Scale Factor A ID"; CUTLASS
/// include/cute/atom/mma_traits_sm100_frag.hpp, tmem_sf_frg).
uint32_t scale_cols(uint32_t rows);

}  // namespace warpwright::emulator::tensor
