// SPDX-License-Identifier: Apache-2.0
// cp.async: copies of 4, 8 or 16 bytes from global to shared memory, their groups, and mbarriers that track them. PTX ISA 9.0,
// "cp.async", "cp.async.commit_group", "cp.async.wait_group / cp.async.wait_all", "cp.async.mbarrier.arrive".
#include "tools/emulator/machine/copy_issue.h"
#include "tools/emulator/machine/form_rows.h"

namespace warpwright::emulator {

namespace {

/// One lane's part of an instruction.
struct Piece {
  uint32_t lane = 0;
  Cta *cta = nullptr;
  ByteRange range;
  const uint8_t *from = nullptr;
  uint32_t bytes_read = 0;  ///< the rest is zero
  uint64_t group = 0;
  uint64_t number = 0;      ///< among the lane's
};

/// Everything that a lane had copied by then is there: the mbarrier gets its arrival, which speaks for those copies alone.
void arrive(const CopyIssue &issue, Cta &cta, const LaneCopies::Arrival &arrival) {
  Cluster &cluster = *issue.cluster;
  if (const char *slug = Cluster::check_alive(cta)) issue.note({slug, "copies arrive on an mbarrier of a CTA that has ended"});
  Mbarrier *barrier = cta.shared.barrier(arrival.barrier);
  if (!barrier) return issue.stop({"mbarrier.not-initialised", "the mbarrier of copies is gone when they complete"});
  if (cluster.races)
    cluster.races->lane_copies_arrive(issue.actor().warp, arrival.order, Cluster::key_of_mbarrier(cta, arrival.barrier));
  if (!change_mbarrier(cluster, cta, arrival.barrier, *barrier, [](Mbarrier &b) { return b.arrive(1); }))
    issue.note({"mbarrier.over-arrival", "copies arrive on " + cluster.name_of_shared(arrival.barrier) + ", which waits for none of " +
                                             std::to_string(barrier->expected) + " in phase " + std::to_string(barrier->phase)});
}

/// An arrival that has no copy to wait for.
class ArrivalAlone : public AsyncOperation {
 public:
  ArrivalAlone(Execution &x, const LaneCopies::Arrival &arrival) : issue_(x), arrival_(arrival) {}
  bool advance() override {
    arrive(issue_, *issue_.cta, arrival_);
    return true;
  }

 private:
  CopyIssue issue_;
  LaneCopies::Arrival arrival_;
};

/// What the lanes of one instruction copy. The bytes are poison from the issue on; those of 16 count as being written, smaller
/// ones share their 16 with other copies.
class CopiesInFlight : public AsyncOperation {
 public:
  CopiesInFlight(Execution &x, std::vector<Piece> pieces) : issue_(x), pieces_(std::move(pieces)) {
    const race::Epoch epoch = x.cluster.races ? x.cluster.races->issue_lane_copies(issue_.actor().warp) : race::Epoch{};
    for (Piece &piece : pieces_) {
      BulkGroups &groups = x.warp.lane_copies[piece.lane];
      if (groups.groups.empty()) groups.groups.emplace_back();
      piece.group = groups.first + groups.groups.size() - 1;
      ++groups.groups.back().unfinished;
      piece.number = x.warp.copies.issued[piece.lane]++;
      ++x.warp.copies.unfinished[piece.lane];
      SharedMemory &shared = piece.cta->shared;
      const bool is_granule = piece.range.bytes == SharedMemory::kGranule;
      if (const Error error = is_granule ? shared.begin_async_write(piece.range) : shared.write(piece.range.offset, piece.range.bytes))
        x.note(error);
      if (!is_granule) std::memset(shared.data() + piece.range.offset, SharedMemory::kPoison, piece.range.bytes);
      // A write through the generic proxy, over when the thread has waited for it or an mbarrier has tracked it.
      if (x.cluster.races) issue_.touch(*piece.cta, piece.range, true, epoch, race::Kind::kGeneric);
    }
  }
  bool advance() override {
    for (const Piece &piece : pieces_) {
      uint8_t *to = piece.cta->shared.data() + piece.range.offset;
      if (piece.bytes_read) std::memcpy(to, piece.from, piece.bytes_read);
      std::memset(to + piece.bytes_read, 0, piece.range.bytes - piece.bytes_read);
      if (piece.range.bytes == SharedMemory::kGranule) piece.cta->shared.end_async_write(piece.range);
      BulkGroups &groups = warp().lane_copies[piece.lane];
      --groups.groups[static_cast<size_t>(piece.group - groups.first)].unfinished;
      finish(piece);
    }
    return true;
  }

