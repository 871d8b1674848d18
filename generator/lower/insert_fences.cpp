// SPDX-License-Identifier: Apache-2.0
// insert-fences: tensor-memory fences around barriers, in the roles that touch tensor memory.
#include "generator/lower/kernel_pass.h"

namespace warpwright::lower {
namespace {

using namespace ir::flow;
using namespace ir::ptx;

/// Source: PTX ISA 9.0, "tcgen05 Memory Consistency Model: inter-thread synchronization": tensor work that follows a
/// barrier wait comes after fence::after_thread_sync; work that precedes an arrive comes before
/// fence::before_thread_sync. tcgen05.commit implies the latter.
class InsertFences : public KernelPass<InsertFences> {
 public:
  static constexpr llvm::StringLiteral kName{"insert-fences"};
  using KernelPass::KernelPass;

  void runOnOperation() override {
    getOperation().walk([&](FlowRoleOp role) {
      bool has_tensor_work = false;
      llvm::SmallVector<mlir::Operation *> waits, arrives;
      role.walk([&](mlir::Operation *op) {
        if (mlir::isa<PtxMmaOp, PtxScaleCopyOp, PtxTensorLoadOp>(op)) has_tensor_work = true;
        if (mlir::isa<PtxMbarWaitOp>(op)) waits.push_back(op);
        if (mlir::isa<PtxMbarArriveOp>(op)) arrives.push_back(op);
      });
      if (!has_tensor_work) return;
      for (mlir::Operation *wait : waits) {
        mlir::OpBuilder builder(wait->getContext());
        builder.setInsertionPointAfter(wait);
        PtxTensorFenceOp::create(builder, wait->getLoc(), "after");
      }
      for (mlir::Operation *arrive : arrives) fence_before(arrive);
    });
  }

 private:
  /// Every lane fences, then the lanes meet, then one arrives.
  static void fence_before(mlir::Operation *arrive) {
    mlir::Operation *first = arrive;
    if (auto elect = mlir::dyn_cast<PtxElectOp>(arrive->getParentOp())) first = elect;
    if (mlir::isa_and_nonnull<PtxSyncwarpOp>(first->getPrevNode())) first = first->getPrevNode();
    mlir::OpBuilder builder(first);
    PtxTensorFenceOp::create(builder, arrive->getLoc(), "before");
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_insert_fences(const plan::KernelPlan &kernel) { return std::make_unique<InsertFences>(kernel); }

}  // namespace warpwright::lower
