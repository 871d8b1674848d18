// SPDX-License-Identifier: Apache-2.0
// Channels from plan records, and hand-overs with their optional words.
#include "generator/lower/flow_builder.h"

#include "generator/plan/words.h"

namespace warpwright::lower {

using namespace ir::flow;

mlir::OwningOpRef<mlir::ModuleOp> FlowBuilder::begin_kernel(const std::string &path) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at(path));
  b_.setInsertionPointToStart(module->getBody());
  auto kernel = FlowKernelOp::create(b_, at(path), kernel_.name, kernel_.cta_group);
  b_.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  return module;
}

void FlowBuilder::add_channel(const plan::Channel &channel, const std::string &path) {
  llvm::SmallVector<mlir::Attribute> chain, kinds;
  llvm::SmallVector<llvm::StringRef> scopes, payloads, parts;
  for (const auto &owners : channel.chain) {
    llvm::SmallVector<llvm::StringRef> roles, words;
    for (const plan::ChannelOwner &owner : owners) {
      roles.push_back(owner.role);
      words.push_back(llvm::StringRef(plan::word_of(owner.hands_over)));
    }
    chain.push_back(b_.getStrArrayAttr(roles));
    kinds.push_back(b_.getStrArrayAttr(words));
    scopes.push_back(kernel_.role(owners.front().role).runs_in == plan::CtaScope::kLeader ? "leader" : "self");
  }
  for (const plan::Payload &payload : channel.payloads) payloads.push_back(payload.name);
  if (channel.barrier_depth)
    for (const plan::TmemPart &part : kernel_.tmem.parts) parts.push_back(part.name);
  FlowChannelOp::create(b_, at(path), channel.name, channel.depth, b_.getArrayAttr(chain), b_.getArrayAttr(kinds), b_.getStrArrayAttr(scopes),
                        b_.getStrArrayAttr(payloads), b_.getStrArrayAttr(parts));
}

mlir::Location FlowBuilder::at(const std::string &path) {
  const support::SourceLocation &where = op_.spec.at(path).where;
  return mlir::FileLineColLoc::get(b_.getContext(), where.file.empty() ? op_.spec.file : where.file, where.line, where.column);
}

mlir::Value FlowBuilder::constant(const char *name, const std::string &path) {
  return ir::ptx::PtxConstOp::create(b_, at(path), b_.getI32Type(), name, kernel_.constant(name));
}

void FlowBuilder::commit(Value token, const char *channel, const std::string &path, const char *payload) {
  FlowCommitOp::create(b_, at(path), token, symbol(channel), b_.getI64IntegerAttr(0), payload ? b_.getStringAttr(payload) : mlir::StringAttr(),
                       mlir::StringAttr());
}

void FlowBuilder::release(Value token, const char *channel, const std::string &path, const char *part) {
  FlowReleaseOp::create(b_, at(path), token, symbol(channel), b_.getI64IntegerAttr(1), mlir::StringAttr(),
                        part ? b_.getStringAttr(part) : mlir::StringAttr());
}

}  // namespace warpwright::lower