 private:
  Warp &warp() { return issue_.cta->warps[issue_.warp]; }
  /// Arrivals that waited for this piece last are due.
  void finish(const Piece &piece) {
    LaneCopies &copies = warp().copies;
    --copies.unfinished[piece.lane];
    for (size_t i = 0; i < copies.arrivals.size();) {
      LaneCopies::Arrival &arrival = copies.arrivals[i];
      const bool is_tracked = arrival.lane == piece.lane && piece.number < arrival.before;
      if (!is_tracked || --arrival.left > 0) {
        ++i;
        continue;
      }
      const LaneCopies::Arrival due = arrival;
      copies.arrivals.erase(copies.arrivals.begin() + static_cast<std::ptrdiff_t>(i));
      CopyIssue issue = issue_;
      issue.lane = due.lane;
      issue.pc = due.pc;
      arrive(issue, *issue.cta, due);
    }
  }

  CopyIssue issue_;
  std::vector<Piece> pieces_;
};

/// `[dst], [src], size, ?bytes of the source`.
Step copy(Execution &x, const Op &op) {
  const uint32_t bytes = op.operands[4];
  if (bytes != 4 && bytes != 8 && bytes != 16) return x.fault("memory.copy-size", std::to_string(bytes) + " bytes: a copy has 4, 8 or 16");
  std::vector<Piece> pieces;
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (failed) return;
    Piece piece;
    piece.lane = i;
    piece.bytes_read = op.operands[5] == kAbsent ? bytes : x.lanes<uint32_t>(op.operands[5])[i];
    uint32_t offset = 0;
    failed = !find_shared(x, address_in_lane(x, op, 0, i), bytes, bytes, &piece.cta, &offset);
    if (failed) return;
    piece.range = {offset, bytes};
    const uint64_t source = address_in_lane(x, op, 2, i);
    if (piece.bytes_read > bytes || source % bytes) {
      x.note(piece.bytes_read > bytes ? "memory.copy-size" : "memory.misaligned",
             std::to_string(piece.bytes_read) + " bytes from a source that must be aligned to " + std::to_string(bytes));
      failed = true;
      return;
    }
    if (piece.bytes_read) piece.from = x.cluster.state.memory.resolve(source, piece.bytes_read);
    failed = piece.bytes_read && !piece.from;
    if (failed) x.note("memory.out-of-bounds", "the source of a copy: " + x.cluster.state.memory.describe(source));
    pieces.push_back(piece);
  });
  if (failed) return Step::kFault;
  x.cluster.async.issue_copy(std::make_unique<CopiesInFlight>(x, std::move(pieces)));
  return Step::kYield;
}

void commit(Execution &x, uint32_t i) {
  if (x.cluster.races) {
    std::deque<uint32_t> &ends = x.warp.copies.ends[i];
    ends.push_back(x.cluster.races->lane_copies(x.actor().warp));
    if (ends.size() > LaneCopies::kEnds) ends.pop_front();
  }
  BulkGroups &lane = x.warp.lane_copies[i];
  if (lane.groups.empty()) lane.groups.emplace_back();
  lane.groups.emplace_back();
  while (lane.groups.size() > 1 && lane.groups.front().unfinished == 0) {
    lane.groups.pop_front();
    ++lane.first;
  }
}

