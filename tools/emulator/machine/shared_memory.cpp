// SPDX-License-Identifier: Apache-2.0
// Hazards of shared memory.
#include "tools/emulator/machine/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace warpwright::emulator {

namespace {

Error hazard(const char *slug, const char *what, uint32_t offset) {
  return {slug, std::string(what) + " (shared memory, byte " + std::to_string(offset) + ")"};
}

}  // namespace

SharedMemory::SharedMemory(uint32_t bytes)
    : bytes_(bytes, kPoison), is_written_(bytes, 0), granules_((bytes + kGranule - 1) / kGranule) {}

template <class Function> Error SharedMemory::each_granule(ByteRange range, Function function) {
  if (range.bytes == 0) return {};
  const uint32_t last = (range.offset + range.bytes - 1) / kGranule;
  Error first;
  for (uint32_t i = range.offset / kGranule; i <= last; ++i) {
    Error found = function(granules_[i], i);
    if (found && !first) first = std::move(found);
  }
  return first;
}

bool SharedMemory::touches_barrier(const Granule &granule, uint32_t index, uint32_t offset, uint32_t bytes) const {
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t begin = index * kGranule + 8 * half;
    if ((granule.holds_barrier >> half & 1) && offset < begin + 8 && begin < offset + bytes) return true;
  }
  return false;
}

Error SharedMemory::read(uint32_t offset, uint32_t bytes) {
  if (Error found = each_granule({offset, bytes}, [&](Granule &granule, uint32_t index) -> Error {
        if (granule.holds_barrier && touches_barrier(granule, index, offset, bytes))
          return hazard("memory.barrier-as-data", "reads an mbarrier as data", offset);
        if (granule.async_writes)
          return hazard("race.read-while-copied", "reads bytes that an asynchronous copy still writes", offset);
        return {};
      }))
    return found;
  if (std::memchr(is_written_.data() + offset, 0, bytes))
    return hazard("memory.uninitialised", "reads bytes that nothing has written", offset);
  return {};
}

Error SharedMemory::write(uint32_t offset, uint32_t bytes) {
  std::memset(is_written_.data() + offset, 1, bytes);
  return each_granule({offset, bytes}, [&](Granule &granule, uint32_t index) -> Error {
    if (granule.holds_barrier && touches_barrier(granule, index, offset, bytes))
      return hazard("memory.barrier-as-data", "overwrites an mbarrier", offset);
    if (granule.async_writes)
      return hazard("race.write-while-copied", "writes bytes that an asynchronous copy still writes", offset);
    if (granule.async_reads)
      return hazard("race.write-while-read", "writes bytes that asynchronous work still reads", offset);
    return {};
  });
}

Error SharedMemory::begin_async_read(ByteRange range) {
  return each_granule(range, [&](Granule &granule, uint32_t) -> Error {
    if (granule.async_reads == UINT16_MAX) return hazard("run.too-many-reads", "has 65,535 readers", range.offset);
    ++granule.async_reads;
    return {};
  });
}

Error SharedMemory::begin_async_write(ByteRange range) {
  Error found = each_granule(range, [&](Granule &granule, uint32_t index) -> Error {
    if (granule.async_writes) return hazard("race.copies-overlap", "two asynchronous copies write", index * kGranule);
    if (granule.async_reads)
      return hazard("race.copy-while-read", "an asynchronous copy writes bytes that asynchronous work still reads",
                    index * kGranule);
    if (granule.holds_barrier && touches_barrier(granule, index, range.offset, range.bytes))
      return hazard("memory.barrier-as-data", "an asynchronous copy overwrites an mbarrier", index * kGranule);
    return {};
  });
  (void)each_granule(range, [](Granule &granule, uint32_t) -> Error {
    ++granule.async_writes;
    return {};
  });
  std::memset(bytes_.data() + range.offset, kPoison, range.bytes);
  return found;
}

Error SharedMemory::check_async_read(ByteRange range) const {
  if (range.bytes == 0) return {};
  const uint32_t last = (range.offset + range.bytes - 1) / kGranule;
  for (uint32_t i = range.offset / kGranule; i <= last; ++i)
    if (granules_[i].async_writes)
      return hazard("race.read-while-copied", "asynchronous work reads bytes that a copy still writes", i * kGranule);
  if (std::memchr(is_written_.data() + range.offset, 0, range.bytes))
    return hazard("memory.uninitialised", "asynchronous work reads bytes that nothing has written", range.offset);
  return {};
}

void SharedMemory::end_async_read(ByteRange range) {
  (void)each_granule(range, [](Granule &granule, uint32_t) -> Error { return --granule.async_reads, Error{}; });
}

void SharedMemory::end_async_write(ByteRange range) {
  (void)each_granule(range, [](Granule &granule, uint32_t) -> Error { return --granule.async_writes, Error{}; });
  std::memset(is_written_.data() + range.offset, 1, range.bytes);
}

Mbarrier *SharedMemory::barrier(uint32_t offset) {
  const auto found = barriers_.find(offset);
  return found == barriers_.end() || !found->second.is_valid ? nullptr : &found->second;
}

Error SharedMemory::init_barrier(uint32_t offset, uint32_t count) {
  Mbarrier &barrier = barriers_[offset];
  if (barrier.is_valid) return hazard("mbarrier.initialised-twice", "initialises a live mbarrier again", offset);
  if (count == 0 || count > Mbarrier::kMaxCount)
    return hazard("mbarrier.count", "an mbarrier counts 1 to 1,048,575 arrivals", offset);
  barrier.init(count);
  granules_[offset / kGranule].holds_barrier |= static_cast<uint8_t>(1u << (offset / 8 % 2));
  return {};
}

Error SharedMemory::invalidate_barrier(uint32_t offset) {
  Mbarrier *found = barrier(offset);
  if (!found) return hazard("mbarrier.not-initialised", "invalidates what is no mbarrier", offset);
  found->is_valid = false;
  granules_[offset / kGranule].holds_barrier &= static_cast<uint8_t>(~(1u << (offset / 8 % 2)));
  return {};
}

}  // namespace warpwright::emulator
