// SPDX-License-Identifier: Apache-2.0
// Runs a script thread by thread for a few tiles, and writes down protocol events.
#include "generator/prove/script.h"

#include <algorithm>

namespace warpwright::prove {

namespace {

// Two turns of both accumulators.
constexpr int kTiles = 4;
constexpr int64_t kTurnsBeyondDepth = 8;
constexpr int64_t kWarpThreads = 32;

}  // namespace

const Accumulators &Script::accumulators_of(const std::string &channel) const {
  const auto found = std::find_if(accumulators.begin(), accumulators.end(), [&](const Accumulators &each) { return each.channel == channel; });
  WARPWRIGHT_ASSERT(found != accumulators.end(), "no accumulators of channel " + channel);
  return *found;
}

int64_t slot_index(const RoleScript &role, const Counters &at, int slot) { return slot < 0 ? 0 : at.turns[slot] % role.slots[static_cast<size_t>(slot)].depth; }

int64_t buffer_index(const RoleScript &role, const Counters &at, int slot) { return slot < 0 ? 0 : at.turns[slot] % role.slots[static_cast<size_t>(slot)].buffers; }

int slot_parity(const RoleScript &role, const Counters &at, int slot) {
  const SlotDecl &decl = role.slots[static_cast<size_t>(slot)];
  return static_cast<int>((at.turns[slot] / decl.depth + decl.parity) % 2);
}

int64_t first_column(const RoleScript &role, const Counters &at, const Operand &operand) {
  if (operand.loop < 0) return operand.first_col;
  const int64_t step = at.iterations[operand.loop];
  const bool backwards = operand.is_shared_first && buffer_index(role, at, operand.subtile_slot) == 0;
  return (backwards ? operand.subtiles - 1 - step : step) * operand.cols;
}

namespace {

class Unroller {
 public:
  explicit Unroller(const Script &script) : script_(script) {}

  Protocol run() {
    protocol_.kernel = script_.kernel;
    declare_barriers();
    for (const RoleScript &role : script_.roles)
      for (const SlotDecl &slot : role.slots) max_turns_ = std::max(max_turns_, slot.depth + kTurnsBeyondDepth);
    for (cta_ = 0; cta_ < script_.ctas; ++cta_)
      for (const RoleScript &role : script_.roles) {
        role_ = &role;
        for (warp_ = 0; warp_ < (role.is_elected ? 1 : role.num_warps); ++warp_) run_thread();
      }
    return std::move(protocol_);
  }

 private:
  const Script &script_;
  Protocol protocol_;
  std::vector<std::vector<int>> barrier_index_;  ///< of the first of a set, by CTA
  int64_t max_turns_ = kTurnsBeyondDepth;

  // The thread being run.
  const RoleScript *role_ = nullptr;
  Thread *thread_ = nullptr;
  int cta_ = 0, warp_ = 0;
  Counters at_;

  static std::string at_cta(int cta) { return "@cta" + std::to_string(cta); }

  void declare_barriers() {
    for (int cta = 0; cta < script_.ctas; ++cta) {
      barrier_index_.emplace_back();
      for (const BarrierSet &set : script_.barriers) {
        barrier_index_.back().push_back(static_cast<int>(protocol_.barriers.size()));
        for (int64_t i = 0; i < set.count; ++i)
          protocol_.barriers.push_back({set.name + (set.is_named ? "" : "[" + std::to_string(i) + "]") + at_cta(cta), set.arrivals, set.is_named, set.origin, cta});
      }
    }
  }

  void run_thread() {
    protocol_.threads.push_back({});
    thread_ = &protocol_.threads.back();
    thread_->name = role_->name + (role_->is_elected ? "" : ".warp" + std::to_string(warp_)) + at_cta(cta_);
    thread_->cta = cta_;
    at_ = {};
    run(0, static_cast<int>(role_->commands.size()));
  }

  void run(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Command &command = role_->commands[static_cast<size_t>(i)];
      switch (command.kind) {
        case Command::Kind::kRole:
        case Command::Kind::kTiles:
        case Command::Kind::kFor:
        case Command::Kind::kAt:
        case Command::Kind::kElect:
          run_block(command, i + 1, command.match);
          i = command.match;
          break;
        case Command::Kind::kSlot: at_.turns[command.slot] = 0; break;
        case Command::Kind::kNext: ++at_.turns[command.slot]; break;
        case Command::Kind::kEvent: happen(command); break;
        default: break;
      }
    }
  }