Step commit_group(Execution &x, const Op &) {
  x.each_lane([&](uint32_t i) { commit(x, i); });
  return Step::kNext;
}

/// The warp's copies before the end of all groups but the last `left` of its lanes.
uint32_t copies_before(Execution &x, uint32_t left) {
  uint32_t count = 0;
  x.each_lane([&](uint32_t i) {
    const auto found = x.warp.copies.ends.find(i);
    if (found != x.warp.copies.ends.end() && left < found->second.size()) count = std::max(count, found->second[found->second.size() - 1 - left]);
  });
  return count;
}

/// Waits for all groups but the last `left`; then the warp knows the end of its first `count()` copies.
template <class Count> Step wait(Execution &x, uint32_t left, Count count) {
  bool waits = false;
  x.each_lane([&](uint32_t i) {
    const auto found = x.warp.lane_copies.find(i);
    waits |= found != x.warp.lane_copies.end() && found->second.incomplete(false) > left;
  });
  if (!waits) {
    if (x.cluster.races) x.cluster.races->wait_lane_copies(x.actor().warp, count());
    return Step::kNext;
  }
  x.group.wait = Wait::kCopyGroups;
  x.group.value = left;
  return Step::kPark;
}

Step wait_group(Execution &x, const Op &op) {
  return wait(x, op.operands[0], [&] { return copies_before(x, op.operands[0]); });
}

/// As a commit and a wait for every group.
Step wait_all(Execution &x, const Op &) {
  x.each_lane([&](uint32_t i) {
    BulkGroups &lane = x.warp.lane_copies[i];
    if (!lane.groups.empty() && lane.groups.back().unfinished) commit(x, i);
  });
  return wait(x, 0, [&] { return x.cluster.races->lane_copies(x.actor().warp); });
}

/// `[bar]`: an arrival of each lane when its copies so far are complete; without .noinc the phase waits for one arrival more.
template <bool kIncrements> Step arrive_later(Execution &x, const Op &op) {
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (failed) return;
    LaneCopies &copies = x.warp.copies;
    LaneCopies::Arrival arrival{i, copies.issued[i], copies.unfinished[i], 0, x.op->index, 0};
    Mbarrier *barrier = find_copy_barrier(x, op, 0, i, x.cta, &arrival.barrier);
    failed = !barrier;
    if (failed) return;
    use_mbarrier(x, x.cta, arrival.barrier, false);
    if (x.cluster.races) arrival.order = x.cluster.races->lane_copies(x.actor().warp);
    if (kIncrements && !barrier->expect_one_more()) x.note("mbarrier.count", "an mbarrier waits for 1,048,575 arrivals at most");
    if (arrival.left) copies.arrivals.push_back(arrival);
    else x.cluster.async.issue_copy(std::make_unique<ArrivalAlone>(x, arrival));
  });
  return failed ? Step::kFault : Step::kYield;
}

const FormRows &rows() {
  static const FormRows all = [] {
    FormRows rows;
    for (const char *cache : {"ca", "cg"})
      for (const char *space : {"shared", "shared::cta"})
        for (const char *prefetch : {"", ".L2::64B", ".L2::128B", ".L2::256B"})
          rows.add(std::string("cp.async.") + cache + "." + space + ".global" + prefetch, "a a i ?w", copy);
    for (const std::string space : {"", ".shared", ".shared::cta"}) {
      rows.add("cp.async.mbarrier.arrive" + space + ".b64", "a", arrive_later<true>);
      rows.add("cp.async.mbarrier.arrive.noinc" + space + ".b64", "a", arrive_later<false>);
    }
    rows.add("cp.async.commit_group", "", commit_group);
    rows.add("cp.async.wait_group", "i", wait_group);
    rows.add("cp.async.wait_all", "", wait_all);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> copy_async_forms() { return rows().forms; }

}  // namespace warpwright::emulator
