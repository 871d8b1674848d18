// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld and st: each cell once, a load after a store gives the registers back, fragments as CUTLASS has them.
#include "tools/emulator/tensor/load_store.h"
#include "tests/catch.h"

#include <set>
#include <vector>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tensor;

namespace {

const AccessShape kShapes[] = {AccessShape::k32x32b, AccessShape::k16x64b, AccessShape::k16x128b, AccessShape::k16x256b,
                               AccessShape::k16x32bx2};

}  // namespace

TEST_CASE("a load after a store gives the registers back, for every shape, repeat and packing") {
  for (const AccessShape shape : kShapes) {
    for (uint32_t repeat = 1; repeat <= 128; repeat *= 2) {
      for (const bool is_packed : {false, true}) {
        Access access{shape, repeat, is_packed, 0};
        if (registers_of(access) == 0) continue;
        if (shape == AccessShape::k16x32bx2) access.half_split_offset = columns_of(access);
        const bool is_half = lanes_of(shape) == 16;
        const uint32_t address = (is_half ? 80u : 64u) << 16 | 8;
        if (check(access, address, 2)) {
          REQUIRE(columns_of(access) + access.half_split_offset > 504);
          continue;
        }
        const uint32_t count = registers_of(access);
        std::vector<uint32_t> registers(count * 32), back(count * 32);
        for (uint32_t i = 0; i < registers.size(); ++i) registers[i] = i * 2654435761u + 12345;
        TensorMemory tensor;
        store(access, address, registers.data(), &tensor);
        load(access, address, tensor, back.data());
        REQUIRE(back == registers);
        // What was written is what ranges says, cell by cell.
        std::set<std::pair<uint32_t, uint32_t>> said, written;
        for (const TensorRange &range : ranges(access, address)) {
          for (uint32_t l = 0; l < range.lanes; ++l) {
            for (uint32_t c = 0; c < range.cols; ++c) said.emplace(range.lane + l, range.col + c);
          }
        }
        for (uint32_t lane = 0; lane < 128; ++lane) {
          for (uint32_t col = 0; col < 512; ++col) {
            if (tensor.row(lane)[col] != TensorMemory::kPoison) written.emplace(lane, col);
          }
        }
        REQUIRE(said == written);
        REQUIRE(said.size() == count * 32 * (is_packed ? 2 : 1));
      }
    }
  }
}

TEST_CASE("fragments: CUTLASS include/cute/atom/copy_traits_sm100.hpp, DstLayout of SM100_TMEM_LOAD_*") {
  struct Place {
    AccessShape shape;
    uint32_t repeat, thread, reg, lane, col;
  };
  const Place places[] = {
      {AccessShape::k32x32b, 4, 31, 3, 31, 3},
      // 16dp64b1x: thread (2, 2, 8) to bit (512, 32, 64) of rows of 64 bits; 2x: (1024, 32, 128), registers (1, 64).
      {AccessShape::k16x64b, 1, 1, 0, 8, 0},
      {AccessShape::k16x64b, 1, 2, 0, 0, 1},
      {AccessShape::k16x64b, 1, 4, 0, 1, 0},
      {AccessShape::k16x64b, 2, 7, 1, 9, 3},
      // 16dp128b1x: thread (4, 8) to (32, 128), registers (1, 1024) of rows of 128 bits.
      {AccessShape::k16x128b, 1, 3, 0, 0, 3},
      {AccessShape::k16x128b, 1, 5, 1, 9, 1},
      {AccessShape::k16x128b, 2, 6, 2, 1, 6},
      {AccessShape::k16x128b, 2, 6, 3, 9, 6},
      // 16dp256b1x: thread (4, 8) to (64, 256), registers (1, 32 bits, then 2048) of rows of 256 bits.
      {AccessShape::k16x256b, 1, 3, 1, 0, 7},
      {AccessShape::k16x256b, 1, 4, 2, 9, 0},
      {AccessShape::k16x256b, 2, 30, 7, 15, 13},
      // 16dp32b: thread (16, 2) to (row, second access).
      {AccessShape::k16x32bx2, 2, 15, 1, 15, 1},
      {AccessShape::k16x32bx2, 2, 16, 1, 0, 21},
  };
  for (const Place &place : places) {
    const Access access{place.shape, place.repeat, false, place.shape == AccessShape::k16x32bx2 ? 20u : 0u};
    const Cell cell = cell_of(access, place.thread, place.reg);
    CHECK(cell.lane == place.lane);
    CHECK(cell.col == place.col);
  }
}

TEST_CASE("packing takes the low halves of two columns") {
  TensorMemory tensor;
  tensor.row(5)[10] = 0xAAAA1111;
  tensor.row(5)[11] = 0xBBBB2222;
  std::vector<uint32_t> registers(32);
  load({AccessShape::k32x32b, 1, true, 0}, 10, tensor, registers.data());
  CHECK(registers[5] == 0x22221111);
  store({AccessShape::k32x32b, 1, true, 0}, 10, registers.data(), &tensor);
  CHECK(tensor.row(5)[10] == 0x1111);
  CHECK(tensor.row(5)[11] == 0x2222);
}

TEST_CASE("refused accesses") {
  CHECK(registers_of({AccessShape::k16x256b, 32, false, 0}) == 128);
  CHECK(check({AccessShape::k16x256b, 64, false, 0}, 0, 0).slug == "ldst.shape");
  CHECK(check({AccessShape::k32x32b, 3, false, 0}, 0, 0).slug == "ldst.shape");
  CHECK(check({AccessShape::k32x32b, 1, false, 2}, 0, 0).slug == "ldst.shape");
  CHECK(check({AccessShape::k32x32b, 1, false, 0}, 32 << 16, 0).slug == "ldst.lane-window");
  CHECK(check({AccessShape::k32x32b, 1, false, 0}, 16 << 16, 0).slug == "ldst.lane-window");
  CHECK_FALSE(check({AccessShape::k16x64b, 1, false, 0}, 112 << 16, 3));
  CHECK(check({AccessShape::k16x64b, 1, false, 0}, 100 << 16, 3).slug == "ldst.lane");
  CHECK(check({AccessShape::k32x32b, 32, false, 0}, 481, 0).slug == "ldst.column-range");
  CHECK_FALSE(check({AccessShape::k32x32b, 32, false, 0}, 480, 0));
  CHECK(check({AccessShape::k32x32b, 32, true, 0}, 480, 0).slug == "ldst.column-range");
  CHECK(check({AccessShape::k16x32bx2, 8, false, 20}, 488, 0).slug == "ldst.column-range");
}