  void run_block(const Command &command, int begin, int end) {
    int64_t times = 1;
    switch (command.kind) {
      // A role of the leader still sets up and tears down in the other CTA.
      case Command::Kind::kRole: times = command.in_leader_only && cta_ != 0 ? 0 : 1; break;
      case Command::Kind::kTiles: times = kTiles; break;
      case Command::Kind::kFor: times = std::min(command.number, max_turns_); break;
      case Command::Kind::kAt: times = at_.iterations[command.loop] == command.number ? 1 : 0; break;
      default: times = command.number < 0 || command.number == warp_ + (command.counts_in_cta ? role_->first_warp : 0) ? 1 : 0;
    }
    for (int64_t i = 0; i < times; ++i) {
      if (command.kind == Command::Kind::kFor) at_.iterations[command.loop] = static_cast<uint32_t>(i);
      run(begin, end);
    }
  }

  Event &add(const Command &command) {
    Event event;
    event.kind = command.event;
    event.origin = command.origin;
    event.count = command.count;
    event.bytes = command.bytes;
    if (command.slot >= 0) event.turn = static_cast<int>(at_.turns[command.slot]);
    if (command.barrier >= 0) event.barrier = barrier(command, command.is_at_leader ? 0 : cta_);
    thread_->events.push_back(std::move(event));
    return thread_->events.back();
  }

  int barrier(const Command &command, int cta) const {
    return barrier_index_[static_cast<size_t>(cta)][static_cast<size_t>(command.barrier)] + static_cast<int>(slot_index(*role_, at_, command.slot));
  }

  std::string name_of(const Operand &operand, int cta, int warp = 0) const {
    std::string name = operand.name + "[" + std::to_string(buffer_index(*role_, at_, operand.slot)) + "]";
    if (operand.kind == Operand::Kind::kStaging) name += ".warp" + std::to_string(warp);
    return name + at_cta(cta);
  }

  /// The pieces of an accumulator between two columns of its range: parts where it has them.
  std::vector<std::string> pieces_of(const Operand &operand, int cta) const {
    const Accumulators &all = script_.accumulators_of(operand.name);
    const ColumnRange &range = all.ranges[static_cast<size_t>(buffer_index(*role_, at_, operand.slot))];
    if (!range.has_parts) return {range.name + at_cta(cta)};
    const int64_t first = range.first_col + first_column(*role_, at_, operand), end = first + operand.cols;
    std::vector<std::string> pieces;
    for (const ColumnRange &part : script_.parts)
      if (part.first_col < end && first < part.first_col + part.cols) pieces.push_back(operand.name + "." + part.name + at_cta(cta));
    return pieces;
  }

  void happen(const Command &command) {
    if (command.in_leader_only && cta_ != 0) return;
    switch (command.event) {
      case Event::Kind::kInit: {
        for (int64_t i = 0; i < command.count; ++i) {
          Event &event = add(command);
          event.barrier += static_cast<int>(i);
          event.count = 0;
        }
        return;
      }
      case Event::Kind::kWait: add(command).parity = slot_parity(*role_, at_, command.slot); return;
      case Event::Kind::kCommit:
        for (int cta = 0; cta < script_.ctas; ++cta)
          if (command.is_multicast || cta == cta_) add(command).barrier = barrier(command, cta);
        return;
      case Event::Kind::kSync: add(command).bytes = kWarpThreads; return;
      case Event::Kind::kCopy: copy(command); return;
      case Event::Kind::kWrite: add(command).resource = name_of(command.first, cta_, warp_); return;
      case Event::Kind::kRead:
        for (const std::string &piece : pieces_of(command.first, cta_)) add(command).resource = piece;
        return;
      case Event::Kind::kTensorCopy:
      case Event::Kind::kMma: work(command); return;
      default: add(command);
    }
  }

  void copy(const Command &command) {
    Event &event = add(command);
    event.resource = name_of(command.first, cta_);
    if (command.barrier >= 0) return;
    event.bytes = 0;
    for (int warp = 1; warp < role_->num_warps; ++warp) event.reads.push_back(name_of(command.first, cta_, warp));
  }

  void work(const Command &command) {
    const bool overwrites = command.overwrites_in >= 0 && at_.iterations[command.overwrites_in] == 0;
    Event &event = add(command);
    for (int cta = 0; cta < script_.ctas; ++cta) {
      event.reads.push_back(name_of(command.first, cta));
      if (command.event == Event::Kind::kTensorCopy) {
        event.writes.push_back(name_of(command.scales_a, cta));
        continue;
      }
      event.reads.push_back(name_of(command.second, cta));
      for (const Operand *scales : {&command.scales_a, &command.scales_b})
        if (scales->kind != Operand::Kind::kNone) event.reads.push_back(name_of(*scales, cta));
      for (const std::string &piece : pieces_of(command.accumulator, cta)) {
        event.writes.push_back(piece);
        if (!overwrites) event.reads.push_back(piece);
      }
    }
  }
};

}  // namespace

Protocol unroll(const Script &script) { return Unroller(script).run(); }

}  // namespace warpwright::prove
