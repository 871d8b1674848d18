// SPDX-License-Identifier: Apache-2.0
// The state of one cluster: CTAs, warps, barriers, and asynchronous work in flight.
#pragma once

#include "tools/emulator/machine/async.h"
#include "tools/emulator/machine/lane_copies.h"
#include "tools/emulator/machine/launch.h"
#include "tools/emulator/machine/program.h"
#include "tools/emulator/machine/register_pool.h"
#include "tools/emulator/machine/schedule.h"
#include "tools/emulator/machine/shared_memory.h"
#include "tools/emulator/machine/warpgroup.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>

namespace warpwright::emulator {

class Profiler;
class Tracer;
struct TracePlan;
struct ProfilePlan;

/// What parked lanes wait for.
enum class Wait : uint8_t {
  kNothing,
  kMbarrier,       ///< value: shared offset; parity
  kNamedBarrier,   ///< value: id
  kWarp,           ///< value: lanes that must stand at the same instruction, unless they have ended
  kCluster,        ///< value: the cluster barrier's phase
  kBulkGroups,     ///< value: groups that may be left; parity 1: their reads only
  kCopyGroups,     ///< of cp.async; value: groups that may be left
  kTensorLoads,
  kTensorStores,
  kTensorAlloc,
  kWgmmaGroups,    ///< value: groups that may be left
  kRegisters,      ///< of setmaxnreg; value: registers a thread
};

/// Lanes of one warp that stand at the same instruction.
struct Group {
  uint32_t mask = 0;
  uint32_t pc = 0;
  Wait wait = Wait::kNothing;
  bool has_arrived = false;  ///< at the barrier of `wait`; counted once
  bool has_timed_out = false;
  uint32_t refused_at = ~0u;  ///< instruction of the last try_wait that was answered with false
  uint32_t value = 0;
  uint32_t parity = 0;
};

/// A thread's groups of bulk copies to global memory.
/// Source: PTX ISA 9.0, "cp.async.bulk.commit_group", "cp.async.bulk.wait_group".
struct BulkGroups {
  struct Counts { uint32_t unread = 0, unfinished = 0; };
  uint64_t first = 0;          ///< number of groups.front()
  std::deque<Counts> groups;   ///< the last one is open
  uint32_t incomplete(bool reads_only) const;
};

struct Warp {
  uint32_t index = 0;  ///< in its CTA
  std::vector<uint32_t> registers;
  std::vector<uint8_t> thread_memory;  ///< of each lane in turn
  std::vector<Group> groups;
  uint32_t tensor_loads = 0, tensor_stores = 0;  ///< in flight
  std::array<uint32_t, 32> cluster_phase{};      ///< that each lane arrived in, plus 1
  std::map<uint32_t, BulkGroups> bulk;           ///< by lane
  std::map<uint32_t, BulkGroups> lane_copies;    ///< of cp.async, by lane
  LaneCopies copies;                             ///< of cp.async too
  WgmmaState wgmma;
  uint32_t live_lanes() const;
};

struct NamedBarrier {
  uint32_t arrived = 0;   ///< threads
  uint32_t expected = 0;
  uint64_t phase = 0;
};

/// Columns of tensor memory: which are allocated, and who is at work on them.
struct TensorState {
  TensorMemory memory;
  std::array<bool, TensorMemory::kCols> is_allocated{};
  std::array<uint16_t, TensorMemory::kCols> async_writes{};
  uint32_t smallest_allocation = TensorMemory::kCols;
  bool has_permit = true;
};

struct Cta {
  Cta(uint32_t rank_in_cluster, ptx::Dim3 block_index, uint32_t shared_bytes)
      : rank(rank_in_cluster), index(block_index), shared(shared_bytes) {}
  uint32_t rank = 0;
  ptx::Dim3 index;
  SharedMemory shared;
  TensorState tensor;
  std::vector<Warp> warps;
  std::array<NamedBarrier, 16> barriers;
  std::array<Warpgroup, 8> warpgroups;
  RegisterPool registers;
  uint32_t live_threads = 0;
  bool has_seen_refusal = false;  ///< of clusterlaunchcontrol.try_cancel
  uint64_t shared_base() const { return uint64_t{rank} << kRankShift; }
  /// A shared address has the CTA's rank above its offset, so that an address in a CTA's own window is one in the cluster's.
  /// Source: CUTLASS include/cute/arch/copy_sm100_tma.hpp clears bit 24 of an address to reach the even CTA of a pair.
  static constexpr uint32_t kRankShift = 24;
};

/// What one cluster found.
struct ClusterFindings {
  std::vector<Finding> findings;
  uint64_t left_out = 0;
  RecordedSchedule schedule;  ///< until the first finding; without decisions where nobody asked or there were too many
  void add(Finding finding, uint32_t max_findings);
};

/// What all clusters of a launch share.
struct LaunchState {
  LaunchState(const Launch &the_launch, const Program &the_program, const Options &the_options, GlobalMemory &the_memory,
              ptx::Dim3 cluster)
      : launch(the_launch), program(the_program), options(the_options), memory(the_memory), cluster_shape(cluster),
        dynamic_shared_offset(the_program.static_shared_bytes), register_bounds(find_register_bounds(*the_launch.kernel)) {}

