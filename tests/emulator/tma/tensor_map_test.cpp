// SPDX-License-Identifier: Apache-2.0
// Every rule of cuTensorMapEncodeTiled by one map that breaks it; the 128 bytes and what is not them.
#include "tools/emulator/tma/tensor_map.h"
#include "tests/catch.h"

#include <functional>
#include <string>

using namespace warpwright::emulator::tma;

namespace {

TensorMap good() {
  TensorMap map;
  map.type = ElementType::kBf16;
  map.rank = 3;
  map.address = 0x70000000200;
  map.dims = {64, 100, uint64_t{1} << 32};
  map.strides_bytes = {128, 12800};
  map.box = {64, 256, 1};
  map.element_strides = {1, 8, 1, 1, 1};
  map.swizzle = Swizzle::k128B;
  map.l2_promotion = L2Promotion::k256B;
  map.oob_fill = OobFill::kNan;
  return map;
}

/// A way to break a good map, and the slug that names it.
struct Rule {
  const char *slug;
  std::function<void(TensorMap &)> break_it;
};
const Rule kRules[] = {
    {"tma.type", [](TensorMap &m) { m.type = static_cast<ElementType>(16); }},
    {"tma.rank", [](TensorMap &m) { m.rank = 0; }},
    {"tma.rank", [](TensorMap &m) { m.rank = 6; }},
    {"tma.rank",
     [](TensorMap &m) {
       m.rank = 2;
       m.interleave = Interleave::k16B;
     }},
    {"tma.address", [](TensorMap &m) { m.address += 8; }},
    {"tma.address",
     [](TensorMap &m) {
       m.address += 16;
       m.interleave = Interleave::k32B;
       m.swizzle = Swizzle::k32B;
     }},
    {"tma.dim", [](TensorMap &m) { m.dims[1] = 0; }},
    {"tma.dim", [](TensorMap &m) { m.dims[1] = (uint64_t{1} << 32) + 1; }},
    {"tma.dim",
     [](TensorMap &m) {
       m.type = ElementType::k16U4Align8B;
       m.dims[0] = 63;
       m.oob_fill = OobFill::kZero;
     }},
    {"tma.dim",
     [](TensorMap &m) {
       m.type = ElementType::k16U6Align16B;
       m.dims[0] = 192;
       m.oob_fill = OobFill::kZero;
     }},
    {"tma.stride", [](TensorMap &m) { m.strides_bytes[1] += 8; }},
    {"tma.stride", [](TensorMap &m) { m.strides_bytes[0] = uint64_t{1} << 40; }},
    {"tma.stride",
     [](TensorMap &m) {
       m.strides_bytes[0] = 144;
       m.interleave = Interleave::k32B;
       m.swizzle = Swizzle::k32B;
     }},
    {"tma.box", [](TensorMap &m) { m.box[2] = 0; }},
    {"tma.box", [](TensorMap &m) { m.box[1] = 257; }},
    {"tma.box", [](TensorMap &m) { m.box[0] = 60; }},
    {"tma.box",
     [](TensorMap &m) {
       m.type = ElementType::k16U4Align16B;
       m.dims[0] = 128;
       m.box[0] = 64;
     }},
    {"tma.element-stride", [](TensorMap &m) { m.element_strides[1] = 9; }},
    {"tma.element-stride", [](TensorMap &m) { m.element_strides[2] = 0; }},
    {"tma.interleave", [](TensorMap &m) { m.interleave = static_cast<Interleave>(3); }},
    {"tma.interleave", [](TensorMap &m) { m.interleave = Interleave::k32B; }},
    {"tma.swizzle", [](TensorMap &m) { m.swizzle = static_cast<Swizzle>(7); }},
    {"tma.swizzle", [](TensorMap &m) { m.swizzle = Swizzle::k64B; }},
    {"tma.swizzle", [](TensorMap &m) { m.box[0] = 128; }},
    {"tma.swizzle",
     [](TensorMap &m) {
       m.type = ElementType::k16U4Align16B;
       m.dims[0] = m.box[0] = 128;
       m.swizzle = Swizzle::k128BAtom64B;
     }},
    {"tma.l2-promotion", [](TensorMap &m) { m.l2_promotion = static_cast<L2Promotion>(4); }},
    {"tma.oob-fill", [](TensorMap &m) { m.oob_fill = static_cast<OobFill>(2); }},
    {"tma.oob-fill", [](TensorMap &m) { m.type = ElementType::kU16; }},
};

}  // namespace

TEST_CASE("a map survives its 128 bytes; other bytes are no map") {
  uint8_t bytes[128];
  const TensorMap map = good();
  REQUIRE(validate(map).text == "");
  encode(map, bytes);
  REQUIRE(decode(bytes).has_value());
  CHECK(*decode(bytes) == map);
  for (size_t i = 0; i < sizeof bytes; ++i) {
    bytes[i] ^= 1;
    CHECK_FALSE(decode(bytes).has_value());
    bytes[i] ^= 1;
  }
  const uint8_t zero[128] = {};
  CHECK_FALSE(decode(zero).has_value());
  TensorMap wrong = map;
  wrong.address += 8;
  encode(wrong, bytes);
  CHECK_FALSE(decode(bytes).has_value());
}

TEST_CASE("each rule of cuTensorMapEncodeTiled") {
  for (const Rule &rule : kRules) {
    TensorMap map = good();
    rule.break_it(map);
    CHECK(validate(map).slug == std::string(rule.slug));
  }
}
