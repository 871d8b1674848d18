// SPDX-License-Identifier: Apache-2.0
// What a launch does to barriers, bulk copies and tensor memory, told as it happens to whoever listens.
#pragma once

#include <cstdint>

namespace warpwright::emulator {

/// One instruction that is done, of the lanes of one warp that did it together with the same operands.
///
/// Units     offsets count bytes from the start of dynamic shared memory, columns those of tensor memory; −1: none.
struct TraceEvent {
  enum class Kind : uint8_t {
    kInit,           ///< mbarrier.init: barrier, count
    kWait,           ///< an mbarrier wait that has succeeded, or in which lanes stand when nothing goes on: barrier, parity
    kArrive,         ///< barrier, count of each lane
    kArriveTx,       ///< one arrival of each lane: barrier, bytes
    kExpectTx,       ///< barrier, bytes
    kLoad,           ///< a bulk copy into shared memory: parameter, shared, bytes, ctas and barrier
    kStore,          ///< out of it: parameter, shared, bytes
    kGroupCommit,
    kGroupWait,      ///< count may be left; parity 1: until they have read
    kTensorCopy,     ///< tcgen05.cp: shared, column
    kMma,            ///< shared, shared_b, column; parity 1: adds to what is there
    kCommit,         ///< ctas and barrier
    kTensorLoad,     ///< tcgen05.ld: column
    kTensorLoaded,   ///< tcgen05.wait::ld
    kAlloc,          ///< column, count
    kDealloc,        ///< column, count
    kSync,           ///< a barrier of the CTA: barrier is its number, count threads; 0: all of them
    kSyncArrive,     ///< the same without waiting
    kClusterArrive,
    kClusterWait,
    kExit,           ///< the lanes end
    kEnd,            ///< of the warp's record: it has ended, or nothing goes on
  };
  Kind kind = Kind::kEnd;
  uint64_t cluster = 0;
  uint32_t cta = 0;       ///< its rank in the cluster
  uint32_t warp = 0;
  uint32_t lanes = 0;
  uint32_t pc = 0;        ///< index into Kernel::instructions
  uint32_t ctas = 0;      ///< whose barriers are meant, a bit each
  uint32_t parity = 0;
  int64_t barrier = -1;
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t shared = -1;
  int64_t shared_b = -1;
  uint32_t shared_cta = 0;  ///< of `shared`
  int64_t parameter = -1;   ///< which of the kernel's is the tensor map
  int64_t column = -1;
};

/// What a listener finds wrong. `slug` and `text` live until the same thread's next event; no slug: nothing.
struct TraceVerdict {
  const char *slug = nullptr;
  const char *text = nullptr;
  uint32_t pc = 0;    ///< the instruction that is meant, of the event's warp
  uint32_t lane = 0;
};

/// Called from the threads that run clusters, for one cluster always from one.
struct Trace {
  void (*listen)(void *user, const TraceEvent &event, TraceVerdict *verdict) = nullptr;
  void *user = nullptr;
};

}  // namespace warpwright::emulator
