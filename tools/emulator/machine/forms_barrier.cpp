// SPDX-License-Identifier: Apache-2.0
// mbarriers, barriers of CTAs and clusters, fences. PTX ISA 9.0, "Parallel Synchronization and Communication Instructions".
#include "tools/emulator/machine/forms.h"

#include <deque>

namespace warpwright::emulator {

namespace {

/// An mbarrier instruction without a state space takes a generic address (PTX ISA 9.0, "mbarrier.init").
uint64_t without_window(uint64_t address) { return (address & kWindowMask) == kSharedWindow ? address & ~kWindowMask : address; }

/// One lane's mbarrier, nullptr with a finding where there is none.
Mbarrier *find_barrier(Execution &x, uint64_t address, uint32_t *offset, Cta **cta) {
  if (!find_shared(x, without_window(address), 8, 8, cta, offset)) return nullptr;
  Mbarrier *barrier = (*cta)->shared.barrier(*offset);
  if (!barrier) x.note("mbarrier.not-initialised", "no mbarrier was initialised " + x.cluster.name_of_shared(*offset));
  return barrier;
}

Step init(Execution &x, const Op &op) {
  Step step = Step::kYield;
  x.each_lane([&](uint32_t i) {
    Cta *cta = nullptr;
    uint32_t offset = 0;
    if (!find_shared(x, without_window(address_in_lane(x, op, 0, i)), 8, 8, &cta, &offset)) {
      step = Step::kFault;
      return;
    }
    if (const Error error = cta->shared.init_barrier(offset, x.lanes<uint32_t>(op.operands[2])[i])) x.note(error);
    else if (x.cluster.races) x.cluster.races->init_mbarrier(x.actor(), Cluster::key_of_mbarrier(*cta, offset));
  });
  return step;
}

Step invalidate(Execution &x, const Op &op) {
  Step step = Step::kYield;
  x.each_lane([&](uint32_t i) {
    Cta *cta = nullptr;
    uint32_t offset = 0;
    if (!find_barrier(x, address_in_lane(x, op, 0, i), &offset, &cta)) step = Step::kFault;
    else if (const Error error = cta->shared.invalidate_barrier(offset)) x.note(error);
  });
  return step;
}

void arrive(Execution &x, const Cta &cta, Mbarrier &barrier, uint32_t offset, uint32_t count) {
  if (!change_mbarrier(x.cluster, cta, offset, barrier, [&](Mbarrier &b) { return b.arrive(count); }))
    x.note("mbarrier.over-arrival", std::to_string(count) + " arrival(s) on " + x.cluster.name_of_shared(offset) + ", which waits for " +
                                        std::to_string(barrier.pending) + " of " + std::to_string(barrier.expected) + " in phase " +
                                        std::to_string(barrier.phase));
}

void add_transactions(Execution &x, const Cta &cta, Mbarrier &barrier, uint32_t offset, int64_t bytes) {
  if (!change_mbarrier(x.cluster, cta, offset, barrier, [&](Mbarrier &b) { return b.add_transactions(bytes); }))
    x.note("mbarrier.transactions", "the transaction count of " + x.cluster.name_of_shared(offset) + " leaves its range: " +
                                        std::to_string(barrier.transactions));
}

/// `>?state, [bar], ?number`: number is the bytes (expects) or the count (absent: 1).
template <bool kHasState, bool kArrives, bool kExpects, race::Semantics kSemantics> Step arrive_form(Execution &x, const Op &op) {
  constexpr uint32_t kFirst = kHasState ? 1 : 0;
  Step step = Step::kYield;
  const Mbarrier *last = nullptr;
  x.each_lane([&](uint32_t i) {
    Cta *cta = nullptr;
    uint32_t offset = 0;
    Mbarrier *barrier = find_barrier(x, address_in_lane(x, op, kFirst, i), &offset, &cta);
    if (!barrier) {
      step = Step::kFault;
      return;
    }
    // The lanes of a warp have one clock, so that a barrier is told once.
    if (barrier != last) {
      use_mbarrier(x, *cta, offset, false);
      if (kArrives && x.cluster.races) x.cluster.races->release(x.actor().warp, Cluster::key_of_mbarrier(*cta, offset), kSemantics);
    }
    last = barrier;
    const uint32_t place = op.operands[kFirst + 2];
    const uint32_t number = place == kAbsent ? 1 : x.lanes<uint32_t>(place)[i];
    if constexpr (kHasState) x.lanes<uint64_t>(op.operands[0])[i] = barrier->phase;
    if constexpr (kExpects) add_transactions(x, *cta, *barrier, offset, number);
    if constexpr (kArrives) arrive(x, *cta, *barrier, offset, kExpects ? 1 : number);
  });
  return step;
}

/// The lanes that take part have one value.
template <class T> bool is_same(const T *lanes, uint32_t mask) {
  const T first = lanes[__builtin_ctz(mask)];
  T differs = 0;
  if (mask == kAllLanes)
    for (uint32_t i = 0; i < 32; ++i) differs |= lanes[i] ^ first;
  else
    for (uint32_t left = mask; left; left &= left - 1) differs |= lanes[__builtin_ctz(left)] ^ first;
  return differs == 0;
}

/// `>p, [bar], parity or state, ?hint`. A try_wait parks until the phase completes; a test_wait answers at once.
template <bool kIsParity, bool kMayPark, race::Semantics kSemantics> Step wait(Execution &x, const Op &op) {
  const uint32_t lane = x.first_lane();
  Cta *cta = nullptr;
  uint32_t offset = 0;
  uint32_t complete = 0;
  bool failed = false;
  const uint64_t first_address = address_in_lane(x, op, 1, lane);
  const uint32_t place = op.operands[1];
  const bool is_uniform = place & kWide ? is_same(x.lanes<uint64_t>(place & ~kWide), x.mask) : is_same(x.lanes<uint32_t>(place), x.mask);
  const bool is_one_question = is_uniform && (kIsParity ? is_same(x.lanes<uint32_t>(op.operands[3]), x.mask)
                                                        : is_same(x.lanes<uint64_t>(op.operands[3]), x.mask));
  // Nearly always all lanes ask the same, and one asks for all.
  for (uint32_t left = is_one_question ? 1u << lane : x.mask; left; left &= left - 1) {
    const auto i = static_cast<uint32_t>(__builtin_ctz(left));
    const uint64_t address = address_in_lane(x, op, 1, i);
    const Mbarrier *barrier = find_barrier(x, address, &offset, &cta);
    if (barrier && (i == lane || address != first_address)) use_mbarrier(x, *cta, offset, false);
    if (!barrier) {
      failed = true;
      continue;
    }
    if (cta != &x.cta && !failed) {
      x.note("mbarrier.remote-wait", "waits on an mbarrier of another CTA");
      failed = true;
    }
    const bool holds = kIsParity ? barrier->is_complete(x.lanes<uint32_t>(op.operands[3])[i])
                                 : barrier->phase > x.lanes<uint64_t>(op.operands[3])[i];
    complete |= uint32_t{holds} << i;
    if (holds && x.cluster.races && (i == lane || address != first_address))
      x.cluster.races->acquire(x.actor().warp, Cluster::key_of_mbarrier(*cta, offset), kSemantics);
  }
  if (failed) return Step::kFault;
  if (is_one_question && complete) complete = x.mask;
  // A try_wait may return false before the phase completes. Here the first one does, so that code which takes its return
  // for the completion is seen; one that asks again waits.
  const bool asks_again = x.group.refused_at == x.op->index;
  const bool waits = kMayPark && complete != x.mask && asks_again && !x.group.has_timed_out && is_uniform && kIsParity;
  x.group.refused_at = complete == x.mask ? ~0u : x.op->index;
  if (waits) {
    x.group.wait = Wait::kMbarrier;
    x.group.value = offset;
    x.group.parity = x.lanes<uint32_t>(op.operands[3])[lane];
    return Step::kPark;
  }
  x.group.has_timed_out = false;
  set_predicate(x, op.operands[0], complete);
  return Step::kNext;
}

/// `id, ?threads`: kWaits of the threads; the others arrive and go on.
template <bool kWaits> Step cta_barrier(Execution &x, const Op &op) {
  const uint32_t lane = x.first_lane();
  const uint32_t id = op.operands[0] == kAbsent ? 0 : x.lanes<uint32_t>(op.operands[0])[lane];
  const uint32_t threads = op.operands[1] == kAbsent ? 0 : x.lanes<uint32_t>(op.operands[1])[lane];
  if (id >= x.cta.barriers.size()) return x.fault("barrier.id", "barrier " + std::to_string(id) + "; there are 0 to 15");
  NamedBarrier &barrier = x.cta.barriers[id];
  const uint64_t key = race::Detector::named_barrier(x.cta.rank, id);
  if (x.group.has_arrived) {
    if (static_cast<uint32_t>(barrier.phase) == x.group.parity) {
      x.group.wait = Wait::kNamedBarrier;
      return Step::kPark;
    }
    x.group.has_arrived = false;
    if (x.cluster.races) x.cluster.races->acquire(x.actor().warp, key, race::Semantics::kFull);
    return Step::kNext;
  }
  if (threads % 32) return x.fault("barrier.threads", std::to_string(threads) + " threads: not a multiple of 32");
  if (barrier.arrived == 0) barrier.expected = threads;
  if (barrier.expected != threads)
    return x.fault("barrier.threads", "barrier " + std::to_string(id) + " was entered for " + std::to_string(barrier.expected) +
                                          " threads and now for " + std::to_string(threads));
  barrier.arrived += static_cast<uint32_t>(__builtin_popcount(x.mask));
  const uint32_t wanted = threads ? threads : x.cta.live_threads;
  if (barrier.arrived > wanted)
    return x.fault("barrier.threads", std::to_string(barrier.arrived) + " threads at barrier " + std::to_string(id) + " for " +
                                          std::to_string(wanted));
  if (x.cluster.races) x.cluster.races->release(x.actor().warp, key, race::Semantics::kFull);
  if (barrier.arrived == wanted) {
    barrier.arrived = 0;
    ++barrier.phase;
    if (x.cluster.races) {
      x.cluster.races->complete_phase(key, barrier.phase);
      if (kWaits) x.cluster.races->acquire(x.actor().warp, key, race::Semantics::kFull);
    }
    return Step::kYield;
  }
  if (!kWaits) return Step::kYield;
  x.group.has_arrived = true;
  x.group.wait = Wait::kNamedBarrier;
  x.group.value = id;
  x.group.parity = static_cast<uint32_t>(barrier.phase);
  return Step::kPark;
}

template <race::Semantics kSemantics> Step cluster_arrive(Execution &x, const Op &) {
  const auto phase = static_cast<uint32_t>(x.cluster.cluster_phase);
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (x.warp.cluster_phase[i] == phase + 1) failed = true;
    x.warp.cluster_phase[i] = phase + 1;
  });
  if (failed) return x.fault("barrier.cluster-twice", "arrives at the cluster's barrier again before waiting");
  if (x.cluster.races) x.cluster.races->release(x.actor().warp, race::Detector::cluster_barrier(), kSemantics);
  x.cluster.arrive_at_cluster_barrier(static_cast<uint32_t>(__builtin_popcount(x.mask)));
  return Step::kYield;
}

