// SPDX-License-Identifier: Apache-2.0
// Shared memory of one CTA, its mbarriers, and who is at work on which bytes.
#pragma once

#include "tools/emulator/machine/mbarrier.h"
#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpwright::emulator {

/// Bytes count from the start of the CTA's shared window.
class SharedMemory {
 public:
  static constexpr uint32_t kGranule = kSharedGranuleBytes;
  static constexpr uint8_t kPoison = 0xFF;  ///< NaN in every 8-bit, 16-bit and 32-bit format that has one

  explicit SharedMemory(uint32_t bytes);
  uint32_t size_bytes() const { return static_cast<uint32_t>(bytes_.size()); }
  uint8_t *data() { return bytes_.data(); }
  const uint8_t *data() const { return bytes_.data(); }
  bool contains(uint64_t offset, uint64_t bytes) const { return offset <= bytes_.size() && bytes <= bytes_.size() - offset; }

  /// Checks an ordinary access, and notes it. Requires contains().
  Error read(uint32_t offset, uint32_t bytes);
  Error write(uint32_t offset, uint32_t bytes);
  /// The same of accesses that can have no hazard: neither asynchronous work nor an mbarrier is near, and what is read was
  /// written. False: read() or write() decides.
  bool reads_quietly(const GranuleParts &parts) const;
  bool writes_quietly(const GranuleParts &parts);

  /// An asynchronous read or write begins: the bytes are in use until it ends. A write poisons them.
  Error begin_async_read(ByteRange range);
  Error begin_async_write(ByteRange range);
  /// An asynchronous read takes its bytes: complains when they were never written or are still being written.
  Error check_async_read(ByteRange range) const;
  void end_async_read(ByteRange range);
  void end_async_write(ByteRange range);

  /// The mbarrier at `offset`, nullptr when none was initialised there.
  Mbarrier *barrier(uint32_t offset);
  Error init_barrier(uint32_t offset, uint32_t count);
  Error invalidate_barrier(uint32_t offset);
  const std::map<uint32_t, Mbarrier> &barriers() const { return barriers_; }

 private:
  struct Granule {
    uint16_t async_reads = 0;
    uint16_t async_writes = 0;
    uint16_t holds_barrier = 0;  ///< a bit for each byte of one
    uint16_t is_written = 0;     ///< a bit for each byte
  };
  /// A granule as one number, so that all of it is compared at once.
  static uint64_t bits_of(Granule granule) { return std::bit_cast<uint64_t>(granule); }

  /// Calls it for every granule of the range, with the mask of its bytes; the first hazard is the answer.
  template <class Function> Error first_hazard(ByteRange range, Function function);
  bool is_written(ByteRange range) const;

  std::vector<uint8_t> bytes_;
  std::vector<Granule> granules_;
  std::map<uint32_t, Mbarrier> barriers_;
};

}  // namespace warpwright::emulator
