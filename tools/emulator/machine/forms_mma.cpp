// SPDX-License-Identifier: Apache-2.0
// mma.sync of one warp on 16-bit operands. PTX ISA 9.0, "Warp Level Matrix Multiply-Accumulate Instructions: mma".
//
// Taken to sum as Hopper's wgmma does, whose rule tensor/numerics.h has: 16 products and the accumulator in one fused sum. No
// device's outputs are kept for this instruction.
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/forms.h"
#include "tools/emulator/tensor/fused_rows.h"
#include "tools/emulator/tensor/numerics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace warpwright::emulator {

namespace {

using tensor::Format;

constexpr uint32_t kRows = 16, kColumns = 8, kDepth = 16;
constexpr size_t kStride = tensor::kColumnBlock;

/// D's registers, then A's, B's and C's. PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16 with floating point type".
constexpr uint32_t kD = 0, kA = 4, kB = 8, kC = 10;

/// Elements of A by rows and of B by k, decoded.
struct Operands {
  std::array<double, kRows * kDepth> a{};
  std::array<int32_t, kRows * kDepth> a_exponent{};
  std::array<double, kDepth * kStride> b{};
  std::array<int32_t, kDepth * kStride> b_exponent{};
};

/// Of A, register i has rows 8 further down if odd, k 8 further on from the third on; of B, k 8 further on if odd. Two
/// neighbours along k share a register.
template <Format kFormat> Operands read_operands(Execution &x, const Op &op) {
  Operands out;
  out.b_exponent.fill(tensor::kZeroExponent);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t k = lane % 4 * 2 + half;
      for (uint32_t i = 0; i < 4; ++i) {
        const tensor::Decoded one = tensor::decode(kFormat, x.lanes<uint32_t>(op.operands[kA + i])[lane] >> 16 * half & 0xFFFF);
        const size_t at = (lane / 4 + i % 2 * 8) * kDepth + k + i / 2 * 8;
        out.a[at] = one.value, out.a_exponent[at] = one.exponent;
      }
      for (uint32_t i = 0; i < 2; ++i) {
        const tensor::Decoded one = tensor::decode(kFormat, x.lanes<uint32_t>(op.operands[kB + i])[lane] >> 16 * half & 0xFFFF);
        const size_t at = (k + i * 8) * kStride + lane / 4;
        out.b[at] = one.value, out.b_exponent[at] = one.exponent;
      }
    }
  return out;
}

/// Register of C and D, and lane, of an element.
uint32_t register_of(uint32_t row, uint32_t column) { return row / 8 * 2 + column % 2; }
uint32_t lane_of(uint32_t row, uint32_t column) { return row % 8 * 4 + column / 2; }

void sum_row(const Operands &operands, uint32_t row, std::array<uint32_t, kColumns> &cells) {
  const tensor::FusedSum rule = tensor::fused_sum_of(tensor::Architecture::kHopper, tensor::MmaKind::kF16);
  std::array<double, kStride> c{}, sum{};
  std::array<int32_t, kStride> c_exponent;
  c_exponent.fill(tensor::kZeroExponent);
  for (uint32_t column = 0; column < kColumns; ++column) {
    const uint32_t bits = cells[column];
    c[column] = std::bit_cast<float>(bits);
    if (bits << 1 != 0) c_exponent[column] = static_cast<int32_t>(std::max(bits >> 23 & 0xFF, 1u)) - 127;
  }
  const double *a = &operands.a[row * kDepth];
  tensor::sum_products({{kColumns, kStride, rule.fraction_bits, c.data(), c_exponent.data(), sum.data()},
                        kDepth, a, &operands.a_exponent[row * kDepth], operands.b.data(), operands.b_exponent.data()});
  for (uint32_t column = 0; column < kColumns; ++column) {
    // Infinities and NaNs add up as IEEE 754 has it.
    double plain = c[column];
    for (uint32_t k = 0; k < kDepth; ++k) plain += a[k] * operands.b[k * kStride + column];
    cells[column] = tensor::round_to_f32(std::isfinite(plain) ? sum[column] : plain, rule.result_fraction_bits);
  }
}

template <Format kFormat> Step multiply(Execution &x, const Op &op) {
  if (x.mask != kAllLanes) return x.fault("warp.mask", "a matrix instruction in a warp of which lanes have ended");
  const Operands operands = read_operands<kFormat>(x, op);
  std::array<std::array<uint32_t, kColumns>, kRows> cells;
  const auto cell = [&](uint32_t first, uint32_t row, uint32_t column) -> uint32_t & {
    return x.lanes<uint32_t>(op.operands[first + register_of(row, column)])[lane_of(row, column)];
  };
  // D's registers may be C's, in any order.
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t column = 0; column < kColumns; ++column) cells[row][column] = cell(kC, row, column);
    sum_row(operands, row, cells[row]);
  }
  for (uint32_t row = 0; row < kRows; ++row)
    for (uint32_t column = 0; column < kColumns; ++column) cell(kD, row, column) = cells[row][column];
  return Step::kNext;
}

const FormRows &rows() {
  static const FormRows all = [] {
    FormRows rows;
    rows.add("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", ">w4 w4 w2 w4", multiply<Format::kBf16>, kAligned);
    rows.add("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ">w4 w4 w2 w4", multiply<Format::kF16>, kAligned);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> mma_forms() { return rows().forms; }

}  // namespace warpwright::emulator