  const Launch &launch;
  const Program &program;
  const Options &options;
  GlobalMemory &memory;
  ptx::Dim3 cluster_shape;
  uint32_t dynamic_shared_offset = 0;
  RegisterBounds register_bounds;
  uint64_t num_clusters = 0;
  /// Cluster c may take over c + stride, c + 2 stride, …: of those that share a remainder one runs at a time, so that what is
  /// cancelled does not depend on how many clusters run at a time. num_clusters where the kernel cancels nothing.
  uint64_t cancel_stride = 0;
  ptx::Dim3 first_cta(uint64_t cluster) const;
  const ProfilePlan *profile_plan = nullptr;  ///< nullptr: not asked for
  const TracePlan *trace_plan = nullptr;      ///< so too
  std::mutex mutex;  ///< of `statistics`, `counters` and `findings`
  Statistics statistics;
  std::vector<profile::Counters> counters;  ///< by instruction
  std::map<uint64_t, ClusterFindings> findings;  ///< by cluster; no more clusters than the report has findings
  std::atomic<uint64_t> instructions{0};
  /// The first cluster in which nothing can go on. Those before it run to their end, so that a report does not depend on
  /// how many run at a time.
  std::atomic<uint64_t> stopped_at{~uint64_t{0}};

  void add(uint64_t cluster, ClusterFindings found);
  Report report();
};

class Cluster {
 public:
  /// `cluster_number`: counted along x, then y, then z.
  Cluster(LaunchState &launch_state, uint64_t cluster_number, ptx::Dim3 first_cta);
  /// Until every thread has ended, or nothing can go on.
  void run();
  /// The decisions of an earlier run, to the finding that ended them.
  void replay(const RecordedSchedule &recorded);
  /// Nothing goes on after the current instruction.
  void stop();
  /// The first CTA of a cluster that will not start any more since this one took over its work; nothing: refused.
  std::optional<ptx::Dim3> cancel_next();
  bool is_stopped() const { return state.stopped_at.load(std::memory_order_relaxed) <= number; }

  LaunchState &state;
  const uint64_t number;
  ClusterFindings findings;
  std::vector<std::unique_ptr<Cta>> ctas;
  AsyncWork async;
  uint64_t cluster_phase = 0;
  uint32_t cluster_arrived = 0;  ///< threads, in the current phase
  uint32_t live_threads = 0;
  uint32_t num_cancelled = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> times_forced;  ///< by warp and branch (forced_branches.h)
  Statistics statistics;
  std::unique_ptr<race::Detector> races;  ///< nullptr: not asked for
  Profiler *profiler = nullptr;           ///< so too
  Tracer *tracer = nullptr;               ///< so too

