// SPDX-License-Identifier: Apache-2.0
// Gathering of operands: from shared memory by the canonical layouts, from registers by fragment.
#include "tools/emulator/wgmma/operands.h"

#include "tools/emulator/tensor/operands.h"

#include <cmath>
#include <cstring>

namespace warpwright::emulator::wgmma {
namespace {

using tensor::Format;

/// PTX ISA 9.0, "Matrix fragments for wgmma.mma_async.m64nNk16" and the other shapes, A: in bytes they are all alike. Of the
/// 32 bytes of a row, lane l has four from 4 (l mod 4) in registers 0 and 1, four from 16 bytes further on in 2 and 3; odd
/// registers belong to rows 8 further down.
std::vector<uint8_t> rows_of_fragments(std::span<const WarpRegisters, kWarps> warps) {
  std::vector<uint8_t> rows(size_t{kRows} * tensor::kRowBytes);
  for (uint32_t warp = 0; warp < kWarps; ++warp) {
    for (uint32_t reg = 0; reg < kRegistersOfA; ++reg) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t row = warp * kRowsOfWarp + lane / 4 + reg % 2 * 8;
        const uint32_t byte = lane % 4 * 4 + reg / 2 * 16;
        std::memcpy(&rows[size_t{row} * tensor::kRowBytes + byte], &warps[warp].a[reg][lane], 4);
      }
    }
  }
  return rows;
}

/// decode(format, code) for every code of at most 16 bits.
const tensor::Decoded *table_of(Format format) {
  const auto make = [](Format of) {
    std::vector<tensor::Decoded> table(1 << 16);
    for (uint32_t code = 0; code < table.size(); ++code) table[code] = tensor::decode(of, code);
    return table;
  };
  static const std::vector<tensor::Decoded> f16 = make(Format::kF16), bf16 = make(Format::kBf16);
  return format == Format::kF16 ? f16.data() : format == Format::kBf16 ? bf16.data() : tensor::decode_table(format).data();
}

void decode_floats(const std::vector<uint32_t> &codes, uint32_t rows, uint32_t k, Format format, bool is_negated,
                   Operand *out) {
  const tensor::Decoded *table = format == Format::kTf32 ? nullptr : table_of(format);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t i = 0; i < k; ++i) {
      const uint32_t code = codes[size_t{row} * k + i];
      const tensor::Decoded element = table ? table[code] : tensor::decode(format, code);
      const size_t at = row * out->row_step + i * out->k_step;
      out->values[at] = is_negated ? -element.value : element.value;
      out->exponents[at] = element.exponent;
      if (!std::isfinite(element.value)) out->has_special[row] = 1;
    }
  }
}

/// `padded` rows: those beyond the operand's are zero.
Operand decode(const std::vector<uint8_t> &bytes, const Instruction &instruction, bool is_a, size_t padded) {
  const Format format = is_a ? instruction.a : instruction.b;
  const uint32_t k = instruction.k();
  tensor::Codes codes;
  tensor::append_codes(bytes, instruction.kind(), format, k, &codes);
  Operand out;
  out.row_step = is_a ? k : 1;
  out.k_step = is_a ? 1 : padded;
  out.has_special.assign(padded, 0);
  if (instruction.d != Format::kS32) {
    out.values.assign(padded * k, 0);
    out.exponents.assign(padded * k, tensor::kZeroExponent);
    decode_floats(codes.codes, codes.rows, k, format, is_a ? instruction.negate_a : instruction.negate_b, &out);
    return out;
  }
  out.integers.assign(padded * k, 0);
  for (uint32_t row = 0; row < codes.rows; ++row) {
    for (uint32_t i = 0; i < k; ++i) {
      const uint32_t code = codes.codes[size_t{row} * k + i];
      out.integers[row * out.row_step + i * out.k_step] =
          format == Format::kS8 ? static_cast<int8_t>(code) : static_cast<int32_t>(code);
    }
  }
  return out;
}

}  // namespace

Operand read_a(const Request &request, const tensor::MatrixDescriptor &matrix, const tensor::SharedView &shared,
               std::span<const WarpRegisters, kWarps> warps) {
  const Instruction &instruction = request.instruction;
  const std::vector<uint8_t> bytes =
      instruction.is_a_in_registers
          ? rows_of_fragments(warps)
          : tensor::gather_rows(matrix, instruction.mn_major_a, kRows, instruction.element_bytes(), shared.data);
  return decode(bytes, instruction, true, kRows);
}

Operand read_b(const Request &request, const tensor::MatrixDescriptor &matrix, const tensor::SharedView &shared,
               size_t stride) {
  const Instruction &instruction = request.instruction;
  return decode(
      tensor::gather_rows(matrix, instruction.mn_major_b, instruction.n, instruction.element_bytes(), shared.data),
      instruction, false, stride);
}

}  // namespace warpwright::emulator::wgmma
