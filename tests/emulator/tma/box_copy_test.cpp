// SPDX-License-Identifier: Apache-2.0
// Loads and stores of boxes, element by element, with the swizzle tables of the documentation as tables.
#include "tools/emulator/tma/box_copy.h"
#include "tests/catch.h"

#include <cstring>
#include <random>
#include <vector>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tma;

namespace {

/// PTX ISA 9.0, "Swizzling Modes": which 16-byte chunk of a 128-byte line of the source each place of the line holds.
constexpr int kTable32[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}};
constexpr int kTable64[4][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}};
constexpr int kTable128[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5},
                                 {3, 2, 1, 0, 7, 6, 5, 4}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                 {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
constexpr int kTableAtom32[4][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}};
constexpr int kTableAtom64[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}};

/// Byte of the unswizzled box at byte `place` of the box in shared memory, whose first line is line `first_line` of the
/// pattern.
uint32_t source_of(Swizzle swizzle, uint32_t first_line, uint32_t place) {
  const uint32_t line = first_line + place / 128;
  uint32_t within = place % 16;
  const uint32_t chunk = place % 128 / 16;
  int from = static_cast<int>(chunk);
  switch (swizzle) {
    case Swizzle::kNone:
      break;
    case Swizzle::k32B:
      from = kTable32[line % 2][chunk];
      break;
    case Swizzle::k64B:
      from = kTable64[line % 4][chunk];
      break;
    case Swizzle::k128B:
      from = kTable128[line % 8][chunk];
      break;
    case Swizzle::k128BAtom32BFlip8B:
      if (line % 2 == 1) within = (within + 8) % 16;
      [[fallthrough]];
    case Swizzle::k128BAtom32B:
      from = kTableAtom32[line % 4][chunk];
      break;
    case Swizzle::k128BAtom64B:
      from = kTableAtom64[line % 2][chunk];
      break;
  }
  return place / 128 * 128 + static_cast<uint32_t>(from) * 16 + within;
}

struct Case {
  TensorMap map;
  Coordinates at{};
  uint32_t shared = 0;
};

constexpr uint32_t kSharedBytes = 64 * 1024;

/// A tensor of `rank` dimensions of 2-byte elements with room between rows.
Case make_case(GlobalMemory &memory, uint32_t rank, Swizzle swizzle, std::mt19937 &random) {
  Case out;
  TensorMap &map = out.map;
  map.type = ElementType::kBf16;
  map.rank = rank;
  map.swizzle = swizzle;
  map.oob_fill = random() % 2 == 0 ? OobFill::kZero : OobFill::kNan;
  const uint32_t span = swizzle == Swizzle::k32B    ? 32
                        : swizzle == Swizzle::k64B  ? 64
                        : swizzle == Swizzle::kNone ? 48
                                                    : 128;
  uint64_t stride = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    map.dims[i] = i == 0 ? span / 2 * 2 + random() % 7 : 2 + random() % 6;
    map.box[i] = i == 0 ? span / 2 : 1 + random() % 5;
    map.element_strides[i] = i == 0 ? 1 : 1 + random() % 3;
    stride = i == 0 ? (map.dims[0] * 2 + 15) / 16 * 16 + 16 * (random() % 2) : stride * (map.dims[i] + random() % 2);
    if (i + 1 < rank) map.strides_bytes[i] = stride;
    out.at[i] = static_cast<int32_t>(random() % (map.dims[i] + 4)) - 3;
    if (i == 0) out.at[i] = (out.at[i] + 800) / 8 * 8 - 800;  // 16 bytes
  }
  map.address = memory.allocate(stride);
  out.shared = 128 * (random() % 9);
  return out;
}

/// Byte offset in the tensor of each element of the box in order, or -1 out of bounds.
std::vector<int64_t> box_elements(const Case &one) {
  std::vector<int64_t> offsets;
  const TensorMap &map = one.map;
  std::array<uint32_t, 5> counts{1, 1, 1, 1, 1}, i{};
  for (uint32_t d = 0; d < map.rank; ++d)
    counts[d] = (map.box[d] + map.element_strides[d] - 1) / map.element_strides[d];
  for (i[4] = 0; i[4] < counts[4]; ++i[4])
    for (i[3] = 0; i[3] < counts[3]; ++i[3])
      for (i[2] = 0; i[2] < counts[2]; ++i[2])
        for (i[1] = 0; i[1] < counts[1]; ++i[1])
          for (i[0] = 0; i[0] < counts[0]; ++i[0]) {
            int64_t offset = 0;
            for (uint32_t d = 0; d < map.rank && offset >= 0; ++d) {
              const int64_t at = one.at[d] + int64_t{i[d]} * map.element_strides[d];
              const bool is_inside = at >= 0 && at < static_cast<int64_t>(map.dims[d]);
              offset = is_inside ? offset + at * (d == 0 ? 2 : static_cast<int64_t>(map.strides_bytes[d - 1])) : -1;
            }
            offsets.push_back(offset);
          }
  return offsets;
}

void fill_random(uint8_t *bytes, size_t count, std::mt19937 &random) {
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(random());
}

