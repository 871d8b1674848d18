// SPDX-License-Identifier: Apache-2.0
// tcgen05.cp, shared memory to tensor memory, and tcgen05.shift.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/tensor/mma.h"
#include "tools/emulator/tensor/operand_layout.h"

#include <cstdint>
#include <vector>

namespace warpwright::emulator::tensor {

/// .shape and .multicast of tcgen05.cp.
enum class CopyShape : uint8_t {
  k128x256b,
  k4x256b,
  k128x128b,
  k64x128bWarpx2_02_13,
  k64x128bWarpx2_01_23,
  k32x128bWarpx4
};

/// .src_fmt: what becomes .b8x16.
enum class CopySource : uint8_t { kAsIs, kB4x16P64, kB6x16P32 };

/// One tcgen05.cp within one CTA. cta_group::2: perform it in both CTAs with the same operands, each with its own
/// memories (CUTLASS include/cute/arch/copy_sm100.hpp, SM100_UTCCP_*_2cta).
struct CopyRequest {
  CopyShape shape = CopyShape::k32x128bWarpx4;
  CopySource source = CopySource::kAsIs;
  uint32_t address = 0;     ///< in tensor memory
  uint64_t descriptor = 0;  ///< of the matrix in shared memory
};

struct CopyFootprint {
  std::vector<ByteRange> reads;
  std::vector<TensorRange> writes;
};

/// Errors    those of decode_matrix; cp.lane, cp.column-range, cp.shared-range
Error footprint(const CopyRequest &request, uint32_t shared_bytes, CopyFootprint *out);
Error perform(const CopyRequest &request, const SharedView &shared, TensorMemory *tensor);

/// tcgen05.shift.down at `address`: lanes take the 8 columns of the next lane, within the 32 lanes there; the last
/// keeps its own.
///
/// Errors    shift.lane, shift.column-range
Error shift_down(uint32_t address, TensorMemory *tensor);

}  // namespace warpwright::emulator::tensor
