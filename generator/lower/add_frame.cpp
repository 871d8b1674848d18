// SPDX-License-Identifier: Apache-2.0
// add-frame: set-up and tear-down around the roles; what is left of `flow` becomes `ptx`.
#include "generator/lower/kernel_pass.h"

namespace warpwright::lower {
namespace {

using namespace ir::flow;
using namespace ir::ptx;

class AddFrame : public KernelPass<AddFrame> {
 public:
  static constexpr llvm::StringLiteral kName{"add-frame"};
  using KernelPass::KernelPass;

  void runOnOperation() override {
    llvm::SmallVector<FlowKernelOp> kernels;
    getOperation().walk([&](FlowKernelOp kernel_op) { kernels.push_back(kernel_op); });
    for (FlowKernelOp kernel_op : kernels) frame(kernel_op);
  }

 private:
  void frame(FlowKernelOp old) {
    mlir::OpBuilder builder(old);
    auto kernel_op = PtxKernelOp::create(builder, old.getLoc(), old.getSymName(), old.getCtaGroup());
    builder.setInsertionPointToStart(add_block(kernel_op.getBody()));
    add_init(builder, old.getLoc());
    for (FlowRoleOp role : llvm::make_early_inc_range(old.getBody().getOps<FlowRoleOp>())) {
      convert_loops(role);
      auto ptx_role = PtxRoleOp::create(builder, role.getLoc(), role.getSymName());
      ptx_role.getBody().takeBody(role.getBody());
    }
    add_exit(builder, old.getLoc());
    old.erase();
  }

  void convert_loops(FlowRoleOp role) {
    llvm::SmallVector<mlir::Operation *> loops;
    role.walk([&](mlir::Operation *op) {
      if (mlir::isa<FlowTilesOp, FlowForOp, FlowAtOp>(op)) loops.push_back(op);
    });
    for (mlir::Operation *op : loops) {
      mlir::OpBuilder builder(op);
      mlir::Operation *loop = nullptr;
      if (mlir::isa<FlowTilesOp>(op)) loop = PtxTilesOp::create(builder, op->getLoc());
      if (auto counted = mlir::dyn_cast<FlowForOp>(op))
        loop = PtxForOp::create(builder, op->getLoc(), counted.getBound(), counted.getTrips(), counted.getIv());
      if (auto at = mlir::dyn_cast<FlowAtOp>(op)) loop = PtxAtOp::create(builder, op->getLoc(), at.getIv(), at.getIndex());
      loop->getRegion(0).takeBody(op->getRegion(0));
      op->erase();
    }
  }

  std::string tensor_role() const {
    for (const plan::Role &role : kernel().roles)
      if (role.name == "mma") return role.name;
    throw support::InternalError("a kernel with tensor memory needs a role mma, which allocates it");
  }

  /// Barriers before anybody uses them, then tensor memory: the CTAs of a pair allocate together, so both must have started.
  void add_init(mlir::OpBuilder &outer, mlir::Location where) {
    auto init = PtxInitOp::create(outer, where);
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(add_block(init.getBody()));
    auto elect = PtxElectOp::create(builder, where, 0);
    mlir::OpBuilder inner = mlir::OpBuilder::atBlockBegin(add_block(elect.getBody()));
    for (const plan::TensorMap &map : kernel().tensor_maps) PtxPrefetchMapOp::create(inner, where, map.name);
    for (const plan::Barrier &barrier : kernel().barriers) PtxMbarInitOp::create(inner, where, barrier.name, barrier.count, barrier.arrivals);
    PtxMbarInitFenceOp::create(inner, where);
    const bool has_tensor_memory = kernel().tmem.alloc_cols > 0;
    if (has_tensor_memory) {
      if (kernel().cta_group == 2) PtxGroupSyncOp::create(builder, where);
      PtxTmemAllocOp::create(builder, where, tensor_role(), kernel().tmem.alloc_cols);
    }
    PtxGroupSyncOp::create(builder, where);
    if (has_tensor_memory) PtxTmemAddressOp::create(builder, where);
  }

  /// No CTA frees tensor memory or exits while its peer may still signal its barriers or write its columns.
  void add_exit(mlir::OpBuilder &outer, mlir::Location where) {
    auto exit = PtxExitOp::create(outer, where);
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(add_block(exit.getBody()));
    PtxSyncwarpOp::create(builder, where);
    PtxGroupSyncOp::create(builder, where);
    if (kernel().tmem.alloc_cols == 0) return;
    PtxTmemDeallocOp::create(builder, where, tensor_role(), kernel().tmem.alloc_cols);
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_add_frame(const plan::KernelPlan &kernel) { return std::make_unique<AddFrame>(kernel); }

}  // namespace warpwright::lower
