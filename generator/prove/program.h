// SPDX-License-Identifier: Apache-2.0
// A protocol prepared for running many times: resources as numbers, and which phase each wait means.
#pragma once

#include "generator/prove/protocol.h"

#include <string>
#include <vector>

namespace warpwright::prove {

/// A run of entries in Program::operands.
struct OperandRange {
  int begin = 0;
  int end = 0;
};

/// An event without its strings.
struct Op {
  const Event *event = nullptr;  ///< for messages
  Event::Kind kind = Event::Kind::kWait;
  int barrier = -1;
  int parity = 0;
  int64_t count = 0;
  int64_t bytes = 0;
  int turn = 0;
  int64_t awaited_phase = 0;  ///< kWait: the phase that is meant; −1 is "before the first"
  OperandRange reads;
  OperandRange writes;
};

/// Refers to the protocol that it was made from, which must outlive it.
struct Program {
  const Protocol *protocol = nullptr;
  std::vector<std::vector<Op>> threads;
  std::vector<int> operands;                ///< resource numbers
  std::vector<std::string> resource_names;
  std::vector<bool> resource_is_written;
  std::vector<bool> resource_is_read;
  std::vector<bool> barrier_has_waiter;
  std::vector<int> barrier_cta;
  std::vector<int> thread_cta;
  int num_ctas = 1;
  bool has_inits = false;  ///< the protocol initialises its barriers itself

  int num_threads() const { return static_cast<int>(threads.size()); }
  int num_barriers() const { return static_cast<int>(barrier_cta.size()); }
};

/// Ensures   a wait means the earliest phase after the one that the same thread awaited last on that barrier, of the
///           wait's parity; a thread's first wait of parity 1 means the phase before the first, which counts as complete.
/// Requires  barrier indices in range, named barriers only in kSync (our bug otherwise).
Program make_program(const Protocol &protocol);

}  // namespace warpwright::prove
