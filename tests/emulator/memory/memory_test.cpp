// SPDX-License-Identifier: Apache-2.0
// Global memory: bounds, gaps, poison, messages; tensor memory: poison and rows.
#include "tools/emulator/memory/memory.h"
#include "tests/catch.h"

#include <cmath>
#include <cstring>

using namespace warpwright::emulator;

TEST_CASE("an access is inside one allocation or nowhere") {
  GlobalMemory memory;
  const uint64_t first = memory.allocate(1000);
  const uint64_t second = memory.allocate(64);
  REQUIRE(first % 256 == 0);
  REQUIRE(second % 256 == 0);
  REQUIRE(second > first + 1000);
  CHECK(memory.resolve(first, 1000) != nullptr);
  CHECK(memory.resolve(first + 999, 1) != nullptr);
  CHECK(memory.resolve(first + 999, 2) == nullptr);
  CHECK(memory.resolve(first + 1000, 1) == nullptr);
  CHECK(memory.resolve(first - 1, 1) == nullptr);
  CHECK(memory.resolve(first, ~uint64_t{0}) == nullptr);
  CHECK(memory.resolve(first, second - first + 1) == nullptr);
  CHECK(memory.resolve(0, 1) == nullptr);
  CHECK(memory.resolve(second + 63, 1) == memory.resolve(second, 64) + 63);
  CHECK(memory.allocate(0) == 0);
  CHECK(memory.allocate(~uint64_t{0}) == 0);
}

TEST_CASE("bytes are poison until written, and gone once released") {
  GlobalMemory memory;
  const uint64_t address = memory.allocate(8);
  CHECK(*memory.resolve(address + 7, 1) == GlobalMemory::kPoison);
  CHECK_FALSE(memory.release(address + 1));
  CHECK(memory.release(address));
  CHECK_FALSE(memory.release(address));
  CHECK(memory.resolve(address, 1) == nullptr);
}

TEST_CASE("messages place an address by the nearest allocation") {
  GlobalMemory memory;
  CHECK(memory.describe(16) == "0x10, before every allocation");
  const uint64_t first = memory.allocate(4096);
  const uint64_t second = memory.allocate(8);
  CHECK(memory.describe(first + 12) == "12 bytes into the 4,096 bytes at 0x70000000000");
  CHECK(memory.describe(first + 4096 + 12) == "12 bytes past the end of the 4,096 bytes at 0x70000000000");
  CHECK(memory.describe(second - 4).find("4 bytes before the 8 bytes at 0x700") == 0);
}

TEST_CASE("tensor memory starts as NaN in each of 128 x 512 cells") {
  TensorMemory tensor;
  float value = 0;
  std::memcpy(&value, tensor.row(127) + 511, sizeof value);
  CHECK(std::isnan(value));
  tensor.row(3)[511] = 1;
  CHECK(tensor.row(4)[0] == TensorMemory::kPoison);
  CHECK(TensorMemory::lane_of(0x00400123) == 64);
  CHECK(TensorMemory::col_of(0x00400123) == 0x123);
}
