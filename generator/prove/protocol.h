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
  int cta = -1;          ///< whose shared memory it lives in; −1: the number after "@cta" in the name, else 0
};

/// What a thread of control does, in order. A copy or commit is issued by the event and completes later.
///
/// Resources are names of things that one owner at a time may touch: a slot of a region ("a_tile[3]@cta1"), a part of an
/// accumulator ("acc.shared@cta0"), scale columns ("scales_b@cta0"). Two names never share storage. A resource that no
/// event of the protocol writes is taken as not modelled.
struct Event {
  enum class Kind {
    kWait,       ///< blocks until the barrier's phase with `parity` has completed
    kArrive,     ///< `count` arrivals (0 means 1)
    kArriveTx,   ///< one arrival and `bytes` expected
    kExpectTx,   ///< `bytes` expected, no arrival
    kCopy,       ///< asynchronous: writes `resource`, `bytes` complete on the barrier, any time later.
                 ///< Without a barrier (−1): reads `resource`, belongs to the thread's open bulk group
    kCommit,     ///< asynchronous: one arrival once all earlier kMma/kTensorCopy of this thread have completed.
                 ///< A multicast commit is one event for each CTA's barrier
    kMma,        ///< asynchronous tensor work of this thread, in order; see `reads` and `writes`
    kTensorCopy, ///< tcgen05.cp, likewise
    kSync,       ///< named barrier, `count` threads in all, this role brings `bytes` threads
    kGroupCommit,///< bulk group closed
    kGroupWait,  ///< bulk groups drained to `count`
    kClusterSync,///< all roles of all CTAs meet
    kRead,       ///< reads `resource`; done when the event is (tcgen05.ld: place it at the wait::ld)
    kWrite,      ///< writes `resource`
    kInit,       ///< mbarrier.init; a protocol without it has its barriers ready before the first event
    kFree,       ///< `resource` ends here (tcgen05.dealloc): every access must be known to have happened
  };
  Kind kind = Kind::kWait;
  int barrier = -1;      ///< index into Protocol::barriers
  int parity = 0;
  int64_t count = 0;
  int64_t bytes = 0;
  std::string resource;  ///< "a_tile[3]@cta1", "acc0.left@cta0", for overwrite-before-read checks
  int turn = 0;          ///< tile and k, for messages; writes of equal turn fill a resource together
  Origin origin;
  std::vector<std::string> reads;   ///< further resources that the event reads: operands of kMma, both CTAs' in a pair
  std::vector<std::string> writes;  ///< further resources that it writes; an accumulating kMma has its accumulator in both
};

/// One role instance of one CTA. Warps of a role that do different things (the one that stores, the ones that only meet
/// it at the named barrier) are threads of their own.
struct Thread {
  std::string name;      ///< "load_weights@cta0"
  std::vector<Event> events;
  int cta = -1;          ///< −1: the number after "@cta" in the name, else 0
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
/// Asynchronous work completes at once in some runs and as late as the roles can bear in others, oldest or newest first.
/// The tensor work of one thread reads and writes in the order of issue (policy `tensor-order`).
///
/// Errors    prove.deadlock (every waiter with its barrier's phase, missing arrivals and bytes);
///           prove.over-arrival (an arrival that the phase does not count, or one before anybody saw the phase before);
///           prove.byte-mismatch (a phase that has its arrivals but never its bytes);
///           prove.lag (a waiter two phases behind: it would see its parity again);
///           prove.stale-wait (a wait that an older phase satisfies, so that it does not wait);
///           prove.undrained (bytes, arrivals, asynchronous work or unread data outstanding at exit);
///           prove.overwrite (a resource written while a reader or writer may still use it, or before it was read);
///           prove.unfilled (a resource read that may not have been written yet);
///           prove.uninitialised (a barrier used before its mbarrier.init is known to have happened).
///           At most one diagnostic per op and slug.
/// Requires  barrier indices in range and matching kinds (our bug otherwise).
/// Threads   pure.
/// Cost      linear in events × threads: holding a role at each of its waits is one run in which it goes last;
///           milliseconds for shipped kernels.
/// Source    PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: mbarrier" (phases, tx-count, parity
///           waits) and "tcgen05 Memory Consistency Model" (pipelined instructions, commit).
void check_protocol(const Protocol &protocol, const CheckOptions &options, support::Diagnostics &diagnostics);

}  // namespace warpwright::prove
