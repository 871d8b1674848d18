// SPDX-License-Identifier: Apache-2.0
// The second half of `build`: lowered operators are checked, compiled side by side, judged and written.
#pragma once

#include "tools/cli/lowering.h"
#include "tools/cli/options.h"

#include <functional>
#include <vector>

namespace warpwright::cli {

/// Checks each kernel's protocol, compiles every kernel for every architecture and, if nothing failed, writes
/// `<operator>.{cu,ptx,cubin,plan.json,findings.json}` and the archive; the report is written in any case.
///
/// Ensures   output, files and findings are in the operators' order, however the work was divided. A failure leaves the
///           output folder as it was. Called within an InterruptScope, an interrupt gives 130.
/// Returns   the exit code: 4 if a protocol or a compile policy fails, 5 without a compiler.
int build_lowered(std::vector<LoweredOperator> operators, const BuildOptions &options);

/// Calls `body(i)` for i in [0, count) on `jobs` threads (0: one per core); an exception in one is thrown again here.
void for_each_parallel(size_t count, int jobs, const std::function<void(size_t)> &body);

}  // namespace warpwright::cli
