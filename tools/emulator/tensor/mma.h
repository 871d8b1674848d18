// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma as one step: D = A·B or D = A·B + D, bit for bit by the rules of numerics.h.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/tensor/descriptors.h"
#include "tools/emulator/tensor/operand_layout.h"

#include <array>
#include <cstdint>
#include <vector>

namespace warpwright::emulator::tensor {

/// The operands of one tcgen05.mma, registers as the instruction has them.
struct MmaRequest {
  MmaKind kind = MmaKind::kF16;
  uint32_t cta_group = 1;
  uint32_t instruction_descriptor = 0;
  bool is_a_in_tensor_memory = false;
  uint64_t a_descriptor = 0;  ///< A in shared memory
  uint32_t a_address = 0;     ///< A in tensor memory
  uint64_t b_descriptor = 0;
  uint32_t d_address = 0;
  uint32_t scale_a_address =
      0;  ///< bits 30-31, where CUTLASS keeps the scale id, are ignored as the hardware ignores them
  uint32_t scale_b_address = 0;
  uint32_t scale_block = 0;  ///< 16 (.block16, .scale_vec::4X), 32 (.block32; 1X of mxf8f6f4, 2X), 0 without scales
  bool enable_input_d = false;
  uint32_t scale_input_d = 0;                     ///< D enters as D · 2^-this: kinds f16 and tf32, 0 … 15
  std::array<uint32_t, 8> disable_output_lane{};  ///< bit i of word w: lane 32 w + i, words 4-7 of the odd CTA
};

/// Lanes [lane, lane + lanes) of columns [col, col + cols) of one CTA's tensor memory.
struct TensorRange {
  uint32_t lane = 0;
  uint32_t lanes = 0;
  uint32_t col = 0;
  uint32_t cols = 0;
  bool operator==(const TensorRange &) const = default;
};

/// What one MMA touches in each CTA of the pair (index 0 alone with cta_group::1). Both CTAs have the same shared
/// ranges, since the descriptors are the same.
struct MmaFootprint {
  std::vector<ByteRange> a;  ///< empty when A is in tensor memory
  std::vector<ByteRange> b;
  std::vector<TensorRange> reads;   ///< scales, A; D when it is an input
  std::vector<TensorRange> writes;  ///< D, disabled lanes included
};

/// The descriptors decoded and everything checked that does not need data.
///
/// Errors    those of decode_matrix and decode_instruction; mma.lane-alignment, mma.column-range, mma.shared-range (an
/// operand
///           beyond `shared_bytes`), mma.scale-input, mma.a-major, mma.swizzle, mma.cta-group
Error footprint(const MmaRequest &request, uint32_t shared_bytes, MmaFootprint *out);

/// Performs the MMA. Index 0 is the CTA whose %cluster_ctarank is even (cta_group::2), or the executing CTA; index 1 is
/// unused with cta_group::1.
///
/// Errors    those of footprint; mma.scale-copies (scale factors differ between the 32-lane partitions that must each
/// hold
///           them: PTX ISA 9.0, "Block Scaling for tcgen05.mma.sync")
Error perform(const MmaRequest &request, const std::array<SharedView, 2> &shared,
              const std::array<TensorMemory *, 2> &tensor);

}  // namespace warpwright::emulator::tensor
