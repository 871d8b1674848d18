// SPDX-License-Identifier: Apache-2.0
// From the final IR to its protocol. Shares no code with the passes that made the IR.
#pragma once

#include "generator/ir/ptx.h"
#include "generator/plan/records.h"
#include "generator/prove/script.h"

namespace warpwright::prove {

/// What every role does to barriers, regions and accumulators, with its loops.
///
/// Source    of counts, bytes and parities: the operations themselves, not the plan; the plan names roles, and where regions,
///           barriers and columns lie.
Script extract_script(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel);

/// A finite run of it: unroll() of the script.
Protocol extract_protocol(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel);

}  // namespace warpwright::prove
