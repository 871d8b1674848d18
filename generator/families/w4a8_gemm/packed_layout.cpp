// SPDX-License-Identifier: Apache-2.0
// Why a shape cannot be packed, and the sizes that kernels count on.
#include "generator/families/w4a8_gemm/packed_layout.h"

#include <fmt/format.h>

namespace warpwright::w4a8_gemm {

static_assert(block_bytes(64, 2) == 4352 && block_bytes(64, 1) == 2176);
static_assert(block_bytes(128, 2) == 4224);
static_assert(block_bytes(kPerChannel, 2) == 4096 && block_bytes(kPerChannel, 1) == 2048);

// Bulk copies take multiples of 16 bytes at addresses that are: PTX ISA 9.0, "cp.async.bulk".
static_assert(block_bytes(64, 1) % 16 == 0 && block_bytes(128, 2) % 16 == 0 && block_bytes(kPerChannel, 1) % 16 == 0);

std::optional<int64_t> group_of(const std::string &word) {
  for (const int64_t group : {int64_t{64}, int64_t{128}, kPerChannel})
    if (word == group_word(group)) return group;
  return std::nullopt;
}

std::string group_word(int64_t group) { return group == kPerChannel ? "channel" : std::to_string(group); }

std::string misfit(int64_t n, int64_t k, int64_t group) {
  if (!is_group(group)) return fmt::format("a group is 64, 128 or the channel, not {}", group);
  if (n <= 0 || k <= 0) return fmt::format("the weight is {} x {}", n, k);
  if (n % kSlabRows != 0) return fmt::format("N = {} is no multiple of {}", n, kSlabRows);
  if (k % kHalfElems != 0) return fmt::format("K = {} is no multiple of {}", k, kHalfElems);
  if (group != kPerChannel && k % group != 0) return fmt::format("K = {} is no multiple of the group of {}", k, group);
  if (k > kMostK) return fmt::format("K = {} is above {}, up to which a sum of u8 x s8 stays in 32 bits", k, kMostK);
  return "";
}

}  // namespace warpwright::w4a8_gemm
