// SPDX-License-Identifier: Apache-2.0
// Happens-before over one cluster: which accesses of shared and tensor memory nothing orders.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/race/shadow.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

namespace warpwright::emulator::race {

/// How the order of one thread's tensor work is read.
/// Source: PTX ISA 9.0, "tcgen05 Memory Consistency Model": the pipelined pairs that it lists execute in order; of others it
/// says nothing.
enum class TensorOrder : uint8_t {
  kIssueOrder,  ///< mma, cp and shift of one thread and CTA group read and write in the order of their issue
  kListedPairs, ///< only the pairs that the ISA lists
};

/// What an instruction does for the order of things when it releases or acquires.
enum class Semantics : uint8_t { kFull, kRelaxed };

struct Actor {
  uint32_t warp = 0;  ///< counted over the cluster
  uint32_t pc = 0;
};

/// Names for messages: a shared address of a CTA, and the place of an instruction.
struct Names {
  std::function<std::string(uint32_t cta, uint32_t offset)> shared;
  std::function<std::string(uint32_t warp, uint32_t pc)> place;
};

/// One of a cluster. An error is a conflict between the access and an earlier one that no chain of synchronisation orders
/// before it; whether it shows in this run does not depend on the schedule as long as the waits are the same.
///
/// A warp counts as one thread: order between its own lanes is not checked. Global memory is not looked at.
///
/// Errors    race.shared, race.tensor-memory: nothing orders the two.
///           order.no-proxy-fence: ordered, but no fence.proxy.async between an ordinary store and asynchronous work.
///           order.no-tcgen05-fence: ordered, but not for tcgen05 instructions of different threads.
///           cluster.peer-start: touches another CTA of the cluster, of which nothing says that it has started.
///           async.undrained: a CTA ends, and nobody has waited for the last signal that another CTA sends it.
///           order.no-init-fence, race.mbarrier-init: an mbarrier is used before its init is visible.
///           order.tensor-pipe (kListedPairs): relies on the order of issue of tensor work.
/// Under kListedPairs tcgen05 instructions count on what happened before the last tcgen05.fence::after_thread_sync only, for
/// shared memory too: asynchronous instructions may run ahead of the wait before them.
class Detector {
 public:
  Detector(uint32_t ctas, uint32_t warps_per_cta, uint32_t shared_bytes, TensorOrder order, Names names);

  // Barriers. `key`: any number that no two barriers share, from the functions below.
  static uint64_t mbarrier(uint32_t cta, uint32_t offset) { return uint64_t{1} << 60 | uint64_t{cta} << 32 | offset; }
  static uint64_t named_barrier(uint32_t cta, uint32_t id) { return uint64_t{2} << 60 | uint64_t{cta} << 32 | id; }
  static uint64_t cluster_barrier() { return uint64_t{3} << 60; }
  void release(uint32_t warp, uint64_t key, Semantics semantics);
  /// Everything released so far is what who waits for the phase acquires. `phases`: completed ones, this included.
  void complete_phase(uint64_t key, uint64_t phases);
  void acquire(uint32_t warp, uint64_t key, Semantics semantics);

  /// Does what needs another CTA of the cluster to be there: something must have come from it.
  Error meet(Actor who, uint32_t cta) const;
  /// The same for tcgen05.alloc of a pair: kernels that do not wait for their peer run on a B200, so kListedPairs alone asks.
  Error meet_to_allocate(Actor who, uint32_t cta) const { return order_ == TensorOrder::kListedPairs ? meet(who, cta) : Error{}; }

  // Fences.
  void fence_async_proxy(uint32_t warp);
  void fence_mbarrier_init(uint32_t warp);
  void fence_memory(uint32_t warp);
  void fence_before_thread_sync(uint32_t warp);
  void fence_after_thread_sync(uint32_t warp);

  // The life of an mbarrier.
  void init_mbarrier(Actor who, uint64_t key);
  Error use_mbarrier(Actor who, uint64_t key, bool is_async);
  /// A copy or commit of another CTA will signal it, in its phase after `phases` completed ones.
  void signal_later(Actor who, uint64_t key, uint64_t phases);
  /// All threads of a CTA have ended: each such signal must have been waited for.
  Error end_cta(uint32_t cta) const;

  // Shared memory.
  Error touch(Actor who, uint32_t cta, ByteRange range, bool is_write, Kind kind = Kind::kGeneric);
  /// touch() of the warp's own CTA by an ordinary access without conflicts. False: touch() decides; what has been noted may be
  /// noted again.
  bool touch_quietly(Actor who, const GranuleParts &parts, bool is_write);
  /// Asynchronous accesses are over when somebody has observed `epoch`.
  Error touch_async(Actor who, uint32_t cta, std::span<const ByteRange> ranges, bool is_write, Epoch epoch, Kind kind = Kind::kAsync);

