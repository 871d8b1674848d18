// SPDX-License-Identifier: Apache-2.0
// st.async and red.async: registers to shared memory of the cluster, counted by an mbarrier there; bulk copies between the
// CTAs of a cluster. PTX ISA 9.0, "st.async", "red.async", "cp.async.bulk".
#include "tools/emulator/machine/copy_issue.h"
#include "tools/emulator/machine/form_rows.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

/// One lane's part of an instruction.
struct Piece {
  Cta *cta = nullptr;
  ByteRange range;
  uint32_t barrier = 0;
  std::array<uint8_t, 16> bytes{};
};

/// Whole granules count as being written; smaller pieces share theirs with others and are poison alone.
bool is_granule(const Piece &piece) { return piece.range.bytes == SharedMemory::kGranule; }

/// Source: CUDA C++ Programming Guide 13.0, "Asynchronous Data Copies": these stores and reductions work through the generic
/// proxy, unlike bulk copies, so that no proxy fence is needed around them.
class Stores : public AsyncOperation {
 public:
  Stores(Execution &x, std::vector<Piece> pieces) : issue_(x), pieces_(std::move(pieces)) {
    for (const Piece &piece : pieces_) {
      SharedMemory &shared = piece.cta->shared;
      if (const Error error = is_granule(piece) ? shared.begin_async_write(piece.range) : shared.write(piece.range.offset, piece.range.bytes))
        issue_.note(error);
      if (!is_granule(piece)) std::memset(shared.data() + piece.range.offset, SharedMemory::kPoison, piece.range.bytes);
      issue_.use(*piece.cta, piece.range, true, *piece.cta, piece.barrier, race::Kind::kGeneric);
    }
  }
  bool advance() override {
    for (const Piece &piece : pieces_) {
      std::memcpy(piece.cta->shared.data() + piece.range.offset, piece.bytes.data(), piece.range.bytes);
      if (is_granule(piece)) piece.cta->shared.end_async_write(piece.range);
      complete(issue_, *piece.cta, piece.barrier, piece.range.bytes);
    }
    return true;
  }

 private:
  CopyIssue issue_;
  std::vector<Piece> pieces_;
};

template <class T, auto F> class Reductions : public AsyncOperation {
 public:
  Reductions(Execution &x, std::vector<Piece> pieces) : issue_(x), pieces_(std::move(pieces)) {
    for (const Piece &piece : pieces_) {
      if (const Error error = piece.cta->shared.read(piece.range.offset, piece.range.bytes)) issue_.note(error);
      issue_.use(*piece.cta, piece.range, true, *piece.cta, piece.barrier, race::Kind::kAtomic);
    }
  }
  bool advance() override {
    for (const Piece &piece : pieces_) {
      uint8_t *place = piece.cta->shared.data() + piece.range.offset;
      T old, given;
      std::memcpy(&old, place, sizeof old);
      std::memcpy(&given, piece.bytes.data(), sizeof given);
      const T result = F(old, given);
      std::memcpy(place, &result, sizeof result);
      complete(issue_, *piece.cta, piece.barrier, sizeof(T));
    }
    return true;
  }

 private:
  CopyIssue issue_;
  std::vector<Piece> pieces_;
};

/// `[dst], values, [bar]`: the pieces of all lanes; none with a finding.
template <class T, uint32_t kCount> std::vector<Piece> find_pieces(Execution &x, const Op &op) {
  std::vector<Piece> pieces;
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (failed) return;
    Piece piece;
    uint32_t offset = 0;
    constexpr uint32_t kBytes = sizeof(T) * kCount;
    failed = !find_shared(x, without_shared_window(address_in_lane(x, op, 0, i)), kBytes, kBytes, &piece.cta, &offset);
    const Mbarrier *barrier = failed ? nullptr : find_copy_barrier(x, op, 2 + kCount, i, *piece.cta, &piece.barrier);
    failed = !barrier;
    if (failed) return;
    use_mbarrier(x, *piece.cta, piece.barrier, false);
    signal_later(x, *piece.cta, piece.barrier, *barrier);
    piece.range = {offset, kBytes};
    for (uint32_t n = 0; n < kCount; ++n) std::memcpy(piece.bytes.data() + n * sizeof(T), &x.lanes<T>(op.operands[2 + n])[i], sizeof(T));
    pieces.push_back(piece);
  });
  if (failed) pieces.clear();
  return pieces;
}

template <class T, uint32_t kCount> Step store(Execution &x, const Op &op) {
  std::vector<Piece> pieces = find_pieces<T, kCount>(x, op);
  if (pieces.empty()) return Step::kFault;
  x.cluster.async.issue_copy(std::make_unique<Stores>(x, std::move(pieces)));
  return Step::kYield;
}

template <class T, auto F> Step reduce(Execution &x, const Op &op) {
  std::vector<Piece> pieces = find_pieces<T, 1>(x, op);
  if (pieces.empty()) return Step::kFault;
  x.cluster.async.issue_copy(std::make_unique<Reductions<T, F>>(x, std::move(pieces)));
  return Step::kYield;
}