  /// A shared address as a CTA and an offset; nullptr when no CTA of the cluster has that rank.
  Cta *cta_of(uint64_t shared_address);
  static uint32_t offset_of(uint64_t shared_address) { return static_cast<uint32_t>(shared_address) & 0xFFFFFF; }
  /// A CTA whose threads have all ended is not to be written, read or signalled any more: a finding slug, or nullptr.
  static const char *check_alive(const Cta &cta) { return cta.live_threads == 0 ? "async.after-exit" : nullptr; }
  /// Threads that end count as arrived from then on; the last one of a CTA must have freed its tensor memory.
  void retire(Cta &cta, uint32_t threads);
  void arrive_at_cluster_barrier(uint32_t threads);
  /// A warp of the cluster, as `races` counts them.
  uint32_t warp_number(const Cta &cta, uint32_t warp) const {
    return cta.rank * static_cast<uint32_t>(cta.warps.size()) + warp;
  }
  static uint64_t key_of_mbarrier(const Cta &cta, uint32_t offset) { return race::Detector::mbarrier(cta.rank, offset); }

  /// The allocation that an instruction touched last, or one of those that share its place.
  GlobalMemory::Region &recent_region(uint32_t pc);

  void add_finding(const Cta &cta, const Warp &warp, uint32_t lane, uint32_t pc, std::string slug, std::string text);
  void add_finding(std::string slug, std::string text, std::string where);
  std::string name_of_shared(uint32_t offset) const;
  /// An instruction's line in the source, where the PTX names it, and in the PTX.
  std::string line_of(uint32_t pc) const;

 private:
  // scheduler.cpp
  bool step_warps();
  bool step_adversary();
  bool take_turn(uint32_t warp, uint32_t budget);
  void advance_async(size_t which);
  size_t newest_async(bool prefers_copies) const;
  void decide(Decision decision);
  bool follow(const Decision &decision);
  size_t next_group(Cta &cta, Warp &warp);
  void check_length();
  uint32_t warps_per_cta() const { return static_cast<uint32_t>(ctas.front()->warps.size()); }
  uint32_t num_warps() const { return warps_per_cta() * static_cast<uint32_t>(ctas.size()); }

  uint32_t run_group(Cta &cta, Warp &warp, size_t which, uint32_t budget);
  template <bool kCounts> uint32_t run_group_as(Cta &cta, Warp &warp, size_t which, uint32_t budget);
  bool is_satisfied(Cta &cta, Warp &warp, Group &group);
  bool wake_waits_with_time_limits();
  void report_deadlock();
  void create_warps(Cta &cta);
  void watch_races(uint32_t shared_bytes);

  ptx::Dim3 first_cta_;
  std::mt19937_64 random_;
  uint64_t progress_ = 0;        ///< grows with everything that others can see
  uint64_t progress_at_wake_ = ~uint64_t{0};
  bool stops_at_effects_ = false;
  std::vector<uint32_t> order_;  ///< of warps, in which they are tried
  uint32_t held_warp_ = 0, turn_ = 0;  ///< of the adversary
  bool holds_async_ = false;
  uint64_t counted_ = 0;               ///< instructions that the launch's sum has
  uint64_t instructions_at_async_ = 0; ///< when asynchronous work last went on
  std::array<GlobalMemory::Region, 16> recent_regions_{};
  uint64_t releases_at_recent_ = 0;    ///< of global memory, when the regions were found
};

inline GlobalMemory::Region &Cluster::recent_region(uint32_t pc) {
  if (const uint64_t releases = state.memory.num_releases(); releases != releases_at_recent_) {
    recent_regions_ = {};
    releases_at_recent_ = releases;
  }
  return recent_regions_[pc % recent_regions_.size()];
}

/// Lanes that stand at one instruction become one group.
void merge_groups(Warp &warp);

}  // namespace warpwright::emulator
