// SPDX-License-Identifier: Apache-2.0
// Vector clocks: how far each agent had come, as somebody knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpwright::emulator::race {

/// Something whose steps follow each other: a warp, the tensor work that a warp issues, the copies that one mbarrier counts.
using Agent = uint32_t;

/// A step of an agent. Times begin at 1.
struct Epoch {
  Agent agent = 0;
  uint32_t time = 0;
};

class Clock {
 public:
  uint32_t of(Agent agent) const { return agent < times_.size() ? times_[agent] : 0; }
  bool covers(Epoch epoch) const { return of(epoch.agent) >= epoch.time; }
  void raise(Agent agent, uint32_t time) {
    if (agent >= times_.size()) times_.resize(agent + 1, 0);
    times_[agent] = std::max(times_[agent], time);
  }
  void join(const Clock &other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size(), 0);
    for (size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }

 private:
  std::vector<uint32_t> times_;
};

/// What happened before, by what it may be relied on for.
struct Knowledge {
  Clock seen;    ///< accesses that are over, and whose effects are visible
  Clock fenced;  ///< ordinary accesses that a proxy fence has made visible to the asynchronous proxy
  Clock inits;   ///< mbarrier.inits that a fence has made visible to asynchronous work
  Clock tensor;  ///< accesses of tensor memory that tcgen05 instructions may count on
  uint32_t started = 0;  ///< mask of the cluster's CTAs, at most 16; even a relaxed barrier says that who arrives has started

  void join(const Knowledge &other) {
    join_memory(other);
    tensor.join(other.tensor);
    started |= other.started;
  }
  void join_memory(const Knowledge &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
    inits.join(other.inits);
  }
};

}  // namespace warpwright::emulator::race
