// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and addresses. PTX ISA 9.0, "Data Movement and Conversion Instructions".
#include "tools/emulator/machine/access.h"
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/lanewise.h"
#include "tools/emulator/machine/small_floats.h"

namespace warpwright::emulator {

namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// The host's view of one lane's access, nullptr with a finding where there is none. `is_write` marks shared memory.
uint8_t *view(Execution &x, Place place, uint64_t address, uint32_t bytes, bool is_write,
              race::Kind kind = race::Kind::kGeneric) {
  if (address % bytes) {
    x.note("memory.misaligned", "address " + hex(address) + " of a " + std::to_string(bytes) + "-byte access");
    return nullptr;
  }
  if (place != Place::kShared && (address & kWindowMask) == kLocalWindow) return thread_memory(x, address, bytes);
  if (place == Place::kGeneric) {
    const uint64_t window = address & kWindowMask;
    place = window == kSharedWindow ? Place::kShared : window == kParamWindow ? Place::kParam : Place::kGlobal;
    if (place != Place::kGlobal) address &= ~kWindowMask;
  }
  if (place == Place::kGlobal) {
    uint8_t *data = x.cluster.state.memory.resolve(address, bytes);
    if (!data) x.note("memory.out-of-bounds", "global address " + hex(address) + ": " + x.cluster.state.memory.describe(address));
    return data;
  }
  if (place == Place::kParam) {
    auto &block = x.cluster.state.launch.parameters;
    if (is_write || address > block.size() || bytes > block.size() - address) {
      x.note("memory.out-of-bounds", "parameter offset " + std::to_string(address));
      return nullptr;
    }
    return const_cast<uint8_t *>(block.data()) + address;
  }
  Cta *cta = nullptr;
  uint32_t offset = 0;
  if (!find_shared(x, address, bytes, 1, &cta, &offset)) return nullptr;
  touch_shared(x, *cta, {offset, bytes}, is_write, kind);
  return cta->shared.data() + offset;
}

/// A signed value fills the register that it goes to.
template <class T> LaneOf<T> extended(T value) {
  return std::is_signed_v<T> ? static_cast<LaneOf<T>>(static_cast<int64_t>(value)) : static_cast<LaneOf<T>>(value);
}

/// Lanes' vectors of four words, four lanes at a time: by lane in memory, by register in the warp.
using Words = uint32_t __attribute__((vector_size(16)));

/// Rows become columns.
void transpose(std::array<Words, 4> &rows) {
  const Words low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5), high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Words low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5), high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
          __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
}

void load_vectors(Execution &x, const uint32_t *registers, const WarpAccess &access) {
  for (uint32_t lane = 0; lane < 32; lane += 4) {
    std::array<Words, 4> rows;
    for (uint32_t i = 0; i < 4; ++i) std::memcpy(&rows[i], access.region + access.offsets[lane + i], sizeof(Words));
    transpose(rows);
    for (uint32_t n = 0; n < 4; ++n) std::memcpy(x.lanes<uint32_t>(registers[n]) + lane, &rows[n], sizeof(Words));
  }
}

void store_vectors(Execution &x, const uint32_t *registers, const WarpAccess &access) {
  for (uint32_t lane = 0; lane < 32; lane += 4) {
    std::array<Words, 4> rows;
    for (uint32_t n = 0; n < 4; ++n) std::memcpy(&rows[n], x.lanes<uint32_t>(registers[n]) + lane, sizeof(Words));
    transpose(rows);
    for (uint32_t i = 0; i < 4; ++i) std::memcpy(access.region + access.offsets[lane + i], &rows[i], sizeof(Words));
  }
}

