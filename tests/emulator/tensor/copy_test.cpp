// SPDX-License-Identifier: Apache-2.0
// tcgen05.cp by shape, decompression, tcgen05.shift.
#include "tools/emulator/tensor/copy.h"
#include "tests/catch.h"

#include <cstring>
#include <functional>
#include <vector>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tensor;

namespace {

constexpr uint32_t kAddress = 2048;

/// No swizzle: rows of 16 bytes, groups of eight rows 128 bytes apart, the second 16 bytes of each row 4,096 bytes on.
uint64_t plain_descriptor() {
  return (kAddress >> 4) | uint64_t{4096 >> 4} << 16 | uint64_t{128 >> 4} << 32 | uint64_t{1} << 46;
}

uint8_t byte_at(uint32_t row, uint32_t i) { return static_cast<uint8_t>(row * 31 + i * 7 + 1); }

std::vector<uint8_t> source(uint32_t rows) {
  std::vector<uint8_t> shared(16 * 1024, 0xEE);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t i = 0; i < 32; ++i) {
      shared[kAddress + row / 8 * 128 + row % 8 * 16 + i % 16 + i / 16 * 4096] = byte_at(row, i);
    }
  }
  return shared;
}

/// `row_of` gives the source row of a lane, or -1 where nothing is written.
void check_shape(CopyShape shape, uint32_t lane, uint32_t rows, uint32_t bytes,
                 const std::function<int(uint32_t)> &row_of) {
  const std::vector<uint8_t> shared = source(rows);
  TensorMemory tensor;
  constexpr uint32_t kCol = 40;
  const CopyRequest request{shape, CopySource::kAsIs, lane << 16 | kCol, plain_descriptor()};
  const SharedView view{shared.data(), static_cast<uint32_t>(shared.size())};
  REQUIRE_FALSE(perform(request, view, &tensor));
  CopyFootprint touched;
  REQUIRE_FALSE(footprint(request, view.bytes, &touched));
  uint32_t read = 0, written = 0, expected_cells = 0;
  for (const ByteRange &range : touched.reads) read += range.bytes;
  for (const TensorRange &range : touched.writes) written += range.lanes * range.cols;
  for (uint32_t to = 0; to < TensorMemory::kLanes; ++to) {
    for (uint32_t col = 0; col < TensorMemory::kCols; ++col) {
      const int row = row_of(to);
      uint32_t expected = TensorMemory::kPoison;
      if (row >= 0 && col >= kCol && col < kCol + bytes / 4) {
        ++expected_cells;
        expected = 0;
        for (uint32_t i = 4; i-- > 0;) {
          expected = expected << 8 | byte_at(static_cast<uint32_t>(row), (col - kCol) * 4 + i);
        }
      }
      if (tensor.row(to)[col] != expected) FAIL("lane " << to << " column " << col);
    }
  }
  CHECK(read == rows * bytes);
  CHECK(written == expected_cells);
}

}  // namespace

TEST_CASE("each shape puts its rows on its lanes") {
  const auto same = [](uint32_t lane) { return static_cast<int>(lane); };
  check_shape(CopyShape::k128x256b, 0, 128, 32, same);
  check_shape(CopyShape::k128x128b, 0, 128, 16, same);
  check_shape(CopyShape::k32x128bWarpx4, 0, 32, 16, [](uint32_t lane) { return static_cast<int>(lane % 32); });
  // Warps 0 and 2 receive the same half, 1 and 3 the other; or 0 and 1, 2 and 3.
  check_shape(CopyShape::k64x128bWarpx2_02_13, 0, 64, 16,
              [](uint32_t lane) { return static_cast<int>(lane / 32 % 2 * 32 + lane % 32); });
  check_shape(CopyShape::k64x128bWarpx2_01_23, 0, 64, 16,
              [](uint32_t lane) { return static_cast<int>(lane / 64 * 32 + lane % 32); });
  for (const uint32_t first : {0u, 31u}) {
    check_shape(CopyShape::k4x256b, first, 4, 32,
                [&](uint32_t lane) { return lane % 32 == first ? static_cast<int>(lane / 32) : -1; });
  }
}

