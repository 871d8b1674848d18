// SPDX-License-Identifier: Apache-2.0
// From the final IR to a finite run of its protocol. Shares no code with the passes that made the IR.
#pragma once

#include "generator/ir/ptx.h"
#include "generator/plan/records.h"
#include "generator/prove/protocol.h"

namespace warpwright::prove {

/// Runs every role of every CTA of the group for several tiles and several turns of each ring, and records what it does
/// to barriers, regions and accumulators.
///
/// Units     loops longer than the deepest ring plus eight are cut to that many turns, in every role alike.
/// Source    of counts, bytes and parities: the operations themselves, not the plan; the plan names roles and columns.
Protocol extract_protocol(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel);

}  // namespace warpwright::prove
