// SPDX-License-Identifier: Apache-2.0
// What an instruction sees while it runs: its warp's registers, the lanes that take part, its CTA and cluster.
#pragma once

#include "tools/emulator/machine/cluster.h"
#include "tools/emulator/machine/program.h"

#include <cstring>

namespace warpwright::emulator {

inline constexpr uint32_t kAllLanes = ~0u;
/// The bit of each lane: a loop over lanes that takes it from here needs no shift by the lane.
inline constexpr std::array<uint32_t, 32> kLaneBits = [] {
  std::array<uint32_t, 32> bits{};
  for (uint32_t lane = 0; lane < 32; ++lane) bits[lane] = 1u << lane;
  return bits;
}();

struct Execution {
  Cluster &cluster;
  Cta &cta;
  Warp &warp;
  Group &group;
  uint32_t mask = 0;  ///< lanes that take part
  const Op *op = nullptr;

  /// The 32 lanes of an operand, or the mask of a predicate.
  template <class T> T *lanes(uint32_t place) { return reinterpret_cast<T *>(warp.registers.data() + place); }
  uint32_t &predicate(uint32_t place) { return warp.registers[place]; }

  template <class Function> void each_lane(Function function) const {
    if (mask == kAllLanes) {
      for (uint32_t lane = 0; lane < 32; ++lane) function(lane);
      return;
    }
    for (uint32_t left = mask; left; left &= left - 1) function(static_cast<uint32_t>(__builtin_ctz(left)));
  }
  uint32_t first_lane() const { return static_cast<uint32_t>(__builtin_ctz(mask)); }

  /// Who this is to the race detector.
  race::Actor actor() const { return {cluster.warp_number(cta, warp.index), op->index}; }

  /// A finding at this instruction; kFault, so that `return x.fault(…)` ends the lanes.
  Step fault(std::string slug, std::string text);
  Step fault(const Error &error) { return fault(error.slug, error.text); }
  /// A finding that the kernel can survive.
  void note(std::string slug, std::string text);
  void note(const Error &error) { note(error.slug, error.text); }
};

/// An instruction uses registers that a wgmma.mma_async has too: a finding while one is in flight.
void touch_wgmma_registers(Execution &x, const Op &op);

}  // namespace warpwright::emulator