TEST_CASE("a swizzled source") {
  std::vector<uint8_t> shared(4096, 0);
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t i = 0; i < 16; ++i) shared[1024 + row * 64 + ((row / 2 % 4) << 4) + i] = byte_at(row, i);
  }
  // 64-byte rows: the first 16 bytes of row r are chunk (r / 2) mod 4 of the row.
  const uint64_t bits = (1024 >> 4) | uint64_t{512 >> 4} << 32 | uint64_t{1} << 46 | uint64_t{4} << 61;
  TensorMemory tensor;
  REQUIRE_FALSE(perform({CopyShape::k32x128bWarpx4, CopySource::kAsIs, 0, bits}, {shared.data(), 4096}, &tensor));
  for (uint32_t lane = 0; lane < 128; ++lane) {
    uint8_t first = 0;
    std::memcpy(&first, tensor.row(lane), 1);
    CHECK(first == byte_at(lane % 32, 0));
  }
}

TEST_CASE("4- and 6-bit elements become bytes") {
  for (const auto &[format, bits, left] :
       {std::tuple(CopySource::kB4x16P64, 4u, 2u), {CopySource::kB6x16P32, 6u, 0u}}) {
    std::vector<uint8_t> shared(16 * 1024, 0);
    const auto code = [&](uint32_t row, uint32_t i) { return (row * 5 + i * 3 + 1) & ((1u << bits) - 1); };
    for (uint32_t row = 0; row < 32; ++row) {
      for (uint32_t b = 0; b < 16 * bits; ++b) {
        const uint32_t bit = code(row, b / bits) >> b % bits & 1;
        uint8_t &byte = shared[kAddress + row * 16 + b / 8];
        byte = static_cast<uint8_t>(byte | bit << b % 8);
      }
      shared[kAddress + row * 16 + 15] = 0xFF;  // padding
    }
    TensorMemory tensor;
    REQUIRE_FALSE(perform({CopyShape::k32x128bWarpx4, format, 0, plain_descriptor()}, {shared.data(), 16384}, &tensor));
    for (uint32_t row = 0; row < 32; ++row) {
      for (uint32_t i = 0; i < 16; ++i) REQUIRE((tensor.row(row)[i / 4] >> i % 4 * 8 & 0xFF) == code(row, i) << left);
    }
  }
}

TEST_CASE("refused copies and shifts") {
  const std::vector<uint8_t> shared(4096, 0);
  const SharedView view{shared.data(), 4096};
  TensorMemory tensor;
  const auto slug = [&](CopyShape shape, uint32_t address, uint64_t bits) {
    return perform({shape, CopySource::kAsIs, address, bits}, view, &tensor).slug;
  };
  CHECK(slug(CopyShape::k32x128bWarpx4, 32 << 16, plain_descriptor()) == "cp.lane");
  CHECK(slug(CopyShape::k4x256b, 32 << 16, plain_descriptor()) == "cp.lane");
  CHECK(slug(CopyShape::k32x128bWarpx4, 509, plain_descriptor()) == "cp.column-range");
  CHECK(slug(CopyShape::k32x128bWarpx4, 508, plain_descriptor()).empty());
  CHECK(slug(CopyShape::k128x256b, 0, plain_descriptor()) == "cp.shared-range");
  CHECK(slug(CopyShape::k32x128bWarpx4, 0, plain_descriptor() ^ uint64_t{1} << 46) == "descriptor.constant");
  CHECK(shift_down(16 << 16, &tensor).slug == "shift.lane");
  CHECK(shift_down(505, &tensor).slug == "shift.column-range");
}

TEST_CASE("shift moves each of 31 lanes' 32 bytes from the next lane") {
  TensorMemory tensor;
  for (uint32_t lane = 0; lane < 128; ++lane) {
    for (uint32_t col = 0; col < 16; ++col) tensor.row(lane)[col] = lane * 100 + col;
  }
  REQUIRE_FALSE(shift_down(32 << 16 | 4, &tensor));
  for (uint32_t lane = 0; lane < 128; ++lane) {
    for (uint32_t col = 0; col < 16; ++col) {
      const bool is_moved = lane >= 32 && lane < 63 && col >= 4 && col < 12;
      CHECK(tensor.row(lane)[col] == (lane + is_moved) * 100 + col);
    }
  }
}
