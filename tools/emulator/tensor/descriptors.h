// SPDX-License-Identifier: Apache-2.0
// The matrix descriptor (64 bits) and the instruction descriptor (32 bits), decoded field by field; wrong constants
// refused.
#pragma once

#include "tools/emulator/memory/error.h"

#include <cstdint>

namespace warpwright::emulator::tensor {

/// Qualifier .kind of tcgen05.mma.
enum class MmaKind : uint8_t { kF16, kTf32, kF8F6F4, kI8, kMxF8F6F4, kMxF4, kMxF4Nvf4 };

/// Element formats of operands, accumulators and scales.
enum class Format : uint8_t {
  kF16,
  kBf16,
  kTf32,
  kE4M3,
  kE5M2,
  kE2M3,
  kE3M2,
  kE2M1,
  kU8,
  kS8,
  kF32,
  kS32,
  kUe8m0,
  kUe4m3,
};

/// Of a matrix in shared memory.
enum class OperandSwizzle : uint8_t { kNone, k32B, k64B, k128B, k128BAtom32B };

/// A decoded matrix descriptor; offsets and addresses in bytes.
struct MatrixDescriptor {
  uint32_t address = 0;
  uint32_t leading_bytes = 0;  ///< leading dimension byte offset
  uint32_t stride_bytes = 0;   ///< stride dimension byte offset
  uint32_t base_offset = 0;    ///< 0 … 7: bits 7-9 of the address at which the swizzle pattern starts
  OperandSwizzle swizzle = OperandSwizzle::kNone;
};

/// Source: PTX ISA 9.0, "Shared memory descriptor" of tcgen05 (Table 40).
///
/// Errors    descriptor.constant (bits 46-48 not 0b001), descriptor.reserved (bits 14-15, 30-31, 53-60),
///           descriptor.swizzle (3, 5, 7), descriptor.leading-mode (bit 52: sm_103a's absolute address mode)
Error decode_matrix(uint64_t bits, MatrixDescriptor *out);

/// Source: PTX ISA 9.0, "Matrix descriptor format" of wgmma.mma_async.
///
/// Errors    descriptor.reserved
Error decode_wgmma_matrix(uint64_t bits, MatrixDescriptor *out);

/// A decoded instruction descriptor. M and N are those of the whole instruction: of both CTAs with cta_group::2.
struct InstructionDescriptor {
  Format a = Format::kF16;
  Format b = Format::kF16;
  Format d = Format::kF32;
  Format scale = Format::kUe8m0;  ///< block-scaled kinds
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0;  ///< elements
  bool negate_a = false;
  bool negate_b = false;
  bool mn_major_a = false;
  bool mn_major_b = false;
  bool saturate = false;    ///< kind::i8
  uint32_t scale_a_id = 0;  ///< byte within the 32-bit cell
  uint32_t scale_b_id = 0;
};

/// Decodes and checks against the shapes of `kind` and `cta_group`. `scale_block` is 16 or 32 (elements that share a
/// scale), 0 for kinds without scales. Source: PTX ISA 9.0, "Instruction descriptor" (Tables 42-44), "Matrix Shape"
/// (Table 39), "Block Scaling" (Tables 56, 57).
///
/// Errors    idesc.reserved, idesc.sparse, idesc.format, idesc.negate, idesc.transpose, idesc.shape,
/// idesc.scale-format,
///           idesc.scale-id, idesc.k96, idesc.scale-block, idesc.cta-group
Error decode_instruction(MmaKind kind, uint32_t cta_group, uint32_t scale_block, uint32_t bits,
                         InstructionDescriptor *out);

/// "mxf4nvf4" and so on, as in the qualifier.
const char *name_of(MmaKind kind);
bool is_block_scaled(MmaKind kind);

}  // namespace warpwright::emulator::tensor
