// SPDX-License-Identifier: Apache-2.0
// The protocol of a kernel before it is run: of each role its loops, turns and events, and where what they name lies.
#pragma once

#include "generator/prove/protocol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::prove {

/// mbarriers of one name, side by side in every CTA, or one hardware barrier.
struct BarrierSet {
  std::string name;
  int64_t count = 1;
  int64_t arrivals = 1;
  bool is_named = false;
  int64_t place = 0;  ///< of the first: bytes from the start of dynamic shared memory; the number of a hardware barrier
  Origin origin;
};

/// What an event reads or writes. Its name and place depend on the turn.
struct Operand {
  enum class Kind { kNone, kRegion, kStaging, kScales, kAccumulator };
  Kind kind = Kind::kNone;
  std::string name;          ///< of the region, the range or the channel
  int slot = -1;             ///< Role::slots; −1: the first buffer
  int64_t offset_bytes = 0;  ///< kRegion, kStaging: of buffer 0, with what the event adds, in dynamic shared memory
  int64_t stride_bytes = 0;  ///< from buffer to buffer
  int64_t first_col = 0;     ///< kScales: of copy 0, with what the event adds; kAccumulator: within the accumulator
  int64_t stride_cols = 0;   ///< kScales: from copy to copy
  int64_t cols = 0;          ///< kAccumulator: of the part that is meant
  // kAccumulator of a load: a sub-tile of `cols` columns for each iteration of a loop.
  int loop = -1;
  int64_t subtiles = 0;
  int subtile_slot = -1;           ///< whose first buffer is read backwards
  bool is_shared_first = false;
};

/// One step of a role: control flow, a turn of a slot, or something that happens.
struct Command {
  enum class Kind {
    kRole,   ///< the role's own part: not in every CTA, perhaps one lane only
    kTiles,  ///< as often as the scheduler says, equally often in every role
    kFor,    ///< `number` times
    kAt,     ///< in iteration `number` of `loop`
    kElect,  ///< one lane of warp `number`, −1: of each warp
    kEnd,    ///< of one of those
    kSlot,   ///< turn 0 of `slot`
    kNext,   ///< the next one
    kEvent,
    // Seen in a run of the kernel; no events of the protocol.
    kTensorLoad,  ///< tcgen05.ld of `first`
    kAlloc,       ///< of `count` columns
    kDealloc,
  };
  Kind kind = Kind::kEvent;
  int match = -1;      ///< the other end of a block
  int64_t number = 0;
  int loop = -1;
  int slot = -1;
  bool is_once = false;         ///< kRole, kElect: one lane
  bool counts_in_cta = false;   ///< kElect: `number` counts the CTA's warps, not the role's
  bool in_leader_only = false;  ///< kRole, kEvent
  // Of an event.
  Event::Kind event = Event::Kind::kWait;
  Origin origin;
  int barrier = -1;             ///< Script::barriers
  bool is_at_leader = false;    ///< its barrier is CTA 0's
  bool is_multicast = false;    ///< every CTA's
  int64_t count = 0;
  int64_t bytes = 0;
  bool reads_only = false;      ///< kGroupWait: until sources may be reused
  int64_t parameter = -1;       ///< kCopy: the kernel's parameter that is the tensor map
  std::string map;              ///< its name
  int overwrites_in = -1;       ///< kMma: the loop in whose iteration 0 the accumulator is not read
  Operand first, second;        ///< kCopy, kTensorCopy: the shared memory; kMma: A and B; kRead, kWrite: what is
  Operand scales_a, scales_b;   ///< kMma; kTensorCopy: scales_a is what is written
  Operand accumulator;          ///< kMma
};

/// A slot of a channel as one role holds it.
struct SlotDecl {
  int64_t depth = 1;
  int64_t buffers = 1;
  int64_t parity = 0;
};

struct RoleScript {
  std::string name;
  int first_warp = 0;
  int num_warps = 1;
  bool is_elected = false;
  int num_loops = 0;
  std::vector<SlotDecl> slots;
  std::vector<Command> commands;
};

/// A piece of tensor memory.
struct ColumnRange {
  std::string name;
  int64_t first_col = 0;
  int64_t cols = 0;
  bool has_parts = false;
};

/// The accumulators of a channel, one a buffer.
struct Accumulators {
  std::string channel;
  std::vector<ColumnRange> ranges;
};

struct Script {
  std::string kernel;
  int ctas = 1;
  std::vector<BarrierSet> barriers;
  std::vector<RoleScript> roles;
  std::vector<Accumulators> accumulators;
  std::vector<ColumnRange> parts;  ///< of accumulators that overlap

  const Accumulators &accumulators_of(const std::string &channel) const;
};

/// Where a role stands.
struct Counters {
  static constexpr int kMost = 8;  ///< slots, and loops, of one role
  uint32_t turns[kMost] = {};
  uint32_t iterations[kMost] = {};
  bool operator==(const Counters &) const = default;
};

/// Requires  a slot of `role`, or −1: 0.
int64_t slot_index(const RoleScript &role, const Counters &at, int slot);
int64_t buffer_index(const RoleScript &role, const Counters &at, int slot);
int slot_parity(const RoleScript &role, const Counters &at, int slot);
/// The columns of an accumulator that an operand means: from `first_col` of its range on.
int64_t first_column(const RoleScript &role, const Counters &at, const Operand &operand);

/// A finite run: several tiles, several turns of every ring.
///
/// Units     loops longer than the deepest ring plus eight are cut to that many turns, in every role alike.
Protocol unroll(const Script &script);

}  // namespace warpwright::prove
