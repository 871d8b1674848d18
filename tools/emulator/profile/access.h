// SPDX-License-Identifier: Apache-2.0
// What one warp's load or store costs in shared memory's banks and in global memory's sectors.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warpwright::emulator::profile {

/// The address of each lane; those of lanes that take no part mean nothing.
using LaneAddresses = std::array<uint64_t, 32>;

/// A load or store, as its opcode says. Atomics, copies and TMA are none: how they go through the banks is not published.
struct Access {
  enum class Space : uint8_t { kNone, kShared, kGlobal, kGeneric };
  Space space = Space::kNone;
  bool is_store = false;
  uint32_t bytes = 0;     ///< of a lane
  uint32_t matrices = 0;  ///< of ldmatrix and stmatrix; lanes 8 i to 8 i + 7 have the rows of matrix i
};
Access access_of(std::string_view opcode);

/// Passes through the banks. `least`: what the same lanes take when no two words of a pass meet in a bank.
struct Wavefronts {
  uint32_t taken = 0, least = 0;
  uint32_t extra() const { return taken - least; }
};
Wavefronts count_wavefronts(const Access &access, const LaneAddresses &addresses, uint32_t mask);

/// 32-byte sectors of global memory that the lanes touch, and how many different bytes they want of them.
struct Sectors {
  uint32_t sectors = 0, bytes_wanted = 0;
};
inline constexpr uint32_t kSectorBytes = 32;
Sectors count_sectors(const Access &access, const LaneAddresses &addresses, uint32_t mask);

}  // namespace warpwright::emulator::profile
