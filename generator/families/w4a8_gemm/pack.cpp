// SPDX-License-Identifier: Apache-2.0
// Walking a weight block by block, in the order of packed_layout.h.
#include "generator/families/w4a8_gemm/pack.h"

#include "generator/families/w4a8_gemm/packed_layout.h"

#include <array>

namespace warpwright::w4a8_gemm {
namespace {

/// code_in_block() for every pair of columns (2i, 2i + 1), which canonical bytes hold together.
using PairPlaces = std::array<std::array<CodePosition, kBlockElems / 2>, kSlabRows>;

const PairPlaces &pair_places() {
  static const PairPlaces places = [] {
    PairPlaces out;
    for (int64_t row = 0; row < kSlabRows; ++row)
      for (int64_t pair = 0; pair < kBlockElems / 2; ++pair) {
        out[static_cast<size_t>(row)][static_cast<size_t>(pair)] = code_in_block(row, 2 * pair);
      }
    return out;
  }();
  return places;
}

/// Columns 2i and 2i + 1 lie in neighbouring bytes, in the same nibble of each.
constexpr bool pairs_are_neighbours() {
  for (int64_t row = 0; row < kSlabRows; ++row)
    for (int64_t col = 0; col < kBlockElems; col += 2) {
      const CodePosition first = code_in_block(row, col), second = code_in_block(row, col + 1);
      if (second.byte != first.byte + 1 || second.is_high != first.is_high) return false;
    }
  return true;
}
static_assert(pairs_are_neighbours());

/// Calls visit(canonical byte, packed byte of its low nibble, is_high) for every canonical byte, and
/// visit_scale(canonical index, packed byte of the scale) for every group.
template <typename Visit, typename VisitScale>
void walk(int64_t rows, int64_t k, int64_t group, Visit visit, VisitScale visit_scale) {
  const PairPlaces &places = pair_places();
  for (int64_t row = 0; row < rows; ++row) {
    const auto &of_row = places[static_cast<size_t>(row % kSlabRows)];
    const int64_t slab = row / kSlabRows * slab_bytes(k, group);
    for (int64_t block = 0; block < blocks_along_k(k); ++block) {
      const int64_t base = slab + block_offset(block, group), canonical = (row * k + block * kBlockElems) / 2;
      const int64_t pairs = halves_of_block(k, block) * kHalfElems / 2;
      for (int64_t pair = 0; pair < pairs; ++pair) {
        const CodePosition at = of_row[static_cast<size_t>(pair)];
        visit(static_cast<size_t>(canonical + pair), static_cast<size_t>(base + at.byte), at.is_high);
      }
    }
    const int64_t groups = groups_along_k(k, group);
    for (int64_t index = 0; index < groups; ++index)
      visit_scale(static_cast<size_t>(row * groups + index), static_cast<size_t>(scale_position(row, index, k, group)));
  }
}

}  // namespace

std::vector<uint8_t> pack(const QuantisedWeight &weight) {
  WARPWRIGHT_ASSERT(fits(weight.rows, weight.k, weight.group), misfit(weight.rows, weight.k, weight.group));
  std::vector<uint8_t> out(static_cast<size_t>(packed_bytes(weight.rows, weight.k, weight.group)));
  walk(
      weight.rows, weight.k, weight.group,
      [&](size_t canonical, size_t packed, bool is_high) {
        const uint32_t both = weight.q4[canonical], shift = is_high ? 4 : 0;
        out[packed] = static_cast<uint8_t>(out[packed] | (both & 0xf) << shift);
        out[packed + 1] = static_cast<uint8_t>(out[packed + 1] | (both >> 4) << shift);
      },
      [&](size_t canonical, size_t packed) {
        out[packed] = weight.group_scale[canonical];
        out[packed + 1] = weight.group_offset[canonical];
      });
  return out;
}

QuantisedWeight unpack(std::string_view bytes, int64_t rows, int64_t k, int64_t group) {
  WARPWRIGHT_ASSERT(fits(rows, k, group), misfit(rows, k, group));
  WARPWRIGHT_ASSERT(static_cast<int64_t>(bytes.size()) == packed_bytes(rows, k, group), "a packed weight of another size");
  QuantisedWeight out = make_weight(rows, k, group);
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[at])); };
  walk(
      rows, k, group,
      [&](size_t canonical, size_t packed, bool is_high) {
        const uint32_t shift = is_high ? 4 : 0;
        out.q4[canonical] = static_cast<uint8_t>((byte(packed) >> shift & 0xf) | (byte(packed + 1) >> shift & 0xf) << 4);
      },
      [&](size_t canonical, size_t packed) {
        out.group_scale[canonical] = static_cast<uint8_t>(byte(packed));
        out.group_offset[canonical] = static_cast<uint8_t>(byte(packed + 1));
      });
  return out;
}

}  // namespace warpwright::w4a8_gemm
