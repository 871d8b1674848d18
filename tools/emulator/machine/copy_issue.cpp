// SPDX-License-Identifier: Apache-2.0
// Completion of asynchronous work on an mbarrier, and what bulk copies may not be.
#include "tools/emulator/machine/copy_issue.h"

namespace warpwright::emulator {

void complete(const CopyIssue &issue, Cta &cta, uint32_t barrier_offset, uint32_t bytes) {
  if (const char *slug = Cluster::check_alive(cta)) issue.note({slug, "a copy completes on an mbarrier of a CTA that has ended"});
  Mbarrier *barrier = cta.shared.barrier(barrier_offset);
  if (!barrier) return issue.stop({"mbarrier.not-initialised", "the mbarrier of a copy is gone when it completes"});
  if (!change_mbarrier(*issue.cluster, cta, barrier_offset, *barrier, [&](Mbarrier &b) { return b.add_transactions(-int64_t{bytes}); }))
    issue.stop({"mbarrier.transactions", "the transaction count of " + issue.cluster->name_of_shared(barrier_offset) +
                                             " leaves its range: " + std::to_string(barrier->transactions)});
}

Mbarrier *find_copy_barrier(Execution &x, const Op &op, uint32_t first, uint32_t lane, const Cta &of, uint32_t *offset) {
  Cta *cta = nullptr;
  if (!find_shared(x, without_shared_window(address_in_lane(x, op, first, lane)), 8, 8, &cta, offset)) return nullptr;
  if (cta != &of) {
    x.note("tma.barrier-cta", "the mbarrier lies in CTA " + std::to_string(cta->rank) + ", and not in CTA " + std::to_string(of.rank));
    return nullptr;
  }
  Mbarrier *barrier = cta->shared.barrier(*offset);
  if (!barrier) x.note("mbarrier.not-initialised", "no mbarrier was initialised " + x.cluster.name_of_shared(*offset));
  return barrier;
}

bool is_one_lane_of_bulk(Execution &x) {
  if ((x.mask & (x.mask - 1)) == 0) return true;
  x.note("bulk.many-lanes", std::to_string(__builtin_popcount(x.mask)) + " lanes issue the copy; each would do all of it");
  return false;
}

bool is_bulk_size(Execution &x, uint32_t bytes) {
  if (bytes % 16 == 0) return true;
  x.note("bulk.size", std::to_string(bytes) + " bytes: not a multiple of 16");
  return false;
}

}  // namespace warpwright::emulator
