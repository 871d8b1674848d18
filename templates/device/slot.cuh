// SPDX-License-Identifier: Apache-2.0
/// A role's turn in a ring of kDepth slots: which slot, and the parity that a wait on its barrier takes.
struct Slot {
  u32 index;
  u32 parity;
  template <u32 kDepth> WW_DEVICE void next() {
    if (++index == kDepth) {
      index = 0;
      parity ^= 1;
    }
  }
};
