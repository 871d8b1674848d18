// SPDX-License-Identifier: Apache-2.0
// D = A·B + D: operands decoded once, then row by row of D through the fused sums.
#include "tools/emulator/wgmma/mma.h"

#include "tools/emulator/tensor/fused_rows.h"
#include "tools/emulator/tensor/numerics.h"
#include "tools/emulator/wgmma/operands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace warpwright::emulator::wgmma {
namespace {

using tensor::Format;

/// One row of D while it is computed.
struct Row {
  std::array<uint32_t, kMaxN> cells{};
  std::array<double, kMaxN> c{};
  std::array<int32_t, kMaxN> c_exponent{};
  std::array<double, kMaxN> sum{};
};

void load_row(const Instruction &instruction, const WarpRegisters &registers, uint32_t row, Row *out) {
  const bool is_f16 = instruction.d == Format::kF16;
  for (uint32_t column = 0; column < instruction.n; ++column) {
    const Place place = place_of_d(row, column, is_f16);
    const uint32_t word = registers.d[place.reg][place.lane];
    out->cells[column] = is_f16 ? word >> 16 * place.half & 0xFFFF : word;
  }
}

void store_row(const Instruction &instruction, const WarpRegisters &registers, uint32_t row, const Row &in) {
  const bool is_f16 = instruction.d == Format::kF16;
  for (uint32_t column = 0; column < instruction.n; ++column) {
    const Place place = place_of_d(row, column, is_f16);
    uint32_t &word = registers.d[place.reg][place.lane];
    const uint32_t shift = 16 * place.half;
    word = is_f16 ? (word & ~(0xFFFFu << shift)) | in.cells[column] << shift : in.cells[column];
  }
}

void decode_accumulators(const Instruction &instruction, bool adds_d, Row *row) {
  row->c_exponent.fill(tensor::kZeroExponent);
  if (!adds_d) return;
  for (uint32_t column = 0; column < instruction.n; ++column) {
    const uint32_t cell = row->cells[column];
    if (instruction.d == Format::kF16) {
      const tensor::Decoded one = tensor::decode(Format::kF16, cell);
      row->c[column] = one.value;
      row->c_exponent[column] = one.exponent;
    } else {
      row->c[column] = std::bit_cast<float>(cell);
      const bool is_zero = cell << 1 == 0;
      row->c_exponent[column] = is_zero ? tensor::kZeroExponent : static_cast<int32_t>(std::max(cell >> 23 & 0xFF, 1u)) - 127;
    }
  }
}

/// Infinities and NaNs add up as IEEE 754 has it.
double special_sum(const Operand &a, const Operand &b, size_t k, size_t row, size_t column, double c) {
  double sum = c;
  for (size_t i = 0; i < k; ++i) sum += a.values[row * a.row_step + i] * b.values[i * b.k_step + column];
  return sum;
}

void sum_row(const Request &request, const Operand &a, const Operand &b, size_t row, Row *out) {
  const Instruction &instruction = request.instruction;
  const tensor::FusedSum rule = tensor::fused_sum_of(tensor::Architecture::kHopper, instruction.kind());
  const size_t k = instruction.k(), columns = instruction.n;
  tensor::sum_products({{columns, b.k_step, rule.fraction_bits, out->c.data(), out->c_exponent.data(), out->sum.data()},
                        k, &a.values[row * a.row_step], &a.exponents[row * a.row_step], b.values.data(),
                        b.exponents.data()});
  for (size_t column = 0; column < columns; ++column) {
    if (a.has_special[row] != 0 || b.has_special[column] != 0 || !std::isfinite(out->c[column])) {
      out->sum[column] = special_sum(a, b, k, row, column, out->c[column]);
    }
  }
  if (instruction.d == Format::kF16) {
    for (size_t column = 0; column < columns; ++column) out->cells[column] = tensor::round_to_f16(out->sum[column]);
  } else if (rule.result_fraction_bits == 23) {
    tensor::round_row(out->sum.data(), columns, out->cells.data());
  } else {
    for (size_t column = 0; column < columns; ++column) {
      out->cells[column] = tensor::round_to_f32(out->sum[column], rule.result_fraction_bits);
    }
  }
}

/// PTX ISA 9.0, "wgmma.mma_async": 32-bit integers wrap, with .satfinite they saturate.
void sum_integer_row(const Request &request, const Operand &a, const Operand &b, size_t row, Row *out) {
  const Instruction &instruction = request.instruction;
  std::array<int32_t, kMaxN> sum{};
  tensor::sum_integers(instruction.n, b.k_step, instruction.k(), &a.integers[row * a.row_step], b.integers.data(),
                       sum.data());
  for (uint32_t column = 0; column < instruction.n; ++column) {
    const int64_t c = request.adds_d ? static_cast<int32_t>(out->cells[column]) : 0;
    const int64_t total = c + sum[column];
    const int64_t limited =
        std::clamp(total, int64_t{std::numeric_limits<int32_t>::min()}, int64_t{std::numeric_limits<int32_t>::max()});
    out->cells[column] = static_cast<uint32_t>(instruction.saturates ? limited : total);
  }
}

Error check_ranges(const char *what, const std::vector<ByteRange> &ranges, uint32_t shared_bytes) {
  if (ranges.empty() || ranges.back().offset + ranges.back().bytes <= shared_bytes) return {};
  const ByteRange &last = ranges.back();
  return {"wgmma.shared-range", std::string(what) + " reads [" + std::to_string(last.offset) + ", " +
                                    std::to_string(last.offset + last.bytes) + ") of " + std::to_string(shared_bytes) +
                                    " bytes of shared memory"};
}

}  // namespace

