// SPDX-License-Identifier: Apache-2.0
// Barriers, fences and epochs: how knowledge travels. Rules: PTX ISA 9.0, "Memory Consistency Model", "Asynchronous
// Operations", "tcgen05 Memory Consistency Model".
#include "tools/emulator/race/detector.h"

namespace warpwright::emulator::race {

Detector::Detector(uint32_t ctas, uint32_t warps_per_cta, uint32_t shared_bytes, TensorOrder order, Names names)
    : warps_per_cta_(warps_per_cta), order_(order), names_(std::move(names)), warps_(size_t{ctas} * warps_per_cta), tensor_(ctas) {
  for (WarpOrder &warp : warps_) {
    warp.agent = new_agent(), warp.tensor = new_agent(), warp.loads = new_agent(), warp.stores = new_agent();
    warp.wgmma = new_agent(), warp.lane_copies = new_agent();
    warp.acquired.started = 1u << (&warp - warps_.data()) / warps_per_cta;
    step(warp);
  }
  for (uint32_t i = 0; i < ctas; ++i) shared_.emplace_back(shared_bytes);
}

Detector::SyncOrder &Detector::sync(uint64_t key) {
  const auto [found, is_new] = syncs_.try_emplace(key);
  if (is_new) found->second.copies = new_agent();
  return found->second;
}

/// What the warp does from here on is not covered by what it published before.
void Detector::step(WarpOrder &warp) { warp.known.seen.raise(warp.agent, warp.known.seen.of(warp.agent) + 1); }

void Detector::release(uint32_t index, uint64_t key, Semantics semantics) {
  WarpOrder &warp = warps_[index];
  SyncOrder &to = sync(key);
  to.gathered.join(warp.offered);
  to.gathered.started |= warp.acquired.started;
  if (semantics == Semantics::kFull) to.gathered.join_memory(warp.known);
  step(warp);
}

void Detector::complete_phase(uint64_t key, uint64_t phases) {
  SyncOrder &order = sync(key);
  // The completion of a copy makes its own writes visible, and nothing that its issuer did before.
  order.gathered.seen.raise(order.copies, static_cast<uint32_t>(phases));
  order.completed = order.gathered;
  order.phases = phases;
}

void Detector::acquire(uint32_t index, uint64_t key, Semantics semantics) {
  WarpOrder &warp = warps_[index];
  SyncOrder &order = sync(key);
  order.observed = order.phases;
  const Knowledge &from = order.completed;
  warp.copies.raise(order.copies, from.seen.of(order.copies));
  if (semantics == Semantics::kFull) warp.known.join_memory(from);
  warp.acquired.join(from);
}

// Source: PTX ISA 9.0, "Cluster of Cooperative Thread Arrays": a CTA makes sure that its peer's shared memory exists before it
// communicates with the peer through it. All CTAs of a cluster run at once, but nothing says that they start at once.
Error Detector::meet(Actor who, uint32_t cta) const {
  if (warps_[who.warp].acquired.started >> cta & 1) return {};
  return {"cluster.peer-start", "needs CTA rank " + std::to_string(cta) + ", and nothing that it waited for says that this CTA has started"};
}

void Detector::fence_async_proxy(uint32_t index) {
  WarpOrder &warp = warps_[index];
  warp.known.fenced.join(warp.known.seen);
  warp.known.inits.join(warp.known.seen);
  step(warp);
}

void Detector::fence_mbarrier_init(uint32_t index) {
  WarpOrder &warp = warps_[index];
  // Its release covers what the thread itself initialised, and lasts over a relaxed arrival.
  warp.known.inits.raise(warp.agent, warp.known.seen.of(warp.agent));
  warp.offered.inits.join(warp.known.inits);
  step(warp);
}

void Detector::fence_memory(uint32_t index) {
  WarpOrder &warp = warps_[index];
  warp.known.join_memory(warp.acquired);
  warp.offered.join_memory(warp.known);
  step(warp);
}

void Detector::fence_before_thread_sync(uint32_t index) {
  WarpOrder &warp = warps_[index];
  warp.offered.tensor.join(warp.known.tensor);
  step(warp);
}

void Detector::fence_after_thread_sync(uint32_t index) {
  WarpOrder &warp = warps_[index];
  warp.known.tensor.join(warp.acquired.tensor);
  warp.before_tensor.join(warp.known.seen);
  step(warp);
}

void Detector::init_mbarrier(Actor who, uint64_t key) {
  SyncOrder &order = sync(key);
  order.init = own_epoch(who.warp);
  order.init_by = who;
}

Error Detector::use_mbarrier(Actor who, uint64_t key, bool is_async) {
  const SyncOrder &order = sync(key);
  const WarpOrder &warp = warps_[who.warp];
  const bool is_seen = warp.known.seen.covers(order.init) || warp.known.inits.covers(order.init);
  if (is_seen && (!is_async || warp.known.inits.covers(order.init))) return {};
  const auto offset = static_cast<uint32_t>(key);
  const auto cta = static_cast<uint32_t>(key >> 32 & 0xFFFF);
  const std::string init = names_.shared(cta, offset) + ", initialised by " + names_.place(order.init_by.warp, order.init_by.pc);
  if (!is_seen) return {"race.mbarrier-init", "uses mbarrier " + init + ", which nothing orders before it"};
  return {"order.no-init-fence", "asynchronous work signals mbarrier " + init +
                                     ", with neither fence.mbarrier_init nor fence.proxy.async after it"};
}

void Detector::signal_later(Actor who, uint64_t key, uint64_t phases) {
  SyncOrder &order = sync(key);
  order.signalled = phases + 1;
  order.signalled_by = who;
}

// Source: PTX ISA 9.0, "Cluster of Cooperative Thread Arrays", "mapa": shared memory of a CTA is there as long as the CTA is.
Error Detector::end_cta(uint32_t cta) const {
  for (const auto &[key, order] : syncs_)
    if (key >> 60 == 1 && static_cast<uint32_t>(key >> 32 & 0xFFFF) == cta && order.signalled > order.observed)
      return {"async.undrained", "CTA rank " + std::to_string(cta) + " ends, and has not waited for phase " + std::to_string(order.signalled - 1) +
                                     " of mbarrier " + names_.shared(cta, static_cast<uint32_t>(key)) + ", which a signal of " +
                                     names_.place(order.signalled_by.warp, order.signalled_by.pc) + " completes: it may come too late"};
  return {};
}

Epoch Detector::own_epoch(uint32_t warp) const { return {warps_[warp].agent, warps_[warp].known.seen.of(warps_[warp].agent)}; }

Epoch Detector::copy_epoch(uint64_t key, uint64_t phases) { return {sync(key).copies, static_cast<uint32_t>(phases) + 1}; }

Epoch Detector::bulk_epoch(uint32_t warp, uint32_t lane, uint64_t group, bool is_read) {
  const uint64_t key = uint64_t{warp} << 6 | lane << 1 | (is_read ? 1 : 0);
  const auto [found, is_new] = bulk_agents_.try_emplace(key);
  if (is_new) found->second = new_agent();
  return {found->second, static_cast<uint32_t>(group) + 1};
}

void Detector::wait_bulk(uint32_t warp, uint32_t lane, uint64_t groups, bool reads_only) {
  if (groups == 0) return;
  for (const bool is_read : {true, false}) {
    if (reads_only && !is_read) continue;
    const Epoch epoch = bulk_epoch(warp, lane, groups - 1, is_read);
    warps_[warp].known.seen.raise(epoch.agent, epoch.time);
  }
}

Epoch Detector::issue_tensor(uint32_t warp) { return {warps_[warp].tensor, ++warps_[warp].tensor_issued}; }

Detector::Commit Detector::commit(uint32_t warp) const {
  return {{warps_[warp].tensor, warps_[warp].tensor_issued}, warps_[warp].copies};
}

void Detector::commit_arrives(const Commit &commit, uint64_t key) {
  // It has an implicit tcgen05.fence::before_thread_sync, and speaks for no ordinary access of the thread.
  Knowledge &gathered = sync(key).gathered;
  gathered.seen.join(commit.copies);
  gathered.seen.raise(commit.last.agent, commit.last.time);
  gathered.tensor.raise(commit.last.agent, commit.last.time);
}

Epoch Detector::load_epoch(uint32_t warp) const { return {warps_[warp].loads, warps_[warp].loads_waited + 1}; }
Epoch Detector::store_epoch(uint32_t warp) const { return {warps_[warp].stores, warps_[warp].stores_waited + 1}; }

void Detector::wait_tensor_loads(uint32_t index) {
  WarpOrder &warp = warps_[index];
  warp.known.tensor.raise(warp.loads, ++warp.loads_waited);
  warp.known.seen.raise(warp.loads, warp.loads_waited);
}

void Detector::wait_tensor_stores(uint32_t index) {
  WarpOrder &warp = warps_[index];
  warp.known.tensor.raise(warp.stores, ++warp.stores_waited);
  warp.known.seen.raise(warp.stores, warp.stores_waited);
}

}  // namespace warpwright::emulator::race
