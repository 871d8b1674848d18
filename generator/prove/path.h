// SPDX-License-Identifier: Apache-2.0
// Where a thread stands in its role's script, and what it may do next.
#pragma once

#include "generator/prove/script.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::prove {

/// What lanes of one warp were seen to do together.
///
/// Units     offsets count bytes from the start of dynamic shared memory, columns those of tensor memory; −1: none.
struct Observation {
  enum class Kind {
    kInit, kWait, kArrive, kArriveTx, kExpectTx, kLoad, kStore, kGroupCommit, kGroupWait, kTensorCopy, kMma, kCommit, kTensorLoad,
    kTensorLoaded, kAlloc, kDealloc,
    kSync,           ///< a barrier of the CTA: `barrier` is its number, `count` its threads; 0: all
    kSyncArrive, kClusterArrive, kClusterWait,
    kExit,           ///< the lanes end
    kEnd,            ///< nothing more will be seen of the warp
  };
  Kind kind = Kind::kEnd;
  uint64_t cluster = 0;
  uint32_t cta = 0;
  uint32_t warp = 0;
  uint32_t lanes = 0;
  uint32_t pc = 0;          ///< names the instruction
  uint32_t ctas = 0;        ///< whose barriers are meant, a bit each
  uint32_t parity = 0;      ///< of a wait; kMma: 1 adds to what is there; kGroupWait: 1 waits for reads only
  int64_t barrier = -1;
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t shared = -1;
  int64_t shared_b = -1;    ///< kMma: of B
  uint32_t shared_cta = 0;
  int64_t parameter = -1;   ///< the kernel's parameter that is the tensor map
  int64_t column = -1;
};

/// In what an observation is not what the script has.
enum class Difference { kNone, kKind, kBarrier, kSlot, kParity, kCount, kBytes, kOperand };

/// Whose script it is.
struct Place {
  const Script *script = nullptr;
  const RoleScript *role = nullptr;
  uint32_t cta = 0;
  int warp = 0;  ///< in the role
};

/// After so many steps. `pc` is the next command that has not been done, `part` of it so many observations have been seen.
struct State {
  int pc = 0;
  int part = 0;
  uint32_t tiles = 0;
  uint32_t passes = 0;    ///< blocks for one lane that lie behind, whoever ran them
  uint32_t entries = 0;   ///< of them this lane ran so many since the last step
  int skipped = -1;       ///< the last such block that this lane did not run
  Counters at;
  bool is_at_same(const State &other) const { return pc == other.pc && part == other.part && passes == other.passes && at == other.at; }
};

/// All states, before an observable command or at the end, that a thread may reach from `from` without being seen. `is_alone`: it is
/// one lane, so that it may run blocks for one lane.
void reach(const Place &place, const State &from, bool is_alone, std::vector<State> &into);
bool is_at_end(const Place &place, const State &state);
/// What would be seen at a state of reach().
Observation expected_at(const Place &place, const State &state);
/// The state after that.
State behind(const Place &place, State state);
Difference compare(const Script &script, const Observation &expected, const Observation &seen);

/// "the wait on ab_full[3], parity 1".
std::string describe(const Script &script, const Observation &seen);
/// "`ptx.mbar_wait @ab_full` (flux1_qkv.json:9)". Requires a state that is not the end.
std::string name_of(const Place &place, const State &state);
/// The same, and "the end"; with what would be seen: "…, the wait on ab_full[3], parity 1".
std::string describe(const Place &place, const State &state);

}  // namespace warpwright::prove
