// SPDX-License-Identifier: Apache-2.0
// Steps through a script, and what each step looks like from outside.
#include "generator/prove/path.h"

namespace warpwright::prove {

namespace {

using Kind = Observation::Kind;

// PTX ISA 9.0, "mbarrier object": it is 8 bytes.
constexpr int64_t kMbarrierBytes = 8;

bool is_observable(const Place &place, const Command &command) {
  switch (command.kind) {
    case Command::Kind::kAlloc:
    case Command::Kind::kDealloc: return place.warp == 0;
    case Command::Kind::kTensorLoad: return true;
    case Command::Kind::kEvent:
      // Ordinary stores are not followed.
      return command.event != Event::Kind::kWrite && !(command.in_leader_only && place.cta != 0);
    default: return false;
  }
}

/// Goes on through a script until something would be seen.
class Search {
 public:
  Search(const Place &place, bool is_alone, std::vector<State> &into)
      : place_(place), commands_(place.role->commands), is_alone_(is_alone), into_(into) {}

  void go(State s) {
    const int end = static_cast<int>(commands_.size());
    while (s.pc < end) {
      const Command &command = commands_[static_cast<size_t>(s.pc)];
      if (is_observable(place_, command)) break;
      if (!step(command, s)) return;
    }
    into_.push_back(s);
  }

 private:
  const Place &place_;
  const std::vector<Command> &commands_;
  bool is_alone_;
  std::vector<State> &into_;
  std::vector<int> entered_;  ///< blocks for one lane, in this search
  bool has_left_tiles_ = false;

  /// False: there is no way on, or others have been taken instead.
  bool step(const Command &command, State &s) {
    switch (command.kind) {
      case Command::Kind::kRole:
        s.at = {};
        if (command.in_leader_only && place_.cta != 0) return jump(s, command.match);
        return command.is_once ? pass(command, s) : advance(s);
      case Command::Kind::kElect: {
        const int warp = place_.warp + (command.counts_in_cta ? place_.role->first_warp : 0);
        return command.number < 0 || command.number == warp ? pass(command, s) : jump(s, command.match);
      }
      case Command::Kind::kTiles: return choose(s, s.pc, command.match);
      case Command::Kind::kFor:
        s.at.iterations[command.loop] = 0;
        return command.number > 0 ? advance(s) : jump(s, command.match);
      case Command::Kind::kAt: return s.at.iterations[command.loop] == command.number ? advance(s) : jump(s, command.match);
      case Command::Kind::kEnd: return leave(commands_[static_cast<size_t>(command.match)], command.match, s);
      case Command::Kind::kSlot: s.at.turns[command.slot] = 0; return advance(s);
      case Command::Kind::kNext: ++s.at.turns[command.slot]; return advance(s);
      default: return advance(s);
    }
  }

  static bool advance(State &s) { return ++s.pc, true; }
  static bool jump(State &s, int end) { return s.pc = end + 1, true; }

  /// A block for one lane: this one may run it, or another does.
  bool pass(const Command &command, State &s) {
    ++s.passes;
    if (is_alone_) {
      State inside = s;
      ++inside.pc;
      ++inside.entries;
      entered_.push_back(s.pc);
      go(inside);
      entered_.pop_back();
    }
    s.skipped = s.pc;
    return jump(s, command.match);
  }

  /// One more tile, or none.
  bool choose(State &s, int begin, int end) {
    if (!has_left_tiles_) {
      has_left_tiles_ = true;
      State inside = s;
      inside.pc = begin + 1;
      ++inside.tiles;
      go(inside);
      has_left_tiles_ = false;
    }
    return jump(s, end);
  }

