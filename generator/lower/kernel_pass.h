// SPDX-License-Identifier: Apache-2.0
// The common base of the passes: a module pass that knows the kernel's plan.
#pragma once

#include "generator/ir/flow.h"
#include "generator/ir/ptx.h"
#include "generator/lower/passes.h"

#include "mlir/IR/Builders.h"

namespace warpwright::lower {

/// Base of a pass named `Derived::kName`; `kernel()` is the plan whose records the IR names.
template <typename Derived>
class KernelPass : public mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  explicit KernelPass(const plan::KernelPlan &kernel) : kernel_(&kernel) {}
  llvm::StringRef getArgument() const final { return Derived::kName; }
  llvm::StringRef getName() const final { return Derived::kName; }

 protected:
  const plan::KernelPlan &kernel() const { return *kernel_; }
  void getDependentDialects(mlir::DialectRegistry &registry) const override { registry.insert<ir::ptx::PtxDialect>(); }

 private:
  const plan::KernelPlan *kernel_;
};

/// The barrier by which `position` of `channel` hands over, or null where no mbarrier does.
inline const plan::Barrier *barrier_from(const plan::KernelPlan &kernel, llvm::StringRef channel, int64_t position) {
  for (const plan::Barrier &barrier : kernel.barriers)
    if (barrier.channel == channel && barrier.from == position) return &barrier;
  return nullptr;
}

/// Appends an empty block to a region.
inline mlir::Block *add_block(mlir::Region &region) { return &region.emplaceBlock(); }

}  // namespace warpwright::lower
