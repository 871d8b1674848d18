// SPDX-License-Identifier: Apache-2.0
// Fragments of 8 x 8 matrices of 16-bit elements: loads, stores, transposition. PTX ISA 9.0, "ldmatrix", "stmatrix",
// "movmatrix".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/forms.h"

namespace warpwright::emulator {

namespace {

/// A matrix, by rows.
using Matrix = std::array<std::array<uint16_t, 8>, 8>;

/// The halves that a lane holds: row lane / 4, columns 2 (lane % 4) and the next; of a transposed matrix rows and columns change
/// places.
template <bool kIsTransposed> uint16_t &element(Matrix &matrix, uint32_t lane, uint32_t half) {
  const uint32_t row = lane / 4, column = 2 * (lane % 4) + half;
  return kIsTransposed ? matrix[column][row] : matrix[row][column];
}

/// The 16 bytes of row `row` of matrix `number`: lane 8 * number + row has their address. nullptr with a finding.
uint8_t *find_row(Execution &x, const Op &op, uint32_t first, uint32_t number, uint32_t row, bool is_write) {
  uint64_t address = address_in_lane(x, op, first, 8 * number + row);
  // Without a state space the address is a generic one.
  if ((address & kWindowMask) == kSharedWindow) address &= ~kWindowMask;
  Cta *cta = nullptr;
  uint32_t offset = 0;
  if (!find_shared(x, address, 16, 16, &cta, &offset)) return nullptr;
  touch_shared(x, *cta, {offset, 16}, is_write);
  return cta->shared.data() + offset;
}

template <uint32_t kCount, bool kIsTransposed> Step load_matrices(Execution &x, const Op &op) {
  for (uint32_t number = 0; number < kCount; ++number) {
    Matrix matrix;
    for (uint32_t row = 0; row < 8; ++row) {
      const uint8_t *data = find_row(x, op, kCount, number, row, false);
      if (!data) return Step::kFault;
      std::memcpy(matrix[row].data(), data, 16);
    }
    auto *d = x.lanes<uint32_t>(op.operands[number]);
    for (uint32_t lane = 0; lane < 32; ++lane)
      d[lane] = element<kIsTransposed>(matrix, lane, 0) | uint32_t{element<kIsTransposed>(matrix, lane, 1)} << 16;
  }
  return Step::kNext;
}

template <uint32_t kCount, bool kIsTransposed> Step store_matrices(Execution &x, const Op &op) {
  for (uint32_t number = 0; number < kCount; ++number) {
    Matrix matrix;
    const auto *a = x.lanes<uint32_t>(op.operands[2 + number]);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t half = 0; half < 2; ++half) element<kIsTransposed>(matrix, lane, half) = static_cast<uint16_t>(a[lane] >> (16 * half));
    for (uint32_t row = 0; row < 8; ++row) {
      uint8_t *data = find_row(x, op, 0, number, row, true);
      if (!data) return Step::kFault;
      std::memcpy(data, matrix[row].data(), 16);
    }
  }
  return Step::kNext;
}

Step transpose(Execution &x, const Op &op) {
  Matrix matrix;
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t half = 0; half < 2; ++half) element<false>(matrix, lane, half) = static_cast<uint16_t>(a[lane] >> (16 * half));
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  for (uint32_t lane = 0; lane < 32; ++lane)
    d[lane] = element<true>(matrix, lane, 0) | uint32_t{element<true>(matrix, lane, 1)} << 16;
  return Step::kNext;
}

/// All 32 lanes take part.
template <Handler kHandler> Step whole_warp(Execution &x, const Op &op) {
  if (x.mask != kAllLanes) return x.fault("warp.mask", "a matrix instruction in a warp of which lanes have ended");
  return kHandler(x, op);
}

class Rows : public FormRows {
 public:
  template <uint32_t kCount> void add_count() {
    const std::string number = std::to_string(kCount), count = ".x" + std::to_string(kCount);
    for (const char *space : {".shared", ".shared::cta", ""}) {
      const std::string tail = std::string(space) + ".b16", load = "ldmatrix.sync.aligned.m8n8" + count, store = "stmatrix.sync.aligned.m8n8" + count;
      add(load + tail, ">w" + number + " a", whole_warp<load_matrices<kCount, false>>, kAligned);
      add(load + ".trans" + tail, ">w" + number + " a", whole_warp<load_matrices<kCount, true>>, kAligned);
      add(store + tail, "a w" + number, whole_warp<store_matrices<kCount, false>>, kAligned);
      add(store + ".trans" + tail, "a w" + number, whole_warp<store_matrices<kCount, true>>, kAligned);
    }
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_count<1>(), rows.add_count<2>(), rows.add_count<4>();
    rows.add("movmatrix.sync.aligned.m8n8.trans.b16", ">w w", whole_warp<transpose>, kAligned);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> matrix_forms() { return rows().forms; }

}  // namespace warpwright::emulator
