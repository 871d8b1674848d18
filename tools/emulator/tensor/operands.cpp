// SPDX-License-Identifier: Apache-2.0
// Gathering: shared memory by the canonical layouts, tensor memory by lane; then containers to element codes.
#include "tools/emulator/tensor/operands.h"

#include <cstring>
#include <string>

namespace warpwright::emulator::tensor {
namespace {

/// 32 bytes of K of each row, containers in order.
using Rows = std::vector<uint8_t>;

Rows gather_k_major(const MatrixDescriptor &matrix, uint32_t rows, const uint8_t *shared) {
  Rows out(size_t{rows} * kRowBytes);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t unit = 0; unit < kRowBytes / kUnitBytes; ++unit) {
      std::memcpy(&out[size_t{row} * kRowBytes + unit * kUnitBytes], shared + k_major_address(matrix, row, unit),
                  kUnitBytes);
    }
  }
  return out;
}

/// Transposes: units hold consecutive rows of one column.
Rows gather_mn_major(const MatrixDescriptor &matrix, uint32_t rows, uint32_t element_bytes, const uint8_t *shared) {
  Rows out(size_t{rows} * kRowBytes);
  const uint32_t per_unit = kUnitBytes / element_bytes;
  for (uint32_t k = 0; k < kRowBytes / element_bytes; ++k) {
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t from = mn_major_address(matrix, row / per_unit, k) + row % per_unit * element_bytes;
      std::memcpy(&out[size_t{row} * kRowBytes + k * element_bytes], shared + from, element_bytes);
    }
  }
  return out;
}

uint32_t load_bits(const uint8_t *bytes, uint32_t first_bit, uint32_t count) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < count; ++i) {
    value |= static_cast<uint32_t>(bytes[(first_bit + i) / 8] >> ((first_bit + i) % 8) & 1) << i;
  }
  return value;
}

/// In shared memory 16 elements of 4 or 6 bits are packed from the low end of 16 bytes, padding above (PTX ISA 9.0,
/// "Packing format used for matrix A and B by .kind::mxf8f6f4 in Shared Memory").
void unpack_padded(const uint8_t *row, uint32_t bits, uint32_t *codes) {
  for (uint32_t i = 0; i < 32; ++i) codes[i] = load_bits(row + i / 16 * 16, i % 16 * bits, bits);
}

void unpack_row(const uint8_t *row, MmaKind kind, Format format, bool is_tensor, uint32_t *codes) {
  const bool is_packed4 = kind == MmaKind::kMxF4 || kind == MmaKind::kMxF4Nvf4;
  switch (format) {
    case Format::kF16:
    case Format::kBf16:
      for (uint32_t i = 0; i < 16; ++i) codes[i] = static_cast<uint32_t>(row[2 * i] | row[2 * i + 1] << 8);
      return;
    case Format::kTf32:
      std::memcpy(codes, row, kRowBytes);
      return;
    case Format::kE2M1:
      if (is_packed4) {
        for (uint32_t i = 0; i < kRowBytes; ++i) {
          codes[2 * i] = row[i] & 15;
          codes[2 * i + 1] = row[i] >> 4;
        }
      } else if (is_tensor) {
        // In an 8-bit container of tensor memory E2M1 has two bits of padding on either side.
        for (uint32_t i = 0; i < kRowBytes; ++i) codes[i] = row[i] >> 2 & 15;
      } else {
        unpack_padded(row, 4, codes);
      }
      return;
    case Format::kE2M3:
    case Format::kE3M2:
      if (is_tensor) {
        for (uint32_t i = 0; i < kRowBytes; ++i) codes[i] = row[i] & 63;
      } else {
        unpack_padded(row, 6, codes);
      }
      return;
    default:
      for (uint32_t i = 0; i < kRowBytes; ++i) codes[i] = row[i];
  }
}

void append_rows(const Rows &rows, MmaKind kind, Format format, bool is_tensor, uint32_t k, Codes *out) {
  const uint32_t count = static_cast<uint32_t>(rows.size() / kRowBytes);
  const size_t first = out->codes.size();
  out->codes.resize(first + size_t{count} * k);
  for (uint32_t row = 0; row < count; ++row) {
    unpack_row(&rows[size_t{row} * kRowBytes], kind, format, is_tensor, &out->codes[first + size_t{row} * k]);
  }
  out->rows += count;
  out->k = k;
}

std::string hexadecimal(uint32_t value) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

/// Partitions `first` … that must hold the same scales.
struct Copies {
  uint32_t first = 0;
  uint32_t count = 4;
};

