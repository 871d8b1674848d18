// SPDX-License-Identifier: Apache-2.0
// Accesses of 256 bits to global memory, and registers of 128 bits. PTX ISA 9.0, "ld", "st", "mov".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/forms.h"

#include <cstdio>

namespace warpwright::emulator {

namespace {

enum class Space : uint8_t { kGlobal, kShared, kGeneric };

/// A register of 128 bits.
struct Wide {
  uint64_t low, high;
};

/// The host's view of one lane's access, nullptr with a finding where there is none.
uint8_t *view(Execution &x, Space space, uint64_t address, uint32_t bytes, bool is_write) {
  if (space == Space::kShared || (space == Space::kGeneric && (address & kWindowMask) == kSharedWindow)) {
    Cta *cta = nullptr;
    uint32_t offset = 0;
    if (space == Space::kGeneric) address &= ~kWindowMask;
    if (!find_shared(x, address, bytes, bytes, &cta, &offset)) return nullptr;
    touch_shared(x, *cta, {offset, bytes}, is_write);
    return cta->shared.data() + offset;
  }
  char hex[24];
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
  if (address % bytes) {
    x.note("memory.misaligned", std::string("address ") + hex + " of a " + std::to_string(bytes) + "-byte access");
    return nullptr;
  }
  uint8_t *data = x.cluster.state.memory.resolve(address, bytes);
  if (!data) x.note("memory.out-of-bounds", std::string("global address ") + hex + ": " + x.cluster.state.memory.describe(address));
  return data;
}

template <class T, uint32_t kCount, Space kSpace> Step load(Execution &x, const Op &op) {
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    const uint8_t *data = failed ? nullptr : view(x, kSpace, address_in_lane(x, op, kCount, i), sizeof(T) * kCount, false);
    failed = !data;
    if (failed) return;
    for (uint32_t n = 0; n < kCount; ++n) std::memcpy(&x.lanes<T>(op.operands[n])[i], data + n * sizeof(T), sizeof(T));
  });
  return failed ? Step::kFault : Step::kNext;
}

template <class T, uint32_t kCount, Space kSpace> Step store(Execution &x, const Op &op) {
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    uint8_t *data = failed ? nullptr : view(x, kSpace, address_in_lane(x, op, 0, i), sizeof(T) * kCount, true);
    failed = !data;
    if (failed) return;
    for (uint32_t n = 0; n < kCount; ++n) std::memcpy(data + n * sizeof(T), &x.lanes<T>(op.operands[2 + n])[i], sizeof(T));
  });
  if (failed) return Step::kFault;
  return kSpace == Space::kShared ? Step::kNext : Step::kYield;
}

Step pack(Execution &x, const Op &op) {
  auto *d = x.lanes<Wide>(op.operands[0]);
  const auto *low = x.lanes<uint64_t>(op.operands[1]), *high = x.lanes<uint64_t>(op.operands[2]);
  x.each_lane([&](uint32_t i) { d[i] = {low[i], high[i]}; });
  return Step::kNext;
}

Step unpack(Execution &x, const Op &op) {
  auto *low = x.lanes<uint64_t>(op.operands[0]), *high = x.lanes<uint64_t>(op.operands[1]);
  const auto *a = x.lanes<Wide>(op.operands[2]);
  x.each_lane([&](uint32_t i) { low[i] = a[i].low, high[i] = a[i].high; });
  return Step::kNext;
}

Step move(Execution &x, const Op &op) {
  auto *d = x.lanes<Wide>(op.operands[0]);
  const auto *a = x.lanes<Wide>(op.operands[1]);
  x.each_lane([&](uint32_t i) { d[i] = a[i]; });
  return Step::kNext;
}

/// 256 bits are global memory's alone, said or meant by a generic address: ptxas 13.0 refuses them for .shared.
class Rows : public FormRows {
 public:
  template <Space kSpace> void add_octets(const std::string &load_word, const std::string &store_word) {
    for (const char *type : {".b32", ".u32", ".s32", ".f32"}) {
      if (!load_word.empty()) add(load_word + ".v8" + type, ">w8 a", load<uint32_t, 8, kSpace>);
      if (!store_word.empty()) add(store_word + ".v8" + type, "a w8", store<uint32_t, 8, kSpace>);
    }
    for (const char *type : {".b64", ".u64", ".s64", ".f64"}) {
      if (!load_word.empty()) add(load_word + ".v4" + type, ">l4 a", load<uint64_t, 4, kSpace>);
      if (!store_word.empty()) add(store_word + ".v4" + type, "a l4", store<uint64_t, 4, kSpace>);
    }
  }
  template <Space kSpace> void add_wide(const std::string &space) {
    for (const char *order : {"", ".volatile", ".weak"}) {
      add("ld" + std::string(order) + space + ".b128", ">q a", load<Wide, 1, kSpace>);
      add("st" + std::string(order) + space + ".b128", "a q", store<Wide, 1, kSpace>);
    }
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    for (const std::string cache : {"", ".L1::no_allocate", ".L1::evict_last", ".L1::evict_first"}) {
      rows.add_octets<Space::kGlobal>("ld.global" + cache, "st.global" + cache);
      rows.add_octets<Space::kGlobal>("ld.global.nc" + cache, "");
    }
    rows.add_octets<Space::kGeneric>("ld", "st");
    for (const std::string order : {".volatile", ".relaxed.gpu", ".relaxed.sys"})
      rows.add_octets<Space::kGlobal>("ld" + order + ".global", "st" + order + ".global");
    for (const std::string scope : {".gpu", ".sys"}) rows.add_octets<Space::kGlobal>("ld.acquire" + scope + ".global", "st.release" + scope + ".global");
    rows.add_wide<Space::kGlobal>(".global"), rows.add_wide<Space::kGeneric>("");
    for (const char *space : {".shared", ".shared::cta", ".shared::cluster"}) rows.add_wide<Space::kShared>(space);
    rows.add("mov.b128", ">q l2", pack), rows.add("mov.b128", ">l2 q", unpack), rows.add("mov.b128", ">q q", move);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> wide_forms() { return rows().forms; }

}  // namespace warpwright::emulator