/// Elements of T, kCount of them side by side.
template <class T, uint32_t kCount, Place kPlace> Step load(Execution &x, const Op &op) {
  WarpAccess access;
  if (access.resolve(x, op, kCount, kPlace, sizeof(T) * kCount, false)) {
    if (sizeof(T) == 4 && kCount == 4 && x.mask == kAllLanes) return load_vectors(x, op.operands, access), Step::kNext;
    for (uint32_t n = 0; n < kCount; ++n) {
      auto *d = x.lanes<LaneOf<T>>(op.operands[n]);
      const uint8_t *const region = access.region + n * sizeof(T);
      if (kCount == 1 && sizeof(T) == sizeof(*d) && access.is_dense(sizeof(T))) {
        std::memcpy(d, region + access.offsets[0], 32 * sizeof(T));
      } else {
        x.each_lane([&, region](uint32_t i) {
          T value;
          std::memcpy(&value, region + access.offsets[i], sizeof(T));
          d[i] = extended(value);
        });
      }
    }
    return Step::kNext;
  }
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (failed) return;
    const uint64_t address = address_in_lane(x, op, kCount, i);
    const uint8_t *data = view(x, kPlace, address, sizeof(T) * kCount, false);
    if (!data) {
      failed = true;
      return;
    }
    for (uint32_t n = 0; n < kCount; ++n) {
      T value;
      std::memcpy(&value, data + n * sizeof(T), sizeof(T));
      x.lanes<LaneOf<T>>(op.operands[n])[i] = extended(value);
    }
  });
  return failed ? Step::kFault : Step::kNext;
}

template <class T, uint32_t kCount, Place kPlace> Step store(Execution &x, const Op &op) {
  constexpr Step kDone = kPlace == Place::kShared ? Step::kNext : Step::kYield;
  WarpAccess access;
  if (access.resolve(x, op, 0, kPlace, sizeof(T) * kCount, true)) {
    if (sizeof(T) == 4 && kCount == 4 && x.mask == kAllLanes) return store_vectors(x, op.operands + 2, access), kDone;
    for (uint32_t n = 0; n < kCount; ++n) {
      const auto *a = x.lanes<LaneOf<T>>(op.operands[2 + n]);
      uint8_t *const region = access.region + n * sizeof(T);
      if (kCount == 1 && sizeof(T) == sizeof(*a) && access.is_dense(sizeof(T))) {
        std::memcpy(region + access.offsets[0], a, 32 * sizeof(T));
      } else {
        x.each_lane([&, region](uint32_t i) {
          const T value = static_cast<T>(a[i]);
          std::memcpy(region + access.offsets[i], &value, sizeof(T));
        });
      }
    }
    return kDone;
  }
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (failed) return;
    uint8_t *data = view(x, kPlace, address_in_lane(x, op, 0, i), sizeof(T) * kCount, true);
    if (!data) {
      failed = true;
      return;
    }
    for (uint32_t n = 0; n < kCount; ++n) {
      const T value = static_cast<T>(x.lanes<LaneOf<T>>(op.operands[2 + n])[i]);
      std::memcpy(data + n * sizeof(T), &value, sizeof(T));
    }
  });
  return failed ? Step::kFault : kDone;
}

/// atom and red; an atom's old value goes to operand 0, a red has none.
template <class T, bool kHasResult, Place kPlace, auto F> Step atomic(Execution &x, const Op &op) {
  constexpr uint32_t kFirst = kHasResult ? 1 : 0;
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    const uint64_t address = address_in_lane(x, op, kFirst, i);
    uint8_t *data = failed ? nullptr : view(x, kPlace, address, sizeof(T), true, race::Kind::kAtomic);
    if (!data) {
      failed = true;
      return;
    }
    const auto given = static_cast<LaneOf<T>>(x.lanes<LaneOf<T>>(op.operands[kFirst + 2])[i]);
    using Bits = LaneOf<T>;
    Bits *const cell = reinterpret_cast<Bits *>(data);
    // PTX ISA 9.0, "atom": on global memory, not on shared, atom.add.f32 flushes subnormal inputs and results.
    const bool flushes = kPlace == Place::kGlobal || (kPlace == Place::kGeneric && (address & kWindowMask) != kSharedWindow);
    const auto combine = [&](T a, T b) -> T {
      if constexpr (std::is_same_v<T, float>)
        if (flushes) return flush(F(flush(a), flush(b)));
      return static_cast<T>(F(a, b));
    };
    Bits old = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(cell, &old, to_lane<T>(combine(from_lane<T>(old), from_lane<T>(given))), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    if constexpr (kHasResult) x.lanes<Bits>(op.operands[0])[i] = old;
  });
  return failed ? Step::kFault : Step::kYield;
}

