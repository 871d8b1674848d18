// SPDX-License-Identifier: Apache-2.0
// The emulator's events as the protocol check's observations.
#include "tools/cli/conformance.h"

#include "runtime/format/expression.h"
#include "tools/emulator/machine/trace.h"

#include <fmt/format.h>

namespace warpwright::cli {

namespace {

using Seen = prove::Observation::Kind;
using Told = emulator::TraceEvent::Kind;

Seen kind_of(Told kind) {
  switch (kind) {
    case Told::kInit: return Seen::kInit;
    case Told::kWait: return Seen::kWait;
    case Told::kArrive: return Seen::kArrive;
    case Told::kArriveTx: return Seen::kArriveTx;
    case Told::kExpectTx: return Seen::kExpectTx;
    case Told::kLoad: return Seen::kLoad;
    case Told::kStore: return Seen::kStore;
    case Told::kGroupCommit: return Seen::kGroupCommit;
    case Told::kGroupWait: return Seen::kGroupWait;
    case Told::kTensorCopy: return Seen::kTensorCopy;
    case Told::kMma: return Seen::kMma;
    case Told::kCommit: return Seen::kCommit;
    case Told::kTensorLoad: return Seen::kTensorLoad;
    case Told::kTensorLoaded: return Seen::kTensorLoaded;
    case Told::kAlloc: return Seen::kAlloc;
    case Told::kDealloc: return Seen::kDealloc;
    case Told::kSync: return Seen::kSync;
    case Told::kSyncArrive: return Seen::kSyncArrive;
    case Told::kClusterArrive: return Seen::kClusterArrive;
    case Told::kClusterWait: return Seen::kClusterWait;
    case Told::kExit: return Seen::kExit;
    case Told::kEnd: break;
  }
  return Seen::kEnd;
}

prove::Observation observation_of(const emulator::TraceEvent &event) {
  prove::Observation seen;
  seen.kind = kind_of(event.kind);
  seen.cluster = event.cluster;
  seen.cta = event.cta;
  seen.warp = event.warp;
  seen.lanes = event.lanes;
  seen.pc = event.pc;
  seen.ctas = event.ctas;
  seen.parity = event.parity;
  seen.barrier = event.barrier;
  seen.count = event.count;
  seen.bytes = event.bytes;
  seen.shared = event.shared;
  seen.shared_b = event.shared_b;
  seen.shared_cta = event.shared_cta;
  seen.parameter = event.parameter;
  seen.column = event.column;
  return seen;
}

}  // namespace

void ConformanceCheck::listen(void *user, const emulator::TraceEvent &event, emulator::TraceVerdict *verdict) {
  static thread_local prove::Deviation last;
  auto found = static_cast<ConformanceCheck *>(user)->conformance_.observe(observation_of(event));
  if (!found) return;
  last = *std::move(found);
  *verdict = {last.slug, last.text.c_str(), last.pc, last.lane};
}

std::string ConformanceCheck::judge_tiles(const std::string &output_tiles, const std::map<std::string, int64_t> &variables) const {
  std::string why;
  const auto planned = format::evaluate_expression(output_tiles, variables, &why);
  const int64_t tiles = conformance_.tiles();
  if (!planned || tiles < 0 || tiles == *planned) return {};
  return fmt::format("conformance.trips: the launch has worked on {} tiles, the plan has {}", tiles, *planned);
}

}  // namespace warpwright::cli
