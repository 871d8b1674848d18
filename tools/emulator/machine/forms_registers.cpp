// SPDX-License-Identifier: Apache-2.0
// setmaxnreg: warps give registers to their CTA's pool, or wait for some. PTX ISA 9.0, "setmaxnreg".
#include "tools/emulator/machine/forms.h"

namespace warpwright::emulator {

namespace {

constexpr uint32_t kLeast = 24, kMost = 256, kUnit = 8;

std::string text_of(RegisterPool::Change change) {
  return (change.is_increase ? "setmaxnreg.inc of " : "setmaxnreg.dec of ") + std::to_string(change.count);
}

/// All warps of a warpgroup make the same changes, and meet between two.
void compare_with_peers(Execution &x, RegisterPool &pool, RegisterPool::Change change) {
  const uint32_t warp = x.warp.index;
  if (const auto other = pool.compare(warp, change); other && *other != change)
    x.note("warp.registers-diverged", "a warp of the same warpgroup executes " + text_of(*other) + " here");
  const size_t number = pool.share(warp).num_changes;
  if (number == 0) return;
  pool.each_peer(warp, [&](uint32_t peer, const RegisterPool::Share &share) {
    if (peer == warp || x.cta.warps[peer].live_lanes() == 0) return;
    const bool is_behind = share.num_changes < number;
    const bool is_known = is_behind || share.num_changes > number || !x.cluster.races || x.cluster.races->has_seen(x.actor().warp, share.last);
    if (is_behind || !is_known)
      x.note("order.setmaxnreg", "the warps of the warpgroup have not synchronised since their last setmaxnreg: warp " + std::to_string(peer));
  });
}

template <bool kIsIncrease> Step set_registers(Execution &x, const Op &op) {
  RegisterPool &pool = x.cta.registers;
  const uint32_t count = op.operands[0], warp = x.warp.index;
  RegisterPool::Share &share = pool.share(warp);
  if (!share.is_waiting) {
    if (count < kLeast || count > kMost || count % kUnit)
      return x.fault("warp.register-count", std::to_string(count) + " registers: a multiple of 8 from 24 to 256 stands here");
    compare_with_peers(x, pool, {kIsIncrease, count});
    if (!pool.is_bounded()) {
      ++share.num_changes;
      x.note("warp.register-bound", "the kernel bounds no registers (.maxnreg, or .minnctapersm with .maxntid or .reqntid), so this has no effect");
      return Step::kNext;
    }
    if (kIsIncrease ? count < share.owned : count > share.owned)
      return x.fault("warp.register-count", std::to_string(count) + " registers, and the warp owns " + std::to_string(share.owned) + " a thread");
    if (const uint32_t most = pool.most_for(warp); count > most)
      return x.fault("warp.register-pool", std::to_string(count) + " registers: the pool can never give this warpgroup more than " +
                                               std::to_string(most) + " a thread");
  }
  share.is_waiting = !pool.has(warp, count);
  if (share.is_waiting) {
    x.group.wait = Wait::kRegisters;
    x.group.value = count;
    return Step::kPark;
  }
  pool.set(warp, count);
  ++share.num_changes;
  if (x.cluster.races) share.last = x.cluster.races->own_epoch(x.actor().warp);
  return Step::kYield;
}

const Form kForms[] = {
    {"setmaxnreg.inc.sync.aligned.u32", "i", set_registers<true>, kAligned},
    {"setmaxnreg.dec.sync.aligned.u32", "i", set_registers<false>, kAligned},
};

}  // namespace

std::span<const Form> register_forms() { return kForms; }

}  // namespace warpwright::emulator