size_t allocated_bytes(const GlobalMemory &memory, uint64_t address) {
  size_t bytes = 1;
  while (memory.resolve(address, bytes + 1) != nullptr) ++bytes;
  return bytes;
}

}  // namespace

TEST_CASE("loads put each element where the tables say, fills what is outside, leaves the rest alone") {
  std::mt19937 random(3);
  for (uint32_t rank = 1; rank <= 5; ++rank) {
    for (uint32_t swizzle = 0; swizzle <= 6; ++swizzle) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        GlobalMemory memory;
        const Case one = make_case(memory, rank, static_cast<Swizzle>(swizzle), random);
        REQUIRE(validate(one.map).text == "");
        uint8_t *global = memory.resolve(one.map.address, 1);
        fill_random(global, allocated_bytes(memory, one.map.address), random);
        std::vector<uint8_t> shared(kSharedBytes, 0xEE);
        const auto offsets = box_elements(one);
        REQUIRE(box_bytes(one.map) == offsets.size() * 2);
        REQUIRE_FALSE(load_box(one.map, one.at, memory, one.shared, shared.data(), kSharedBytes));
        std::vector<uint8_t> expected(kSharedBytes, 0xEE);
        for (uint32_t place = 0; place < offsets.size() * 2; ++place) {
          const uint32_t from = source_of(one.map.swizzle, one.shared / 128, place);
          const int64_t offset = offsets[from / 2];
          const uint8_t fill = one.map.oob_fill == OobFill::kZero ? 0 : from % 2 == 0 ? 0xF7 : 0x7F;
          expected[one.shared + place] = offset < 0 ? fill : global[offset + from % 2];
        }
        REQUIRE(shared == expected);
      }
    }
  }
}

TEST_CASE("stores write what lies inside the tensor and nothing else") {
  std::mt19937 random(5);
  for (uint32_t rank = 1; rank <= 5; ++rank) {
    for (uint32_t swizzle = 0; swizzle <= 6; ++swizzle) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        GlobalMemory memory;
        Case one = make_case(memory, rank, static_cast<Swizzle>(swizzle), random);
        for (int32_t &coordinate : one.at) coordinate = std::abs(coordinate);
        uint8_t *global = memory.resolve(one.map.address, 1);
        const size_t bytes = allocated_bytes(memory, one.map.address);
        fill_random(global, bytes, random);
        std::vector<uint8_t> expected(global, global + bytes);
        std::vector<uint8_t> shared(kSharedBytes);
        fill_random(shared.data(), shared.size(), random);
        const auto offsets = box_elements(one);
        for (uint32_t place = 0; place < offsets.size() * 2; ++place) {
          const uint32_t to = source_of(one.map.swizzle, one.shared / 128, place);
          if (offsets[to / 2] >= 0)
            expected[static_cast<size_t>(offsets[to / 2]) + to % 2] = shared[one.shared + place];
        }
        REQUIRE_FALSE(store_box(one.map, one.at, memory, one.shared, shared.data(), kSharedBytes));
        REQUIRE(std::vector<uint8_t>(global, global + bytes) == expected);
      }
    }
  }
}

TEST_CASE("stores before the tensor's begin are refused, as an H200 does") {
  GlobalMemory memory;
  TensorMap map;
  map.type = ElementType::kU32;
  map.rank = 1;
  map.dims = {40};
  map.box = {32};
  map.address = memory.allocate(160);
  std::vector<uint8_t> shared(4096);
  CHECK_FALSE(store_box(map, {20}, memory, 1024, shared.data(), 4096));
  CHECK(store_box(map, {-8}, memory, 1024, shared.data(), 4096).slug == std::string("tma.coordinate"));
  CHECK(reduce_box(map, {-8}, Reduction::kAdd, memory, 1024, shared.data(), 4096).slug == std::string("tma.coordinate"));
  CHECK_FALSE(load_box(map, {-8}, memory, 1024, shared.data(), 4096));
  map.type = ElementType::kS64;
  CHECK(reduce_box(map, {0}, Reduction::kOr, memory, 1024, shared.data(), 4096).slug == std::string("tma.reduction"));
}

