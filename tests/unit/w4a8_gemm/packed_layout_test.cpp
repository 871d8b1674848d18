// SPDX-License-Identifier: Apache-2.0
// The packed layout against the fragment's definition, written out a second time, and as a bijection.
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "tests/catch.h"

#include <algorithm>
#include <vector>

using namespace warpwright::w4a8_gemm;

namespace {

/// How often each nibble and each byte of a packed weight is taken.
struct Coverage {
  std::vector<int> low, high, scale;

  Coverage(int64_t n, int64_t k, int64_t group) {
    const auto bytes = static_cast<size_t>(packed_bytes(n, k, group));
    low.resize(bytes);
    high.resize(bytes);
    scale.resize(bytes);
    for (int64_t row = 0; row < n; ++row) {
      for (int64_t col = 0; col < k; ++col) {
        const CodePosition at = code_position(row, col, k, group);
        ++(at.is_high ? high : low).at(static_cast<size_t>(at.byte));
      }
      for (int64_t index = 0; index < groups_along_k(k, group); ++index) {
        const auto at = static_cast<size_t>(scale_position(row, index, k, group));
        ++scale.at(at);
        ++scale.at(at + 1);
      }
    }
  }

  /// Every byte is two codes or one scale, never both, never twice.
  bool is_exact() const {
    for (size_t i = 0; i < low.size(); ++i) {
      const bool is_code = low[i] == 1 && high[i] == 1 && scale[i] == 0;
      const bool is_scale = low[i] == 0 && high[i] == 0 && scale[i] == 1;
      if (is_code == is_scale) return false;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("packed layout: every code and scale has a place of its own and no byte is left over") {
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel})
    for (const int64_t n : {64, 192})
      for (const int64_t k : {64, 128, 192, 384, 448}) {
        if (!fits(n, k, group)) continue;
        CAPTURE(group, n, k);
        CHECK(Coverage(n, k, group).is_exact());
      }
}

TEST_CASE("packed layout: a thread's words are the A registers of two k32 steps") {
  // Straight from the fragment's figure: who holds what, thread by thread, not code by code.
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel}) {
    const int64_t k = group == 128 ? 256 : 192, row_base = 64;
    int64_t byte = slab_bytes(k, group);
    for (int64_t block_k = 0; block_k < k; block_k += 128) {
      const int64_t halves = std::min<int64_t>(2, (k - block_k) / 64);
      for (int64_t half = 0; half < halves; ++half)
        for (int64_t thread = 0; thread < 128; ++thread)
          for (int64_t word = 0; word < 4; ++word)
            for (int64_t j = 0; j < 4; ++j, ++byte) {
              const int64_t row = row_base + thread / 32 * 16 + thread % 32 / 4 + (word % 2 == 1 ? 8 : 0);
              const int64_t col = block_k + half * 64 + (word >= 2 ? 32 : 0) + thread % 4 * 4 + j;
              const CodePosition low{byte, false}, high{byte, true};
              REQUIRE(code_position(row, col, k, group) == low);
              REQUIRE(code_position(row, col + 16, k, group) == high);
            }
      // Then the scales: warp, row pair, half.
      for (int64_t warp = 0; warp < 4 && group != kPerChannel; ++warp)
        for (int64_t pair = 0; pair < 8; ++pair)
          for (int64_t half = 0; half < (group == 64 ? halves : 1); ++half, byte += 4) {
            const int64_t row = row_base + warp * 16 + pair, index = (block_k + half * 64) / group;
            REQUIRE(scale_position(row, index, k, group) == byte);
            REQUIRE(scale_position(row + 8, index, k, group) == byte + 2);
          }
    }
    CHECK(byte == 2 * slab_bytes(k, group));
  }
}

TEST_CASE("packed layout: sizes by hand") {
  CHECK(slab_bytes(4096, 64) == 32 * 4352);
  CHECK(slab_bytes(4096, 128) == 32 * 4224);
  CHECK(slab_bytes(4096, kPerChannel) == 64 * 4096 / 2);
  CHECK(slab_bytes(1728, 64) == 13 * 4352 + 2176);
  CHECK(packed_bytes(128, 1728, 64) == 2 * (13 * 4352 + 2176));
  CHECK(halves_of_block(1728, 12) == 2);
  CHECK(halves_of_block(1728, 13) == 1);
}

TEST_CASE("packed layout: a shape that does not fit says by which number") {
  CHECK(misfit(64, 64, 64).empty());
  CHECK(misfit(64, 1728, 64).empty());
  CHECK(misfit(64, 1728, kPerChannel).empty());
  CHECK(misfit(64, 1728, 128) == "K = 1728 is no multiple of the group of 128");
  CHECK(misfit(96, 128, 64) == "N = 96 is no multiple of 64");
  CHECK(misfit(64, 96, kPerChannel) == "K = 96 is no multiple of 64");
  CHECK(misfit(64, 128, 32) == "a group is 64, 128 or the channel, not 32");
  CHECK(misfit(0, 128, 64) == "the weight is 0 x 128");
  CHECK(misfit(64, 65792, 128).empty());
  CHECK(misfit(64, 65920, 128) == "K = 65920 is above 65792, up to which a sum of u8 x s8 stays in 32 bits");
  CHECK(int64_t{65792} * 255 * 128 <= INT32_MAX);
  CHECK(int64_t{65792 + 64} * 255 * 128 > INT32_MAX);
  for (const int64_t group : {int64_t{0}, int64_t{32}, int64_t{64}, int64_t{128}})
    for (int64_t n = -64; n <= 192; n += 32)
      for (int64_t k = -64; k <= 256; k += 32) CHECK(fits(n, k, group) == misfit(n, k, group).empty());
}
