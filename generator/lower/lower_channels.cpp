// SPDX-License-Identifier: Apache-2.0
// lower-channels: takes and gives become waits, arrivals, expected bytes and commits; tokens become slots.
#include "generator/lower/kernel_pass.h"
#include "generator/plan/words.h"

#include "mlir/IR/PatternMatch.h"

namespace warpwright::lower {
namespace {

using namespace ir::flow;
using namespace ir::ptx;
using plan::HandOver;

class LowerChannels : public KernelPass<LowerChannels> {
 public:
  static constexpr llvm::StringLiteral kName{"lower-channels"};
  using KernelPass::KernelPass;

  void runOnOperation() override {
    llvm::SmallVector<FlowRoleOp> roles;
    getOperation().walk([&](FlowRoleOp role) { roles.push_back(role); });
    for (FlowRoleOp role : roles)
      if (mlir::failed(lower_role(role))) return signalPassFailure();
  }

 private:
  using SlotKey = std::pair<std::string, int64_t>;
  std::map<SlotKey, PtxSlotOp> slots_;
  const plan::Role *role_ = nullptr;

  static std::string channel_of(mlir::Operation *op) { return op->getAttrOfType<mlir::FlatSymbolRefAttr>("channel").getValue().str(); }
  static int64_t position_of(mlir::Operation *op) { return op->getAttrOfType<mlir::IntegerAttr>("position").getInt(); }

  mlir::LogicalResult lower_role(FlowRoleOp role) {
    slots_.clear();
    role_ = &kernel().role(role.getSymName().str());
    llvm::SmallVector<mlir::Operation *> takes, gives, drains;
    role.walk([&](mlir::Operation *op) {
      if (mlir::isa<FlowAcquireOp, FlowWaitOp>(op)) takes.push_back(op);
      if (mlir::isa<FlowCommitOp, FlowReleaseOp>(op)) gives.push_back(op);
      if (mlir::isa<FlowDrainOp>(op)) drains.push_back(op);
    });
    for (mlir::Operation *take : takes) insert_next(take, slot_for(role, {channel_of(take), position_of(take)}));
    for (mlir::Operation *give : gives)
      if (mlir::failed(lower_give(give, slot_for(role, {channel_of(give), position_of(give)})))) return mlir::failure();
    for (mlir::Operation *take : takes) lower_wait(take, channel_of(take), position_of(take));
    for (mlir::Operation *drain : drains) lower_drain(drain, slot_for(role, {channel_of(drain), 0}));
    for (mlir::Operation *give : gives) give->erase();
    for (mlir::Operation *take : takes) replace_token(take, slots_.at({channel_of(take), position_of(take)}));
    erase_unused_slots();
    return mlir::success();
  }

  PtxSlotOp slot_for(FlowRoleOp role, const SlotKey &key) {
    auto found = slots_.find(key);
    if (found != slots_.end()) return found->second;
    const plan::Channel &channel = kernel().channel(key.first);
    const int64_t depth = channel.barrier_depth ? channel.barrier_depth : channel.depth;
    mlir::OpBuilder builder(role.getContext());
    builder.setInsertionPointToStart(&role.getBody().front());
    // A position-0 owner's first turns need no predecessor: its waits start at the parity of "the phase before".
    PtxSlotOp slot = PtxSlotOp::create(builder, role.getLoc(), SlotType::get(role.getContext()), key.first, depth, channel.depth, key.second == 0);
    slots_.emplace(key, slot);
    return slot;
  }

  /// A slot moves on after the last operation that needs it, in the block where it was taken.
  void insert_next(mlir::Operation *take, PtxSlotOp slot) {
    mlir::Operation *last = take;
    auto visit = [&](mlir::Operation *user) {
      mlir::Operation *ancestor = take->getBlock()->findAncestorOpInBlock(*user);
      if (ancestor && last->isBeforeInBlock(ancestor)) last = ancestor;
    };
    for (mlir::Operation *user : take->getResult(0).getUsers()) {
      visit(user);
      if (mlir::isa<mlir::UnrealizedConversionCastOp>(user))
        for (mlir::Operation *slot_user : user->getResult(0).getUsers()) visit(slot_user);
    }
    mlir::OpBuilder builder(take->getContext());
    builder.setInsertionPointAfter(last);
    PtxNextOp::create(builder, take->getLoc(), slot);
  }

  static HandOver kind_at(const plan::Channel &channel, int64_t position) { return channel.chain[position].front().hands_over; }

  const plan::NamedBarrier *role_barrier() const {
    for (const plan::NamedBarrier &barrier : kernel().named_barriers)
      if (barrier.name == role_->name + "_sync") return &barrier;
    return nullptr;
  }
  void sync_role(mlir::OpBuilder &builder, mlir::Location where) {
    const plan::NamedBarrier *barrier = role_barrier();
    WARPWRIGHT_ASSERT(barrier, "role " + role_->name + " has no named barrier");
    PtxNamedSyncOp::create(builder, where, barrier->name, barrier->id, barrier->threads);
  }
  int64_t groups_in_flight(const std::string &channel) const {
    for (const plan::BulkGroup &group : kernel().bulk_groups)
      if (group.name == channel) return group.in_flight;
    throw support::InternalError("channel " + channel + " has no bulk group");
  }

