// SPDX-License-Identifier: Apache-2.0
// What wgmma keeps of a warp and of a warpgroup: MMAs in flight, groups of them, and who may touch which register.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace warpwright::emulator {

class WgmmaOperation;

/// A warp's side. Source: PTX ISA 9.0, "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group".
struct WgmmaState {
  /// One register that some wgmma.mma_async of the kernel has as accumulator or as fragment of A.
  struct Register {
    uint64_t group = 0;        ///< of the last MMA that has it, counted from 1: in flight until a wait covers it
    uint32_t use = 0;          ///< of that MMA: kFragment or the shape of the accumulator
    uint32_t fenced_use = 0;   ///< the same, 0 after a fence
    bool is_touched = false;   ///< by another instruction since the last fence
  };
  static constexpr uint32_t kFragment = 1;

  uint64_t issued = 0;              ///< MMAs
  uint64_t complete = 0;            ///< of those
  uint64_t committed = 0;           ///< groups
  uint64_t waited = 0;              ///< groups that a wait has covered
  uint64_t seen = 0;                ///< MMAs in those
  bool has_fenced = false;
  std::deque<uint64_t> group_ends;  ///< MMAs issued when groups waited + 1 … committed were committed
  std::vector<Register> registers;  ///< by place / 16, made at the first use

  bool is_in_flight(const Register &r) const { return r.group > waited; }
  /// Whether all but the last `left` groups are complete.
  bool has_all_but(uint64_t left) const {
    return committed <= waited + left || complete >= group_ends[static_cast<size_t>(committed - left - waited - 1)];
  }
  void cover_all_but(uint64_t left) {
    for (; waited + left < committed; ++waited) {
      seen = group_ends.front();
      group_ends.pop_front();
    }
  }
};

/// Four warps that do one MMA together: each issues its part when it comes there.
struct Warpgroup {
  Warpgroup();
  ~Warpgroup();
  std::deque<std::unique_ptr<WgmmaOperation>> joining;  ///< MMAs that some of the warps have issued, in order
  uint64_t whole = 0;                                   ///< MMAs before those
  /// Warps of the four that have not issued the first of `joining`; 0: there is none.
  uint32_t missing_warps() const;
};

}  // namespace warpwright::emulator