  /// Copies that `key` counts, in its phase after `phases` completed ones.
  Epoch copy_epoch(uint64_t key, uint64_t phases);
  /// Copies of a thread's bulk group, numbered from 0.
  Epoch bulk_epoch(uint32_t warp, uint32_t lane, uint64_t group, bool is_read);
  /// A thread has seen the end of its first `groups` groups.
  void wait_bulk(uint32_t warp, uint32_t lane, uint64_t groups, bool reads_only);
  /// Reads of shared memory by MMA `mma`, from 0, of the warpgroup that begins with warp `first`.
  Epoch wgmma_epoch(uint32_t first, uint64_t mma) const { return {warps_[first].wgmma, static_cast<uint32_t>(mma) + 1}; }
  /// A warp has seen the end of its warpgroup's first `mmas` MMAs, and so of all four warps' parts of them.
  void wait_wgmma(uint32_t warp, uint32_t first, uint64_t mmas) {
    warps_[warp].known.seen.raise(warps_[first].wgmma, static_cast<uint32_t>(mmas));
  }

  // Tensor memory. `lanes`: mask of quarters.
  struct Columns { uint32_t col = 0, cols = 0; uint16_t lanes = 0xF; };
  /// The next tensor operation of the warp.
  Epoch issue_tensor(uint32_t warp);
  /// What the completion of a commit says: the warp's tensor work so far is over, and so are the copies that it waited for.
  struct Commit {
    Epoch last;
    Clock copies;
  };
  Commit commit(uint32_t warp) const;
  void commit_arrives(const Commit &commit, uint64_t key);
  /// The next cp.async of the warp; they are numbered from 1. A warp's lanes have one count.
  Epoch issue_lane_copies(uint32_t warp) { return {warps_[warp].lane_copies, ++warps_[warp].lane_copies_issued}; }
  uint32_t lane_copies(uint32_t warp) const { return warps_[warp].lane_copies_issued; }
  /// The warp, or who waits for a phase of an mbarrier, has seen the end of the first `count` of a warp's cp.async.
  void wait_lane_copies(uint32_t warp, uint32_t count) { warps_[warp].known.seen.raise(warps_[warp].lane_copies, count); }
  void lane_copies_arrive(uint32_t warp, uint32_t count, uint64_t key) { sync(key).gathered.seen.raise(warps_[warp].lane_copies, count); }
  Error touch_tensor(Actor who, uint32_t cta, Columns columns, bool is_write, Kind kind, Epoch epoch, uint32_t object = 0);
  /// Loads and stores from and to registers, over when the warp has waited for them.
  Epoch load_epoch(uint32_t warp) const;
  Epoch store_epoch(uint32_t warp) const;
  void wait_tensor_loads(uint32_t warp);
  void wait_tensor_stores(uint32_t warp);
  /// A warp's own step, for tcgen05.alloc and dealloc.
  Epoch own_epoch(uint32_t warp) const;
  /// Whether what was done by then happened before what the warp does next.
  bool has_seen(uint32_t warp, Epoch epoch) const { return warps_[warp].known.seen.covers(epoch); }

 private:
  struct WarpOrder {
    Agent agent = 0, tensor = 0, loads = 0, stores = 0, wgmma = 0, lane_copies = 0;
    uint32_t tensor_issued = 0, loads_waited = 0, stores_waited = 0, lane_copies_issued = 0;
    Knowledge known;
    Knowledge offered;   ///< what even a relaxed release publishes: fences put it there
    Knowledge acquired;  ///< what waits brought and only a fence makes known
    Clock copies;        ///< that it waited for itself
    Clock before_tensor; ///< what it had seen at its last tcgen05.fence::after_thread_sync
  };
  struct SyncOrder {
    Agent copies = 0;  ///< the copies that it counts
    Knowledge gathered, completed;
    Epoch init;
    Actor init_by;
    uint64_t phases = 0, observed = 0;  ///< completed; of them seen by a waiter
    uint64_t signalled = 0;             ///< the last one that waits for a signal of another CTA
    Actor signalled_by;
  };

  Agent new_agent() { return num_agents_++; }
  SyncOrder &sync(uint64_t key);
  void step(WarpOrder &warp);
  const char *judge_shared(const WarpOrder &order, const Access &earlier, const Access &now) const;
  Error touch_shared(const WarpOrder &order, uint32_t cta, ByteRange range, Access now);
  const char *judge_tensor(const WarpOrder &order, const Access &earlier, const Access &now) const;
  static bool is_listed_pair(const Access &earlier, const Access &now);
  std::string describe(const Access &access) const;

  uint32_t warps_per_cta_;
  TensorOrder order_;
  Names names_;
  uint32_t num_agents_ = 0;
  std::vector<WarpOrder> warps_;
  std::unordered_map<uint64_t, SyncOrder> syncs_;
  std::map<uint64_t, Agent> bulk_agents_;
  std::vector<SharedShadow> shared_;
  std::vector<TensorShadow> tensor_;
};

}  // namespace warpwright::emulator::race