TEST_CASE("packed 4- and 6-bit elements") {
  GlobalMemory memory;
  TensorMap map;
  map.rank = 2;
  map.dims = {256, 2};
  map.box = {128, 2};
  for (const ElementType type : {ElementType::k16U4Align8B, ElementType::k16U4Align16B, ElementType::k16U6Align16B}) {
    map.type = type;
    const uint32_t bits = element_bits(type);
    map.strides_bytes = {256 * bits / 8};
    map.address = memory.allocate(2 * map.strides_bytes[0]);
    uint8_t *global = memory.resolve(map.address, 2 * map.strides_bytes[0]);
    std::mt19937 random(9);
    fill_random(global, 2 * map.strides_bytes[0], random);
    std::vector<uint8_t> shared(4096, 0xEE);
    REQUIRE(validate(map).text == "");
    const bool is_padded = type != ElementType::k16U4Align8B;
    REQUIRE(box_bytes(map) == (is_padded ? 256u : 128u));
    REQUIRE_FALSE(load_box(map, {128, 1}, memory, 1024, shared.data(), 4096));
    const uint32_t group = is_padded ? 16 : 16 * bits / 8;
    for (uint32_t i = 0; i < 8; ++i) {
      const uint8_t *from = global + map.strides_bytes[0] + (128 + 16 * i) * bits / 8;
      CHECK(std::memcmp(&shared[1024 + i * group], from, 16 * bits / 8) == 0);
      if (is_padded) CHECK(shared[1024 + i * group + 15] == GlobalMemory::kPoison);
    }
    CHECK(shared[1024 + 8 * group] == 0);  // row 2 is out of bounds
    CHECK(load_box(map, {is_padded ? 64 : 1, 0}, memory, 0, shared.data(), 4096).slug == "tma.coordinate");
  }
  std::vector<uint8_t> codes(4096);
  for (uint32_t i = 0; i < 256; ++i) codes[i] = static_cast<uint8_t>(0xC0 | (i * 5 & 63));
  REQUIRE_FALSE(store_box(map, {0, 0}, memory, 0, codes.data(), 4096));
  const uint8_t *global = memory.resolve(map.address, 192);
  for (uint32_t i = 0; i < 128; ++i) {
    uint32_t code = 0;
    for (uint32_t b = 0; b < 6; ++b) code |= static_cast<uint32_t>(global[(6 * i + b) / 8] >> (6 * i + b) % 8 & 1) << b;
    REQUIRE(code == (i * 5 & 63));
  }
}

TEST_CASE("refused copies") {
  GlobalMemory memory;
  TensorMap map;
  map.type = ElementType::kF32;
  map.rank = 2;
  map.dims = {64, 64};
  map.strides_bytes = {256};
  map.box = {32, 8};
  map.address = memory.allocate(63 * 256);  // a row short
  std::vector<uint8_t> shared(4096);
  CHECK(load_box(map, {0, 0}, memory, 64, shared.data(), 4096).slug == "tma.shared-alignment");
  CHECK(load_box(map, {0, 0}, memory, 3200, shared.data(), 4096).slug == "tma.shared-bounds");
  CHECK_FALSE(load_box(map, {0, 0}, memory, 3072, shared.data(), 4096));
  CHECK(load_box(map, {0, 56}, memory, 0, shared.data(), 4096).slug == "tma.global-bounds");
  CHECK(store_box(map, {0, 56}, memory, 0, shared.data(), 4096).slug == "tma.global-bounds");
  CHECK_FALSE(load_box(map, {0, 64}, memory, 0, shared.data(), 4096));
  CHECK(load_box(map, {2, 0}, memory, 0, shared.data(), 4096).slug == "tma.coordinate");
  map.type = ElementType::kTf32;
  CHECK(load_box(map, {0, 0}, memory, 0, shared.data(), 4096).slug == "tma.type");
  map.type = ElementType::kF32;
  map.box = {256, 256};
  CHECK(box_bytes(map) == 262144);
  map.type = ElementType::k16U4Align16B;
  map.box = {128, 1};
  CHECK(store_box(map, {0, 0}, memory, 0, shared.data(), 4096).slug == "tma.direction");
}

TEST_CASE("rows narrower than their swizzle lie a span apart") {
  GlobalMemory memory;
  TensorMap map;
  map.rank = 2;
  map.dims = {48, 16};
  map.strides_bytes = {48};
  map.box = {48, 16};
  map.swizzle = Swizzle::k128B;
  map.address = memory.allocate(48 * 16);
  std::mt19937 random(2);
  uint8_t *global = memory.resolve(map.address, 48 * 16);
  fill_random(global, 48 * 16, random);
  std::vector<uint8_t> shared(2048, 0xEE);
  CHECK(box_bytes(map) == 48 * 16);
  CHECK(load_box(map, {0, 0}, memory, 128, shared.data(), 2048).slug == "tma.shared-bounds");
  REQUIRE_FALSE(load_box(map, {0, 0}, memory, 0, shared.data(), 2048));
  for (uint32_t place = 0; place < 2048; ++place) {
    const uint32_t from = source_of(map.swizzle, 0, place);
    const bool is_data = from % 128 < 48;
    REQUIRE(shared[place] == (is_data ? global[from / 128 * 48 + from % 128] : 0xEE));
  }
}

TEST_CASE("FLOAT32_FTZ is loaded as it is") {
  GlobalMemory memory;
  TensorMap map;
  map.type = ElementType::kF32Ftz;
  map.dims = {4};
  map.box = {4};
  map.address = memory.allocate(16);
  const uint32_t values[] = {1, 0x80000001, 0x3F800000, 0x7F800001};
  std::memcpy(memory.resolve(map.address, 16), values, 16);
  std::vector<uint8_t> shared(16);
  REQUIRE_FALSE(load_box(map, {}, memory, 0, shared.data(), 16));
  CHECK(std::memcmp(shared.data(), values, 16) == 0);
}
