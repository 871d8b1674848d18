// SPDX-License-Identifier: Apache-2.0
// What was done last to each piece of shared and of tensor memory, as far as it may still matter.
#pragma once

#include "tools/emulator/memory/memory.h"
#include "tools/emulator/race/clock.h"

#include <algorithm>
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
    disown();
    const char *found = nullptr;
    for (const Access &earlier : accesses_) {
      if (!may_conflict(earlier, access)) continue;
      const char *answer = judge(earlier);
      if (!answer || (earlier.is_write && access.is_write && is_read_between(earlier, access, judge))) continue;
      if (!found) *conflict = earlier, found = answer;
    }
    // After a conflict both are kept: each may have more.
    if (access.is_write && !found) forget(access.bytes);
    keep(access);
    return found;
  }
  /// touch() by an ordinary access of a warp. False: it may have a conflict, and is not noted.
  template <class Judge> bool touch_quietly(const Access &access, Judge judge) {
    const bool is_whole = access.bytes == kWhole;
    if (is_whole && owner_ == access.epoch.agent) {
      if (access.is_write) written_ = {access.epoch.time, access.pc}, read_ = {};
      else read_ = {access.epoch.time, access.pc};
      return true;
    }
    disown();
    for (const Access &earlier : accesses_)
      if (may_conflict(earlier, access) && judge(earlier)) return false;
    if (access.is_write) forget(access.bytes);
    if (is_whole && accesses_.empty()) own(access);
    else keep(access);
    return true;
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
  void keep(const Access &access) {
    const auto again = std::find_if(accesses_.begin(), accesses_.end(), [&](const Access &earlier) { return is_again(earlier, access); });
    if (again != accesses_.end()) *again = access;
    else accesses_.push_back(access);
  }
  static bool is_again(const Access &earlier, const Access &now) {
    return earlier.epoch.agent == now.epoch.agent && earlier.bytes == now.bytes && earlier.is_write == now.is_write &&
           earlier.kind == now.kind && earlier.object == now.object;
  }

  static constexpr uint16_t kWhole = 0xFFFF;
  static constexpr Agent kNobody = ~Agent{0};
  struct Moment { uint32_t time = 0, pc = 0; };  ///< time 0: never

  void own(const Access &access) {
    owner_ = access.epoch.agent, owning_warp_ = access.warp;
    (access.is_write ? written_ : read_) = {access.epoch.time, access.pc};
  }
  /// What was noted in short becomes what is noted of any access.
  void disown() {
    if (owner_ == kNobody) return;
    if (written_.time) accesses_.push_back({{owner_, written_.time}, written_.pc, 0, owning_warp_, kWhole, Kind::kGeneric, true});
    if (read_.time) accesses_.push_back({{owner_, read_.time}, read_.pc, 0, owning_warp_, kWhole, Kind::kGeneric, false});
    owner_ = kNobody, written_ = {}, read_ = {};
  }

  // The most frequent state: ordinary accesses of one warp to all bytes, which its own order keeps apart. Then there are no
  // `accesses_`.
  Agent owner_ = kNobody;
  uint16_t owning_warp_ = 0;
  Moment written_, read_;
  std::vector<Access> accesses_;
};

/// Shared memory in granules; a bit of a mask stands for a byte of one.
class SharedShadow {
 public:
  static constexpr uint32_t kGranule = kSharedGranuleBytes;
  explicit SharedShadow(uint32_t bytes) : cells_((bytes + kGranule - 1) / kGranule) {}
  /// Calls `touch(cell, mask of bytes, byte offset)` for each granule of the range.
  template <class Touch> void each(ByteRange range, Touch touch) {
    each_granule(range, [&](uint32_t index, uint16_t bytes, uint32_t at) { touch(cells_[index], bytes, at); });
  }
  Cell &cell(uint32_t index) { return cells_[index]; }

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
