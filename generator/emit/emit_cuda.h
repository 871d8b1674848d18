// SPDX-License-Identifier: Apache-2.0
// From the final IR and the plan to the text of one CUDA file.
#pragma once

#include "generator/emit/pipeline.h"
#include "generator/ir/ptx.h"
#include "generator/plan/words.h"

namespace warpwright::emit {

using plan::constant_name;
using plan::depth_constant;

struct EmitOptions {
  bool debug_waits = false;
  bool debug_lines = false;
  std::vector<std::string> formula;  ///< banner lines
  std::string spec_file;             ///< for the banner's regenerating command and #line
};

/// Prints the kernel. The text is deterministic, includes nothing, and has no internal-linkage device symbol.
///
/// Errors    an operation without a printed form is our bug (InternalError).
std::string emit_cuda(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel, const EmitOptions &options);

}  // namespace warpwright::emit
