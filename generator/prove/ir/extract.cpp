// SPDX-License-Identifier: Apache-2.0
// Interprets the control flow of the final IR, thread by thread, and writes down protocol events.
#include "generator/prove/ir/extract.h"

#include <algorithm>
#include <map>
#include <fmt/format.h>

namespace warpwright::prove {
namespace {

using namespace ir::ptx;

// Two turns of both accumulators.
constexpr int kTiles = 4;
constexpr int64_t kTurnsBeyondDepth = 8;
constexpr int64_t kWarpThreads = 32;

class Extractor {
 public:
  Extractor(PtxKernelOp kernel_op, const plan::KernelPlan &kernel) : kernel_op_(kernel_op), kernel_(kernel) {}

  Protocol run() {
    protocol_.kernel = kernel_op_.getSymName().str();
    declare_barriers();
    kernel_op_.walk([&](PtxSlotOp slot) { max_turns_ = std::max<int64_t>(max_turns_, slot.getDepth() + kTurnsBeyondDepth); });
    for (int cta = 0; cta < static_cast<int>(kernel_op_.getCtaGroup()); ++cta)
      for (auto role : kernel_op_.getBody().getOps<PtxRoleOp>()) run_role(role, cta);
    return std::move(protocol_);
  }

 private:
  PtxKernelOp kernel_op_;
  const plan::KernelPlan &kernel_;
  Protocol protocol_;
  std::map<std::string, int> barrier_index_;  ///< of slot 0, by "name@cta"
  int64_t max_turns_ = kTurnsBeyondDepth;

  // The thread being run.
  const plan::Role *role_ = nullptr;
  Thread *thread_ = nullptr;
  int cta_ = 0, warp_ = 0;
  llvm::DenseMap<mlir::Value, int64_t> turns_;   ///< monotone counter of each slot
  llvm::DenseMap<mlir::Value, int64_t> values_;  ///< loop variables and sub-tiles

  int ctas() const { return static_cast<int>(kernel_.cta_group); }

  static Origin origin_of(mlir::Operation *op) {
    Origin origin;
    origin.op = op->getName().getStringRef().str();
    for (const char *name : {"barrier", "named_barrier", "region", "channel"})
      if (auto symbol = op->getAttrOfType<mlir::FlatSymbolRefAttr>(name)) {
        origin.op += " @" + symbol.getValue().str();
        break;
      }
    if (auto where = mlir::dyn_cast<mlir::FileLineColLoc>(op->getLoc())) {
      origin.where.file = where.getFilename().str();
      origin.where.line = static_cast<int>(where.getLine());
      origin.where.column = static_cast<int>(where.getColumn());
    }
    return origin;
  }

  void declare_barriers() {
    for (int cta = 0; cta < ctas(); ++cta) {
      kernel_op_.walk([&](PtxMbarInitOp init) {
        const std::string name = init.getBarrier().str();
        barrier_index_[fmt::format("{}@{}", name, cta)] = static_cast<int>(protocol_.barriers.size());
        for (int64_t i = 0; i < static_cast<int64_t>(init.getCount()); ++i)
          protocol_.barriers.push_back({fmt::format("{}[{}]@cta{}", name, i, cta), static_cast<int64_t>(init.getArrivals()), false, origin_of(init), cta});
      });
      kernel_op_.walk([&](PtxNamedSyncOp sync) {
        const std::string name = sync.getNamedBarrier().str();
        const std::string key = fmt::format("{}@{}", name, cta);
        if (barrier_index_.count(key)) return;
        barrier_index_[key] = static_cast<int>(protocol_.barriers.size());
        protocol_.barriers.push_back({fmt::format("{}@cta{}", name, cta), static_cast<int64_t>(sync.getThreads()), true, origin_of(sync), cta});
      });
    }
  }

