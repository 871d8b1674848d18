// SPDX-License-Identifier: Apache-2.0
// Where an asynchronous operation was issued, for findings that come later.
#pragma once

#include "tools/emulator/machine/execution.h"

namespace warpwright::emulator {

struct Issue {
  Cluster *cluster;
  Cta *cta;
  uint32_t warp, lane, pc;

  explicit Issue(Execution &x)
      : cluster(&x.cluster), cta(&x.cta), warp(x.warp.index), lane(x.first_lane()), pc(x.op->index) {}
  race::Actor actor() const { return {cluster->warp_number(*cta, warp), pc}; }
  void note(const Error &error) const { cluster->add_finding(*cta, cta->warps[warp], lane, pc, error.slug, error.text); }
  /// A finding that leaves nothing to go on with.
  void stop(const Error &error) const {
    note(error);
    cluster->stop();
  }
};

}  // namespace warpwright::emulator
