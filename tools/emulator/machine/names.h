// SPDX-License-Identifier: Apache-2.0
// The source's names for what a kernel's PTX only numbers: shared memory, mbarriers, barriers, warps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::emulator {

/// A name for shared memory or an mbarrier: "ab_full" of `count` pieces, `stride_bytes` apart. Offsets count from the
/// kernel's dynamic shared memory.
struct SharedName {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;  ///< of one piece
  uint32_t stride_bytes = 0;
  uint32_t count = 1;
  std::string arrivals;  ///< of an mbarrier: who arrives in a phase, "load_weights 1, load_activations 1"
};

/// Warps of every CTA that do one thing.
struct RoleName {
  std::string name;
  uint32_t first_warp = 0;
  uint32_t num_warps = 1;
};

/// A barrier of a CTA that bar.sync numbers.
struct BarrierName {
  std::string name;
  uint32_t id = 0;
};

struct Names {
  std::vector<SharedName> shared;
  std::vector<RoleName> roles;
  std::vector<BarrierName> barriers;

  /// "ab_full[3]", "a_tile[1]+64", "at shared offset 1024"; `offset` from the start of dynamic shared memory, negative
  /// before it.
  std::string of_shared(int64_t offset) const;
  const SharedName *find_shared(int64_t offset, uint32_t *piece) const;
  const RoleName *role_of(uint32_t warp) const;
  /// "barrier 1", or "barrier 1 (epilogue)".
  std::string of_barrier(uint32_t id) const;
};

/// Reads names, one a line; words are separated by blanks.
///
/// Of names that fit, the first is used.
///
///   shared NAME OFFSET BYTES STRIDE COUNT
///   mbarrier NAME OFFSET COUNT [ARRIVALS…]     eight bytes each, side by side
///   role NAME FIRST_WARP NUM_WARPS
///   barrier NAME ID
///
/// Nothing: the text has a line that is none of these.
std::optional<Names> parse_names(const std::string &text);

}  // namespace warpwright::emulator