Step cluster_wait(Execution &x, const Op &) {
  const uint32_t wanted = x.warp.cluster_phase[x.first_lane()];
  if (wanted == 0) return x.fault("barrier.cluster-wait", "waits at the cluster's barrier without having arrived");
  if (x.cluster.cluster_phase >= wanted) {
    if (x.cluster.races) x.cluster.races->acquire(x.actor().warp, race::Detector::cluster_barrier(), race::Semantics::kFull);
    return Step::kNext;
  }
  x.group.wait = Wait::kCluster;
  x.group.value = wanted;
  return Step::kPark;
}

Step nothing(Execution &, const Op &) { return Step::kNext; }

template <race::Semantics kSemantics, class Add>
void add_mbarriers(Add add, std::initializer_list<std::string> arrivals, std::initializer_list<std::string> waits) {
  for (const std::string &order : arrivals) {
    for (const std::string space : {".shared", ".shared::cta", ""}) {
      add("mbarrier.arrive" + order + space + ".b64", ">l a ?w", arrive_form<true, true, false, kSemantics>);
      add("mbarrier.arrive.expect_tx" + order + space + ".b64", ">l a w", arrive_form<true, true, true, kSemantics>);
    }
    add("mbarrier.arrive" + order + ".shared::cluster.b64", ">l a ?w", arrive_form<true, true, false, kSemantics>);
    add("mbarrier.arrive.expect_tx" + order + ".shared::cluster.b64", ">l a w", arrive_form<true, true, true, kSemantics>);
    if (order.starts_with(".release")) continue;
    for (const std::string space : {".shared", ".shared::cta", ".shared::cluster"})
      add("mbarrier.expect_tx" + order + space + ".b64", "a w", arrive_form<false, false, true, kSemantics>);
  }
  for (const std::string &order : waits)
    for (const std::string space : {".shared", ".shared::cta", ""}) {
      add("mbarrier.try_wait.parity" + order + space + ".b64", ">p a w ?w", wait<true, true, kSemantics>);
      add("mbarrier.test_wait.parity" + order + space + ".b64", ">p a w", wait<true, false, kSemantics>);
      add("mbarrier.try_wait" + order + space + ".b64", ">p a l ?w", wait<false, true, kSemantics>);
      add("mbarrier.test_wait" + order + space + ".b64", ">p a l", wait<false, false, kSemantics>);
    }
}

