// SPDX-License-Identifier: Apache-2.0
// merge-elects: neighbouring elected blocks of one warp join; one branch instead of two.
#include "generator/lower/kernel_pass.h"

namespace warpwright::lower {
namespace {

using ir::ptx::PtxElectOp;

class MergeElects : public KernelPass<MergeElects> {
 public:
  static constexpr llvm::StringLiteral kName{"merge-elects"};
  using KernelPass::KernelPass;

  void runOnOperation() override {
    llvm::SmallVector<PtxElectOp> elects;
    getOperation().walk([&](PtxElectOp elect) { elects.push_back(elect); });
    // Last first, so that a run of three joins into its first.
    for (PtxElectOp elect : llvm::reverse(elects)) {
      auto before = mlir::dyn_cast_if_present<PtxElectOp>(elect->getPrevNode());
      if (!before || before.getWarp() != elect.getWarp()) continue;
      mlir::Block &target = before.getBody().front();
      target.getOperations().splice(target.end(), elect.getBody().front().getOperations());
      elect.erase();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_merge_elects(const plan::KernelPlan &kernel) { return std::make_unique<MergeElects>(kernel); }

}  // namespace warpwright::lower
