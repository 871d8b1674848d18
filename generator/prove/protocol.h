// SPDX-License-Identifier: Apache-2.0
// The protocol of a kernel as events, and the check that runs it. Knows no MLIR and shares no code with the lowering.
#pragma once

#include "generator/support/diagnostics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::prove {

/// Where an event comes from: the operation's text for people, and the spec line.
struct Origin {
  std::string op;                  ///< "ptx.mbar_wait @ab_full"
  support::SourceLocation where;
};

/// One mbarrier in one CTA's shared memory, or one hardware named barrier.
struct BarrierDecl {
  std::string name;      ///< "ab_full[2]@cta0"
  int64_t arrivals = 1;  ///< mbarrier.init count
  bool is_named = false; ///< bar.sync: all participants wait for each other
  Origin origin;
};

/// What a thread of control does, in order. A copy or commit is issued by the event and completes later.
struct Event {
  enum class Kind {
    kWait,       ///< blocks until the barrier's phase with `parity` has completed
    kArrive,     ///< `count` arrivals
    kArriveTx,   ///< one arrival and `bytes` expected
    kExpectTx,   ///< `bytes` expected, no arrival
    kCopy,       ///< asynchronous: `bytes` complete on the barrier, any time later
    kCommit,     ///< asynchronous: one arrival once all earlier kMma/kTensorCopy of this thread have completed
    kMma,        ///< asynchronous tensor work of this thread, in order
    kTensorCopy, ///< tcgen05.cp
    kSync,       ///< named barrier, `count` threads in all, this role brings `bytes` threads
    kGroupCommit,///< bulk group closed
    kGroupWait,  ///< bulk groups drained to `count`
    kClusterSync,///< all roles of all CTAs meet
    kRead,       ///< reads `resource`
    kWrite,      ///< writes `resource`
  };
  Kind kind = Kind::kWait;
  int barrier = -1;      ///< index into Protocol::barriers
  int parity = 0;
  int64_t count = 0;
  int64_t bytes = 0;
  std::string resource;  ///< "a_tile[3]@cta1", "acc0.left@cta0", for overwrite-before-read checks
  int turn = 0;          ///< tile and k, for messages
  Origin origin;
};

/// One role instance of one CTA.
struct Thread {
  std::string name;      ///< "load_weights@cta0"
  std::vector<Event> events;
};

/// A finite run of a kernel's protocol: several tiles, several turns of every ring.
struct Protocol {
  std::string kernel;
  std::vector<BarrierDecl> barriers;
  std::vector<Thread> threads;
};

struct CheckOptions {
  bool hold_each_wait = true;  ///< the adversary: each role held at each wait while the others run on
};

/// Runs the protocol to quiescence, then again with each role held at each wait.
///
/// Errors    prove.deadlock (every waiter with its barrier's phase, missing arrivals and bytes), prove.over-arrival,
///           prove.byte-mismatch, prove.lag (a waiter two phases behind: it would see its parity again),
///           prove.undrained (bytes, arrivals or tensor work outstanding at exit), prove.overwrite (a region written
///           while a reader may still read it). At most one diagnostic per op and slug.
/// Cost      linear in events × waits; milliseconds for shipped kernels.
void check_protocol(const Protocol &protocol, const CheckOptions &options, support::Diagnostics &diagnostics);

}  // namespace warpwright::prove
