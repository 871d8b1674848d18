// SPDX-License-Identifier: Apache-2.0
// Fragments of matrices of 8-bit elements, and of 6- and 4-bit ones that become 8-bit ones. PTX ISA 9.0, "ldmatrix", "stmatrix".
//
// Source of what the manual has in figures alone: CUTLASS include/cute/arch/copy_sm100.hpp and include/cute/atom/
// copy_traits_sm100.hpp give the bytes of each register (LDSM_T permutes them after the instruction, STSM_T does not);
// mma_traits_sm120.hpp says that ldmatrix leaves a 4-bit element in the low bits.
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/forms.h"

namespace warpwright::emulator {

namespace {

/// A row of 16 elements of 8 bits.
using Row = std::array<uint8_t, 16>;

/// `bytes` bytes of the row whose address lane `lane` has. nullptr with a finding.
uint8_t *find_row(Execution &x, const Op &op, uint32_t first, uint32_t lane, uint32_t bytes, bool is_write) {
  uint64_t address = address_in_lane(x, op, first, lane);
  if ((address & kWindowMask) == kSharedWindow) address &= ~kWindowMask;
  Cta *cta = nullptr;
  uint32_t offset = 0;
  if (!find_shared(x, address, 16, 16, &cta, &offset)) return nullptr;
  touch_shared(x, *cta, {offset, bytes}, is_write);
  return cta->shared.data() + offset;
}

/// 16 elements of kBits bits, low ones first; what is left of the 16 bytes is padding.
template <uint32_t kBits> bool load_row(Execution &x, const Op &op, uint32_t first, uint32_t lane, Row *row) {
  const uint8_t *data = find_row(x, op, first, lane, 2 * kBits, false);
  if (!data) return false;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t bit = i * kBits;
    // Bits past the last element's are not looked at.
    const uint32_t word = data[bit / 8] | (bit / 8 + 1 < 2 * kBits ? uint32_t{data[bit / 8 + 1]} << 8 : 0);
    (*row)[i] = static_cast<uint8_t>(word >> bit % 8 & ((1u << kBits) - 1));
  }
  return true;
}

/// 8 x 16: a lane has four neighbours of row lane / 4.
template <uint32_t kCount, uint32_t kBits> Step load_rows(Execution &x, const Op &op) {
  for (uint32_t number = 0; number < kCount; ++number) {
    std::array<Row, 8> rows;
    for (uint32_t i = 0; i < 8; ++i)
      if (!load_row<kBits>(x, op, kCount, 8 * number + i, &rows[i])) return Step::kFault;
    auto *d = x.lanes<uint32_t>(op.operands[number]);
    for (uint32_t lane = 0; lane < 32; ++lane) std::memcpy(&d[lane], rows[lane / 4].data() + 4 * (lane % 4), 4);
  }
  return Step::kNext;
}

/// 16 x 16, transposed: a lane has column lane / 4, and in the next register the one 8 further on, of four neighbouring rows.
template <uint32_t kCount, uint32_t kBits> Step load_columns(Execution &x, const Op &op) {
  for (uint32_t number = 0; number < kCount; ++number) {
    std::array<Row, 16> rows;
    for (uint32_t i = 0; i < 16; ++i)
      if (!load_row<kBits>(x, op, 2 * kCount, 16 * number + i, &rows[i])) return Step::kFault;
    for (uint32_t half = 0; half < 2; ++half) {
      auto *d = x.lanes<uint32_t>(op.operands[2 * number + half]);
      for (uint32_t lane = 0; lane < 32; ++lane) {
        d[lane] = 0;
        for (uint32_t i = 0; i < 4; ++i) d[lane] |= uint32_t{rows[4 * (lane % 4) + i][lane / 4 + 8 * half]} << 8 * i;
      }
    }
  }
  return Step::kNext;
}

/// 16 x 8, transposed: eight rows of memory, a column each. A lane gives two neighbouring columns of row lane / 4, then of the
/// row 8 further down.
template <uint32_t kCount> Step store_columns(Execution &x, const Op &op) {
  for (uint32_t number = 0; number < kCount; ++number) {
    const auto *a = x.lanes<uint32_t>(op.operands[2 + number]);
    std::array<Row, 8> rows;
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0; i < 4; ++i) rows[2 * (lane % 4) + i % 2][lane / 4 + i / 2 * 8] = static_cast<uint8_t>(a[lane] >> 8 * i);
    for (uint32_t i = 0; i < 8; ++i) {
      uint8_t *data = find_row(x, op, 0, 8 * number + i, 16, true);
      if (!data) return Step::kFault;
      std::memcpy(data, rows[i].data(), 16);
    }
  }
  return Step::kNext;
}

/// All 32 lanes take part.
template <Handler kHandler> Step whole_warp(Execution &x, const Op &op) {
  if (x.mask != kAllLanes) return x.fault("warp.mask", "a matrix instruction in a warp of which lanes have ended");
  return kHandler(x, op);
}

/// What ptxas 13.0 takes: .m16n16 and .m16n8 with .trans, the former in one or two, .m8n16 without it.
class Rows : public FormRows {
 public:
  template <uint32_t kCount> void add_count(const std::string &space) {
    const std::string count = ".x" + std::to_string(kCount), vector = std::to_string(kCount);
    const std::string load = "ldmatrix.sync.aligned.m8n16" + count + space + ".b8x16";
    add(load + ".b6x16_p32", ">w" + vector + " a", whole_warp<load_rows<kCount, 6>>, kAligned);
    add(load + ".b4x16_p64", ">w" + vector + " a", whole_warp<load_rows<kCount, 4>>, kAligned);
    add("stmatrix.sync.aligned.m16n8" + count + ".trans" + space + ".b8", "a w" + vector, whole_warp<store_columns<kCount>>, kAligned);
    if constexpr (kCount <= 2) {
      const std::string columns = "ldmatrix.sync.aligned.m16n16" + count + ".trans" + space, twice = ">w" + std::to_string(2 * kCount) + " a";
      add(columns + ".b8", twice, whole_warp<load_columns<kCount, 8>>, kAligned);
      add(columns + ".b8x16.b6x16_p32", twice, whole_warp<load_columns<kCount, 6>>, kAligned);
      add(columns + ".b8x16.b4x16_p64", twice, whole_warp<load_columns<kCount, 4>>, kAligned);
    }
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    for (const char *space : {".shared", ".shared::cta", ""}) rows.add_count<1>(space), rows.add_count<2>(space), rows.add_count<4>(space);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> matrix_byte_forms() { return rows().forms; }

}  // namespace warpwright::emulator
