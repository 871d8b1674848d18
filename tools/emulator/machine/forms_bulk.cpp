// SPDX-License-Identifier: Apache-2.0
// Bulk copies: boxes of tensors and plain ranges, both ways. PTX ISA 9.0, "Data Movement and Conversion Instructions:
// Asynchronous copy: Bulk copy", "… Tensor copy".
#include "tools/emulator/machine/copy_issue.h"
#include "tools/emulator/machine/form_rows.h"

#include "tools/emulator/tma/box_copy.h"

namespace warpwright::emulator {

namespace {

class BoxLoad : public AsyncOperation {
 public:
  BoxLoad(const CopyIssue &issue, const tma::TensorMap &map, const tma::Coordinates &at, Cta &to, uint32_t offset, Cta &barrier_cta,
          uint32_t barrier)
      : issue_(issue), map_(map), at_(at), to_(to), offset_(offset), bytes_(tma::box_bytes(map)), barrier_cta_(barrier_cta),
        barrier_(barrier) {
    if (const Error error = to_.shared.begin_async_write({offset_, bytes_})) issue_.note(error);
    issue_.use(to_, {offset_, bytes_}, true, barrier_cta_, barrier_);
  }
  bool advance() override {
    SharedMemory &shared = to_.shared;
    const Error error = tma::load_box(map_, at_, issue_.cluster->state.memory, offset_, shared.data(), shared.size_bytes());
    if (error) issue_.stop(error);
    shared.end_async_write({offset_, bytes_});
    issue_.cluster->statistics.bytes_loaded += bytes_;
    complete(issue_, barrier_cta_, barrier_, bytes_);
    return true;
  }

 private:
  CopyIssue issue_;
  tma::TensorMap map_;
  tma::Coordinates at_;
  Cta &to_;
  uint32_t offset_, bytes_;
  Cta &barrier_cta_;
  uint32_t barrier_;
};

class RangeLoad : public AsyncOperation {
 public:
  RangeLoad(const CopyIssue &issue, const uint8_t *from, Cta &to, ByteRange range, uint32_t barrier)
      : issue_(issue), from_(from), to_(to), range_(range), barrier_(barrier) {
    if (const Error error = to_.shared.begin_async_write(range_)) issue_.note(error);
    issue_.use(to_, range_, true, to_, barrier_);
  }
  bool advance() override {
    std::memcpy(to_.shared.data() + range_.offset, from_, range_.bytes);
    to_.shared.end_async_write(range_);
    issue_.cluster->statistics.bytes_loaded += range_.bytes;
    complete(issue_, to_, barrier_, range_.bytes);
    return true;
  }

 private:
  CopyIssue issue_;
  const uint8_t *from_;
  Cta &to_;
  ByteRange range_;
  uint32_t barrier_;
};

/// A copy out of shared memory: first it reads, then it writes; a bulk group counts both.
class Outgoing : public AsyncOperation {
 public:
  Outgoing(Execution &x, ByteRange range) : issue_(x), range_(range) {
    BulkGroups &bulk = x.warp.bulk[x.first_lane()];
    if (bulk.groups.empty()) bulk.groups.emplace_back();
    group_ = bulk.first + bulk.groups.size() - 1;
    ++bulk.groups.back().unread;
    ++bulk.groups.back().unfinished;
    if (const Error error = x.cta.shared.begin_async_read(range_)) issue_.note(error);
    if (x.cluster.races)
      issue_.touch(x.cta, range_, false, x.cluster.races->bulk_epoch(x.actor().warp, issue_.lane, group_, true));
  }
  bool advance() override {
    SharedMemory &shared = issue_.cta->shared;
    BulkGroups &bulk = issue_.cta->warps[issue_.warp].bulk[issue_.lane];
    BulkGroups::Counts &counts = bulk.groups[static_cast<size_t>(group_ - bulk.first)];
    if (!has_read_) {
      if (const char *slug = Cluster::check_alive(*issue_.cta)) issue_.note({slug, "a copy reads shared memory of a CTA that has ended"});
      if (const Error error = shared.check_async_read(range_)) issue_.note(error);
      bytes_.assign(shared.data() + range_.offset, shared.data() + range_.offset + range_.bytes);
      shared.end_async_read(range_);
      --counts.unread;
      has_read_ = true;
      return false;
    }
    if (const Error error = write()) issue_.stop(error);
    --counts.unfinished;
    issue_.cluster->statistics.bytes_stored += range_.bytes;
    return true;
  }

 protected:
  virtual Error write() = 0;
  CopyIssue issue_;
  ByteRange range_;
  std::vector<uint8_t> bytes_;

