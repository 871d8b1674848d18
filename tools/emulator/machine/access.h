// SPDX-License-Identifier: Apache-2.0
// A warp's access to memory, resolved for all of its lanes at once.
#pragma once

#include "tools/emulator/machine/execution.h"

#include <array>

namespace warpwright::emulator {

/// The state space that an instruction names; a generic address says itself which one it is in.
enum class Place : uint8_t { kGlobal, kShared, kParam, kGeneric };

/// Where the lanes' bytes are on the host.
///
/// Nearly every access stays inside one region (an allocation, the shared memory of one CTA, the parameters), is aligned and
/// has no hazard. Then a comparison a lane takes the place of a look-up a lane, and where the lanes touch one run of bytes, the
/// state of shared memory is asked once for all of it. Any other access goes lane by lane, which finds out what is wrong with
/// it, if anything.
struct WarpAccess {
  uint8_t *region = nullptr;
  std::array<uint32_t, 32> offsets;  ///< from `region`; a lane that takes no part has that of another
  uint32_t one_run = 0;              ///< bytes when the lanes touch the same ones, or each those after the lane before; else 0

  /// Every lane takes part, each `bytes` after the one before.
  bool is_dense(uint32_t bytes) const { return one_run == 32 * bytes; }

  /// `bytes` at each lane's address, the operands from `first` on; 16 at most, a power of two. False: lane by lane. What has
  /// been noted by then of the access may be noted again.
  bool resolve(Execution &x, const Op &op, uint32_t first, Place place, uint32_t bytes, bool is_write);

 private:
  template <class Address> bool place_lanes(const Address *addresses, Address from_base, uint32_t last, uint32_t mask, uint32_t bytes);
};

}  // namespace warpwright::emulator
