// SPDX-License-Identifier: Apache-2.0
// Holds what the compiler said against what the plan allows.
#pragma once

#include "generator/compile/compile.h"
#include "generator/compile/ptxas_log.h"

namespace warpwright::compile {

/// The findings of one kernel, those of the log's figures first, then its remarks in their order.
///
/// Requires  `ptx` is the text that the log is about: it tells local arrays from spills.
std::vector<Finding> judge(const PtxasLog &log, const std::string &ptx, const target::SmTarget &target,
                           const CompilePolicy &policy);

/// Adds one error for each finding that fails.
void report_failures(const std::vector<Finding> &findings, const std::string &kernel_name,
                     support::Diagnostics &diagnostics);

}  // namespace warpwright::compile
