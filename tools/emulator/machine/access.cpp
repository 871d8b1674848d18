// SPDX-License-Identifier: Apache-2.0
// Regions of memory, lanes in them, and the state of the shared bytes that they touch.
#include "tools/emulator/machine/access.h"

#include "tools/emulator/machine/forms.h"

namespace warpwright::emulator {

namespace {

/// Bytes that follow each other for the kernel and on the host. `base` is a multiple of 16, so that offsets are aligned as
/// addresses are.
struct Region {
  uint64_t base = 0, bytes = 0;
  uint8_t *data = nullptr;
  Cta *cta = nullptr;  ///< whose shared memory it is
};

Region shared_region(Execution &x, uint64_t address, uint64_t window) {
  Cta *cta = x.cluster.cta_of(address - window);
  if (!cta) return {};
  return {window + cta->shared_base() + kReservedSharedBytes, cta->shared.size_bytes() - kReservedSharedBytes,
          cta->shared.data() + kReservedSharedBytes, cta};
}

Region global_region(Execution &x, uint64_t address) {
  GlobalMemory::Region &recent = x.cluster.recent_region(x.op->index);
  if (!recent.contains(address, 1)) recent = x.cluster.state.memory.find(address);
  return {recent.base, recent.bytes, recent.data};
}

/// The region of an address, without bytes where there is none that an access of the kind may touch.
Region find_region(Execution &x, Place place, uint64_t address, bool is_write) {
  const uint64_t window = place == Place::kGeneric ? address & kWindowMask : 0;
  if (place == Place::kShared || window == kSharedWindow) return shared_region(x, address, window);
  if (place == Place::kGlobal || (place == Place::kGeneric && window != kParamWindow)) return global_region(x, address);
  if (is_write) return {};
  const auto &block = x.cluster.state.launch.parameters;
  return {window, block.size(), const_cast<uint8_t *>(block.data())};
}

}  // namespace

/// False: a lane is not aligned, or begins outside of offsets 0 to `last`. `from_base` is what makes an offset of an address.
template <class Address>
bool WarpAccess::place_lanes(const Address *addresses, Address from_base, uint32_t last, uint32_t mask, uint32_t bytes) {
  std::array<Address, 32> given;
  if (mask != kAllLanes) {
    Address address = addresses[__builtin_ctz(mask)];
    for (uint32_t lane = 0; lane < 32; ++lane) given[lane] = address = mask >> lane & 1 ? addresses[lane] : address;
    addresses = given.data();
  }
  const Address stride = addresses[1] - addresses[0];
  if (stride == 0 || stride == bytes) {
    Address uneven = 0, expected = addresses[0];
    for (uint32_t lane = 0; lane < 32; ++lane, expected += stride) uneven |= addresses[lane] ^ expected;
    if (uneven == 0) {
      const Address begin = addresses[0] + from_base, length = 31 * stride;
      auto offset = static_cast<uint32_t>(begin);
      for (uint32_t lane = 0; lane < 32; ++lane, offset += static_cast<uint32_t>(stride)) offsets[lane] = offset;
      one_run = static_cast<uint32_t>(length) + bytes;
      return length <= last && begin <= last - length && (begin & (bytes - 1)) == 0;
    }
  }
  // The top bit of a difference says that it is negative, as `last` is below 2^31: one of the two is for a lane outside.
  Address outside = 0;
  uint32_t low_bits = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const Address offset = addresses[lane] + from_base;
    outside |= offset | (last - offset);
    low_bits |= offsets[lane] = static_cast<uint32_t>(offset);
  }
  return !(outside >> (8 * sizeof(Address) - 1)) && (low_bits & (bytes - 1)) == 0;
}

bool WarpAccess::resolve(Execution &x, const Op &op, uint32_t first, Place place, uint32_t bytes, bool is_write) {
  const Region found = find_region(x, place, address_in_lane(x, op, first, x.first_lane()), is_write);
  if (found.bytes < bytes || found.bytes >> 31) return false;
  const uint32_t at = op.operands[first];
  const auto last = static_cast<uint32_t>(found.bytes) - bytes;
  const uint64_t from_base = static_cast<uint64_t>(int64_t{static_cast<int32_t>(op.operands[first + 1])}) - found.base;
  const bool is_inside = at & kWide ? place_lanes(x.lanes<uint64_t>(at & ~kWide), from_base, last, x.mask, bytes)
                                    : place_lanes(x.lanes<uint32_t>(at), static_cast<uint32_t>(from_base), last, x.mask, bytes);
  if (!is_inside) return false;
  region = found.data;
  if (!found.cta) return true;
  // The detector wants to know more of accesses to other CTAs.
  race::Detector *const races = x.cluster.races.get();
  if (races && found.cta != &x.cta) return false;
  SharedMemory &shared = found.cta->shared;
  GranuleParts touched;
  if (one_run) touched.set_run({kReservedSharedBytes + offsets[0], one_run});
  else touched.set_lanes(offsets, kReservedSharedBytes, bytes);
  if (x.cluster.state.options.checks_memory && !(is_write ? shared.writes_quietly(touched) : shared.reads_quietly(touched))) return false;
  return !races || races->touch_quietly(x.actor(), touched, is_write);
}

}  // namespace warpwright::emulator
