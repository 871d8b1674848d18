// SPDX-License-Identifier: Apache-2.0
// Global memory: allocations with unmapped gaps between them.
#include "tools/emulator/memory/memory.h"

#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

namespace warpwright::emulator {
namespace {

// cuMemAlloc promises alignment for any variable (CUDA Driver API 13.0, cuMemAlloc); a tensor map's base needs 16
// bytes, its padded 4-bit forms 32, an interleaved one 32 (cuTensorMapEncodeTiled).
constexpr uint64_t kAlignment = 512;
// No kernel's stray index of a tile or two reaches the next allocation.
constexpr uint64_t kGap = uint64_t{1} << 20;

std::string with_commas(uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string hexadecimal(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace

uint64_t GlobalMemory::allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > (uint64_t{1} << 46)) return 0;
  Allocation allocation;
  allocation.bytes = bytes;
  allocation.data.reset(new (std::nothrow) uint8_t[bytes]);
  if (!allocation.data) return 0;
  std::memset(allocation.data.get(), kPoison, bytes);
  const std::unique_lock lock(mutex_);
  const uint64_t address = next_;
  next_ += (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
  allocations_.emplace(address, std::move(allocation));
  return address;
}

bool GlobalMemory::release(uint64_t address) {
  const std::unique_lock lock(mutex_);
  num_releases_.fetch_add(1, std::memory_order_release);
  return allocations_.erase(address) != 0;
}

GlobalMemory::Region GlobalMemory::find(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return {};
  const auto &[start, allocation] = *std::prev(next);
  return {start, allocation.bytes, allocation.data.get()};
}

uint8_t *GlobalMemory::resolve(uint64_t address, uint64_t bytes) const {
  const Region region = find(address);
  return region.contains(address, bytes) ? region.data + (address - region.base) : nullptr;
}

std::string GlobalMemory::describe(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return hexadecimal(address) + ", before every allocation";
  const auto &[start, allocation] = *std::prev(next);
  const std::string what = "the " + with_commas(allocation.bytes) + " bytes at " + hexadecimal(start);
  const uint64_t offset = address - start;
  if (offset < allocation.bytes) return with_commas(offset) + " bytes into " + what;
  if (next != allocations_.end() && next->first - address < offset - allocation.bytes) {
    return with_commas(next->first - address) + " bytes before the " + with_commas(next->second.bytes) + " bytes at " +
           hexadecimal(next->first);
  }
  return with_commas(offset - allocation.bytes) + " bytes past the end of " + what;
}

}  // namespace warpwright::emulator
