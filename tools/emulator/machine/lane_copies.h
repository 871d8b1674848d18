// SPDX-License-Identifier: Apache-2.0
// What a warp knows of its cp.async: how many each lane has in flight, and the mbarriers that are told when they are complete.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace warpwright::emulator {

struct Cta;

struct LaneCopies {
  /// An arrival on an mbarrier of the CTA when the copies that a lane had issued by then are complete.
  struct Arrival {
    uint32_t lane = 0;
    uint64_t before = 0;   ///< number of the lane's first copy after it
    uint32_t left = 0;     ///< copies before it that are not complete
    uint32_t barrier = 0;  ///< offset in the CTA
    uint32_t pc = 0;
    uint32_t order = 0;    ///< copies of the warp by then, to the race detector
  };
  static constexpr size_t kEnds = 64;

  std::array<uint64_t, 32> issued{};      ///< by lane
  std::array<uint32_t, 32> unfinished{};
  std::vector<Arrival> arrivals;
  std::map<uint32_t, std::deque<uint32_t>> ends;  ///< by lane: copies of the warp when it committed its last groups
};

}  // namespace warpwright::emulator
