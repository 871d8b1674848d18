// SPDX-License-Identifier: Apache-2.0
// A forced branch has no guard any more: its handler asks for it when the forcing is over.
#include "tools/emulator/machine/forced_branches.h"

#include "tools/emulator/machine/lanewise.h"
#include "tools/emulator/profile/classes.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

template <bool kIsTaken> Step forced_branch(Execution &x, const Op &op) {
  const auto [target, guard, is_negated] = std::array{op.operands[0], op.operands[1], op.operands[2]};
  uint32_t &times = x.cluster.times_forced[{x.cluster.warp_number(x.cta, x.warp.index), op.index}];
  if (times < kMostForced) {
    ++times;
    return kIsTaken ? jump(x, target) : Step::kNext;
  }
  const uint32_t predicate = x.predicate(guard);
  x.mask &= is_negated ? ~predicate : predicate;
  return x.mask ? jump(x, target) : Step::kNext;
}

}  // namespace

void force_branches(Branches branches, Program &program) {
  if (branches == Branches::kAsData) return;
  const std::vector<profile::Cause> causes = profile::find_causes(*program.kernel);
  const auto is_forced = [&](const Op &op) {
    return op.guard != kAbsent && op.index < causes.size() && causes[op.index] == profile::Cause::kData;
  };
  // Operands are pointers into it, so it must not move.
  program.forced.reserve(static_cast<size_t>(std::count_if(program.ops.begin(), program.ops.end(), is_forced)));
  for (Op &op : program.ops) {
    if (!is_forced(op)) continue;
    program.forced.push_back({op.operands[0], op.guard, op.guard_is_negated});
    op.operands = program.forced.back().data();
    op.guard = kAbsent;
    op.handler = branches == Branches::kTaken ? forced_branch<true> : forced_branch<false>;
  }
}

}  // namespace warpwright::emulator
