// SPDX-License-Identifier: Apache-2.0
// insert-fences: tensor-memory fences around barriers, where tensor work crosses them and nowhere else.
#include "generator/lower/kernel_pass.h"

namespace warpwright::lower {
namespace {

using namespace ir::ptx;

/// Source: PTX ISA 9.0, "tcgen05 Memory Consistency Model: inter-thread synchronization": tensor work that follows a
/// barrier wait comes after fence::after_thread_sync; work that precedes an arrive comes before
/// fence::before_thread_sync. tcgen05.commit implies the latter.
///
/// The pass walks each role as its warps run it, from the set-up to the tear-down, and keeps what is still unfenced on
/// some path: the last wait, and whether tensor work came since the last fence. Counted loops run turn by turn, so that
/// blocks of one turn count in that turn alone; the loop over tiles runs until nothing changes, or not at all.
class InsertFences : public KernelPass<InsertFences> {
 public:
  static constexpr llvm::StringLiteral kName{"insert-fences"};
  using KernelPass::KernelPass;

  void runOnOperation() override {
    getOperation().walk([&](PtxKernelOp kernel_op) {
      waits_.clear();
      arrives_.clear();
      State start, end;
      for (PtxInitOp init : kernel_op.getBody().getOps<PtxInitOp>()) run(init.getBody(), start);
      for (PtxRoleOp role : kernel_op.getBody().getOps<PtxRoleOp>()) {
        State state = start;
        run(role.getBody(), state);
        end.join(state);
      }
      for (PtxExitOp exit : kernel_op.getBody().getOps<PtxExitOp>()) run(exit.getBody(), end);
      for (mlir::Operation *wait : waits_) fence_after(wait);
      for (mlir::Operation *arrive : arrives_) fence_before(arrive);
    });
  }

 private:
  /// What may be unfenced at a point.
  struct State {
    llvm::SmallSetVector<mlir::Operation *, 4> waits;
    bool has_work = false;

    void join(const State &other) {
      waits.insert(other.waits.begin(), other.waits.end());
      has_work |= other.has_work;
    }
    bool operator==(const State &other) const { return waits == other.waits && has_work == other.has_work; }
  };

  llvm::SetVector<mlir::Operation *> waits_, arrives_;  ///< those that need a fence
  llvm::DenseMap<mlir::Value, int64_t> turns_;          ///< of the counted loops around

  void run(mlir::Region &region, State &state) {
    for (mlir::Operation &op : region.front()) step(&op, state);
  }

  void step(mlir::Operation *op, State &state) {
    if (auto loop = mlir::dyn_cast<PtxForOp>(op)) return count(loop, state);
    if (auto tiles = mlir::dyn_cast<PtxTilesOp>(op)) return repeat(tiles, state);
    if (auto at = mlir::dyn_cast<PtxAtOp>(op)) {
      if (turns_.lookup(at.getIv()) == static_cast<int64_t>(at.getIndex())) run(at.getBody(), state);
      return;
    }
    if (auto elect = mlir::dyn_cast<PtxElectOp>(op)) return run(elect.getBody(), state);
    if (mlir::isa<PtxMbarArriveOp, PtxGroupSyncOp>(op)) {
      if (state.has_work) arrives_.insert(op);
      state.has_work = false;
    }
    if (mlir::isa<PtxCommitOp>(op)) state.has_work = false;
    if (mlir::isa<PtxMbarWaitOp, PtxGroupSyncOp>(op)) {
      state.waits.clear();
      state.waits.insert(op);
    }
    if (mlir::isa<PtxMmaOp, PtxScaleCopyOp, PtxTensorLoadOp, PtxTmemDeallocOp>(op)) {
      waits_.insert(state.waits.begin(), state.waits.end());
      state.waits.clear();
      state.has_work = true;
    }
    // Nothing can have used tensor memory before, so an allocation needs no fence in front.
    if (mlir::isa<PtxTmemAllocOp>(op)) state.has_work = true;
  }

  void count(PtxForOp loop, State &state) {
    mlir::Value turn = loop.getBody().front().getArgument(0);
    for (int64_t i = 0; i < static_cast<int64_t>(loop.getTrips()); ++i) {
      turns_[turn] = i;
      run(loop.getBody(), state);
    }
  }

  void repeat(PtxTilesOp tiles, State &state) {
    for (State before = state;; before = state) {
      State turn = state;
      run(tiles.getBody(), turn);
      state.join(turn);
      if (state == before) return;
    }
  }

  static void fence_after(mlir::Operation *wait) {
    mlir::OpBuilder builder(wait->getContext());
    builder.setInsertionPointAfter(wait);
    PtxTensorFenceOp::create(builder, wait->getLoc(), "after");
  }

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
