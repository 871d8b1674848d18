// SPDX-License-Identifier: Apache-2.0
// Operands as the inner loops want them: gathered from their memories, decoded once, B transposed.
#pragma once

#include "tools/emulator/tensor/fused_rows.h"
#include "tools/emulator/tensor/mma_plan.h"
#include "tools/emulator/tensor/numerics.h"

#include <array>
#include <cstdint>
#include <vector>

namespace warpwright::emulator::tensor {

/// Element codes of `rows` rows, row-major, K elements each.
struct Codes {
  uint32_t rows = 0;
  uint32_t k = 0;
  std::vector<uint32_t> codes;
};

/// 32 bytes of K of each row of a matrix in shared memory, K-major whichever way they lie there.
std::vector<uint8_t> gather_rows(const MatrixDescriptor &matrix, bool is_mn_major, uint32_t rows,
                                 uint32_t element_bytes, const uint8_t *shared);
/// Appends such rows, in containers as in shared memory.
void append_codes(const std::vector<uint8_t> &rows, MmaKind kind, Format format, uint32_t k, Codes *out);

/// Appends the rows of a matrix in shared memory.
void append_shared(const MmaPlan &plan, MmaKind kind, bool is_a, const SharedView &shared, Codes *out);

/// Appends A's rows of one CTA from its tensor memory.
///
/// Errors    mma.a-copies: M = 128 of two CTAs wants A in lanes 0-63 and again in 64-127 (CUTLASS
///           include/cute/atom/mma_traits_sm100_frag.hpp, TmemAllocMode::Duplicated)
Error append_tensor(const MmaPlan &plan, MmaKind kind, const TensorMemory &tensor, Codes *out);

/// The scale codes of `rows` rows: `count` bytes a row, from byte `id` of each cell.
struct ScaleCodes {
  uint32_t count = 0;
  std::vector<uint8_t> codes;
};

/// Of A: `rows` rows of one CTA, or of B: N rows.
///
/// Errors    mma.scale-copies
Error read_scales(const MmaPlan &plan, bool is_a, uint32_t count, const TensorMemory &tensor, ScaleCodes *out);

/// Scales a row: 1, 2 or 4.
uint32_t scales_of(MmaKind kind, uint32_t scale_block);

/// decode(format, code) for codes below 256.
const std::array<Decoded, 256> &decode_table(Format format);

}  // namespace warpwright::emulator::tensor
