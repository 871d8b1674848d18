// SPDX-License-Identifier: Apache-2.0
// What asynchronous work that an mbarrier counts has in common: its accesses to shared memory, and its completion.
#pragma once

#include "tools/emulator/machine/forms.h"
#include "tools/emulator/machine/issue.h"

namespace warpwright::emulator {

struct CopyIssue : Issue {
  using Issue::Issue;
  /// The work's access to shared memory, in use until `epoch` is observed.
  void touch(const Cta &of, ByteRange range, bool is_write, race::Epoch epoch, race::Kind kind = race::Kind::kAsync) const {
    if (const Error error = cluster->races->touch_async(actor(), of.rank, {&range, 1}, is_write, epoch, kind)) note(error);
  }
  /// An access that is over when an mbarrier's current phase is.
  void use(const Cta &of, ByteRange range, bool is_write, Cta &barrier_cta, uint32_t barrier, race::Kind kind = race::Kind::kAsync) const {
    if (!cluster->races) return;
    const race::Epoch epoch =
        cluster->races->copy_epoch(Cluster::key_of_mbarrier(barrier_cta, barrier), barrier_cta.shared.barrier(barrier)->phase);
    touch(of, range, is_write, epoch, kind);
  }
};

/// Bytes arrive: the transaction count of an mbarrier falls.
void complete(const CopyIssue &issue, Cta &cta, uint32_t barrier_offset, uint32_t bytes);

/// An mbarrier for asynchronous work, at operands[first]: it must lie in `of`. nullptr with a finding.
Mbarrier *find_copy_barrier(Execution &x, const Op &op, uint32_t first, uint32_t lane, const Cta &of, uint32_t *offset);

/// An instruction without a state space takes a generic address.
inline uint64_t without_shared_window(uint64_t address) {
  return (address & kWindowMask) == kSharedWindow ? address & ~kWindowMask : address;
}

/// False with a finding: several lanes would each do all of a bulk copy.
bool is_one_lane_of_bulk(Execution &x);
/// False with a finding: not a multiple of 16.
bool is_bulk_size(Execution &x, uint32_t bytes);

}  // namespace warpwright::emulator