 private:
  uint64_t group_ = 0;
  bool has_read_ = false;
};

class BoxStore : public Outgoing {
 public:
  BoxStore(Execution &x, ByteRange range, const tma::TensorMap &map, const tma::Coordinates &at, int reduction)
      : Outgoing(x, range), map_(map), at_(at), reduction_(reduction) {}

 private:
  Error write() override {
    // The box lies where it lay, since swizzling goes by address.
    std::vector<uint8_t> shared(range_.offset + range_.bytes);
    std::copy(bytes_.begin(), bytes_.end(), shared.begin() + range_.offset);
    const GlobalMemory &memory = issue_.cluster->state.memory;
    const auto size = static_cast<uint32_t>(shared.size());
    if (reduction_ < 0) return tma::store_box(map_, at_, memory, range_.offset, shared.data(), size);
    return tma::reduce_box(map_, at_, static_cast<tma::Reduction>(reduction_), memory, range_.offset, shared.data(), size);
  }
  tma::TensorMap map_;
  tma::Coordinates at_;
  int reduction_;
};

class RangeStore : public Outgoing {
 public:
  RangeStore(Execution &x, ByteRange range, uint8_t *to) : Outgoing(x, range), to_(to) {}

 private:
  Error write() override {
    std::memcpy(to_, bytes_.data(), bytes_.size());
    return {};
  }
  uint8_t *to_;
};

/// The tensor map at operands[first], its coordinates after it.
bool find_map(Execution &x, const Op &op, uint32_t first, uint32_t rank, tma::TensorMap *map, tma::Coordinates *at) {
  const uint32_t lane = x.first_lane();
  const uint64_t address = address_in_lane(x, op, first, lane);
  const uint8_t *bytes = nullptr;
  if ((address & kWindowMask) == kParamWindow) {
    const uint64_t offset = address & ~kWindowMask;
    const auto &block = x.cluster.state.launch.parameters;
    if (offset + 128 <= block.size()) bytes = block.data() + offset;
  } else {
    bytes = x.cluster.state.memory.resolve(address, 128);
  }
  // Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled: a tensor map is aligned to 64 bytes.
  const auto decoded = bytes && address % 64 == 0 ? tma::decode(bytes) : std::nullopt;
  if (!decoded) return x.note("tma.not-a-map", "there is no tensor map at the address given"), false;
  if (decoded->rank != rank)
    return x.note("tma.rank", "a map of rank " + std::to_string(decoded->rank) + ", an instruction of rank " + std::to_string(rank)), false;
  *map = *decoded;
  *at = {};
  for (uint32_t d = 0; d < rank; ++d) (*at)[d] = static_cast<int32_t>(x.lanes<uint32_t>(op.operands[first + 2 + d])[lane]);
  return true;
}

/// `[dst], [map, {coordinates}], [bar], ?mask, ?hint`.
template <uint32_t kRank, bool kIsPair, bool kIsMulticast> Step load_box(Execution &x, const Op &op) {
  if (!is_one_lane_of_bulk(x)) return Step::kFault;
  const uint32_t lane = x.first_lane();
  tma::TensorMap map;
  tma::Coordinates at;
  if (!find_map(x, op, 2, kRank, &map, &at)) return Step::kFault;
  Cta *to = nullptr, *barrier_cta = nullptr;
  uint32_t offset = 0, barrier = 0;
  // Source: PTX ISA 9.0, "cp.async.bulk.tensor": the destination is aligned to 128 bytes.
  if (!find_shared(x, address_in_lane(x, op, 0, lane), tma::box_bytes(map), 128, &to, &offset)) return Step::kFault;
  constexpr uint32_t kBarrier = 4 + kRank;
  if (!find_shared(x, address_in_lane(x, op, kBarrier, lane), 8, 8, &barrier_cta, &barrier)) return Step::kFault;
  if (!barrier_cta->shared.barrier(barrier)) return x.fault("mbarrier.not-initialised", "the copy's mbarrier is not initialised");
  const bool is_reachable = barrier_cta == to || (kIsPair && (barrier_cta->rank ^ 1) == to->rank);
  if (!is_reachable)
    return x.fault("tma.barrier-cta", "the mbarrier lies in CTA " + std::to_string(barrier_cta->rank) + ", the destination in CTA " +
                                          std::to_string(to->rank));
  use_mbarrier(x, *barrier_cta, barrier, true);
  const CopyIssue issue(x);
  const uint32_t ctas = kIsMulticast ? x.lanes<uint32_t>(op.operands[kBarrier + 2])[lane] & 0xFFFF : 1u << to->rank;
  const uint32_t barrier_flip = kIsPair ? barrier_cta->rank ^ to->rank : 0;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(ctas >> rank & 1)) continue;
    if (rank >= x.cluster.ctas.size() || (rank ^ barrier_flip) >= x.cluster.ctas.size())
      return x.fault("tma.multicast", "the mask names CTA " + std::to_string(rank) + ", which the cluster does not have");
    if (!x.cluster.ctas[rank ^ barrier_flip]->shared.barrier(barrier))
      return x.fault("mbarrier.not-initialised", "the copy's mbarrier is not initialised in CTA " + std::to_string(rank ^ barrier_flip));
    signal_later(x, *x.cluster.ctas[rank ^ barrier_flip], barrier, *x.cluster.ctas[rank ^ barrier_flip]->shared.barrier(barrier));
    x.cluster.async.issue_copy(
        std::make_unique<BoxLoad>(issue, map, at, *x.cluster.ctas[rank], offset, *x.cluster.ctas[rank ^ barrier_flip], barrier));
  }
  return Step::kYield;
}