  void run_role(PtxRoleOp role, int cta) {
    role_ = &kernel_.role(role.getRole().str());
    const bool is_elected = role_->issue == plan::Issue::kElected;
    for (int warp = 0; warp < (is_elected ? 1 : role_->num_warps); ++warp) {
      protocol_.threads.push_back({});
      thread_ = &protocol_.threads.back();
      thread_->name = is_elected ? fmt::format("{}@cta{}", role_->name, cta) : fmt::format("{}.warp{}@cta{}", role_->name, warp, cta);
      thread_->cta = cta;
      cta_ = cta;
      warp_ = warp;
      turns_.clear();
      for (mlir::Operation &op : kernel_op_.getBody().front()) {
        if (auto init = mlir::dyn_cast<PtxInitOp>(op)) run_block(init.getBody().front());
        // A role of the leader still sets up and tears down in the other CTA.
        const bool runs = role_->runs_in != plan::CtaScope::kLeader || cta == 0;
        if (&op == role.getOperation() && runs) run_block(role.getBody().front());
        if (auto exit = mlir::dyn_cast<PtxExitOp>(op)) run_block(exit.getBody().front());
      }
    }
  }

  void run_block(mlir::Block &block) {
    for (mlir::Operation &op : block) run(&op);
  }

  void run(mlir::Operation *op) {
    if (run_control(op) || run_barrier(op) || run_copy(op)) return;
    run_tensor(op);
  }

  bool run_control(mlir::Operation *op) {
    if (auto tiles = mlir::dyn_cast<PtxTilesOp>(op)) {
      for (int tile = 0; tile < kTiles; ++tile) run_block(tiles.getBody().front());
      return true;
    }
    if (auto loop = mlir::dyn_cast<PtxForOp>(op)) {
      const int64_t trips = std::min<int64_t>(loop.getTrips(), max_turns_);
      for (int64_t i = 0; i < trips; ++i) {
        values_[loop.getBody().getArgument(0)] = i;
        run_block(loop.getBody().front());
      }
      return true;
    }
    if (auto elect = mlir::dyn_cast<PtxElectOp>(op)) {
      const int64_t warp = static_cast<int64_t>(elect.getWarp());
      const bool in_role = elect->getParentOfType<PtxRoleOp>() != nullptr;
      if (warp < 0 || warp == (in_role ? warp_ : role_->first_warp + warp_)) run_block(elect.getBody().front());
      return true;
    }
    if (auto at = mlir::dyn_cast<PtxAtOp>(op)) {
      if (values_.lookup(at.getIv()) == static_cast<int64_t>(at.getIndex())) run_block(at.getBody().front());
      return true;
    }
    if (auto slot = mlir::dyn_cast<PtxSlotOp>(op)) return turns_[slot.getResult()] = 0, true;
    if (auto next = mlir::dyn_cast<PtxNextOp>(op)) return ++turns_[next.getSlot()], true;
    if (mlir::isa<PtxGroupSyncOp>(op)) return add(op, Event::Kind::kClusterSync), true;
    return false;
  }

  Event &add(mlir::Operation *op, Event::Kind kind, mlir::Value slot = {}) {
    Event event;
    event.kind = kind;
    event.origin = origin_of(op);
    if (slot) event.turn = static_cast<int>(turns_.lookup(slot));
    thread_->events.push_back(std::move(event));
    return thread_->events.back();
  }

  static PtxSlotOp declaration(mlir::Value slot) { return slot.getDefiningOp<PtxSlotOp>(); }
  int64_t slot_index(mlir::Value slot) const { return turns_.lookup(slot) % static_cast<int64_t>(declaration(slot).getDepth()); }
  int64_t buffer_index(mlir::Value slot) const { return turns_.lookup(slot) % static_cast<int64_t>(declaration(slot).getBuffers()); }
  int parity(mlir::Value slot) const {
    const int64_t rounds = turns_.lookup(slot) / static_cast<int64_t>(declaration(slot).getDepth());
    return static_cast<int>((rounds + static_cast<int64_t>(declaration(slot).getParity())) % 2);
  }
  int barrier(llvm::StringRef name, mlir::Value slot, int cta) const {
    auto found = barrier_index_.find(fmt::format("{}@{}", name.str(), cta));
    WARPWRIGHT_ASSERT(found != barrier_index_.end(), "barrier " + name.str() + " is never initialised");
    return found->second + static_cast<int>(slot ? slot_index(slot) : 0);
  }
  std::string region(llvm::StringRef name, mlir::Value slot, int cta) const { return fmt::format("{}[{}]@cta{}", name.str(), buffer_index(slot), cta); }