  /// The wait for the position before `position`, in front of (for a take) `op`.
  void lower_wait(mlir::Operation *op, const std::string &name, int64_t position) {
    const plan::Channel &channel = kernel().channel(name);
    const int64_t before = position == 0 ? static_cast<int64_t>(channel.chain.size()) - 1 : position - 1;
    mlir::OpBuilder builder(op);
    switch (kind_at(channel, before)) {
      case HandOver::kTma:
      case HandOver::kTensorCommit:
      case HandOver::kArrive: {
        const plan::Barrier *barrier = barrier_from(kernel(), name, before);
        // Arrivals of another CTA's threads order their generic accesses at cluster scope.
        const bool acquire_cluster = barrier->lives_in == plan::CtaScope::kLeader && kind_at(channel, before) == HandOver::kArrive;
        PtxMbarWaitOp::create(builder, op->getLoc(), barrier->name, slots_.at({name, position}), acquire_cluster);
        break;
      }
      case HandOver::kBulkGroup: {
        auto elect = PtxElectOp::create(builder, op->getLoc(), 0);
        mlir::OpBuilder inner = mlir::OpBuilder::atBlockBegin(add_block(elect.getBody()));
        PtxBulkWaitOp::create(inner, op->getLoc(), groups_in_flight(name), /*read=*/true);
        sync_role(builder, op->getLoc());
        break;
      }
      case HandOver::kNamedBarrier:
      case HandOver::kTensorOrder: break;
    }
  }

  mlir::LogicalResult lower_give(mlir::Operation *give, PtxSlotOp slot) {
    const std::string name = channel_of(give);
    const int64_t position = position_of(give);
    const plan::Channel &channel = kernel().channel(name);
    const plan::Barrier *barrier = barrier_from(kernel(), name, position);
    mlir::Location where = give->getLoc();
    mlir::OpBuilder builder(give);
    switch (kind_at(channel, position)) {
      case HandOver::kTma: return announce_bytes(give, *barrier, slot);
      case HandOver::kTensorCommit:
        PtxCommitOp::create(builder, where, barrier->name, slot, barrier->lives_in == plan::CtaScope::kBoth);
        break;
      case HandOver::kArrive: {
        const bool on_leader = barrier->lives_in == plan::CtaScope::kLeader;
        if (role_->issue == plan::Issue::kWarps) {
          PtxSyncwarpOp::create(builder, where);
          auto elect = PtxElectOp::create(builder, where, -1);
          builder.setInsertionPointToStart(add_block(elect.getBody()));
        }
        PtxMbarArriveOp::create(builder, where, barrier->name, slot, on_leader);
        break;
      }
      case HandOver::kNamedBarrier:
        PtxProxyFenceOp::create(builder, where);
        sync_role(builder, where);
        break;
      case HandOver::kBulkGroup: {
        auto elect = PtxElectOp::create(builder, where, 0);
        mlir::OpBuilder inner = mlir::OpBuilder::atBlockBegin(add_block(elect.getBody()));
        PtxBulkCommitOp::create(inner, where);
        break;
      }
      case HandOver::kTensorOrder: break;
    }
    return mlir::success();
  }

  /// Bytes are announced before the first copy can complete: right after the wait for the slot.
  mlir::LogicalResult announce_bytes(mlir::Operation *give, const plan::Barrier &barrier, PtxSlotOp slot) {
    auto payload = give->getAttrOfType<mlir::StringAttr>("payload");
    if (!payload) return give->emitOpError() << "hands over by bytes and must name its payload";
    for (const plan::ExpectedBytes &expect : barrier.expects) {
      if (expect.payload != payload.getValue() || expect.role != role_->name) continue;
      mlir::Operation *take = give->getOperand(0).getDefiningOp();
      mlir::OpBuilder builder(take->getContext());
      builder.setInsertionPointAfter(take);
      PtxMbarExpectOp::create(builder, give->getLoc(), barrier.name, slot, payload.getValue(), expect.bytes,
                                      barrier.lives_in == plan::CtaScope::kLeader);
      return mlir::success();
    }
    return give->emitOpError() << "role @" << role_->name << " announces no bytes of payload " << payload;
  }

  void lower_drain(mlir::Operation *drain, PtxSlotOp slot) {
    const std::string name = channel_of(drain);
    const plan::Channel &channel = kernel().channel(name);
    mlir::OpBuilder builder(drain);
    if (kind_at(channel, static_cast<int64_t>(channel.chain.size()) - 1) == HandOver::kBulkGroup) {
      auto elect = PtxElectOp::create(builder, drain->getLoc(), 0);
      mlir::OpBuilder inner = mlir::OpBuilder::atBlockBegin(add_block(elect.getBody()));
        PtxBulkWaitOp::create(inner, drain->getLoc(), 0, /*read=*/false);
      drain->erase();
      return;
    }
    const int64_t depth = slot.getDepth();
    auto loop = PtxForOp::create(builder, drain->getLoc(), plan::depth_constant(name), depth, "slot");
    mlir::Block *body = add_block(loop.getBody());
    body->addArgument(builder.getI32Type(), drain->getLoc());
    builder.setInsertionPointToStart(body);
    auto next = PtxNextOp::create(builder, drain->getLoc(), slot);
    lower_wait(next, name, 0);
    drain->erase();
  }

  static void replace_token(mlir::Operation *take, PtxSlotOp slot) {
    for (mlir::Operation *user : llvm::make_early_inc_range(take->getResult(0).getUsers())) {
      user->getResult(0).replaceAllUsesWith(slot.getResult());
      user->erase();
    }
    take->erase();
  }

  /// Hand-overs by issue order alone leave slots that only move on.
  void erase_unused_slots() {
    for (auto &[key, slot] : slots_) {
      if (!llvm::all_of(slot->getUsers(), [](mlir::Operation *user) { return mlir::isa<PtxNextOp>(user); })) continue;
      for (mlir::Operation *user : llvm::make_early_inc_range(slot->getUsers())) user->erase();
      slot.erase();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_lower_channels(const plan::KernelPlan &kernel) { return std::make_unique<LowerChannels>(kernel); }

}  // namespace warpwright::lower
