// SPDX-License-Identifier: Apache-2.0
// Follows what the threads of a launch do, and says where that is not a path of the kernel's script.
#pragma once

#include "generator/prove/path.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace warpwright::prove {

/// Something that was seen and is not in the script, or the other way round.
struct Deviation {
  const char *slug = "";
  std::string text;
  uint32_t pc = 0;    ///< of the observation that is meant, of the same warp
  uint32_t lane = 0;
};

class ClusterWatch;

/// One launch of a kernel, told as it runs; a few hundred bytes a warp, whatever the launch's length.
///
/// Of each warp all lanes do what the script says, in its order; blocks for one lane are run by one. Loops run as often as the script
/// says, tiles equally often in all roles of a cluster. What may not be seen from outside is left out: ordinary loads and stores, fences.
///
/// Errors    conformance.order, conformance.missing and conformance.extra (something comes too early, not at all, or too often);
///           conformance.barrier (another mbarrier or slot), conformance.parity, conformance.count, conformance.bytes,
///           conformance.operand (another tensor map, buffer or column); conformance.trips (roles with unequal numbers of tiles).
///           After its first one a warp is not followed any more.
/// Threads   observations of one cluster come in their order; clusters may come at the same time.
class Conformance {
 public:
  explicit Conformance(const Script &script);
  ~Conformance();

  std::optional<Deviation> observe(const Observation &seen);
  /// Tiles of the clusters that were seen; −1 when there was none, or one did not end or deviated.
  int64_t tiles() const;

 private:
  ClusterWatch &watch_of(uint64_t cluster);

  const Script &script_;
  mutable std::mutex mutex_;  ///< of what follows
  std::map<uint64_t, std::unique_ptr<ClusterWatch>> clusters_;
  int64_t num_ended_ = 0;
  int64_t tiles_ = 0;  ///< of these
};

}  // namespace warpwright::prove