  bool run_barrier(mlir::Operation *op) {
    if (auto init = mlir::dyn_cast<PtxMbarInitOp>(op)) {
      for (int64_t i = 0; i < static_cast<int64_t>(init.getCount()); ++i)
        add(op, Event::Kind::kInit).barrier = barrier(init.getBarrier(), {}, cta_) + static_cast<int>(i);
      return true;
    }
    if (auto wait = mlir::dyn_cast<PtxMbarWaitOp>(op)) {
      Event &event = add(op, Event::Kind::kWait, wait.getSlot());
      event.barrier = barrier(wait.getBarrier(), wait.getSlot(), cta_);
      event.parity = parity(wait.getSlot());
      return true;
    }
    if (auto expect = mlir::dyn_cast<PtxMbarExpectOp>(op)) {
      if (expect.getLeaderOnly() && cta_ != 0) return true;
      Event &event = add(op, Event::Kind::kArriveTx, expect.getSlot());
      event.barrier = barrier(expect.getBarrier(), expect.getSlot(), cta_);
      event.bytes = static_cast<int64_t>(expect.getBytes());
      return true;
    }
    if (auto arrive = mlir::dyn_cast<PtxMbarArriveOp>(op)) {
      Event &event = add(op, Event::Kind::kArrive, arrive.getSlot());
      event.barrier = barrier(arrive.getBarrier(), arrive.getSlot(), arrive.getOnLeader() ? 0 : cta_);
      event.count = 1;
      return true;
    }
    if (auto commit = mlir::dyn_cast<PtxCommitOp>(op)) {
      for (int cta = 0; cta < ctas(); ++cta)
        if (commit.getMulticast() || cta == cta_)
          add(op, Event::Kind::kCommit, commit.getSlot()).barrier = barrier(commit.getBarrier(), commit.getSlot(), cta);
      return true;
    }
    if (auto sync = mlir::dyn_cast<PtxNamedSyncOp>(op)) {
      Event &event = add(op, Event::Kind::kSync);
      event.barrier = barrier(sync.getNamedBarrier(), {}, cta_);
      event.count = static_cast<int64_t>(sync.getThreads());
      event.bytes = kWarpThreads;
      return true;
    }
    return false;
  }

  std::string staging(llvm::StringRef name, mlir::Value slot, int warp) const { return fmt::format("{}[{}].warp{}@cta{}", name.str(), buffer_index(slot), warp, cta_); }

  bool run_copy(mlir::Operation *op) {
    if (auto load = mlir::dyn_cast<PtxTmaLoadOp>(op)) {
      Event &event = add(op, Event::Kind::kCopy, load.getSlot());
      event.barrier = barrier(load.getBarrier(), load.getSlot(), load.getOnLeader() ? 0 : cta_);
      event.bytes = static_cast<int64_t>(load.getBytes());
      event.resource = region(load.getRegion(), load.getSlot(), cta_);
      return true;
    }
    if (auto store = mlir::dyn_cast<PtxTmaStoreOp>(op)) {
      Event &event = add(op, Event::Kind::kCopy, store.getSlot());
      event.resource = staging(store.getRegion(), store.getSlot(), 0);
      for (int warp = 1; warp < role_->num_warps; ++warp) event.reads.push_back(staging(store.getRegion(), store.getSlot(), warp));
      return true;
    }
    if (mlir::isa<PtxBulkCommitOp>(op)) return add(op, Event::Kind::kGroupCommit), true;
    if (auto wait = mlir::dyn_cast<PtxBulkWaitOp>(op)) return add(op, Event::Kind::kGroupWait).count = static_cast<int64_t>(wait.getLeft()), true;
    if (auto stage = mlir::dyn_cast<PtxStageRowOp>(op)) return add(op, Event::Kind::kWrite, stage.getSlot()).resource = staging(stage.getRegion(), stage.getSlot(), warp_), true;
    return false;
  }

