// SPDX-License-Identifier: Apache-2.0
// Packing: round trips, the bytes that a thread loads, and the product as a warpgroup would compute it.
#include "generator/families/w4a8_gemm/pack.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "tests/catch.h"

#include <algorithm>
#include <random>

using namespace warpwright::w4a8_gemm;

namespace {

QuantisedWeight random_weight(int64_t n, int64_t k, int64_t group, unsigned seed) {
  std::mt19937 random(seed);
  QuantisedWeight weight = make_weight(n, k, group);
  for (uint8_t &byte : weight.q4) byte = static_cast<uint8_t>(random());
  for (uint8_t &scale : weight.group_scale) scale = static_cast<uint8_t>(1 + random() % 16);
  for (size_t i = 0; i < weight.group_offset.size(); ++i)
    weight.group_offset[i] = static_cast<uint8_t>(9 + random() % static_cast<unsigned>(255 - 15 * weight.group_scale[i] - 9 + 1));
  return weight;
}

std::string_view text_of(const std::vector<uint8_t> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

uint32_t word_at(const std::vector<uint8_t> &bytes, int64_t at) {
  uint32_t word = 0;
  for (int64_t j = 3; j >= 0; --j) word = word << 8 | bytes[static_cast<size_t>(at + j)];
  return word;
}

}  // namespace

TEST_CASE("pack: unpack gives the codes and scales back") {
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel})
    for (const int64_t k : {64, 128, 192, 512, 1728}) {
      if (!fits(128, k, group)) continue;
      CAPTURE(group, k);
      const QuantisedWeight weight = random_weight(128, k, group, static_cast<unsigned>(k));
      const std::vector<uint8_t> bytes = pack(weight);
      CHECK(static_cast<int64_t>(bytes.size()) == packed_bytes(128, k, group));
      const QuantisedWeight back = unpack(text_of(bytes), 128, k, group);
      CHECK(back.q4 == weight.q4);
      CHECK(back.group_scale == weight.group_scale);
      CHECK(back.group_offset == weight.group_offset);
      CHECK(pack(back) == bytes);
    }
}

TEST_CASE("pack: slabs stand alone, so a split along N is a split of the bytes") {
  const QuantisedWeight weight = random_weight(192, 320, 64, 5);
  const std::vector<uint8_t> bytes = pack(weight);
  QuantisedWeight last = make_weight(64, 320, 64);
  std::copy_n(weight.q4.begin() + 128 * 160, last.q4.size(), last.q4.begin());
  std::copy_n(weight.group_scale.begin() + 128 * 5, last.group_scale.size(), last.group_scale.begin());
  std::copy_n(weight.group_offset.begin() + 128 * 5, last.group_offset.size(), last.group_offset.begin());
  CHECK(pack(last) == std::vector<uint8_t>(bytes.end() - slab_bytes(320, 64), bytes.end()));
}

TEST_CASE("pack: four lanes at a time, a word of codes becomes the A registers of a wgmma") {
  // The kernel's arithmetic in full: two ANDs and a shift, one multiply and one add of four lanes, no carry between them.
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel}) {
    const int64_t k = 256;
    const QuantisedWeight weight = random_weight(64, k, group, 11);
    const std::vector<uint8_t> bytes = pack(weight);
    for (int64_t block = 0; block < k / 128; ++block)
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t thread = 0; thread < 128; ++thread)
          for (int64_t word = 0; word < 4; ++word) {
            const int64_t base = block * (codes_bytes(2) + scales_bytes(group, 2));
            const uint32_t codes = word_at(bytes, base + (half * 128 + thread) * 16 + word * 4);
            const int64_t row = thread / 32 * 16 + thread % 32 / 4 + word % 2 * 8;
            uint32_t scale = 1, offset = 0;
            if (group != kPerChannel) {
              const int64_t entry = thread / 32 * 8 + thread % 32 / 4;
              const int64_t at = base + codes_bytes(2) + (group == 64 ? entry * 2 + half : entry) * 4 + word % 2 * 2;
              scale = bytes[static_cast<size_t>(at)];
              offset = bytes[static_cast<size_t>(at + 1)];
            }
            const uint32_t low = (codes & 0x0f0f0f0fu) * scale + offset * 0x01010101u;
            const uint32_t high = (codes >> 4 & 0x0f0f0f0fu) * scale + offset * 0x01010101u;
            for (int64_t j = 0; j < 4; ++j) {
              const int64_t col = block * 128 + half * 64 + word / 2 * 32 + thread % 4 * 4 + j;
              REQUIRE(static_cast<int32_t>(low >> (8 * j) & 0xff) == weight.operand(row, col));
              REQUIRE(static_cast<int32_t>(high >> (8 * j) & 0xff) == weight.operand(row, col + 16));
            }
          }
  }
}
