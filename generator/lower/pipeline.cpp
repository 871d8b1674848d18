// SPDX-License-Identifier: Apache-2.0
// The list of passes and the loop that runs it.
#include "generator/ir/flow.h"
#include "generator/ir/ptx.h"
#include "generator/lower/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"

namespace warpwright::lower {

const std::vector<PassInfo> &pass_list() {
  static const std::vector<PassInfo> passes = {
      {"lower-tiles", "tile-level operations become instructions on slots", create_lower_tiles},
      {"lower-channels", "takes and gives become waits, arrivals, bytes and commits", create_lower_channels},
      {"add-frame", "set-up, tear-down, and the closed kernel", create_add_frame},
      {"insert-fences", "tensor-memory fences where tensor work crosses a barrier", create_insert_fences},
      {"merge-elects", "neighbouring elected blocks join", create_merge_elects},
  };
  return passes;
}

void load_dialects(mlir::MLIRContext &context) {
  // A pass must never run on another thread: our internal errors are exceptions.
  context.disableMultithreading();
  context.loadDialect<ir::flow::FlowDialect, ir::ptx::PtxDialect, mlir::arith::ArithDialect>();
}

mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const plan::KernelPlan &kernel,
                                 const std::function<void(const PassInfo &, mlir::ModuleOp)> &after) {
  for (const PassInfo &info : pass_list()) {
    mlir::PassManager manager(module.getContext());
    manager.enableVerifier(true);
    manager.addPass(info.create(kernel));
    if (mlir::failed(manager.run(module))) return mlir::failure();
    if (after) after(info, module);
  }
  return mlir::success();
}

}  // namespace warpwright::lower
