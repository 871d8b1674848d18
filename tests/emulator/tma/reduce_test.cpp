// SPDX-License-Identifier: Apache-2.0
// Reductions: each operation on each type, on the elements inside the tensor.
#include "tests/catch.h"
#include "tools/emulator/tma/box_copy.h"

#include <bit>
#include <cstring>
#include <vector>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tma;

namespace {

/// old op value for one element; the rest of the tensor must stay as it was.
template <typename T>
T reduced(ElementType type, Reduction reduction, T old, T value) {
  constexpr uint32_t kFirst = 16 / sizeof(T);
  constexpr size_t kBytes = 64 * sizeof(T);
  GlobalMemory memory;
  TensorMap map;
  map.type = type;
  map.rank = 1;
  map.dims = {kFirst + 2};
  map.box = {kFirst * 2};
  map.address = memory.allocate(kBytes);
  std::vector<T> tensor(64, old);
  std::memcpy(memory.resolve(map.address, kBytes), tensor.data(), kBytes);
  const std::vector<T> shared(64, value);
  REQUIRE_FALSE(reduce_box(map, {kFirst}, reduction, memory, 0, reinterpret_cast<const uint8_t *>(shared.data()),
                           static_cast<uint32_t>(kBytes)));
  std::memcpy(tensor.data(), memory.resolve(map.address, kBytes), kBytes);
  CHECK(std::memcmp(&tensor[kFirst], &tensor[kFirst + 1], sizeof(T)) == 0);
  for (const size_t i : {kFirst - 1, kFirst + 2}) CHECK(std::memcmp(&tensor[i], &old, sizeof(T)) == 0);
  return tensor[kFirst];
}

}  // namespace

TEST_CASE("integer reductions") {
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kAdd, 0xFFFFFFFF, 3) == 2);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kMin, 0x80000000, 1) == 1);
  CHECK(reduced<int32_t>(ElementType::kS32, Reduction::kMin, -5, 1) == -5);
  CHECK(reduced<int32_t>(ElementType::kS32, Reduction::kMax, -5, 1) == 1);
  CHECK(reduced<int32_t>(ElementType::kS32, Reduction::kAdd, INT32_MAX, 1) == INT32_MIN);
  CHECK(reduced<uint64_t>(ElementType::kU64, Reduction::kMax, uint64_t{1} << 63, 1) == uint64_t{1} << 63);
  CHECK(reduced<int64_t>(ElementType::kS64, Reduction::kMax, INT64_MIN, 1) == 1);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kInc, 6, 7) == 7);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kInc, 7, 7) == 0);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kDec, 0, 7) == 7);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kDec, 9, 7) == 7);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kDec, 7, 7) == 6);
  CHECK(reduced<uint32_t>(ElementType::kU32, Reduction::kAnd, 12, 10) == 8);
  CHECK(reduced<uint64_t>(ElementType::kU64, Reduction::kOr, 12, 10) == 14);
  CHECK(reduced<uint64_t>(ElementType::kU64, Reduction::kXor, 12, 10) == 6);
}

TEST_CASE("floating-point reductions round to nearest even; FP32 flushes subnormals, halves keep them") {
  CHECK(reduced<float>(ElementType::kF32, Reduction::kAdd, 1.5f, 2.25f) == 3.75f);
  CHECK(reduced<float>(ElementType::kF32, Reduction::kAdd, 0x1p-130f, 0x1p-126f) == 0x1p-126f);
  CHECK(reduced<double>(ElementType::kF64, Reduction::kAdd, 1, 0x1p-52) == 1 + 0x1p-52);
  CHECK(reduced<uint16_t>(ElementType::kF16, Reduction::kAdd, 0x3C00, 0x1000) == 0x3C00);  // a tie, to even
  CHECK(reduced<uint16_t>(ElementType::kF16, Reduction::kAdd, 0x3C01, 0x1000) == 0x3C02);
  CHECK(reduced<uint16_t>(ElementType::kF16, Reduction::kAdd, 0x0001, 0x0001) == 0x0002);
  CHECK(reduced<uint16_t>(ElementType::kF16, Reduction::kAdd, 0x7BFF, 0x7BFF) == 0x7C00);
  CHECK(reduced<uint16_t>(ElementType::kF16, Reduction::kMin, 0xBC00, 0x7E00) == 0xBC00);
  CHECK(reduced<uint16_t>(ElementType::kF16, Reduction::kMax, 0x3C00, 0x4000) == 0x4000);
  CHECK(reduced<uint16_t>(ElementType::kBf16, Reduction::kAdd, 0x3F80, 0x3F80) == 0x4000);
  CHECK(reduced<uint16_t>(ElementType::kBf16, Reduction::kAdd, 0x7F7F, 0x7F7F) == 0x7F80);
  CHECK(reduced<uint16_t>(ElementType::kBf16, Reduction::kAdd, 0x3F81, 0x3B80) == 0x3F82);  // a tie, to even
}

TEST_CASE("operations that a type does not have") {
  GlobalMemory memory;
  TensorMap map;
  map.rank = 1;
  map.dims = {64};
  map.box = {16};
  map.address = memory.allocate(1024);
  const uint8_t shared[256] = {};
  const std::pair<ElementType, Reduction> wrong[] = {
      {ElementType::kF32, Reduction::kMin},   {ElementType::kU8, Reduction::kAdd},
      {ElementType::kF16, Reduction::kAnd},   {ElementType::kS32, Reduction::kInc},
      {ElementType::kU64, Reduction::kDec},   {ElementType::kF64, Reduction::kMax},
      {ElementType::kF32Ftz, Reduction::kAdd}};
  for (const auto &[type, reduction] : wrong) {
    map.type = type;
    CHECK(reduce_box(map, {0}, reduction, memory, 0, shared, 256).slug == "tma.reduction");
  }
}