template <class T, Place kPlace> Step compare_and_swap(Execution &x, const Op &op) {
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    uint8_t *data = failed ? nullptr : view(x, kPlace, address_in_lane(x, op, 1, i), sizeof(T), true, race::Kind::kAtomic);
    if (!data) {
      failed = true;
      return;
    }
    T expected = x.lanes<T>(op.operands[3])[i];
    __atomic_compare_exchange_n(reinterpret_cast<T *>(data), &expected, x.lanes<T>(op.operands[4])[i], false,
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    x.lanes<T>(op.operands[0])[i] = expected;
  });
  return failed ? Step::kFault : Step::kYield;
}

/// Two halves, each rounded by itself.
template <const SmallFormat &kFormat> constexpr auto kAddPair = [](uint32_t a, uint32_t b) {
  const auto add = [](uint32_t one, uint32_t other) {
    return round_to(kFormat, add_to_odd(value_of(kFormat, one & 0xFFFF), value_of(kFormat, other & 0xFFFF)), Rounding::kNearestEven, false);
  };
  return add(a >> 16, b >> 16) << 16 | add(a, b);
};

template <uint64_t kWindow, bool kIsTo> Step convert_address(Execution &x, const Op &op) {
  auto *d = x.lanes<uint64_t>(op.operands[0]);
  const auto *a = x.lanes<uint64_t>(op.operands[1]);
  x.each_lane([&](uint32_t i) { d[i] = kIsTo ? (kWindow ? a[i] & ~kWindowMask : a[i]) : a[i] | kWindow; });
  return Step::kNext;
}

/// The same offset in the CTA of a rank.
template <class T> Step map_to_cta(Execution &x, const Op &op) {
  auto *d = x.lanes<T>(op.operands[0]);
  const auto *a = x.lanes<T>(op.operands[1]);
  const auto *rank = x.lanes<uint32_t>(op.operands[2]);
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (rank[i] >= x.cluster.ctas.size()) {
      if (!failed) x.note("cluster.rank", "rank " + std::to_string(rank[i]) + " in a cluster of " + std::to_string(x.cluster.ctas.size()));
      failed = true;
      return;
    }
    d[i] = (a[i] & ~static_cast<T>(0xFF000000)) | static_cast<T>(rank[i]) << Cta::kRankShift;
  });
  return failed ? Step::kFault : Step::kNext;
}

Step nothing(Execution &, const Op &) { return Step::kNext; }

/// The rows of loads and stores: one for each space, ordering, vector and type.
class Rows : public FormRows {
 public:
  template <Place kPlace> void add_space(std::string_view load_word, std::string_view store_word) {
    add_types<kPlace, 1>(load_word, store_word, "");
    add_types<kPlace, 2>(load_word, store_word, ".v2");
    add_types<kPlace, 4>(load_word, store_word, ".v4");
  }

 private:
  template <Place kPlace, uint32_t kCount>
  void add_types(std::string_view load_word, std::string_view store_word, std::string_view vector) {
    const auto add_type = [&](const char *type, char width, Handler load_handler, Handler store_handler) {
      const std::string operand = std::string(1, width) + (kCount > 1 ? std::to_string(kCount) : "");
      if (!load_word.empty()) add(std::string(load_word) + std::string(vector) + "." + type, ">" + operand + " a", load_handler);
      if (!store_word.empty()) add(std::string(store_word) + std::string(vector) + "." + type, "a " + operand, store_handler);
    };
#define WW_TYPE(type, T, width) add_type(type, width, load<T, kCount, kPlace>, store<T, kCount, kPlace>)
    WW_TYPE("b8", uint8_t, 'w'), WW_TYPE("u8", uint8_t, 'w'), WW_TYPE("s8", int8_t, 'w');
    WW_TYPE("b16", uint16_t, 'w'), WW_TYPE("u16", uint16_t, 'w'), WW_TYPE("s16", int16_t, 'w');
    WW_TYPE("b32", uint32_t, 'w'), WW_TYPE("u32", uint32_t, 'w'), WW_TYPE("s32", uint32_t, 'w'), WW_TYPE("f32", uint32_t, 'w');
    if constexpr (kCount <= 2)
      WW_TYPE("b64", uint64_t, 'l'), WW_TYPE("u64", uint64_t, 'l'), WW_TYPE("s64", uint64_t, 'l'), WW_TYPE("f64", uint64_t, 'l');
#undef WW_TYPE
  }
};