Error check_copies(const TensorMemory &tensor, const char *what, Copies copies, uint32_t lane, uint32_t col,
                   uint32_t mask) {
  const uint32_t one = tensor.row(copies.first * 32 + lane)[col] & mask;
  for (uint32_t i = 1; i < copies.count; ++i) {
    const uint32_t other_lane = (copies.first + i) * 32 + lane;
    const uint32_t other = tensor.row(other_lane)[col] & mask;
    if (one == other) continue;
    return {"mma.scale-copies", std::string("the scales of ") + what +
                                    " must be the same in each 32-lane partition: column " + std::to_string(col) +
                                    " is " + hexadecimal(one) + " in lane " + std::to_string(copies.first * 32 + lane) +
                                    " and " + hexadecimal(other) + " in lane " + std::to_string(other_lane)};
  }
  return {};
}

}  // namespace

std::vector<uint8_t> gather_rows(const MatrixDescriptor &matrix, bool is_mn_major, uint32_t rows,
                                 uint32_t element_bytes, const uint8_t *shared) {
  return is_mn_major ? gather_mn_major(matrix, rows, element_bytes, shared) : gather_k_major(matrix, rows, shared);
}

void append_codes(const std::vector<uint8_t> &rows, MmaKind kind, Format format, uint32_t k, Codes *out) {
  append_rows(rows, kind, format, false, k, out);
}

void append_shared(const MmaPlan &plan, MmaKind kind, bool is_a, const SharedView &shared, Codes *out) {
  const InstructionDescriptor &instruction = plan.instruction;
  const MatrixDescriptor &matrix = is_a ? plan.a : plan.b;
  const Format format = is_a ? instruction.a : instruction.b;
  const uint32_t rows = is_a ? plan.rows : plan.b_rows;
  const bool is_mn_major = is_a ? instruction.mn_major_a : instruction.mn_major_b;
  append_codes(gather_rows(matrix, is_mn_major, rows, container_bits(kind, format) / 8, shared.data), kind, format,
               instruction.k, out);
}

Error append_tensor(const MmaPlan &plan, MmaKind kind, const TensorMemory &tensor, Codes *out) {
  Rows rows(size_t{plan.rows} * kRowBytes);
  for (uint32_t row = 0; row < plan.rows; ++row) {
    const uint32_t lane = plan.lane_of_row(row);
    const uint32_t *cells = tensor.row(lane) + plan.a_col;
    std::memcpy(&rows[size_t{row} * kRowBytes], cells, kRowBytes);
    if (plan.path == DataPath::kTwoByTwo && std::memcmp(cells, tensor.row(lane + 64) + plan.a_col, kRowBytes) != 0) {
      return {"mma.a-copies", "A in tensor memory must be the same in lanes " + std::to_string(lane) + " and " +
                                  std::to_string(lane + 64)};
    }
  }
  append_rows(rows, kind, plan.instruction.a, true, plan.instruction.k, out);
  return {};
}

Error read_scales(const MmaPlan &plan, bool is_a, uint32_t count, const TensorMemory &tensor, ScaleCodes *out) {
  const uint32_t id = is_a ? plan.instruction.scale_a_id : plan.instruction.scale_b_id;
  const uint32_t col = is_a ? plan.scale_a_col : plan.scale_b_col;
  const uint32_t rows = is_a ? plan.rows : plan.instruction.n;
  const uint32_t mask = count == 4 ? ~0u : ((1u << 8 * count) - 1) << 8 * id;
  // B's scales with the 2x2 data path: lanes 64-127 hold those of the upper half of the columns (CUTLASS
  // include/cute/atom/mma_traits_sm100_frag.hpp, ScaleFactorDuplicated2by2).
  const bool is_split = !is_a && plan.path == DataPath::kTwoByTwo;
  out->count = count;
  for (uint32_t row = 0; row < rows; ++row) {
    const bool is_upper = is_split && row >= plan.d_cols;
    const uint32_t within = is_upper ? row - plan.d_cols : row;
    const Copies copies = is_split ? Copies{is_upper ? 2u : 0u, 2} : Copies{};
    const uint32_t cell_col = col + within / 32;
    if (Error error = check_copies(tensor, is_a ? "A" : "B", copies, within % 32, cell_col, mask)) return error;
    const uint32_t cell = tensor.row(copies.first * 32 + within % 32)[cell_col];
    for (uint32_t i = 0; i < count; ++i) out->codes.push_back(static_cast<uint8_t>(cell >> 8 * (id + i)));
  }
  return {};
}

uint32_t scales_of(MmaKind kind, uint32_t scale_block) {
  if (kind == MmaKind::kMxF8F6F4) return 1;
  return scale_block == 16 ? 4 : 2;
}

const std::array<Decoded, 256> &decode_table(Format format) {
  using Table = std::array<Decoded, 256>;
  constexpr size_t kFormats = static_cast<size_t>(Format::kUe4m3) + 1;
  static const std::array<Table, kFormats> tables = [] {
    std::array<Table, kFormats> made;
    for (size_t i = 0; i < kFormats; ++i) {
      for (uint32_t code = 0; code < 256; ++code) made[i][code] = decode(static_cast<Format>(i), code);
    }
    return made;
  }();
  return tables[static_cast<size_t>(format)];
}

}  // namespace warpwright::emulator::tensor
