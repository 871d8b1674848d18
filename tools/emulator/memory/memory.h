// SPDX-License-Identifier: Apache-2.0
// The memories of the emulated device: global, shared, tensor memory.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace warpwright::emulator {

/// Global memory of one device: allocations with unmapped gaps between them, so that an access past an end is seen.
///
/// Threads   any number at once; what kernels do to the bytes themselves is theirs to order.
class GlobalMemory {
 public:
  /// An allocation; without bytes there is none.
  struct Region {
    uint64_t base = 0, bytes = 0;
    uint8_t *data = nullptr;  ///< the host's view
    bool contains(uint64_t address, uint64_t count) const {
      return address >= base && address - base <= bytes && count <= bytes - (address - base);
    }
  };

  /// Bytes are `poison` until written. Alignment at least 256, as cuMemAlloc gives (CUDA Driver API, cuMemAlloc:
  /// "suitably aligned for any kind of variable"). Returns 0 when `bytes` is 0 or host memory is short.
  uint64_t allocate(uint64_t bytes);
  /// False: no allocation begins there.
  bool release(uint64_t address);
  /// The host's view of [address, address + bytes), or nullptr when that is not inside one allocation.
  uint8_t *resolve(uint64_t address, uint64_t bytes) const;
  /// The last allocation that begins at the address or before it.
  Region find(uint64_t address) const;
  /// Grows with every release(): regions that were found before may be gone.
  uint64_t num_releases() const { return num_releases_.load(std::memory_order_acquire); }
  /// "12 bytes past the end of the 4,096 bytes at 0x…", for messages.
  std::string describe(uint64_t address) const;
  static constexpr uint8_t kPoison = 0xFF;

 private:
  struct Allocation {
    uint64_t bytes = 0;
    std::unique_ptr<uint8_t[]> data;
  };
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> allocations_;
  std::atomic<uint64_t> num_releases_{0};
  uint64_t next_ = uint64_t{0x7} << 40;
};

/// Tensor memory of one CTA's SM: 128 lanes of 512 columns of 32 bits, row-major by lane.
/// Source: PTX ISA 9.0, "Tensor Memory": 512 columns and 128 rows per CTA, 32-bit cells; an address has the lane in
/// bits 31-16 and the column in bits 15-0.
class TensorMemory {
 public:
  static constexpr uint32_t kLanes = 128;
  static constexpr uint32_t kCols = 512;
  static constexpr uint32_t kPoison = 0x7FFFDEAD;  ///< a NaN, whichever format reads it as 32-bit float

  TensorMemory() : cells_(size_t{kLanes} * kCols, kPoison) {}
  uint32_t *row(uint32_t lane) { return cells_.data() + size_t{lane} * kCols; }
  const uint32_t *row(uint32_t lane) const { return cells_.data() + size_t{lane} * kCols; }
  static uint32_t lane_of(uint32_t address) { return address >> 16; }
  static uint32_t col_of(uint32_t address) { return address & 0xFFFF; }

 private:
  std::vector<uint32_t> cells_;
};

/// Hazards of shared memory are found in granules: the unit of bulk copies and of swizzled layouts.
/// Source: PTX ISA 9.0, "cp.async.bulk": sizes and addresses are multiples of 16.
inline constexpr uint32_t kSharedGranuleBytes = 16;

/// A run of bytes of shared memory: [offset, offset + bytes).
struct ByteRange {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

/// Calls `touch(index, mask, offset)` for each granule of a range: its number, a bit for each of its bytes that the range has,
/// and the first of those.
template <class Touch> void each_granule(ByteRange range, Touch touch) {
  const uint32_t end = range.offset + range.bytes;
  for (uint32_t at = range.offset; at < end;) {
    const uint32_t begin = at % kSharedGranuleBytes, stop = std::min(kSharedGranuleBytes, begin + end - at);
    touch(at / kSharedGranuleBytes, static_cast<uint16_t>((1u << stop) - (1u << begin)), at);
    at += stop - begin;
  }
}

/// Some bytes of a granule, a bit each.
struct GranulePart {
  uint32_t index, bytes;
};

/// What a warp's access touches: a run of bytes by granules, or each lane's bytes, which one granule has.
class GranuleParts {
 public:
  void set_run(ByteRange range) {
    const uint32_t first = range.offset / kSharedGranuleBytes, last = (range.offset + range.bytes - 1) / kSharedGranuleBytes;
    const uint32_t count = last - first + 1;
    for (uint32_t i = 0; i < count; ++i) parts_[i] = {first + i, 0xFFFF};
    count_ = count;
    parts_[0].bytes &= 0xFFFFu << range.offset % kSharedGranuleBytes;
    parts_[count - 1].bytes &= 0xFFFFu >> (kSharedGranuleBytes - 1 - (range.offset + range.bytes - 1) % kSharedGranuleBytes);
  }
  void set_lanes(const std::array<uint32_t, 32> &offsets, uint32_t from, uint32_t bytes) {
    const uint32_t mask = (1u << bytes) - 1;
    count_ = 32;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t at = from + offsets[lane];
      parts_[lane] = {at / kSharedGranuleBytes, mask << at % kSharedGranuleBytes};
    }
  }
  const GranulePart *begin() const { return parts_.data(); }
  const GranulePart *end() const { return parts_.data() + count_; }

 private:
  std::array<GranulePart, 33> parts_;  ///< room for 512 bytes that do not begin with a granule; only `count_` are set
  uint32_t count_ = 0;
};

}  // namespace warpwright::emulator