/// `[map, {coordinates}], [src], ?hint`.
template <uint32_t kRank, int kReduction> Step store_box(Execution &x, const Op &op) {
  if (!is_one_lane_of_bulk(x)) return Step::kFault;
  tma::TensorMap map;
  tma::Coordinates at;
  if (!find_map(x, op, 0, kRank, &map, &at)) return Step::kFault;
  Cta *from = nullptr;
  uint32_t offset = 0;
  const uint32_t bytes = tma::box_bytes(map);
  if (!find_shared(x, address_in_lane(x, op, 2 + kRank, x.first_lane()), bytes, 128, &from, &offset)) return Step::kFault;
  if (from != &x.cta) return x.fault("tma.source-cta", "the source lies in another CTA");
  x.cluster.async.issue_copy(std::make_unique<BoxStore>(x, ByteRange{offset, bytes}, map, at, kReduction));
  return Step::kYield;
}

/// `[dst], [src], size, [bar]`.
Step load_range(Execution &x, const Op &op) {
  if (!is_one_lane_of_bulk(x)) return Step::kFault;
  const uint32_t lane = x.first_lane(), bytes = x.lanes<uint32_t>(op.operands[4])[lane];
  Cta *to = nullptr, *barrier_cta = nullptr;
  uint32_t offset = 0, barrier = 0;
  if (!is_bulk_size(x, bytes) || !find_shared(x, address_in_lane(x, op, 0, lane), bytes, 16, &to, &offset) ||
      !find_shared(x, address_in_lane(x, op, 5, lane), 8, 8, &barrier_cta, &barrier))
    return Step::kFault;
  if (barrier_cta != to || !to->shared.barrier(barrier))
    return x.fault("mbarrier.not-initialised", "the copy has no mbarrier in its destination's CTA");
  use_mbarrier(x, *barrier_cta, barrier, true);
  const uint64_t address = address_in_lane(x, op, 2, lane);
  const uint8_t *from = address % 16 == 0 ? x.cluster.state.memory.resolve(address, bytes) : nullptr;
  if (!from) return x.fault("memory.out-of-bounds", "the source is not aligned to 16 bytes or outside every allocation");
  x.cluster.async.issue_copy(std::make_unique<RangeLoad>(CopyIssue(x), from, *to, ByteRange{offset, bytes}, barrier));
  return Step::kYield;
}

/// `[dst], [src], size`.
Step store_range(Execution &x, const Op &op) {
  if (!is_one_lane_of_bulk(x)) return Step::kFault;
  const uint32_t lane = x.first_lane(), bytes = x.lanes<uint32_t>(op.operands[4])[lane];
  Cta *from = nullptr;
  uint32_t offset = 0;
  if (!is_bulk_size(x, bytes) || !find_shared(x, address_in_lane(x, op, 2, lane), bytes, 16, &from, &offset)) return Step::kFault;
  const uint64_t address = address_in_lane(x, op, 0, lane);
  uint8_t *to = address % 16 == 0 ? x.cluster.state.memory.resolve(address, bytes) : nullptr;
  if (!to) return x.fault("memory.out-of-bounds", "the destination is not aligned to 16 bytes or outside every allocation");
  x.cluster.async.issue_copy(std::make_unique<RangeStore>(x, ByteRange{offset, bytes}, to));
  return Step::kYield;
}

Step commit_group(Execution &x, const Op &) {
  x.each_lane([&](uint32_t i) {
    BulkGroups &bulk = x.warp.bulk[i];
    if (bulk.groups.empty()) bulk.groups.emplace_back();
    bulk.groups.emplace_back();
    while (bulk.groups.size() > 1 && bulk.groups.front().unfinished == 0) {
      bulk.groups.pop_front();
      ++bulk.first;
    }
  });
  return Step::kNext;
}

