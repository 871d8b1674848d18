// SPDX-License-Identifier: Apache-2.0
// What was done last to each piece of shared and of tensor memory, as far as it may still matter.
#pragma once

#include "tools/emulator/memory/memory.h"
#include "tools/emulator/race/clock.h"

#include <vector>

namespace warpwright::emulator::race {

enum class Kind : uint8_t {
  kGeneric,  ///< an instruction of the warp itself
  kAtomic,
  kAsync,    ///< a copy between global and shared memory
  kTensor,   ///< tcgen05's reads of shared memory
  kMma,
  kCopyToTensor,
  kShift,
  kTensorLoad,
  kTensorStore,
  kAllocation,
};

/// `object` of tcgen05.cp.4x256b, which the ISA orders after tcgen05.shift.
inline constexpr uint32_t kRows4x256b = 1;

struct Access {
  Epoch epoch;
  uint32_t pc = 0;      ///< of the instruction that did or issued it
  uint32_t object = 0;  ///< of an MMA: its accumulator's address; of a copy to tensor memory: kRows4x256b or 0
  uint16_t warp = 0;    ///< that did or issued it, counted over the cluster
  uint16_t bytes = 0;   ///< which of the 16 of a granule of shared memory; lanes' quarters of a column of tensor memory
  Kind kind = Kind::kGeneric;
  bool is_write = false;
};

/// The accesses to one piece that a later one may conflict with.
class Cell {
 public:
  /// Calls `judge(earlier)` for each access that overlaps `access` when one of the two writes; an answer that is not nullptr
  /// is a conflict. What `access` follows and covers is forgotten. Returns the first conflict's answer, and its access in
  /// `*conflict`.
  template <class Judge> const char *touch(const Access &access, Judge judge, Access *conflict) {
    const char *found = nullptr;
    for (const Access &earlier : accesses_) {
      if (!may_conflict(earlier, access)) continue;
      const char *answer = judge(earlier);
      if (!answer || (earlier.is_write && access.is_write && is_read_between(earlier, access, judge))) continue;
      if (!found) *conflict = earlier, found = answer;
    }
    // After a conflict both are kept: each may have more.
    if (access.is_write && !found) forget(access.bytes);
    for (Access &earlier : accesses_)
      if (is_again(earlier, access)) {
        earlier = access;
        return found;
      }
    accesses_.push_back(access);
    return found;
  }

 private:
  static bool may_conflict(const Access &earlier, const Access &now) {
    return (earlier.bytes & now.bytes) && (earlier.is_write || now.is_write);
  }
  /// Order is transitive: a write that came before a read, as was checked then, comes before what follows the read. So who
  /// knows that all readers of a slot are done knows that it was full, though its mbarrier told only the readers.
  template <class Judge> bool is_read_between(const Access &earlier, const Access &now, Judge judge) const {
    uint32_t left = earlier.bytes & now.bytes;
    for (const Access &other : accesses_)
      if (!other.is_write && (other.bytes & left) && !judge(other)) left &= ~uint32_t{other.bytes};
    return left == 0;
  }
  void forget(uint16_t bytes) {
    size_t kept = 0;
    for (Access earlier : accesses_) {
      earlier.bytes = static_cast<uint16_t>(earlier.bytes & ~bytes);
      if (earlier.bytes) accesses_[kept++] = earlier;
    }
    accesses_.resize(kept);
  }
  static bool is_again(const Access &earlier, const Access &now) {
    return earlier.epoch.agent == now.epoch.agent && earlier.bytes == now.bytes && earlier.is_write == now.is_write &&
           earlier.kind == now.kind && earlier.object == now.object;
  }
  std::vector<Access> accesses_;
};

/// Shared memory in granules; a bit of a mask stands for a byte of one.
class SharedShadow {
 public:
  static constexpr uint32_t kGranule = kSharedGranuleBytes;
  explicit SharedShadow(uint32_t bytes) : cells_((bytes + kGranule - 1) / kGranule) {}
  /// Calls `touch(cell, mask of bytes, byte offset)` for each granule of the range.
  template <class Touch> void each(ByteRange range, Touch touch) {
    const uint32_t end = range.offset + range.bytes;
    for (uint32_t at = range.offset; at < end;) {
      const uint32_t begin = at % kGranule, stop = std::min(kGranule, begin + end - at);
      touch(cells_[at / kGranule], static_cast<uint16_t>((1u << stop) - (1u << begin)), at);
      at += stop - begin;
    }
  }

 private:
  std::vector<Cell> cells_;
};

/// Tensor memory by columns; a bit of a mask stands for 32 lanes, those that one warp reaches.
class TensorShadow {
 public:
  TensorShadow() : cells_(TensorMemory::kCols) {}
  Cell &column(uint32_t col) { return cells_[col]; }

 private:
  std::vector<Cell> cells_;
};

}  // namespace warpwright::emulator::race
