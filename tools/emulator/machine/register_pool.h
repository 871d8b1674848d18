// SPDX-License-Identifier: Apache-2.0
// The registers of a CTA that setmaxnreg moves between its warps. PTX ISA 9.0, "setmaxnreg".
#pragma once

#include "tools/emulator/ptx/module.h"
#include "tools/emulator/race/clock.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpwright::emulator {

/// What a kernel's text says of its registers, a thread each.
struct RegisterBounds {
  uint32_t at_entry = 0;  ///< 0: nothing bounds them, and setmaxnreg has no effect
  uint32_t least = 0;     ///< what a warp may come down to: the least that a setmaxnreg.dec names
};

/// Source: PTX ISA 9.0, "setmaxnreg": the kernel needs a valid maximum of registers per thread, by a directive. Which directives
/// are enough, and that a kernel starts with no more than its largest setmaxnreg.inc names, is how ptxas 13.0 assigns them.
RegisterBounds find_register_bounds(const ptx::Kernel &kernel);

/// Amounts are registers a thread, of one warp: a warpgroup that gives up 8 frees 4 x 8.
class RegisterPool {
 public:
  /// One setmaxnreg.
  struct Change {
    bool is_increase = false;
    uint32_t count = 0;
    bool operator==(const Change &) const = default;
  };
  struct Share {
    uint32_t owned = 0;
    bool is_waiting = false;
    size_t num_changes = 0;
    race::Epoch last;  ///< of the latest change
  };

  void start(const RegisterBounds &bounds, size_t num_warps);
  bool is_bounded() const { return bounds_.at_entry != 0; }
  Share &share(uint32_t warp) { return shares_[warp]; }
  const std::vector<Share> &shares() const { return shares_; }
  uint32_t free() const { return free_; }
  bool has(uint32_t warp, uint32_t count) const { return count <= shares_[warp].owned + free_; }
  /// The most that each warp of a warpgroup could own, were all the others to give up what they can.
  uint32_t most_for(uint32_t warp) const;
  /// Requires has().
  void set(uint32_t warp, uint32_t count);
  /// What another warp of the warpgroup did as its change of that number, if one has come there; else `change` is noted.
  std::optional<Change> compare(uint32_t warp, Change change);
  /// Calls it for the warps of `warp`'s warpgroup.
  template <class Function> void each_peer(uint32_t warp, Function function) const {
    for (uint32_t i = warp / 4 * 4; i < warp / 4 * 4 + 4 && i < shares_.size(); ++i) function(i, shares_[i]);
  }

 private:
  RegisterBounds bounds_;
  uint32_t free_ = 0;
  std::vector<Share> shares_;
  std::array<std::vector<Change>, 8> changes_;  ///< by warpgroup
};

}  // namespace warpwright::emulator
