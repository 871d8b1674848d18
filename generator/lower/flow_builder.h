// SPDX-License-Identifier: Apache-2.0
// What families' IR builders are written with: a kernel's roles, channels, loops and hand-overs, located at spec fields.
#pragma once

#include "generator/ir/flow.h"
#include "generator/ir/ptx.h"
#include "generator/plan/records.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace warpwright::lower {

/// Builds one kernel. Methods append at the builder's insertion point; a `path` is the spec field that an operation serves.
class FlowBuilder {
 public:
  FlowBuilder(mlir::MLIRContext &context, const plan::OperatorPlan &op, const plan::KernelPlan &kernel) : b_(&context), op_(op), kernel_(kernel) {}

 protected:
  using Value = mlir::Value;

  mlir::OpBuilder b_;
  const plan::OperatorPlan &op_;
  const plan::KernelPlan &kernel_;

  /// An empty kernel, into which the builder inserts from then on.
  mlir::OwningOpRef<mlir::ModuleOp> begin_kernel(const std::string &path);
  void add_channel(const plan::Channel &channel, const std::string &path);

  mlir::Location at(const std::string &path);
  Value constant(const char *name, const std::string &path);
  Value literal(int64_t value, const std::string &path) { return mlir::arith::ConstantIntOp::create(b_, at(path), value, 32); }
  Value add(Value x, Value y) { return mlir::arith::AddIOp::create(b_, x.getLoc(), x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulIOp::create(b_, x.getLoc(), x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivSIOp::create(b_, x.getLoc(), x, y); }
  Value rem(Value x, Value y) { return mlir::arith::RemSIOp::create(b_, x.getLoc(), x, y); }
  bool is(const char *trait, const char *word) const { return kernel_.trait(trait) == word; }
  int64_t count(const char *name) const { return kernel_.constant(name); }
  mlir::FlatSymbolRefAttr symbol(const std::string &name) { return mlir::FlatSymbolRefAttr::get(b_.getContext(), name); }
  mlir::Type token_type() { return ir::flow::TokenType::get(b_.getContext()); }

  template <typename Body> void add_role(const char *name, const std::string &path, Body body) {
    auto role = ir::flow::FlowRoleOp::create(b_, at(path), name);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&role.getBody().emplaceBlock());
    body();
  }
  /// `body(tile along m, tile along n)`
  template <typename Body> void tiles(const std::string &path, Body body) {
    auto loop = ir::flow::FlowTilesOp::create(b_, at(path));
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block *block = &loop.getBody().emplaceBlock();
    block->addArguments({b_.getI32Type(), b_.getI32Type()}, {at(path), at(path)});
    b_.setInsertionPointToStart(block);
    body(block->getArgument(0), block->getArgument(1));
  }
  template <typename Body> void repeat(const char *bound, int64_t trips, const char *iv, const std::string &path, Body body) {
    auto loop = ir::flow::FlowForOp::create(b_, at(path), bound, trips, iv);
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block *block = &loop.getBody().emplaceBlock();
    Value index = block->addArgument(b_.getI32Type(), at(path));
    b_.setInsertionPointToStart(block);
    body(index);
  }
  template <typename Body> void once(Value iv, int64_t index, const std::string &path, Body body) {
    auto op = ir::flow::FlowAtOp::create(b_, at(path), iv, index);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&op.getBody().emplaceBlock());
    body();
  }

  Value acquire(const char *channel, const std::string &path) { return ir::flow::FlowAcquireOp::create(b_, at(path), token_type(), channel, 0); }
  Value wait(const char *channel, const std::string &path) { return ir::flow::FlowWaitOp::create(b_, at(path), token_type(), channel, 1); }
  void commit(Value token, const char *channel, const std::string &path, const char *payload = nullptr);
  void release(Value token, const char *channel, const std::string &path, const char *part = nullptr);
  void load(const char *map, const char *region, Value token, const char *payload, mlir::ValueRange coordinates, const std::string &path) {
    ir::flow::FlowLoadOp::create(b_, at(path), map, region, token, payload, coordinates);
  }
};

}  // namespace warpwright::lower