  /// The pieces of an accumulator between two columns of its range: parts where it has them.
  std::vector<std::string> accumulator(llvm::StringRef channel, mlir::Value slot, int64_t first_col, int64_t cols, int cta) const {
    const plan::TmemRange &range = kernel_.tmem_range(kernel_.channel(channel.str()).regions[static_cast<size_t>(buffer_index(slot))]);
    if (range.parts.empty()) return {fmt::format("{}@cta{}", range.name, cta)};
    const int64_t first = range.first_col + first_col, end = first + cols;
    std::vector<std::string> pieces;
    for (const plan::TmemPart &part : kernel_.tmem.parts)
      if (part.first_col < end && first < part.first_col + part.cols) pieces.push_back(fmt::format("{}.{}@cta{}", channel.str(), part.name, cta));
    return pieces;
  }

  std::string scales(llvm::StringRef range, mlir::Value copy, int cta) const { return fmt::format("{}[{}]@cta{}", range.str(), copy ? buffer_index(copy) : 0, cta); }

  void run_tensor(mlir::Operation *op) {
    if (auto copy = mlir::dyn_cast<PtxScaleCopyOp>(op)) {
      Event &event = add(op, Event::Kind::kTensorCopy, copy.getSlot());
      for (int cta = 0; cta < ctas(); ++cta) {
        event.reads.push_back(region(copy.getRegion(), copy.getSlot(), cta));
        event.writes.push_back(scales(copy.getRange(), copy.getCopy(), cta));
      }
    }
    if (auto mma = mlir::dyn_cast<PtxMmaOp>(op)) run_mma(mma);
    if (auto subtile = mlir::dyn_cast<PtxSubtileOp>(op)) {
      const int64_t step = values_.lookup(subtile.getStep());
      const bool backwards = subtile.getSharedFirst() && buffer_index(subtile.getAcc()) == 0;
      values_[subtile.getResult()] = backwards ? static_cast<int64_t>(subtile.getSubtiles()) - 1 - step : step;
    }
    if (auto wait = mlir::dyn_cast<PtxTensorWaitOp>(op)) {
      auto load = wait.getInput().getDefiningOp<PtxTensorLoadOp>();
      const int64_t cols = static_cast<int64_t>(load.getSubtileCols());
      for (const std::string &piece : accumulator(load.getRange(), load.getSlot(), values_.lookup(load.getSubtile()) * cols, cols, cta_))
        add(op, Event::Kind::kRead, load.getSlot()).resource = piece;
    }
  }

  void run_mma(PtxMmaOp mma) {
    auto acc = mma.getAcc().getDefiningOp<PtxAccumulatorOp>();
    const bool overwrites = mma.getFirst() && values_.lookup(mma.getFirst()) == 0;
    const int64_t cols = kernel_.tmem_range(kernel_.channel(acc.getChannel().str()).regions[0]).cols;
    Event &event = add(mma, Event::Kind::kMma, acc.getSlot());
    for (int cta = 0; cta < ctas(); ++cta) {
      for (mlir::Value operand : {mma.getA(), mma.getB()}) {
        auto descriptor = operand.getDefiningOp<PtxDescriptorOp>();
        event.reads.push_back(region(descriptor.getRegion(), descriptor.getSlot(), cta));
      }
      if (mma.getScalesA())
        for (llvm::StringRef range : {*mma.getScalesA(), *mma.getScalesB()}) event.reads.push_back(scales(range, mma.getCopy(), cta));
      for (const std::string &piece : accumulator(acc.getChannel(), acc.getSlot(), 0, cols, cta)) {
        event.writes.push_back(piece);
        if (!overwrites) event.reads.push_back(piece);
      }
    }
  }
};

}  // namespace

Protocol extract_protocol(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel) { return Extractor(kernel_op, kernel).run(); }

}  // namespace warpwright::prove
