// SPDX-License-Identifier: Apache-2.0
// What must hold of `flow` operations: channels are well formed, and every token is taken and given by an owner.
#include "generator/ir/flow.h"
#include "generator/ir/loop_syntax.h"
#include "generator/plan/words.h"

#include "mlir/IR/SymbolTable.h"

namespace warpwright::ir::flow {

namespace {

FlowChannelOp find_channel(mlir::Operation *op, mlir::FlatSymbolRefAttr name) {
  auto kernel = op->getParentOfType<FlowKernelOp>();
  if (!kernel) return nullptr;
  for (auto channel : kernel.getBody().getOps<FlowChannelOp>())
    if (channel.getSymName() == name.getValue()) return channel;
  return nullptr;
}

/// Channel operations may stand only under loops with static bounds, the scheduler's loop, `at`, and the role itself.
mlir::LogicalResult verify_static_control(mlir::Operation *op) {
  for (mlir::Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (mlir::isa<FlowRoleOp>(parent)) return mlir::success();
    if (!mlir::isa<FlowTilesOp, FlowForOp, FlowAtOp>(parent))
      return op->emitOpError() << "stands under '" << parent->getName() << "': channel operations must not depend on data";
  }
  return op->emitOpError() << "stands outside a role";
}

mlir::LogicalResult verify_owner(mlir::Operation *op, mlir::FlatSymbolRefAttr name, int64_t position) {
  FlowChannelOp channel = find_channel(op, name);
  if (!channel) return op->emitOpError() << "names unknown channel " << name;
  if (position < 0 || position >= static_cast<int64_t>(channel.getChain().size()))
    return op->emitOpError() << "position " << position << " is outside " << name << "'s chain of " << channel.getChain().size();
  auto role = op->getParentOfType<FlowRoleOp>();
  if (!role) return op->emitOpError() << "stands outside a role";
  auto owners = mlir::cast<mlir::ArrayAttr>(channel.getChain()[position]);
  for (mlir::Attribute owner : owners)
    if (mlir::cast<mlir::StringAttr>(owner).getValue() == role.getSymName()) return verify_static_control(op);
  return op->emitOpError() << "role @" << role.getSymName() << " does not own position " << position << " of " << name;
}

template <typename Take>
mlir::LogicalResult verify_take(Take op, bool is_first) {
  if ((op.getPosition() == 0) != is_first)
    return op->emitOpError() << (is_first ? "takes position 0 only" : "takes positions after 0");
  return verify_owner(op, op.getChannelAttr(), op.getPosition());
}

bool contains(mlir::ArrayAttr words, llvm::StringRef word) {
  return llvm::any_of(words, [&](mlir::Attribute each) { return mlir::cast<mlir::StringAttr>(each).getValue() == word; });
}

template <typename Give>
mlir::LogicalResult verify_give(Give op, bool is_first) {
  if ((op.getPosition() == 0) != is_first)
    return op->emitOpError() << (is_first ? "gives from position 0 only" : "gives from positions after 0");
  if (mlir::failed(verify_owner(op, op.getChannelAttr(), op.getPosition()))) return mlir::failure();
  mlir::Operation *taken = op.getToken().getDefiningOp();
  mlir::FlatSymbolRefAttr from = taken ? taken->getAttrOfType<mlir::FlatSymbolRefAttr>("channel") : nullptr;
  if (from != op.getChannelAttr()) return op->emitOpError() << "gives a token of " << from << " to " << op.getChannelAttr();
  FlowChannelOp channel = find_channel(op, op.getChannelAttr());
  if (auto payload = op.getPayload(); payload && !contains(channel.getPayloads(), *payload))
    return op->emitOpError() << op.getChannelAttr() << " has no payload \"" << *payload << "\"";
  if (auto part = op.getPart(); part && !contains(channel.getParts(), *part))
    return op->emitOpError() << op.getChannelAttr() << " has no part \"" << *part << "\"";
  return mlir::success();
}

}  // namespace

mlir::LogicalResult FlowKernelOp::verify() {
  if (getCtaGroup() != 1 && getCtaGroup() != 2) return emitOpError() << "cta_group must be 1 or 2";
  return mlir::success();
}

mlir::LogicalResult FlowChannelOp::verify() {
  if (static_cast<int64_t>(getDepth()) < 1) return emitOpError() << "depth must be at least 1";
  if (getChain().size() < 2) return emitOpError() << "a chain has at least two positions";
  if (getChain().size() != getHandsOver().size() || getChain().size() != getScopes().size())
    return emitOpError() << "chain, hands_over and scopes differ in length";
  for (auto [owners, kinds] : llvm::zip(getChain(), getHandsOver())) {
    auto owner_list = mlir::dyn_cast<mlir::ArrayAttr>(owners);
    auto kind_list = mlir::dyn_cast<mlir::ArrayAttr>(kinds);
    if (!owner_list || !kind_list || owner_list.empty() || owner_list.size() != kind_list.size())
      return emitOpError() << "every position lists its roles and one hand-over for each";
    for (mlir::Attribute kind : kind_list)
      if (auto word = mlir::dyn_cast<mlir::StringAttr>(kind); !word || !plan::hand_over_from(word.getValue()))
        return emitOpError() << "unknown hand-over " << kind;
    if (!llvm::all_equal(kind_list)) return emitOpError() << "roles that join at one position hand over in one way";
  }
  return mlir::success();
}

mlir::LogicalResult FlowTilesOp::verify() { return verify_i32_arguments(*this, 2); }
mlir::LogicalResult FlowForOp::verify() {
  if (static_cast<int64_t>(getTrips()) < 0) return emitOpError() << "trips must not be negative";
  return verify_i32_arguments(*this, 1);
}
mlir::LogicalResult FlowAtOp::verify() {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(getIv());
  if (!argument || !mlir::isa<FlowForOp>(argument.getOwner()->getParentOp()))
    return emitOpError() << "compares something else than a loop variable";
  return mlir::success();
}
mlir::LogicalResult FlowAcquireOp::verify() { return verify_take(*this, true); }
mlir::LogicalResult FlowWaitOp::verify() { return verify_take(*this, false); }
mlir::LogicalResult FlowCommitOp::verify() { return verify_give(*this, true); }
mlir::LogicalResult FlowReleaseOp::verify() { return verify_give(*this, false); }

mlir::LogicalResult FlowLoadOp::verify() {
  if (getCoordinates().empty() || getCoordinates().size() > 5) return emitOpError() << "a tensor map has 1 to 5 dimensions";
  return mlir::success();
}
mlir::LogicalResult FlowCopyScalesOp::verify() {
  if (static_cast<int64_t>(getAtoms()) < 1 || static_cast<int64_t>(getRowBlocks()) < 1)
    return emitOpError() << "copies at least one atom of one row block";
  return mlir::success();
}
mlir::LogicalResult FlowMmaOp::verify() {
  const bool scaled = getKind() == "nvf4" || getKind() == "mxf4";
  if (!scaled && getKind() != "f16") return emitOpError() << "unknown kind \"" << getKind() << "\"";
  if (scaled != static_cast<bool>(getScales())) return emitOpError() << "block-scaled kinds, and only they, take scales";
  const int64_t steps = getSteps(), row_bytes = getRowBytes();
  if (row_bytes != 32 && row_bytes != 64 && row_bytes != 128) return emitOpError() << "rows are 32, 64 or 128 bytes";
  if (steps < 1 || steps * 32 > row_bytes) return emitOpError() << steps << " steps of 32 bytes do not fit rows of " << row_bytes << " bytes";
  return mlir::success();
}

}  // namespace warpwright::ir::flow
