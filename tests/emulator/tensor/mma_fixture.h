// SPDX-License-Identifier: Apache-2.0
// An MMA with its memories, filled from plain matrices by formulas that share nothing with the emulator's.
#pragma once

#include "tools/emulator/tensor/mma.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace warpwright::emulator::tensor::test {

/// Element codes of a matrix, rows × k.
struct Matrix {
  uint32_t rows = 0;
  uint32_t k = 0;
  std::vector<uint32_t> codes;
  uint32_t at(uint32_t row, uint32_t col) const { return codes[size_t{row} * k + col]; }
};

Matrix random_matrix(uint32_t rows, uint32_t k, uint32_t bits, std::mt19937 &random);

/// How an operand lies in shared memory.
struct Placement {
  uint32_t mode = 2;  ///< bits 61-63 of the descriptor
  bool is_mn_major = false;
  uint32_t address = 1024;
  uint32_t step = 0;  ///< K-major: 32-byte step within the swizzle's row
};

/// One MMA of any kind: configure, place, perform, compare.
struct Setup {
  MmaKind kind = MmaKind::kF16;
  uint32_t ctas = 1;
  uint32_t m = 128;
  uint32_t n = 64;
  Format a_format = Format::kF16;
  Format b_format = Format::kF16;
  Format d_format = Format::kF32;
  Format scale_format = Format::kUe8m0;
  uint32_t scale_block = 0;
  uint32_t scale_a_id = 0;
  uint32_t scale_b_id = 0;
  Placement a;
  Placement b{2, false, 64 * 1024, 0};
  bool is_a_in_tensor_memory = false;
  uint32_t d_col = 0;
  uint32_t d_lane = 0;
  uint32_t a_col = 400;
  uint32_t scale_a_col = 448;
  uint32_t scale_b_col = 464;
};

uint32_t k_of(MmaKind kind);
uint32_t scales_a_row(const Setup &setup);
uint32_t instruction_bits(const Setup &setup);

/// Memories of a pair, and the request.
class Bench {
 public:
  explicit Bench(const Setup &setup);

  void place(const Matrix &a, const Matrix &b);
  /// Scale codes, rows × scales a row; A's of all M rows, B's of all N.
  void place_scales(const Matrix &a, const Matrix &b);
  void set_d(const Matrix &d);  ///< cells, M × N
  Error run();
  uint32_t d(uint32_t row, uint32_t col) const;

  Setup setup;
  MmaRequest request;
  std::array<std::vector<uint8_t>, 2> shared;
  std::array<TensorMemory, 2> tensor;

 private:
  struct Spot {
    uint32_t cta, lane, col;
  };
  Spot spot(uint32_t row, uint32_t col) const;
  void place_operand(const Matrix &matrix, bool is_a);
};

/// Codes whose values are small integers, so that any order of summation is exact.
Matrix integer_matrix(uint32_t rows, uint32_t k, Format format, std::mt19937 &random);
/// The value of a code, from the format's definition.
double value_of(Format format, uint32_t code);

}  // namespace warpwright::emulator::tensor::test