  bool leave(const Command &begin, int at_begin, State &s) {
    switch (begin.kind) {
      case Command::Kind::kTiles: return choose(s, at_begin, s.pc);
      case Command::Kind::kFor:
        if (++s.at.iterations[begin.loop] < static_cast<uint64_t>(begin.number)) return s.pc = at_begin + 1, true;
        return advance(s);
      case Command::Kind::kRole: s.at = {}; break;
      default: break;
    }
    // Nothing was seen of it: the same as if another lane had run it.
    if (begin.is_once && !entered_.empty() && entered_.back() == at_begin) return false;
    return advance(s);
  }
};

int64_t offset_of(const Place &place, const State &state, const Operand &operand) {
  return operand.offset_bytes + operand.stride_bytes * buffer_index(*place.role, state.at, operand.slot);
}

int64_t column_of(const Place &place, const State &state, const Operand &operand) {
  const int64_t buffer = buffer_index(*place.role, state.at, operand.slot);
  if (operand.kind == Operand::Kind::kScales) return operand.first_col + operand.stride_cols * buffer;
  const Accumulators &all = place.script->accumulators_of(operand.name);
  return all.ranges[static_cast<size_t>(buffer)].first_col + first_column(*place.role, state.at, operand);
}

void expect_barrier(const Place &place, const State &state, const Command &command, Observation &expected) {
  const BarrierSet &set = place.script->barriers[static_cast<size_t>(command.barrier)];
  expected.barrier = set.place + (set.is_named ? 0 : kMbarrierBytes * slot_index(*place.role, state.at, command.slot));
  expected.ctas = command.is_multicast ? (1u << place.script->ctas) - 1 : 1u << (command.is_at_leader ? 0 : place.cta);
}

void expect_event(const Place &place, const State &state, const Command &command, Observation &expected) {
  expected.count = command.count;
  expected.bytes = command.bytes;
  if (command.barrier >= 0) expect_barrier(place, state, command, expected);
  switch (command.event) {
    case Event::Kind::kInit:
      expected.kind = Kind::kInit;
      expected.barrier += kMbarrierBytes * state.part;
      expected.count = place.script->barriers[static_cast<size_t>(command.barrier)].arrivals;
      return;
    case Event::Kind::kWait:
      expected.kind = Kind::kWait;
      expected.parity = static_cast<uint32_t>(slot_parity(*place.role, state.at, command.slot));
      return;
    case Event::Kind::kArrive: expected.kind = Kind::kArrive; return;
    case Event::Kind::kArriveTx: expected.kind = Kind::kArriveTx, expected.count = 1; return;
    case Event::Kind::kCopy:
      expected.kind = command.barrier >= 0 ? Kind::kLoad : Kind::kStore;
      expected.shared = offset_of(place, state, command.first);
      expected.parameter = command.parameter;
      return;
    case Event::Kind::kTensorCopy:
      expected.kind = Kind::kTensorCopy;
      expected.shared = offset_of(place, state, command.first);
      expected.column = column_of(place, state, command.scales_a);
      return;
    case Event::Kind::kMma:
      expected.kind = Kind::kMma;
      expected.shared = offset_of(place, state, command.first);
      expected.shared_b = offset_of(place, state, command.second);
      expected.column = column_of(place, state, command.accumulator);
      expected.parity = command.overwrites_in >= 0 && state.at.iterations[command.overwrites_in] == 0 ? 0 : 1;
      return;
    case Event::Kind::kCommit: expected.kind = Kind::kCommit; return;
    case Event::Kind::kSync: expected.kind = Kind::kSync; return;
    case Event::Kind::kGroupCommit: expected.kind = Kind::kGroupCommit; return;
    case Event::Kind::kGroupWait: expected.kind = Kind::kGroupWait, expected.parity = command.reads_only; return;
    case Event::Kind::kRead: expected.kind = Kind::kTensorLoaded; return;
    default: break;
  }
  // All threads meet: of one CTA at its barrier 0, which takes no number of threads.
  if (place.script->ctas == 1) expected.kind = Kind::kSync, expected.barrier = 0;
  else expected.kind = state.part == 0 ? Kind::kClusterArrive : Kind::kClusterWait;
}

bool has_mbarrier(Kind kind) {
  return kind == Kind::kInit || kind == Kind::kWait || kind == Kind::kArrive || kind == Kind::kArriveTx || kind == Kind::kExpectTx ||
         kind == Kind::kLoad || kind == Kind::kCommit;
}

const BarrierSet *set_of(const Script &script, const Observation &seen) {
  for (const BarrierSet &set : script.barriers) {
    const int64_t from_first = seen.barrier - set.place;
    if (has_mbarrier(seen.kind) != set.is_named && from_first >= 0 && from_first < (set.is_named ? 1 : set.count * kMbarrierBytes)) return &set;
  }
  return nullptr;
}

std::string bytes_of(int64_t bytes) { return std::to_string(bytes) + " B"; }

std::string name_of_barrier(const Script &script, const Observation &seen) {
  const BarrierSet *set = set_of(script, seen);
  if (!has_mbarrier(seen.kind)) return (set ? set->name + ", " : "") + "barrier " + std::to_string(seen.barrier);
  std::string name = set ? set->name + "[" + std::to_string((seen.barrier - set->place) / kMbarrierBytes) + "]"
                         : "the mbarrier at shared offset " + std::to_string(seen.barrier);
  if (script.ctas == 1) return name;
  for (int cta = 0, named = 0; cta < 32; ++cta)
    if (seen.ctas >> cta & 1) name += (named++ ? " and " : " of CTA ") + std::to_string(cta);
  return name;
}

}  // namespace

void reach(const Place &place, const State &from, bool is_alone, std::vector<State> &into) { Search(place, is_alone, into).go(from); }

bool is_at_end(const Place &place, const State &state) { return state.pc >= static_cast<int>(place.role->commands.size()); }

Observation expected_at(const Place &place, const State &state) {
  Observation expected;
  expected.kind = Kind::kExit;
  if (is_at_end(place, state)) return expected;
  const Command &command = place.role->commands[static_cast<size_t>(state.pc)];
  expected.shared_cta = place.cta;
  switch (command.kind) {
    case Command::Kind::kAlloc: expected.kind = Kind::kAlloc, expected.count = command.count; break;
    case Command::Kind::kDealloc: expected.kind = Kind::kDealloc, expected.count = command.count; break;
    case Command::Kind::kTensorLoad:
      expected.kind = Kind::kTensorLoad;
      expected.column = column_of(place, state, command.first);
      break;
    default: expect_event(place, state, command, expected);
  }
  return expected;
}

State behind(const Place &place, State state) {
  state.entries = 0;
  state.skipped = -1;
  int parts = 1;
  if (!is_at_end(place, state)) {
    const Command &command = place.role->commands[static_cast<size_t>(state.pc)];
    const bool is_event = command.kind == Command::Kind::kEvent;
    if (is_event && command.event == Event::Kind::kInit) parts = static_cast<int>(command.count);
    if (is_event && command.event == Event::Kind::kClusterSync && place.script->ctas > 1) parts = 2;
  }
  if (++state.part < parts) return state;
  state.part = 0;
  ++state.pc;
  return state;
}

Difference compare(const Script &script, const Observation &expected, const Observation &seen) {
  if (expected.kind != seen.kind) return Difference::kKind;
  if (has_mbarrier(seen.kind) || seen.kind == Kind::kSync) {
    if (expected.barrier != seen.barrier && set_of(script, expected) != set_of(script, seen)) return Difference::kBarrier;
    if (expected.barrier != seen.barrier) return seen.kind == Kind::kSync ? Difference::kBarrier : Difference::kSlot;
    if (seen.kind != Kind::kSync && expected.ctas != seen.ctas) return Difference::kSlot;
  }
  if (expected.parity != seen.parity) return seen.kind == Kind::kMma ? Difference::kOperand : Difference::kParity;
  if (seen.kind != Kind::kLoad && expected.count != seen.count) return Difference::kCount;
  const bool has_operands = seen.kind == Kind::kLoad || seen.kind == Kind::kStore || seen.kind == Kind::kTensorCopy || seen.kind == Kind::kMma;
  if (has_operands && (expected.shared != seen.shared || expected.shared_b != seen.shared_b || expected.shared_cta != seen.shared_cta ||
                       expected.parameter != seen.parameter))
    return Difference::kOperand;
  if (seen.kind == Kind::kTensorCopy || seen.kind == Kind::kMma || seen.kind == Kind::kTensorLoad)
    if (expected.column != seen.column) return Difference::kOperand;
  return expected.bytes == seen.bytes ? Difference::kNone : Difference::kBytes;
}

std::string describe(const Script &script, const Observation &seen) {
  const auto on = [&](const std::string &what) { return what + " " + name_of_barrier(script, seen); };
  const std::string shared = seen.shared < 0 ? "" : " at shared offset " + std::to_string(seen.shared);
  const std::string column = seen.column < 0 ? "" : " in column " + std::to_string(seen.column);
  switch (seen.kind) {
    case Kind::kInit: return on("the set-up of") + " for " + std::to_string(seen.count) + " arrivals";
    case Kind::kWait: return on("the wait on") + ", parity " + std::to_string(seen.parity);
    case Kind::kArrive: return on(std::to_string(seen.count) + " arrivals on");
    case Kind::kArriveTx: return on("the arrival on") + " that announces " + bytes_of(seen.bytes);
    case Kind::kExpectTx: return on("the announcement on") + " of " + bytes_of(seen.bytes);
    case Kind::kLoad:
      return on("the copy of parameter " + std::to_string(seen.parameter) + ", " + bytes_of(seen.bytes) + shared + ", to complete on");
    case Kind::kStore: return "the copy to parameter " + std::to_string(seen.parameter) + " of " + bytes_of(seen.bytes) + shared;
    case Kind::kGroupCommit: return "the end of a bulk group";
    case Kind::kGroupWait:
      return "the wait for all but " + std::to_string(seen.count) + " bulk groups" + (seen.parity ? " to have read" : "");
    case Kind::kTensorCopy: return "the copy to tensor memory of" + shared + column;
    case Kind::kMma:
      return "the MMA of A" + shared + " and B at " + std::to_string(seen.shared_b) + column + (seen.parity ? ", adding" : ", overwriting");
    case Kind::kCommit: return on("the commit to");
    case Kind::kTensorLoad: return "the load of tensor memory" + column;
    case Kind::kTensorLoaded: return "the wait for loads of tensor memory";
    case Kind::kAlloc: return "the allocation of " + std::to_string(seen.count) + " columns";
    case Kind::kDealloc: return "the release of " + std::to_string(seen.count) + " columns";
    case Kind::kSync: return on("the meeting of " + (seen.count ? std::to_string(seen.count) : "all") + " threads at");
    case Kind::kSyncArrive: return on("the arrival of threads that do not wait at");
    case Kind::kClusterArrive: return "the arrival at the cluster's barrier";
    case Kind::kClusterWait: return "the wait at the cluster's barrier";
    case Kind::kExit: return "the end";
    case Kind::kEnd: break;
  }
  return "nothing";
}

std::string name_of(const Place &place, const State &state) {
  const Origin &origin = place.role->commands[static_cast<size_t>(state.pc)].origin;
  std::string text = "`" + origin.op + "`";
  if (origin.where.line > 0) text += " (" + origin.where.file + ":" + std::to_string(origin.where.line) + ")";
  return text;
}

std::string describe(const Place &place, const State &state) {
  const std::string what = describe(*place.script, expected_at(place, state));
  return is_at_end(place, state) ? what : name_of(place, state) + ", " + what;
}

}  // namespace warpwright::prove
