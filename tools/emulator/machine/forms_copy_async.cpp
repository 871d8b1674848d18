// SPDX-License-Identifier: Apache-2.0
// cp.async: copies of 4, 8 or 16 bytes from global to shared memory, and their groups. PTX ISA 9.0, "cp.async",
// "cp.async.commit_group", "cp.async.wait_group / cp.async.wait_all".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/forms.h"

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
};

/// What the lanes of one instruction copy. The bytes are poison from the issue on; those of 16 count as being written, smaller
/// ones share their 16 with other copies.
class LaneCopies : public AsyncOperation {
 public:
  LaneCopies(Execution &x, std::vector<Piece> pieces) : cta_(&x.cta), warp_(x.warp.index), pieces_(std::move(pieces)) {
    for (Piece &piece : pieces_) {
      BulkGroups &groups = x.warp.lane_copies[piece.lane];
      if (groups.groups.empty()) groups.groups.emplace_back();
      piece.group = groups.first + groups.groups.size() - 1;
      ++groups.groups.back().unfinished;
      if (piece.range.bytes == SharedMemory::kGranule) {
        if (const Error error = piece.cta->shared.begin_async_write(piece.range)) x.note(error);
      } else {
        std::memset(piece.cta->shared.data() + piece.range.offset, SharedMemory::kPoison, piece.range.bytes);
      }
    }
  }
  bool advance() override {
    for (const Piece &piece : pieces_) {
      uint8_t *to = piece.cta->shared.data() + piece.range.offset;
      if (piece.bytes_read) std::memcpy(to, piece.from, piece.bytes_read);
      std::memset(to + piece.bytes_read, 0, piece.range.bytes - piece.bytes_read);
      if (piece.range.bytes == SharedMemory::kGranule) piece.cta->shared.end_async_write(piece.range);
      BulkGroups &groups = cta_->warps[warp_].lane_copies[piece.lane];
      --groups.groups[static_cast<size_t>(piece.group - groups.first)].unfinished;
    }
    return true;
  }

 private:
  Cta *cta_;
  uint32_t warp_;
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
    // A write of the generic proxy, of the thread itself.
    if (!failed) touch_shared(x, *piece.cta, piece.range, true);
    pieces.push_back(piece);
  });
  if (failed) return Step::kFault;
  x.cluster.async.issue_copy(std::make_unique<LaneCopies>(x, std::move(pieces)));
  return Step::kYield;
}

void commit(BulkGroups &lane) {
  if (lane.groups.empty()) lane.groups.emplace_back();
  lane.groups.emplace_back();
  while (lane.groups.size() > 1 && lane.groups.front().unfinished == 0) {
    lane.groups.pop_front();
    ++lane.first;
  }
}

Step commit_group(Execution &x, const Op &) {
  x.each_lane([&](uint32_t i) { commit(x.warp.lane_copies[i]); });
  return Step::kNext;
}

Step wait(Execution &x, uint32_t left) {
  bool waits = false;
  x.each_lane([&](uint32_t i) {
    const auto found = x.warp.lane_copies.find(i);
    waits |= found != x.warp.lane_copies.end() && found->second.incomplete(false) > left;
  });
  if (!waits) return Step::kNext;
  x.group.wait = Wait::kCopyGroups;
  x.group.value = left;
  return Step::kPark;
}

Step wait_group(Execution &x, const Op &op) { return wait(x, op.operands[0]); }

/// As a commit and a wait for every group.
Step wait_all(Execution &x, const Op &) {
  x.each_lane([&](uint32_t i) {
    BulkGroups &lane = x.warp.lane_copies[i];
    if (!lane.groups.empty() && lane.groups.back().unfinished) commit(lane);
  });
  return wait(x, 0);
}

const FormRows &rows() {
  static const FormRows all = [] {
    FormRows rows;
    for (const char *cache : {"ca", "cg"})
      for (const char *space : {"shared", "shared::cta"})
        for (const char *prefetch : {"", ".L2::64B", ".L2::128B", ".L2::256B"})
          rows.add(std::string("cp.async.") + cache + "." + space + ".global" + prefetch, "a a i ?w", copy);
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