/// From this CTA's shared memory to another's: reads first, then writes.
class HandOver : public AsyncOperation {
 public:
  HandOver(Execution &x, ByteRange from, Cta &to, uint32_t to_offset, uint32_t barrier)
      : issue_(x), from_(from), to_(to), range_{to_offset, from.bytes}, barrier_(barrier) {
    if (const Error error = issue_.cta->shared.begin_async_read(from_)) issue_.note(error);
    issue_.use(*issue_.cta, from_, false, to_, barrier_);
    if (const Error error = to_.shared.begin_async_write(range_)) issue_.note(error);
    issue_.use(to_, range_, true, to_, barrier_);
  }
  bool advance() override {
    if (!has_read_) {
      SharedMemory &shared = issue_.cta->shared;
      if (const char *slug = Cluster::check_alive(*issue_.cta)) issue_.note({slug, "a copy reads shared memory of a CTA that has ended"});
      if (const Error error = shared.check_async_read(from_)) issue_.note(error);
      bytes_.assign(shared.data() + from_.offset, shared.data() + from_.offset + from_.bytes);
      shared.end_async_read(from_);
      has_read_ = true;
      return false;
    }
    std::copy(bytes_.begin(), bytes_.end(), to_.shared.data() + range_.offset);
    to_.shared.end_async_write(range_);
    complete(issue_, to_, barrier_, range_.bytes);
    return true;
  }

 private:
  CopyIssue issue_;
  ByteRange from_;
  Cta &to_;
  ByteRange range_;
  uint32_t barrier_;
  std::vector<uint8_t> bytes_;
  bool has_read_ = false;
};

/// `[dst], [src], size, [bar]`: the mbarrier lies beside the destination.
Step hand_over(Execution &x, const Op &op) {
  if (!is_one_lane_of_bulk(x)) return Step::kFault;
  const uint32_t lane = x.first_lane(), bytes = x.lanes<uint32_t>(op.operands[4])[lane];
  Cta *to = nullptr, *from = nullptr;
  uint32_t to_offset = 0, from_offset = 0, barrier_offset = 0;
  if (!is_bulk_size(x, bytes) || !find_shared(x, address_in_lane(x, op, 0, lane), bytes, 16, &to, &to_offset) ||
      !find_shared(x, address_in_lane(x, op, 2, lane), bytes, 16, &from, &from_offset))
    return Step::kFault;
  if (from != &x.cta) return x.fault("tma.source-cta", "the source lies in another CTA");
  const Mbarrier *barrier = find_copy_barrier(x, op, 5, lane, *to, &barrier_offset);
  if (!barrier) return Step::kFault;
  use_mbarrier(x, *to, barrier_offset, true);
  signal_later(x, *to, barrier_offset, *barrier);
  x.cluster.async.issue_copy(std::make_unique<HandOver>(x, ByteRange{from_offset, bytes}, *to, to_offset, barrier_offset));
  return Step::kYield;
}

/// What ptxas 13.0 takes: vectors of 128 bits at most, operations with the types below.
class Rows : public FormRows {
 public:
  void add_stores() {
    for (const std::string weak : {"", ".weak"})
      for (const std::string space : {"", ".shared::cluster"}) {
        const std::string word = "st.async" + weak + space + ".mbarrier::complete_tx::bytes";
        for (const char *type : {".b32", ".u32", ".s32", ".f32"}) {
          add(word + type, "a w a", store<uint32_t, 1>);
          add(word + ".v2" + type, "a w2 a", store<uint32_t, 2>);
          add(word + ".v4" + type, "a w4 a", store<uint32_t, 4>);
        }
        for (const char *type : {".b64", ".u64", ".s64", ".f64"}) {
          add(word + type, "a l a", store<uint64_t, 1>);
          add(word + ".v2" + type, "a l2 a", store<uint64_t, 2>);
        }
      }
  }
  void add_reductions() {
    for (const std::string space : {"", ".shared::cluster"}) {
      const std::string word = "red.async.relaxed.cluster" + space + ".mbarrier::complete_tx::bytes";
      const auto add_one = [&](const char *operation, Handler handler, const char *signature = "a w a") { add(word + operation, signature, handler); };
      using U = uint32_t;
      add_one(".inc.u32", reduce<U, [](U a, U b) -> U { return (a >= b) ? 0 : a + 1; }>);
      add_one(".dec.u32", reduce<U, [](U a, U b) -> U { return a == 0 || (a > b) ? b : a - 1; }>);
      add_one(".min.u32", reduce<U, [](U a, U b) { return std::min(a, b); }>), add_one(".max.u32", reduce<U, [](U a, U b) { return std::max(a, b); }>);
      add_one(".min.s32", reduce<int32_t, [](int32_t a, int32_t b) { return std::min(a, b); }>);
      add_one(".max.s32", reduce<int32_t, [](int32_t a, int32_t b) { return std::max(a, b); }>);
      add_one(".and.b32", reduce<U, [](U a, U b) { return a & b; }>), add_one(".or.b32", reduce<U, [](U a, U b) { return a | b; }>);
      add_one(".xor.b32", reduce<U, [](U a, U b) { return a ^ b; }>);
      for (const char *type : {".add.u32", ".add.s32"}) add_one(type, reduce<U, [](U a, U b) { return a + b; }>);
      for (const char *type : {".add.u64", ".add.s64"}) add_one(type, reduce<uint64_t, [](uint64_t a, uint64_t b) { return a + b; }>, "a l a");
    }
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_stores();
    rows.add_reductions();
    rows.add("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", "a a w a", hand_over);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> async_forms() { return rows().forms; }

}  // namespace warpwright::emulator