uint32_t Instruction::element_bytes() const { return tensor::container_bits(kind(), a) / 8; }

tensor::MmaKind Instruction::kind() const {
  switch (a) {
    case Format::kF16:
    case Format::kBf16:
      return tensor::MmaKind::kF16;
    case Format::kTf32:
      return tensor::MmaKind::kTf32;
    case Format::kS8:
    case Format::kU8:
      return tensor::MmaKind::kI8;
    default:
      return tensor::MmaKind::kF8F6F4;
  }
}

bool is_shape(Format a, uint32_t n) {
  if (n < 8 || n > kMaxN || n % 8 != 0) return false;
  const bool is_integer = a == Format::kS8 || a == Format::kU8;
  return !is_integer || n == 8 || n == 24 || n % 16 == 0;
}

Error footprint(const Request &request, uint32_t warp, uint32_t shared_bytes, Footprint *out) {
  const Instruction &instruction = request.instruction;
  const uint32_t bits = instruction.element_bytes() * 8;
  tensor::MatrixDescriptor matrix;
  *out = {};
  if (!instruction.is_a_in_registers) {
    if (Error error = tensor::decode_wgmma_matrix(request.a_descriptor, &matrix)) return error;
    out->a = tensor::operand_ranges(matrix, instruction.mn_major_a, kRowsOfWarp, instruction.k(), bits, warp * kRowsOfWarp);
    if (Error error = check_ranges("A", out->a, shared_bytes)) return error;
  }
  if (Error error = tensor::decode_wgmma_matrix(request.b_descriptor, &matrix)) return error;
  out->b = tensor::operand_ranges(matrix, instruction.mn_major_b, instruction.n, instruction.k(), bits);
  return check_ranges("B", out->b, shared_bytes);
}

Error perform(const Request &request, const tensor::SharedView &shared, std::span<const WarpRegisters, kWarps> warps) {
  const Instruction &instruction = request.instruction;
  tensor::MatrixDescriptor a_matrix, b_matrix;
  if (!instruction.is_a_in_registers) {
    if (Error error = tensor::decode_wgmma_matrix(request.a_descriptor, &a_matrix)) return error;
  }
  if (Error error = tensor::decode_wgmma_matrix(request.b_descriptor, &b_matrix)) return error;
  const size_t stride = (instruction.n + tensor::kColumnBlock - 1) / tensor::kColumnBlock * tensor::kColumnBlock;
  const Operand a = read_a(request, a_matrix, shared, warps), b = read_b(request, b_matrix, shared, stride);
  for (uint32_t row = 0; row < kRows; ++row) {
    const WarpRegisters &registers = warps[row / kRowsOfWarp];
    Row line;
    if (request.adds_d) load_row(instruction, registers, row, &line);
    if (instruction.d == Format::kS32) {
      sum_integer_row(request, a, b, row, &line);
    } else {
      decode_accumulators(instruction, request.adds_d, &line);
      sum_row(request, a, b, row, &line);
    }
    store_row(instruction, registers, row, line);
  }
  return {};
}

}  // namespace warpwright::emulator::wgmma
