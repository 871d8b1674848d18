// SPDX-License-Identifier: Apache-2.0
// The state of one mbarrier, with 64-bit phases, so that what hardware leaves undefined is seen.
#pragma once

#include <cstdint>

namespace warpwright::emulator {

/// Source: PTX ISA 9.0, "Phase of the mbarrier object", "Tracking asynchronous operations by the mbarrier object":
/// a phase completes when no arrival is pending and the transaction count is zero.
struct Mbarrier {
  static constexpr uint32_t kMaxCount = (1u << 20) - 1;
  static constexpr int64_t kMaxTransactions = (1 << 20) - 1;

  uint32_t expected = 0;  ///< arrivals a phase
  uint32_t pending = 0;
  int64_t transactions = 0;  ///< bytes announced and not complete; negative while copies are ahead of their announcement
  uint64_t phase = 0;        ///< phases completed
  bool is_valid = false;

  void init(uint32_t count) { *this = {count, count, 0, 0, true}; }

  /// False: more arrivals than are pending.
  bool arrive(uint32_t count) {
    if (count > pending) return false;
    pending -= count;
    complete_if_due();
    return true;
  }
  /// One arrival more in the current phase. False: beyond the range of the count.
  bool expect_one_more() { return ++pending <= kMaxCount; }
  /// False: beyond the range of the transaction count.
  bool add_transactions(int64_t bytes) {
    transactions += bytes;
    if (transactions > kMaxTransactions || transactions < -kMaxTransactions) return false;
    complete_if_due();
    return true;
  }
  /// The phase of `parity` is the one before the current one.
  bool is_complete(uint32_t parity) const { return (phase & 1) != (parity & 1); }

 private:
  void complete_if_due() {
    if (pending != 0 || transactions != 0) return;
    ++phase;
    pending = expected;
  }
};

}  // namespace warpwright::emulator
