// SPDX-License-Identifier: Apache-2.0
// Hazards of shared memory.
#include "tools/emulator/machine/shared_memory.h"

#include <cstring>

namespace warpwright::emulator {

namespace {

Error hazard(const char *slug, const char *what, uint32_t offset) {
  return {slug, std::string(what) + " (shared memory, byte " + std::to_string(offset) + ")"};
}

}  // namespace

SharedMemory::SharedMemory(uint32_t bytes) : bytes_(bytes, kPoison), granules_((bytes + kGranule - 1) / kGranule) {}

template <class Function> Error SharedMemory::first_hazard(ByteRange range, Function function) {
  Error first;
  each_granule(range, [&](uint32_t index, uint16_t mask, uint32_t) {
    Error found = function(granules_[index], mask, index * kGranule);
    if (found && !first) first = std::move(found);
  });
  return first;
}

bool SharedMemory::is_written(ByteRange range) const {
  bool all = true;
  each_granule(range, [&](uint32_t index, uint16_t mask, uint32_t) { all &= (granules_[index].is_written & mask) == mask; });
  return all;
}

bool SharedMemory::reads_quietly(const GranuleParts &parts) const {
  const Granule *const granules = granules_.data();
  uint64_t wrong = 0;
  for (const GranulePart &part : parts) {
    const uint64_t granule = bits_of(granules[part.index]), wanted = bits_of({0, 0, 0, static_cast<uint16_t>(part.bytes)});
    wrong |= (granule & bits_of({0, 0xFFFF, 0xFFFF, 0})) | (wanted & ~granule);
  }
  return wrong == 0;
}

bool SharedMemory::writes_quietly(const GranuleParts &parts) {
  Granule *const granules = granules_.data();
  uint64_t busy = 0;
  for (const GranulePart &part : parts) {
    const uint64_t granule = bits_of(granules[part.index]);
    busy |= granule & bits_of({0xFFFF, 0xFFFF, 0xFFFF, 0});
    // The whole of it, as it is read the next time: the processor would wait for a part to reach the cache.
    granules[part.index] = std::bit_cast<Granule>(granule | bits_of({0, 0, 0, static_cast<uint16_t>(part.bytes)}));
  }
  return busy == 0;
}

Error SharedMemory::read(uint32_t offset, uint32_t bytes) {
  if (Error found = first_hazard({offset, bytes}, [&](Granule &granule, uint16_t mask, uint32_t) -> Error {
        if (granule.holds_barrier & mask) return hazard("memory.barrier-as-data", "reads an mbarrier as data", offset);
        if (granule.async_writes)
          return hazard("race.read-while-copied", "reads bytes that an asynchronous copy still writes", offset);
        return {};
      }))
    return found;
  if (!is_written({offset, bytes})) return hazard("memory.uninitialised", "reads bytes that nothing has written", offset);
  return {};
}

Error SharedMemory::write(uint32_t offset, uint32_t bytes) {
  return first_hazard({offset, bytes}, [&](Granule &granule, uint16_t mask, uint32_t) -> Error {
    granule.is_written |= mask;
    if (granule.holds_barrier & mask) return hazard("memory.barrier-as-data", "overwrites an mbarrier", offset);
    if (granule.async_writes)
      return hazard("race.write-while-copied", "writes bytes that an asynchronous copy still writes", offset);
    if (granule.async_reads)
      return hazard("race.write-while-read", "writes bytes that asynchronous work still reads", offset);
    return {};
  });
}

Error SharedMemory::begin_async_read(ByteRange range) {
  return first_hazard(range, [&](Granule &granule, uint16_t, uint32_t) -> Error {
    if (granule.async_reads == UINT16_MAX) return hazard("run.too-many-reads", "has 65,535 readers", range.offset);
    ++granule.async_reads;
    return {};
  });
}

Error SharedMemory::begin_async_write(ByteRange range) {
  Error found = first_hazard(range, [&](Granule &granule, uint16_t mask, uint32_t at) -> Error {
    if (granule.async_writes) return hazard("race.copies-overlap", "two asynchronous copies write", at);
    if (granule.async_reads)
      return hazard("race.copy-while-read", "an asynchronous copy writes bytes that asynchronous work still reads", at);
    if (granule.holds_barrier & mask)
      return hazard("memory.barrier-as-data", "an asynchronous copy overwrites an mbarrier", at);
    return {};
  });
  each_granule(range, [&](uint32_t index, uint16_t, uint32_t) { ++granules_[index].async_writes; });
  std::memset(bytes_.data() + range.offset, kPoison, range.bytes);
  return found;
}

Error SharedMemory::check_async_read(ByteRange range) const {
  Error found;
  each_granule(range, [&](uint32_t index, uint16_t, uint32_t) {
    if (granules_[index].async_writes && !found)
      found = hazard("race.read-while-copied", "asynchronous work reads bytes that a copy still writes", index * kGranule);
  });
  if (!found && !is_written(range))
    return hazard("memory.uninitialised", "asynchronous work reads bytes that nothing has written", range.offset);
  return found;
}

void SharedMemory::end_async_read(ByteRange range) {
  each_granule(range, [&](uint32_t index, uint16_t, uint32_t) { --granules_[index].async_reads; });
}

void SharedMemory::end_async_write(ByteRange range) {
  each_granule(range, [&](uint32_t index, uint16_t mask, uint32_t) {
    --granules_[index].async_writes;
    granules_[index].is_written |= mask;
  });
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
  granules_[offset / kGranule].holds_barrier |= static_cast<uint16_t>(0xFF << (offset % kGranule));
  return {};
}

Error SharedMemory::invalidate_barrier(uint32_t offset) {
  Mbarrier *found = barrier(offset);
  if (!found) return hazard("mbarrier.not-initialised", "invalidates what is no mbarrier", offset);
  found->is_valid = false;
  granules_[offset / kGranule].holds_barrier &= static_cast<uint16_t>(~(0xFF << (offset % kGranule)));
  return {};
}

}  // namespace warpwright::emulator