const std::vector<Form> &rows() {
  static std::deque<std::string> texts;
  static const std::vector<Form> all = [] {
    std::vector<Form> forms;
    const auto add = [&](std::string opcode, std::string_view signature, Handler handler, uint32_t flags = 0) {
      texts.push_back(std::move(opcode));
      forms.push_back({texts.back(), signature, handler, flags});
    };
    for (const std::string space : {".shared", ".shared::cta", ""}) {
      add("mbarrier.init" + space + ".b64", "a w", init);
      add("mbarrier.inval" + space + ".b64", "a", invalidate);
    }
    add_mbarriers<race::Semantics::kFull>(add, {"", ".release.cta", ".release.cluster"}, {"", ".acquire.cta", ".acquire.cluster"});
    add_mbarriers<race::Semantics::kRelaxed>(add, {".relaxed.cta", ".relaxed.cluster"}, {".relaxed.cta", ".relaxed.cluster"});
    for (const std::string word : {"barrier.cta.sync", "barrier.sync"}) {
      add(word, "w ?w", cta_barrier<true>);
      add(word + ".aligned", "w ?w", cta_barrier<true>, kAligned);
    }
    for (const std::string word : {"barrier.cta.arrive", "barrier.arrive"}) {
      add(word, "w w", cta_barrier<false>);
      add(word + ".aligned", "w w", cta_barrier<false>, kAligned);
    }
    for (const std::string word : {"bar.sync", "bar.cta.sync"}) add(word, "w ?w", cta_barrier<true>, kAligned);
    for (const std::string word : {"bar.arrive", "bar.cta.arrive"}) add(word, "w w", cta_barrier<false>, kAligned);
    for (const std::string order : {"", ".release", ".relaxed"}) {
      const Handler arrive = order == ".relaxed" ? cluster_arrive<race::Semantics::kRelaxed> : cluster_arrive<race::Semantics::kFull>;
      add("barrier.cluster.arrive" + order, "", arrive);
      add("barrier.cluster.arrive" + order + ".aligned", "", arrive, kAligned);
    }
    for (const std::string order : {"", ".acquire"}) {
      add("barrier.cluster.wait" + order, "", cluster_wait);
      add("barrier.cluster.wait" + order + ".aligned", "", cluster_wait, kAligned);
    }
    for (const std::string space : {"", ".shared::cta", ".shared::cluster"}) add("fence.proxy.async" + space, "", fence<&race::Detector::fence_async_proxy>);
    add("fence.mbarrier_init.release.cluster", "", fence<&race::Detector::fence_mbarrier_init>);
    for (const std::string word : {"fence.acq_rel", "fence.sc", "fence.acquire", "fence.release", "fence"})
      for (const std::string scope : {".cta", ".cluster", ".gpu", ".sys"}) add(word + scope, "", fence<&race::Detector::fence_memory>);
    for (const std::string word : {"fence.release.sync_restrict::shared::cta.cluster", "fence.acquire.sync_restrict::shared::cluster.cluster"})
      add(word, "", fence<&race::Detector::fence_memory>);
    for (const std::string word : {"membar.cta", "membar.gl", "membar.sys"}) add(word, "", fence<&race::Detector::fence_memory>);
    // One direction, from the generic proxy to the asynchronous one: the writer's side, or the issuer's. Either counts; the
    // CUDA C++ Programming Guide 13.0, "Cluster Launch Control", has the issuer's alone after an mbarrier.init.
    for (const std::string side : {"release.sync_restrict::shared::cta.cluster", "acquire.sync_restrict::shared::cluster.cluster"})
      add("fence.proxy.async::generic." + side, "", fence<&race::Detector::fence_async_proxy>);
    // Global memory is not looked at.
    add("fence.proxy.async.global", "", nothing);
    return forms;
  }();
  return all;
}

}  // namespace

std::span<const Form> barrier_forms() { return rows(); }

}  // namespace warpwright::emulator