template <Place kPlace> void add_atomics(Rows &rows, const std::string &space) {
  for (const std::string order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const std::string scope : {"", ".cta", ".cluster", ".gpu", ".sys"}) {
      if (!order.empty() && scope.empty()) continue;
      const std::string atom = "atom" + order + scope + space, red = "red" + order + scope + space;
      // PTX ISA 9.0, "red": it is .relaxed or .release.
      const bool has_red = order != ".acquire" && order != ".acq_rel";
#define WW_ATOMIC(name, T, width, F)                                                                             \
  rows.add(atom + name, std::string(">") + width + " a " + width, atomic<T, true, kPlace, F>);                   \
  if (has_red) rows.add(red + name, std::string("a ") + width, atomic<T, false, kPlace, F>)
      WW_ATOMIC(".add.u32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a + b; });
      WW_ATOMIC(".add.s32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a + b; });
      WW_ATOMIC(".add.u64", uint64_t, "l", [](uint64_t a, uint64_t b) { return a + b; });
      WW_ATOMIC(".add.f32", float, "w", [](float a, float b) { return a + b; });
      WW_ATOMIC(".min.u32", uint32_t, "w", [](uint32_t a, uint32_t b) { return std::min(a, b); });
      WW_ATOMIC(".max.u32", uint32_t, "w", [](uint32_t a, uint32_t b) { return std::max(a, b); });
      WW_ATOMIC(".min.s32", int32_t, "w", [](int32_t a, int32_t b) { return std::min(a, b); });
      WW_ATOMIC(".max.s32", int32_t, "w", [](int32_t a, int32_t b) { return std::max(a, b); });
      WW_ATOMIC(".or.b32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a | b; });
      WW_ATOMIC(".and.b32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a & b; });
      WW_ATOMIC(".xor.b32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a ^ b; });
      WW_ATOMIC(".min.u64", uint64_t, "l", [](uint64_t a, uint64_t b) { return std::min(a, b); });
      WW_ATOMIC(".max.u64", uint64_t, "l", [](uint64_t a, uint64_t b) { return std::max(a, b); });
      WW_ATOMIC(".min.s64", int64_t, "l", [](int64_t a, int64_t b) { return std::min(a, b); });
      WW_ATOMIC(".max.s64", int64_t, "l", [](int64_t a, int64_t b) { return std::max(a, b); });
      WW_ATOMIC(".or.b64", uint64_t, "l", [](uint64_t a, uint64_t b) { return a | b; });
      WW_ATOMIC(".and.b64", uint64_t, "l", [](uint64_t a, uint64_t b) { return a & b; });
      WW_ATOMIC(".xor.b64", uint64_t, "l", [](uint64_t a, uint64_t b) { return a ^ b; });
      WW_ATOMIC(".add.noftz.f16x2", uint32_t, "w", kAddPair<kF16>);
      WW_ATOMIC(".add.noftz.bf16x2", uint32_t, "w", kAddPair<kBf16>);
      WW_ATOMIC(".inc.u32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; });
      WW_ATOMIC(".dec.u32", uint32_t, "w", [](uint32_t a, uint32_t b) { return a == 0 || (a > b) ? b : a - 1; });
#undef WW_ATOMIC
      rows.add(atom + ".exch.b32", ">w a w", atomic<uint32_t, true, kPlace, [](uint32_t, uint32_t b) { return b; }>);
      rows.add(atom + ".exch.b64", ">l a l", atomic<uint64_t, true, kPlace, [](uint64_t, uint64_t b) { return b; }>);
      rows.add(atom + ".cas.b32", ">w a w w", compare_and_swap<uint32_t, kPlace>);
      rows.add(atom + ".cas.b64", ">l a l l", compare_and_swap<uint64_t, kPlace>);
    }
}

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    for (const std::string kind : {"", "::func"}) rows.add_space<Place::kParam>("ld.param" + kind, "st.param" + kind);
    rows.add_space<Place::kParam>("ld.param::entry", "");
    rows.add_space<Place::kGeneric>("ld.local", "st.local");
    rows.add_space<Place::kGlobal>("ld.const", "");
    for (const char *word : {"ld.global", "ld.global.cg", "ld.global.nc", "ld.volatile.global", "ld.relaxed.gpu.global", "ld.acquire.gpu.global",
                             "ld.relaxed.sys.global", "ld.acquire.sys.global", "ld.global.nc.L1::no_allocate"})
      rows.add_space<Place::kGlobal>(word, "");
    for (const char *word : {"st.global", "st.global.cg", "st.volatile.global", "st.relaxed.gpu.global", "st.release.gpu.global"})
      rows.add_space<Place::kGlobal>("", word);
    for (const char *word : {"ld.shared", "ld.shared::cta", "ld.volatile.shared", "ld.shared::cluster"})
      rows.add_space<Place::kShared>(word, "");
    for (const char *word : {"st.shared", "st.shared::cta", "st.volatile.shared", "st.shared::cluster"})
      rows.add_space<Place::kShared>("", word);
    // Scopes do not change what one thread sees; the orders of gpu and sys on global memory stand above.
    for (const std::string scope : {".cta", ".cluster", ".gpu", ".sys"})
      for (const bool is_strong : {false, true}) {
        const std::string load = (is_strong ? "ld.acquire" : "ld.relaxed") + scope, store = (is_strong ? "st.release" : "st.relaxed") + scope;
        const bool has_loads = scope == ".gpu" || scope == ".sys", has_stores = scope == ".gpu";
        rows.add_space<Place::kGlobal>(has_loads ? "" : load + ".global", has_stores ? "" : store + ".global");
        for (const char *space : {".shared", ".shared::cta", ".shared::cluster"})
          rows.add_space<Place::kShared>(load + space, store + space);
        rows.add_space<Place::kGeneric>(load, store);
      }
    rows.add_space<Place::kGeneric>("ld", "st");
    rows.add_space<Place::kGeneric>("ld.volatile", "st.volatile");
    add_atomics<Place::kGlobal>(rows, ".global");
    for (const char *space : {".shared", ".shared::cta", ".shared::cluster"}) add_atomics<Place::kShared>(rows, space);
    add_atomics<Place::kGeneric>(rows, "");
    rows.add("cvta.to.global.u64", ">l l", convert_address<0, true>);
    rows.add("cvta.global.u64", ">l l", convert_address<0, false>);
    rows.add("cvta.to.shared.u64", ">l l", convert_address<kSharedWindow, true>);
    rows.add("cvta.shared.u64", ">l l", convert_address<kSharedWindow, false>);
    // Addresses of variables in .const are those of global memory, and those in .local have their window already.
    for (const char *word : {"cvta.const.u64", "cvta.to.const.u64", "cvta.local.u64", "cvta.to.local.u64"})
      rows.add(word, ">l l", convert_address<0, true>);
    rows.add("cvta.to.param.u64", ">l l", convert_address<kParamWindow, true>);
    rows.add("cvta.param.u64", ">l l", convert_address<kParamWindow, false>);
    rows.add("mapa.shared::cluster.u32", ">w w w", map_to_cta<uint32_t>);
    rows.add("mapa.shared::cluster.u64", ">l l w", map_to_cta<uint64_t>);
    rows.add("mapa.u64", ">l l w", map_to_cta<uint64_t>);
    for (const char *word : {"prefetch.tensormap", "prefetch.global.L2", "prefetch.global.L1", "prefetch.param.tensormap"})
      rows.add(word, "a", nothing);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> memory_forms() { return rows().forms; }

}  // namespace warpwright::emulator
