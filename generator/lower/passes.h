// SPDX-License-Identifier: Apache-2.0
// The passes from `flow` to `ptx`, in order. Each is one file and runs alone in warpwright-opt.
#pragma once

#include "generator/plan/records.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpwright::lower {

/// One row of the pipeline.
struct PassInfo {
  std::string name;  ///< as in --dump-after and warpwright-opt
  std::string text;
  std::unique_ptr<mlir::Pass> (*create)(const plan::KernelPlan &kernel);
};

/// Tile-level operations become instructions on slots; a token stands for its slot until lower-channels.
std::unique_ptr<mlir::Pass> create_lower_tiles(const plan::KernelPlan &kernel);
/// Takes and gives become waits, arrivals, expected bytes and commits; tokens become slots. After lower-tiles, whose
/// instructions are the last uses that decide where a slot moves on.
std::unique_ptr<mlir::Pass> create_lower_channels(const plan::KernelPlan &kernel);
/// Adds set-up and tear-down and closes the kernel. After lower-channels.
std::unique_ptr<mlir::Pass> create_add_frame(const plan::KernelPlan &kernel);
/// Orders tensor memory around barriers. After add-frame: allocation and release are tensor work too.
std::unique_ptr<mlir::Pass> create_insert_fences(const plan::KernelPlan &kernel);
/// Joins neighbouring elected blocks of one warp.
std::unique_ptr<mlir::Pass> create_merge_elects(const plan::KernelPlan &kernel);

/// The pipeline, in order.
const std::vector<PassInfo> &pass_list();

/// Registers the dialects that the pipeline reads and writes.
void load_dialects(mlir::MLIRContext &context);

/// Runs every pass with the verifier after each; `after` sees the module after each pass.
mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const plan::KernelPlan &kernel,
                                 const std::function<void(const PassInfo &, mlir::ModuleOp)> &after);

}  // namespace warpwright::lower
