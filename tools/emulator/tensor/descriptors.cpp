// SPDX-License-Identifier: Apache-2.0
// Field by field, from the tables of PTX ISA 9.0; a wrong constant or reserved bit is refused, never ignored.
#include "tools/emulator/tensor/descriptors.h"

#include <array>
#include <iterator>
#include <optional>
#include <string>

namespace warpwright::emulator::tensor {
namespace {

uint32_t field(uint64_t bits, uint32_t first, uint32_t count) {
  return static_cast<uint32_t>(bits >> first) & ((1u << count) - 1);
}

std::string bit_range(uint32_t first, uint32_t count) {
  if (count == 1) return "bit " + std::to_string(first);
  return "bits " + std::to_string(first) + "-" + std::to_string(first + count - 1);
}

Error must_be_zero(const char *slug, uint64_t bits, uint32_t first, uint32_t count) {
  const uint32_t value = field(bits, first, count);
  if (value == 0) return {};
  return {slug, bit_range(first, count) + " must be 0 and are " + std::to_string(value)};
}

/// matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4.
uint32_t encoded_bytes(uint64_t bits, uint32_t first) { return field(bits, first, 14) << 4; }

std::string shape_text(MmaKind kind, uint32_t cta_group, uint32_t m, uint32_t n) {
  return std::string("kind::") + name_of(kind) + " with cta_group::" + std::to_string(cta_group) + " has no shape " +
         std::to_string(m) + "x" + std::to_string(n);
}

/// PTX ISA 9.0, Table 39, dense rows without .ws.
bool is_shape(MmaKind kind, uint32_t cta_group, uint32_t m, uint32_t n) {
  const bool is_m = cta_group == 2 ? m == 128 || m == 256 : m == 128 || (m == 64 && !is_block_scaled(kind));
  if (!is_m || n > 256) return false;
  if (kind == MmaKind::kI8) {
    if (cta_group == 2) return n >= 32 && n % 32 == 0;
    return n == 8 || n == 24 || (n >= 16 && n % 16 == 0);
  }
  const uint32_t step = cta_group == 2 ? 16 : 8;
  return n >= step && n % step == 0;
}

/// Tables 42-44, "atype (Matrix A type)": the format that a code names.
std::optional<Format> operand_format(MmaKind kind, uint32_t code) {
  switch (kind) {
    case MmaKind::kF16:
      if (code == 0) return Format::kF16;
      if (code == 1) return Format::kBf16;
      return std::nullopt;
    case MmaKind::kTf32:
      return code == 2 ? std::optional(Format::kTf32) : std::nullopt;
    case MmaKind::kI8:
      if (code == 0) return Format::kU8;
      if (code == 1) return Format::kS8;
      return std::nullopt;
    case MmaKind::kMxF4:
    case MmaKind::kMxF4Nvf4:
      return code == 1 ? std::optional(Format::kE2M1) : std::nullopt;
    case MmaKind::kF8F6F4:
    case MmaKind::kMxF8F6F4:
      break;
  }
  constexpr std::array<std::optional<Format>, 8> kFormats = {Format::kE4M3, Format::kE5M2, std::nullopt,
                                                             Format::kE2M3, Format::kE3M2, Format::kE2M1};
  return kFormats[code];
}

/// Table 42, "dtype (Matrix D type)".
std::optional<Format> result_format(MmaKind kind, uint32_t code) {
  if (kind == MmaKind::kI8) return code == 2 ? std::optional(Format::kS32) : std::nullopt;
  if (code == 1) return Format::kF32;
  if (code == 0 && kind != MmaKind::kTf32) return Format::kF16;
  return std::nullopt;
}

Error check_operand_bits(MmaKind kind, uint32_t cta_group, InstructionDescriptor *out) {
  const bool is_mxf4 = kind == MmaKind::kMxF4 || kind == MmaKind::kMxF4Nvf4;
  if (kind == MmaKind::kI8 && (out->negate_a || out->negate_b)) {
    return {"idesc.negate", "kind::i8 cannot negate A or B"};
  }
  if (!out->mn_major_a && !out->mn_major_b) return {};
  if (is_mxf4) return {"idesc.transpose", std::string("kind::") + name_of(kind) + " takes K-major operands only"};
  // Table 54: 4- and 6-bit elements are K-major.
  for (const auto &[is_mn, format] : {std::pair(out->mn_major_a, out->a), std::pair(out->mn_major_b, out->b)}) {
    if (is_mn && (format == Format::kE2M1 || format == Format::kE2M3 || format == Format::kE3M2)) {
      return {"idesc.transpose", "4- and 6-bit elements are K-major only"};
    }
  }
  // Table 52: transposing 8-bit B takes N in steps of 16, 32 with cta_group::2.
  const bool is_8bit = kind == MmaKind::kF8F6F4 || kind == MmaKind::kMxF8F6F4 || kind == MmaKind::kI8;
  const uint32_t step = cta_group == 2 ? 32 : 16;
  if (is_8bit && out->mn_major_b && out->n % step != 0) {
    return {"idesc.transpose",
            "an MN-major 8-bit B needs N in steps of " + std::to_string(step) + ", not " + std::to_string(out->n)};
  }
  return {};
}

/// Table 42.
Error decode_dense(MmaKind kind, uint32_t bits, InstructionDescriptor *out) {
  if (kind != MmaKind::kI8) {
    if (Error error = must_be_zero("idesc.reserved", bits, 3, 1)) return error;
  }
  for (const auto &[first, count] : {std::pair(6, 1), std::pair(23, 1), std::pair(29, 1), std::pair(30, 2)}) {
    if (Error error = must_be_zero("idesc.reserved", bits, first, count)) return error;
  }
  const auto d = result_format(kind, field(bits, 4, 2));
  const auto a = operand_format(kind, field(bits, 7, 3));
  const auto b = operand_format(kind, field(bits, 10, 3));
  if (!a || !b || !d) return {"idesc.format", std::string("no such element format in kind::") + name_of(kind)};
  // Table 39: an FP16 result of kind::f16 takes FP16 operands.
  if (kind == MmaKind::kF16 && *d == Format::kF16 && (*a == Format::kBf16 || *b == Format::kBf16)) {
    return {"idesc.format", "kind::f16 with an FP16 result takes FP16 operands, not BF16"};
  }
  out->a = *a;
  out->b = *b;
  out->d = *d;
  out->saturate = kind == MmaKind::kI8 && field(bits, 3, 1) != 0;
  out->m = field(bits, 24, 5) << 4;
  out->k = kind == MmaKind::kF16 ? 16 : kind == MmaKind::kTf32 ? 8 : 32;
  return {};
}

/// Tables 56 and 57: which scales go with which block.
Error check_scales(MmaKind kind, uint32_t scale_block, const InstructionDescriptor &out) {
  const bool is_block = kind == MmaKind::kMxF4Nvf4 ? scale_block == 16 || scale_block == 32 : scale_block == 32;
  if (!is_block) {
    return {"idesc.scale-block",
            std::string("kind::") + name_of(kind) + " has no scale block of " + std::to_string(scale_block)};
  }
  if (out.scale == Format::kUe4m3 && scale_block != 16) {
    return {"idesc.scale-format", "UE4M3 scales go with block16 only"};
  }
  // 1X: a byte, any of four. 2X: a half word, 0 or 2. 4X: the whole word, 0.
  const uint32_t step = kind == MmaKind::kMxF8F6F4 ? 1 : scale_block == 32 ? 2 : 4;
  for (const uint32_t id : {out.scale_a_id, out.scale_b_id}) {
    if (id % step != 0) {
      return {"idesc.scale-id",
              "scale factor id " + std::to_string(id) + " is not a multiple of " + std::to_string(step)};
    }
  }
  return {};
}

/// Tables 43 and 44.
Error decode_scaled(MmaKind kind, uint32_t scale_block, uint32_t bits, InstructionDescriptor *out) {
  const bool is_mxf4 = kind != MmaKind::kMxF8F6F4;
  for (const auto &[first, count] : {std::pair(0, 2), std::pair(3, 1), std::pair(6, 1), std::pair(24, 3)}) {
    if (Error error = must_be_zero("idesc.reserved", bits, first, count)) return error;
  }
  if (is_mxf4) {
    if (Error error = must_be_zero("idesc.reserved", bits, 12, 1)) return error;
    if (field(bits, 31, 1) != 0) return {"idesc.k96", "K = 96 (bit 31) is of sm_103a"};
  } else if (Error error = must_be_zero("idesc.reserved", bits, 31, 1)) {
    return error;
  }
  const auto a = operand_format(kind, field(bits, 7, 3));
  const auto b = operand_format(kind, field(bits, 10, is_mxf4 ? 2 : 3));
  if (!a || !b) return {"idesc.format", std::string("no such element format in kind::") + name_of(kind)};
  out->a = *a;
  out->b = *b;
  out->d = Format::kF32;
  out->scale = field(bits, 23, 1) != 0 ? Format::kUe8m0 : Format::kUe4m3;
  if (out->scale == Format::kUe4m3 && kind != MmaKind::kMxF4Nvf4) {
    return {"idesc.scale-format", std::string("kind::") + name_of(kind) + " takes UE8M0 scales (bit 23 set)"};
  }
  out->scale_b_id = field(bits, 4, 2);
  out->scale_a_id = field(bits, 29, 2);
  out->m = field(bits, 27, 2) << 7;
  out->k = is_mxf4 ? 64 : 32;
  return check_scales(kind, scale_block, *out);
}

}  // namespace

const char *name_of(MmaKind kind) {
  constexpr const char *kNames[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return kNames[static_cast<size_t>(kind)];
}

bool is_block_scaled(MmaKind kind) {
  return kind == MmaKind::kMxF8F6F4 || kind == MmaKind::kMxF4 || kind == MmaKind::kMxF4Nvf4;
}

Error decode_matrix(uint64_t bits, MatrixDescriptor *out) {
  for (const auto &[first, count] : {std::pair(14, 2), std::pair(30, 2), std::pair(53, 8)}) {
    if (Error error = must_be_zero("descriptor.reserved", bits, first, count)) return error;
  }
  if (field(bits, 46, 3) != 1) {
    return {"descriptor.constant", "bits 46-48 must be 0b001 and are " + std::to_string(field(bits, 46, 3))};
  }
  if (field(bits, 52, 1) != 0) {
    return {"descriptor.leading-mode", "the absolute address mode of the leading dimension (bit 52) is of sm_103a"};
  }
  out->address = encoded_bytes(bits, 0);
  out->leading_bytes = encoded_bytes(bits, 16);
  out->stride_bytes = encoded_bytes(bits, 32);
  out->base_offset = field(bits, 49, 3);
  switch (field(bits, 61, 3)) {
    case 0:
      out->swizzle = OperandSwizzle::kNone;
      return {};
    case 1:
      out->swizzle = OperandSwizzle::k128BAtom32B;
      return {};
    case 2:
      out->swizzle = OperandSwizzle::k128B;
      return {};
    case 4:
      out->swizzle = OperandSwizzle::k64B;
      return {};
    case 6:
      out->swizzle = OperandSwizzle::k32B;
      return {};
    default:
      break;
  }
  return {"descriptor.swizzle",
          "swizzling mode " + std::to_string(field(bits, 61, 3)) + " (bits 61-63) does not exist"};
}

Error decode_wgmma_matrix(uint64_t bits, MatrixDescriptor *out) {
  for (const auto &[first, count] :
       {std::pair(14, 2), std::pair(30, 2), std::pair(46, 3), std::pair(52, 8), std::pair(60, 2)}) {
    if (Error error = must_be_zero("descriptor.reserved", bits, first, count)) return error;
  }
  constexpr OperandSwizzle kSwizzles[] = {OperandSwizzle::kNone, OperandSwizzle::k128B, OperandSwizzle::k64B,
                                          OperandSwizzle::k32B};
  out->address = encoded_bytes(bits, 0);
  out->leading_bytes = encoded_bytes(bits, 16);
  out->stride_bytes = encoded_bytes(bits, 32);
  out->base_offset = field(bits, 49, 3);
  out->swizzle = kSwizzles[field(bits, 62, 2)];
  return {};
}

Error decode_instruction(MmaKind kind, uint32_t cta_group, uint32_t scale_block, uint32_t bits,
                         InstructionDescriptor *out) {
  if (cta_group != 1 && cta_group != 2) {
    return {"idesc.cta-group", "cta_group::" + std::to_string(cta_group) + " does not exist"};
  }
  if (field(bits, 2, 1) != 0) return {"idesc.sparse", "sparsity (bit 2) is not emulated"};
  if (Error error = must_be_zero("idesc.reserved", bits, 0, 2)) return error;
  *out = {};
  out->negate_a = field(bits, 13, 1) != 0;
  out->negate_b = field(bits, 14, 1) != 0;
  out->mn_major_a = field(bits, 15, 1) != 0;
  out->mn_major_b = field(bits, 16, 1) != 0;
  out->n = field(bits, 17, 6) << 3;
  if (!is_block_scaled(kind) && scale_block != 0) {
    return {"idesc.scale-block", std::string("kind::") + name_of(kind) + " has no scales"};
  }
  if (Error error =
          is_block_scaled(kind) ? decode_scaled(kind, scale_block, bits, out) : decode_dense(kind, bits, out)) {
    return error;
  }
  if (!is_shape(kind, cta_group, out->m, out->n)) return {"idesc.shape", shape_text(kind, cta_group, out->m, out->n)};
  return check_operand_bits(kind, cta_group, out);
}

}  // namespace warpwright::emulator::tensor