/// A thread has waited for all but the last `left` groups that it committed.
void observe_groups(Execution &x, uint32_t lane, uint32_t left, bool reads_only) {
  const auto found = x.warp.bulk.find(lane);
  if (found == x.warp.bulk.end()) return;
  const uint64_t committed = found->second.first + found->second.groups.size() - 1;
  if (committed > left) x.cluster.races->wait_bulk(x.actor().warp, lane, committed - left, reads_only);
}

template <bool kReadsOnly> Step wait_group(Execution &x, const Op &op) {
  const uint32_t left = op.operands[0];
  bool waits = false;
  x.each_lane([&](uint32_t i) {
    const auto found = x.warp.bulk.find(i);
    waits |= found != x.warp.bulk.end() && found->second.incomplete(kReadsOnly) > left;
  });
  if (!waits) {
    if (x.cluster.races) x.each_lane([&](uint32_t i) { observe_groups(x, i, left, kReadsOnly); });
    return Step::kNext;
  }
  x.group.wait = Wait::kBulkGroups;
  x.group.value = left;
  x.group.parity = kReadsOnly;
  return Step::kPark;
}

class Rows : public FormRows {
 public:
  template <uint32_t kRank> void add_rank() {
    const std::string load = "cp.async.bulk.tensor." + std::to_string(kRank) + "d.shared::cluster.global";
    const std::string done = ".mbarrier::complete_tx::bytes", hint = ".L2::cache_hint", pair = ".cta_group::2";
    for (const std::string tile : {"", ".tile"}) {
      const std::string word = load + tile + done;
      add(word, "a b a", load_box<kRank, false, false>);
      add(word + hint, "a b a l", load_box<kRank, false, false>);
      add(word + ".cta_group::1", "a b a", load_box<kRank, false, false>);
      add(word + pair, "a b a", load_box<kRank, true, false>);
      add(word + pair + hint, "a b a l", load_box<kRank, true, false>);
      add(word + ".multicast::cluster", "a b a w", load_box<kRank, false, true>);
      add(word + ".multicast::cluster" + hint, "a b a w l", load_box<kRank, false, true>);
      add(word + ".multicast::cluster" + pair, "a b a w", load_box<kRank, true, true>);
      add(word + ".multicast::cluster" + pair + hint, "a b a w l", load_box<kRank, true, true>);
      const std::string own = "cp.async.bulk.tensor." + std::to_string(kRank) + "d.shared::cta.global" + tile + done;
      add(own, "a b a", load_box<kRank, false, false>);
      const std::string store = ".tensor." + std::to_string(kRank) + "d.global.shared::cta";
      add("cp.async.bulk" + store + tile + ".bulk_group", "b a", store_box<kRank, -1>);
      add("cp.async.bulk" + store + tile + ".bulk_group" + hint, "b a l", store_box<kRank, -1>);
      add_reductions<kRank>(store, tile);
    }
  }

 private:
  template <uint32_t kRank> void add_reductions(const std::string &store, const std::string &tile) {
    using R = tma::Reduction;
    const auto add_one = [&](const char *name, Handler handler) {
      add("cp.reduce.async.bulk" + store + name + tile + ".bulk_group", "b a", handler);
    };
    add_one(".add", store_box<kRank, int(R::kAdd)>), add_one(".min", store_box<kRank, int(R::kMin)>);
    add_one(".max", store_box<kRank, int(R::kMax)>), add_one(".inc", store_box<kRank, int(R::kInc)>);
    add_one(".dec", store_box<kRank, int(R::kDec)>), add_one(".and", store_box<kRank, int(R::kAnd)>);
    add_one(".or", store_box<kRank, int(R::kOr)>), add_one(".xor", store_box<kRank, int(R::kXor)>);
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_rank<1>(), rows.add_rank<2>(), rows.add_rank<3>(), rows.add_rank<4>(), rows.add_rank<5>();
    for (const std::string space : {"shared::cluster", "shared::cta"})
      rows.add("cp.async.bulk." + space + ".global.mbarrier::complete_tx::bytes", "a a w a", load_range);
    rows.add("cp.async.bulk.global.shared::cta.bulk_group", "a a w", store_range);
    rows.add("cp.async.bulk.commit_group", "", commit_group);
    rows.add("cp.async.bulk.wait_group", "i", wait_group<false>);
    rows.add("cp.async.bulk.wait_group.read", "i", wait_group<true>);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> bulk_forms() { return rows().forms; }

}  // namespace warpwright::emulator
