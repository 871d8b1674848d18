// SPDX-License-Identifier: Apache-2.0
// Branches, the end of a thread, and what a warp's lanes decide together. PTX ISA 9.0, "Control Flow Instructions", "Parallel
// Synchronization and Communication Instructions".
#include "tools/emulator/machine/lanewise.h"

#include <algorithm>

namespace warpwright::emulator {

Step jump(Execution &x, uint32_t target) {
  if (x.mask == x.group.mask) {
    x.group.pc = target;
    return Step::kJump;
  }
  Group taken = x.group;
  taken.mask = x.mask;
  taken.pc = target;
  x.group.mask &= ~x.mask;
  ++x.group.pc;
  x.warp.groups.push_back(taken);
  return Step::kJump;
}

namespace {

Step branch(Execution &x, const Op &op) { return jump(x, op.operands[0]); }

Step end_thread(Execution &x, const Op &) {
  x.cluster.retire(x.cta, static_cast<uint32_t>(__builtin_popcount(x.mask)));
  if (x.mask != x.group.mask) {
    x.group.mask &= ~x.mask;
    ++x.group.pc;
    return Step::kJump;
  }
  auto &groups = x.warp.groups;
  groups.erase(groups.begin() + (&x.group - groups.data()));
  return Step::kExit;
}

Step trap(Execution &x, const Op &) { return x.fault("kernel.trap", "the kernel traps"); }

Step nothing(Execution &, const Op &) { return Step::kNext; }
Step others_first(Execution &, const Op &) { return Step::kYield; }

/// Parks until the lanes of `mask` stand here together. True when they do.
bool meets(Execution &x, uint32_t mask) {
  const uint32_t wanted = mask & x.warp.live_lanes();
  if ((x.mask & wanted) == wanted) return true;
  x.group.wait = Wait::kWarp;
  x.group.value = mask;
  return false;
}

Step warp_sync(Execution &x, const Op &op) {
  return meets(x, x.lanes<uint32_t>(op.operands[0])[x.first_lane()]) ? Step::kNext : Step::kPark;
}

/// `_|p, mask`: true in one lane, the same every time for one mask.
Step elect(Execution &x, const Op &op) {
  const uint32_t mask = x.lanes<uint32_t>(op.operands[2])[x.first_lane()];
  if (!meets(x, mask)) return Step::kPark;
  const uint32_t among = mask & x.mask;
  if (among == 0) return x.fault("warp.mask", "elect.sync in lanes that its mask does not name");
  const uint32_t leader = static_cast<uint32_t>(__builtin_ctz(among));
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  x.each_lane([&](uint32_t i) { d[i] = leader; });
  set_predicate(x, op.operands[1], 1u << leader);
  return Step::kNext;
}

enum class Shuffle { kIndex, kUp, kDown, kButterfly };

template <Shuffle kMode> Step shuffle(Execution &x, const Op &op) {
  const uint32_t mask = x.lanes<uint32_t>(op.operands[5])[x.first_lane()];
  if (!meets(x, mask)) return Step::kPark;
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  const auto *a = x.lanes<uint32_t>(op.operands[2]);
  const auto *b = x.lanes<uint32_t>(op.operands[3]);
  const auto *c = x.lanes<uint32_t>(op.operands[4]);
  std::array<uint32_t, 32> values;
  std::copy_n(a, 32, values.begin());
  uint32_t is_inside = 0;
  x.each_lane([&](uint32_t i) {
    const uint32_t clamp = c[i] & 0x1F, segment = c[i] >> 8 & 0x1F, amount = b[i] & 0x1F;
    const uint32_t first = i & segment, last = first | (clamp & ~segment);
    uint32_t source = i;
    bool holds = false;
    switch (kMode) {
      case Shuffle::kIndex: source = first | (amount & ~segment), holds = source <= last; break;
      case Shuffle::kUp: holds = i >= amount && i - amount >= last, source = i - amount; break;
      case Shuffle::kDown: source = i + amount, holds = source <= last; break;
      case Shuffle::kButterfly: source = i ^ amount, holds = source <= last; break;
    }
    if (!holds) source = i;
    if (!(x.mask >> source & 1)) x.note("warp.shuffle-source", "reads lane " + std::to_string(source) + ", which takes no part");
    d[i] = values[source & 31];
    is_inside |= uint32_t{holds} << i;
  });
  set_predicate(x, op.operands[1], is_inside);
  return Step::kNext;
}

enum class Vote { kAll, kAny, kUniform, kBallot };

template <Vote kMode> Step vote(Execution &x, const Op &op) {
  const uint32_t mask = x.lanes<uint32_t>(op.operands[2])[x.first_lane()];
  if (!meets(x, mask)) return Step::kPark;
  const uint32_t holds = lanes_where(x, op.operands[1]) & x.mask;
  if constexpr (kMode == Vote::kBallot) {
    auto *d = x.lanes<uint32_t>(op.operands[0]);
    x.each_lane([&](uint32_t i) { d[i] = holds; });
  } else {
    const bool answer = kMode == Vote::kAll ? holds == x.mask : kMode == Vote::kAny ? holds != 0 : holds == 0 || holds == x.mask;
    set_predicate(x, op.operands[0], answer ? kAllLanes : 0);
  }
  return Step::kNext;
}

template <class T, auto F> Step reduce(Execution &x, const Op &op) {
  const uint32_t mask = x.lanes<uint32_t>(op.operands[2])[x.first_lane()];
  if (!meets(x, mask)) return Step::kPark;
  const auto *a = x.lanes<uint32_t>(op.operands[1]);
  T sum = from_lane<T>(a[x.first_lane()]);
  for (uint32_t left = x.mask & (x.mask - 1); left; left &= left - 1) sum = F(sum, from_lane<T>(a[__builtin_ctz(left)]));
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  x.each_lane([&](uint32_t i) { d[i] = to_lane<T>(sum); });
  return Step::kNext;
}

Step active_mask(Execution &x, const Op &op) {
  auto *d = x.lanes<uint32_t>(op.operands[0]);
  x.each_lane([&](uint32_t i) { d[i] = x.mask; });
  return Step::kNext;
}

template <class T> constexpr auto kMin = [](T a, T b) { return a < b ? a : b; };
template <class T> constexpr auto kMax = [](T a, T b) { return a > b ? a : b; };

const Form kForms[] = {
    {"bra", "@", branch}, {"bra.uni", "@", branch},
    {"ret", "", end_thread}, {"exit", "", end_thread}, {"ret.uni", "", end_thread},
    {"trap", "", trap},
    {"nanosleep.u32", "w", others_first},
    {"bar.warp.sync", "w", warp_sync},
    {"elect.sync", ">w|p w", elect},
    {"shfl.sync.idx.b32", ">w|p w w w w", shuffle<Shuffle::kIndex>}, {"shfl.sync.up.b32", ">w|p w w w w", shuffle<Shuffle::kUp>},
    {"shfl.sync.down.b32", ">w|p w w w w", shuffle<Shuffle::kDown>},
    {"shfl.sync.bfly.b32", ">w|p w w w w", shuffle<Shuffle::kButterfly>},
    {"vote.sync.all.pred", ">p p w", vote<Vote::kAll>}, {"vote.sync.any.pred", ">p p w", vote<Vote::kAny>},
    {"vote.sync.uni.pred", ">p p w", vote<Vote::kUniform>}, {"vote.sync.ballot.b32", ">w p w", vote<Vote::kBallot>},
    {"redux.sync.add.u32", ">w w w", reduce<uint32_t, [](uint32_t a, uint32_t b) { return a + b; }>},
    {"redux.sync.add.s32", ">w w w", reduce<uint32_t, [](uint32_t a, uint32_t b) { return a + b; }>},
    {"redux.sync.min.u32", ">w w w", reduce<uint32_t, kMin<uint32_t>>}, {"redux.sync.max.u32", ">w w w", reduce<uint32_t, kMax<uint32_t>>},
    {"redux.sync.min.s32", ">w w w", reduce<int32_t, kMin<int32_t>>}, {"redux.sync.max.s32", ">w w w", reduce<int32_t, kMax<int32_t>>},
    {"redux.sync.and.b32", ">w w w", reduce<uint32_t, [](uint32_t a, uint32_t b) { return a & b; }>},
    {"redux.sync.or.b32", ">w w w", reduce<uint32_t, [](uint32_t a, uint32_t b) { return a | b; }>},
    {"redux.sync.xor.b32", ">w w w", reduce<uint32_t, [](uint32_t a, uint32_t b) { return a ^ b; }>},
    {"activemask.b32", ">w", active_mask},
    // Every grid that this one depends on has ended when it starts here, so neither has anything to do.
    {"griddepcontrol.wait", "", nothing}, {"griddepcontrol.launch_dependents", "", nothing},
};

}  // namespace

std::span<const Form> control_forms() { return kForms; }

}  // namespace warpwright::emulator
