// SPDX-License-Identifier: Apache-2.0
// XXH3-128, the integrity digest of the archive's parts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::format {

/// The two halves of an XXH3-128 digest.
struct Xxh3Digest {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Xxh3Digest &other) const { return low == other.low && high == other.high; }
  bool operator!=(const Xxh3Digest &other) const { return !(*this == other); }
};

Xxh3Digest xxh3_of(const void *bytes, size_t num_bytes);

}  // namespace warpwright::format
