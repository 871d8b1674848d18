// SPDX-License-Identifier: Apache-2.0
// Device functions without PTX, compiled for the host and held against formulas of another origin.
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>

namespace {

using u32 = unsigned int;
using u64 = unsigned long long;
#define WW_DEVICE inline

// Shared memory as a map from 16-byte addresses to four words, and packing that keeps small whole numbers readable.
std::map<u32, std::vector<u32>> shared_memory;
void store_shared_v4(u32 addr, u32 a, u32 b, u32 c, u32 d) { shared_memory[addr] = {a, b, c, d}; }
u32 pack_bf16(float lo, float hi) { return static_cast<u32>(lo) | static_cast<u32>(hi) << 16; }
u32 pack_fp16(float lo, float hi) { return pack_bf16(lo, hi); }
u32 __float_as_uint(float value) {
  u32 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float exp2_approx(float x) { return std::exp2(x); }
float reciprocal_approx(float x) { return 1.0f / x; }
float tanh_approx(float x) { return std::tanh(x); }
using std::min;

#include "templates/device/fragment.cuh"
#include "templates/device/gelu.cuh"
#include "templates/device/operand_descriptor.cuh"
#include "templates/device/scale_descriptor.cuh"
#include "templates/device/silu.cuh"
#include "templates/device/slot.cuh"
#include "templates/device/swizzled_offset.cuh"

// They use swizzled_offset.
#include "templates/device/stage_rows_bf16.cuh"
#include "templates/device/stage_rows_fp16.cuh"
#include "templates/device/stage_rows_fp32.cuh"

#include "templates/device/tile.cuh"
#include "templates/device/tile_along_m.cuh"
#include "templates/device/tile_along_n.cuh"

/// Where TMA finds byte `column_byte` of `row`: CUTLASS's Swizzle<3,4,3> (128 B) and Swizzle<2,4,3> (64 B) of the
/// linear address, include/cute/swizzle.hpp.
u32 swizzled_address(u32 panel, u32 row, u32 column_byte, u32 row_bytes) {
  const u32 linear = panel + row * row_bytes + column_byte;
  const u32 bits = row_bytes == 128 ? 3 : 2;
  const u32 mask = ((1u << bits) - 1) << 7;
  return linear ^ ((linear & mask) >> 3);
}

/// The 16- or 32-bit element that TMA would read for (row, column).
u32 staged_element(u32 panel, u32 row, u32 column, u32 row_bytes, u32 elem_bytes) {
  const u32 address = swizzled_address(panel, row, column * elem_bytes, row_bytes);
  const u32 word = shared_memory.at(address & ~15u).at(address % 16 / 4);
  return elem_bytes == 4 ? word : word >> (address % 4 * 8) & 0xFFFF;
}

/// A row whose element i is unlike that of any other row and column, and whole.
template <int kElems> Fragment<kElems> row_of(u32 row) {
  Fragment<kElems> f;
  for (int i = 0; i < kElems; ++i) f.v[i] = static_cast<float>(row * 64 + static_cast<u32>(i));
  return f;
}

/// Stages 128 rows by `stage` and checks each element of the panel at the place where TMA looks for it.
template <int kRowBytes, int kElemBytes, int kFirst, int kElems, typename Stage> void check_panel(Stage stage) {
  const u32 panel = 3 * 1024;
  shared_memory.clear();
  for (u32 row = 0; row < 128; ++row) stage(panel, row, row_of<kElems>(row));
  CHECK(shared_memory.size() == 128 * kRowBytes / 16);
  CHECK(shared_memory.begin()->first == panel);
  CHECK(shared_memory.rbegin()->first == panel + 128 * kRowBytes - 16);
  size_t wrong = 0;
  for (u32 row = 0; row < 128; ++row)
    for (u32 column = 0; column < kRowBytes / kElemBytes; ++column) {
      const float value = static_cast<float>(row * 64 + column + kFirst);
      const u32 expected = kElemBytes == 4 ? __float_as_uint(value) : static_cast<u32>(value);
      wrong += staged_element(panel, row, column, kRowBytes, kElemBytes) != expected;
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("stage_rows puts every element where a swizzled TMA store reads it") {
  check_panel<128, 2, 0, 64>([](u32 p, u32 r, const auto &f) { stage_rows_bf16<128>(p, r, f); });
  check_panel<64, 2, 0, 32>([](u32 p, u32 r, const auto &f) { stage_rows_bf16<64>(p, r, f); });
  check_panel<64, 2, 32, 64>([](u32 p, u32 r, const auto &f) { stage_rows_bf16<64, 32>(p, r, f); });
  check_panel<128, 2, 0, 64>([](u32 p, u32 r, const auto &f) { stage_rows_fp16<128>(p, r, f); });
  check_panel<64, 2, 0, 32>([](u32 p, u32 r, const auto &f) { stage_rows_fp16<64>(p, r, f); });
  check_panel<128, 4, 0, 32>([](u32 p, u32 r, const auto &f) { stage_rows_fp32<128>(p, r, f); });
  check_panel<128, 4, 0, 64>([](u32 p, u32 r, const auto &f) { stage_rows_fp32<128>(p, r, f); });
  check_panel<128, 4, 32, 64>([](u32 p, u32 r, const auto &f) { stage_rows_fp32<128, 32>(p, r, f); });
}

TEST_CASE("eight neighbouring rows of a panel store to all 32 banks, each once") {
  for (u32 first = 0; first < 128; first += 8)
    for (u32 chunk = 0; chunk < 8; ++chunk) {
      std::set<u32> wide, narrow;
      for (u32 row = first; row < first + 8; ++row) {
        wide.insert(swizzled_offset<128>(row, chunk) % 128);
        narrow.insert(swizzled_offset<64>(row, chunk % 4) % 128);
      }
      CHECK(wide.size() == 8);
      CHECK(narrow.size() == 8);
    }
}

TEST_CASE("matrix descriptors hold the fields of the PTX manual's table") {
  const auto field = [](u64 descriptor, int first, int bits) { return descriptor >> first & ((u64{1} << bits) - 1); };
  const u64 wide = operand_descriptor<128>(0x12400), narrow = operand_descriptor<64>(0x12400);
  const u64 scales = scale_descriptor(0x12400);
  for (const u64 descriptor : {wide, narrow, scales}) {
    CHECK(field(descriptor, 0, 14) == 0x1240);
    CHECK(field(descriptor, 16, 14) == 0);  // leading dimension: unused
    CHECK(field(descriptor, 46, 3) == 1);
    CHECK(field(descriptor, 49, 3) == 0);   // base offset
    CHECK(field(descriptor, 53, 8) == 0);
  }
  CHECK(field(wide, 32, 14) * 16 == 1024);
  CHECK(field(narrow, 32, 14) * 16 == 512);
  CHECK(field(scales, 32, 14) * 16 == 128);
  CHECK(field(wide, 61, 3) == 2);
  CHECK(field(narrow, 61, 3) == 4);
  CHECK(field(scales, 61, 3) == 0);
  CHECK(field(operand_descriptor<128>(0x38000), 0, 14) == 0x3800);
}

TEST_CASE("both raster orders visit every tile once, and stay in a band") {
  const auto check = [](auto tile_of, int tiles_m, int tiles_n, auto band_of) {
    std::set<std::pair<int, int>> seen;
    int last_band = 0;
    for (int index = 0; index < tiles_m * tiles_n; ++index) {
      const Tile tile = tile_of(index, tiles_m);
      REQUIRE((tile.m >= 0 && tile.m < tiles_m && tile.n >= 0 && tile.n < tiles_n));
      seen.insert({tile.m, tile.n});
      CHECK(band_of(tile) >= last_band);
      last_band = band_of(tile);
    }
    CHECK(seen.size() == static_cast<size_t>(tiles_m * tiles_n));
  };
  for (const int tiles_m : {1, 2, 7, 8, 17}) {
    check(tile_along_m<5, 4>, tiles_m, 5, [](Tile t) { return t.m / 4; });
    check(tile_along_n<5, 4>, tiles_m, 5, [](Tile t) { return t.n / 4; });
    check(tile_along_m<3, 1>, tiles_m, 3, [](Tile t) { return t.m; });
    check(tile_along_n<3, 1>, tiles_m, 3, [](Tile t) { return t.n; });
  }
  CHECK(tile_along_m<5, 4>(1, 17).m == 1);
  CHECK(tile_along_n<5, 4>(1, 17).n == 1);
}

TEST_CASE("a slot turns its parity once a round") {
  Slot slot{0, 1};
  for (u32 turn = 0; turn < 12; ++turn) {
    CHECK(slot.index == turn % 3);
    CHECK(slot.parity == 1 - turn / 3 % 2);
    slot.next<3>();
  }
}

TEST_CASE("activations follow their definitions") {
  Fragment32 swish, gauss;
  for (int i = 0; i < 32; ++i) swish.v[i] = gauss.v[i] = -8.0f + 0.5f * static_cast<float>(i);
  silu(swish);
  gelu(gauss);
  for (int i = 0; i < 32; ++i) {
    const double x = -8.0 + 0.5 * i;
    INFO("x = " << x);
    CHECK(swish.v[i] == Approx(x / (1 + std::exp(-x))).margin(1e-6));
    CHECK(gauss.v[i] == Approx(x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)))).margin(1e-6));
  }
}
