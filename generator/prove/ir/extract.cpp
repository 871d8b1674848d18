// SPDX-License-Identifier: Apache-2.0
// Reads the final IR, operation by operation, into a script of each role.
#include "generator/prove/ir/extract.h"

#include <algorithm>
#include <map>
#include <fmt/format.h>

namespace warpwright::prove {
namespace {

using namespace ir::ptx;

class Extractor {
 public:
  Extractor(PtxKernelOp kernel_op, const plan::KernelPlan &kernel) : kernel_op_(kernel_op), kernel_(kernel) {}

  Script run() {
    script_.kernel = kernel_op_.getSymName().str();
    script_.ctas = static_cast<int>(kernel_op_.getCtaGroup());
    declare_barriers();
    for (const plan::TmemPart &part : kernel_.tmem.parts) script_.parts.push_back({part.name, part.first_col, part.cols, false});
    for (auto role : kernel_op_.getBody().getOps<PtxRoleOp>()) read_role(role);
    return std::move(script_);
  }

 private:
  PtxKernelOp kernel_op_;
  const plan::KernelPlan &kernel_;
  Script script_;
  std::map<std::string, int> barrier_index_;

  // The role being read.
  const plan::Role *role_ = nullptr;
  RoleScript *into_ = nullptr;
  llvm::DenseMap<mlir::Value, int> slots_, loops_;

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
    kernel_op_.walk([&](PtxMbarInitOp init) {
      const std::string name = init.getBarrier().str();
      barrier_index_[name] = static_cast<int>(script_.barriers.size());
      script_.barriers.push_back({name, static_cast<int64_t>(init.getCount()), static_cast<int64_t>(init.getArrivals()), false,
                                  kernel_.barrier(name).offset_bytes, origin_of(init)});
    });
    kernel_op_.walk([&](PtxNamedSyncOp sync) {
      const std::string name = sync.getNamedBarrier().str();
      if (!barrier_index_.emplace(name, static_cast<int>(script_.barriers.size())).second) return;
      script_.barriers.push_back({name, 1, static_cast<int64_t>(sync.getThreads()), true, static_cast<int64_t>(sync.getId()), origin_of(sync)});
    });
  }

  void read_role(PtxRoleOp role) {
    role_ = &kernel_.role(role.getRole().str());
    script_.roles.push_back({role_->name, role_->first_warp, role_->num_warps, role_->issue == plan::Issue::kElected, 0, {}, {}});
    into_ = &script_.roles.back();
    slots_.clear();
    loops_.clear();
    for (mlir::Operation &op : kernel_op_.getBody().front()) {
      if (auto init = mlir::dyn_cast<PtxInitOp>(op)) read_block(init.getBody().front());
      if (&op == role.getOperation()) {
        Command own = command_of(&op, Command::Kind::kRole);
        own.is_once = into_->is_elected;
        own.in_leader_only = role_->runs_in == plan::CtaScope::kLeader;
        enclose(std::move(own), role.getBody().front());
      }
      if (auto exit = mlir::dyn_cast<PtxExitOp>(op)) read_block(exit.getBody().front());
    }
  }

  void read_block(mlir::Block &block) {
    for (mlir::Operation &op : block) read(&op);
  }

  void read(mlir::Operation *op) {
    if (read_control(op) || read_barrier(op) || read_copy(op)) return;
    read_tensor(op);
  }

  static Command command_of(mlir::Operation *op, Command::Kind kind) {
    Command command;
    command.kind = kind;
    command.origin = origin_of(op);
    return command;
  }

  void enclose(Command begin, mlir::Block &block) {
    const size_t first = into_->commands.size();
    Command end;
    end.kind = Command::Kind::kEnd;
    end.match = static_cast<int>(first);
    into_->commands.push_back(std::move(begin));
    read_block(block);
    into_->commands[first].match = static_cast<int>(into_->commands.size());
    into_->commands.push_back(std::move(end));
  }

  int slot_of(mlir::Value slot) const {
    if (!slot) return -1;
    const auto found = slots_.find(slot);
    WARPWRIGHT_ASSERT(found != slots_.end(), "a slot is used before it is declared");
    return found->second;
  }

  bool read_control(mlir::Operation *op) {
    if (auto tiles = mlir::dyn_cast<PtxTilesOp>(op)) return enclose(command_of(op, Command::Kind::kTiles), tiles.getBody().front()), true;
    if (auto loop = mlir::dyn_cast<PtxForOp>(op)) {
      Command begin = command_of(op, Command::Kind::kFor);
      begin.number = static_cast<int64_t>(loop.getTrips());
      begin.loop = loops_[loop.getBody().getArgument(0)] = into_->num_loops++;
      WARPWRIGHT_ASSERT(into_->num_loops <= Counters::kMost, "more loops in a role than a script counts");
      return enclose(std::move(begin), loop.getBody().front()), true;
    }
    if (auto elect = mlir::dyn_cast<PtxElectOp>(op)) {
      Command begin = command_of(op, Command::Kind::kElect);
      begin.number = static_cast<int64_t>(elect.getWarp());
      begin.is_once = true;
      begin.counts_in_cta = elect->getParentOfType<PtxRoleOp>() == nullptr;
      return enclose(std::move(begin), elect.getBody().front()), true;
    }
    if (auto at = mlir::dyn_cast<PtxAtOp>(op)) {
      Command begin = command_of(op, Command::Kind::kAt);
      begin.loop = loops_.lookup(at.getIv());
      begin.number = static_cast<int64_t>(at.getIndex());
      return enclose(std::move(begin), at.getBody().front()), true;
    }
    if (auto slot = mlir::dyn_cast<PtxSlotOp>(op)) {
      slots_[slot.getResult()] = static_cast<int>(into_->slots.size());
      into_->slots.push_back({static_cast<int64_t>(slot.getDepth()), static_cast<int64_t>(slot.getBuffers()), static_cast<int64_t>(slot.getParity())});
      WARPWRIGHT_ASSERT(into_->slots.size() <= Counters::kMost, "more slots in a role than a script counts");
      return add(op, Command::Kind::kSlot, slot.getResult()), true;
    }
    if (auto next = mlir::dyn_cast<PtxNextOp>(op)) return add(op, Command::Kind::kNext, next.getSlot()), true;
    if (mlir::isa<PtxGroupSyncOp>(op)) return add(op, Event::Kind::kClusterSync), true;
    return false;
  }

  Command &add(mlir::Operation *op, Command::Kind kind, mlir::Value slot = {}) {
    Command command = command_of(op, kind);
    command.slot = slot_of(slot);
    into_->commands.push_back(std::move(command));
    return into_->commands.back();
  }

  Command &add(mlir::Operation *op, Event::Kind kind, mlir::Value slot = {}) {
    Command &command = add(op, Command::Kind::kEvent, slot);
    command.event = kind;
    return command;
  }

  int barrier(llvm::StringRef name) const {
    auto found = barrier_index_.find(name.str());
    WARPWRIGHT_ASSERT(found != barrier_index_.end(), "barrier " + name.str() + " is never initialised");
    return found->second;
  }

  bool read_barrier(mlir::Operation *op) {
    if (auto init = mlir::dyn_cast<PtxMbarInitOp>(op)) {
      Command &command = add(op, Event::Kind::kInit);
      command.barrier = barrier(init.getBarrier());
      command.count = static_cast<int64_t>(init.getCount());
      return true;
    }
    if (auto wait = mlir::dyn_cast<PtxMbarWaitOp>(op)) return add(op, Event::Kind::kWait, wait.getSlot()).barrier = barrier(wait.getBarrier()), true;
    if (auto expect = mlir::dyn_cast<PtxMbarExpectOp>(op)) {
      Command &command = add(op, Event::Kind::kArriveTx, expect.getSlot());
      command.barrier = barrier(expect.getBarrier());
      command.bytes = static_cast<int64_t>(expect.getBytes());
      command.in_leader_only = expect.getLeaderOnly();
      return true;
    }
    if (auto arrive = mlir::dyn_cast<PtxMbarArriveOp>(op)) {
      Command &command = add(op, Event::Kind::kArrive, arrive.getSlot());
      command.barrier = barrier(arrive.getBarrier());
      command.is_at_leader = arrive.getOnLeader();
      command.count = 1;
      return true;
    }
    if (auto commit = mlir::dyn_cast<PtxCommitOp>(op)) {
      Command &command = add(op, Event::Kind::kCommit, commit.getSlot());
      command.barrier = barrier(commit.getBarrier());
      command.is_multicast = commit.getMulticast();
      return true;
    }
    if (auto sync = mlir::dyn_cast<PtxNamedSyncOp>(op)) {
      Command &command = add(op, Event::Kind::kSync);
      command.barrier = barrier(sync.getNamedBarrier());
      command.count = static_cast<int64_t>(sync.getThreads());
      return true;
    }
    return false;
  }

  Operand region(Operand::Kind kind, llvm::StringRef name, mlir::Value slot, int64_t offset_bytes) const {
    const plan::SmemRegion &record = kernel_.region(name.str());
    Operand operand;
    operand.kind = kind;
    operand.name = record.name;
    operand.slot = slot_of(slot);
    operand.offset_bytes = record.offset_bytes + offset_bytes;
    operand.stride_bytes = record.stride_bytes;
    return operand;
  }

  void name_map(Command &command, llvm::StringRef map) const {
    const auto &params = kernel_.params;
    const auto found = std::find_if(params.begin(), params.end(), [&](const plan::KernelParam &param) { return param.name == map; });
    WARPWRIGHT_ASSERT(found != params.end(), "the kernel has no parameter " + map.str());
    command.parameter = found - params.begin();
    command.map = map.str();
  }

  bool read_copy(mlir::Operation *op) {
    if (auto load = mlir::dyn_cast<PtxTmaLoadOp>(op)) {
      Command &command = add(op, Event::Kind::kCopy, load.getSlot());
      command.barrier = barrier(load.getBarrier());
      command.is_at_leader = load.getOnLeader();
      command.bytes = static_cast<int64_t>(load.getBytes());
      command.first = region(Operand::Kind::kRegion, load.getRegion(), load.getSlot(), static_cast<int64_t>(load.getOffsetBytes()));
      name_map(command, load.getMap());
      return true;
    }
    if (auto load = mlir::dyn_cast<PtxBulkLoadOp>(op)) {
      Command &command = add(op, Event::Kind::kCopy, load.getSlot());
      command.barrier = barrier(load.getBarrier());
      command.bytes = static_cast<int64_t>(load.getBytes());
      command.first = region(Operand::Kind::kRegion, load.getRegion(), load.getSlot(), static_cast<int64_t>(load.getOffsetBytes()));
      return true;
    }
    if (auto device = mlir::dyn_cast<PtxDeviceOp>(op)) {
      if (!device.getWrites()) return true;
      const llvm::StringRef name = mlir::cast<mlir::FlatSymbolRefAttr>(device.getRegions()[0]).getValue();
      add(op, Event::Kind::kWrite, device.getSlots()[0]).first = region(Operand::Kind::kStaging, name, device.getSlots()[0], 0);
      return true;
    }
    if (auto store = mlir::dyn_cast<PtxTmaStoreOp>(op)) {
      Command &command = add(op, Event::Kind::kCopy, store.getSlot());
      command.bytes = static_cast<int64_t>(store.getBytes());
      command.first = region(Operand::Kind::kStaging, store.getRegion(), store.getSlot(), static_cast<int64_t>(store.getOffsetBytes()));
      name_map(command, store.getMap());
      return true;
    }
    if (mlir::isa<PtxBulkCommitOp>(op)) return add(op, Event::Kind::kGroupCommit), true;
    if (auto wait = mlir::dyn_cast<PtxBulkWaitOp>(op)) {
      Command &command = add(op, Event::Kind::kGroupWait);
      command.count = static_cast<int64_t>(wait.getLeft());
      command.reads_only = wait.getRead();
      return true;
    }
    if (auto stage = mlir::dyn_cast<PtxStageRowOp>(op)) {
      add(op, Event::Kind::kWrite, stage.getSlot()).first = region(Operand::Kind::kStaging, stage.getRegion(), stage.getSlot(), 0);
      return true;
    }
    return false;
  }

  /// All of a slot's accumulator.
  Operand accumulator(llvm::StringRef name, mlir::Value slot) {
    const plan::Channel &channel = kernel_.channel(name.str());
    const auto is_known = [&](const Accumulators &each) { return each.channel == channel.name; };
    if (std::none_of(script_.accumulators.begin(), script_.accumulators.end(), is_known)) {
      Accumulators all{channel.name, {}};
      for (const std::string &range : channel.regions) {
        const plan::TmemRange &record = kernel_.tmem_range(range);
        all.ranges.push_back({record.name, record.first_col, record.cols, !record.parts.empty()});
      }
      script_.accumulators.push_back(std::move(all));
    }
    Operand operand;
    operand.kind = Operand::Kind::kAccumulator;
    operand.name = channel.name;
    operand.slot = slot_of(slot);
    operand.cols = kernel_.tmem_range(channel.regions[0]).cols;
    WARPWRIGHT_ASSERT(into_->slots[static_cast<size_t>(operand.slot)].buffers <= static_cast<int64_t>(channel.regions.size()),
                      "a slot of " + channel.name + " has more buffers than the channel");
    return operand;
  }

  /// The sub-tile that a load reads in this iteration.
  Operand subtile_of(PtxTensorLoadOp load) {
    Operand operand = accumulator(load.getRange(), load.getSlot());
    operand.cols = static_cast<int64_t>(load.getSubtileCols());
    mlir::Value which = load.getSubtile();
    if (auto subtile = which.getDefiningOp<PtxSubtileOp>()) {
      operand.subtiles = static_cast<int64_t>(subtile.getSubtiles());
      operand.subtile_slot = slot_of(subtile.getAcc());
      operand.is_shared_first = subtile.getSharedFirst();
      which = subtile.getStep();
    }
    const auto loop = loops_.find(which);
    WARPWRIGHT_ASSERT(loop != loops_.end(), "a sub-tile is not numbered by a loop");
    operand.loop = loop->second;
    return operand;
  }

  Operand scales(llvm::StringRef range, mlir::Value copy, int64_t col) const {
    const plan::TmemRange &record = kernel_.tmem_range(range.str());
    Operand operand;
    operand.kind = Operand::Kind::kScales;
    operand.name = record.name;
    operand.slot = slot_of(copy);
    operand.first_col = record.first_col + col;
    operand.stride_cols = copy ? record.cols / into_->slots[static_cast<size_t>(operand.slot)].buffers : 0;
    return operand;
  }

  void read_tensor(mlir::Operation *op) {
    if (auto alloc = mlir::dyn_cast<PtxTmemAllocOp>(op); alloc && alloc.getRole() == role_->name)
      add(op, Command::Kind::kAlloc).count = static_cast<int64_t>(alloc.getCols());
    if (auto dealloc = mlir::dyn_cast<PtxTmemDeallocOp>(op); dealloc && dealloc.getRole() == role_->name)
      add(op, Command::Kind::kDealloc).count = static_cast<int64_t>(dealloc.getCols());
    if (auto copy = mlir::dyn_cast<PtxScaleCopyOp>(op)) {
      Command &command = add(op, Event::Kind::kTensorCopy, copy.getSlot());
      command.first = region(Operand::Kind::kRegion, copy.getRegion(), copy.getSlot(), static_cast<int64_t>(copy.getOffsetBytes()));
      command.scales_a = scales(copy.getRange(), copy.getCopy(), static_cast<int64_t>(copy.getCol()));
    }
    if (auto mma = mlir::dyn_cast<PtxMmaOp>(op)) read_mma(mma);
    if (auto load = mlir::dyn_cast<PtxTensorLoadOp>(op)) add(op, Command::Kind::kTensorLoad, load.getSlot()).first = subtile_of(load);
    if (auto wait = mlir::dyn_cast<PtxTensorWaitOp>(op)) {
      auto load = wait.getInput().getDefiningOp<PtxTensorLoadOp>();
      const Operand operand = subtile_of(load);
      add(op, Event::Kind::kRead, load.getSlot()).first = operand;
    }
  }

  void read_mma(PtxMmaOp mma) {
    auto acc = mma.getAcc().getDefiningOp<PtxAccumulatorOp>();
    const auto operand = [&](mlir::Value value) {
      auto descriptor = value.getDefiningOp<PtxDescriptorOp>();
      return region(Operand::Kind::kRegion, descriptor.getRegion(), descriptor.getSlot(),
                    static_cast<int64_t>(descriptor.getOffsetBytes()) + static_cast<int64_t>(mma.getKBytes()));
    };
    Command &command = add(mma, Event::Kind::kMma, acc.getSlot());
    command.first = operand(mma.getA());
    command.second = operand(mma.getB());
    if (mma.getScalesA()) {
      command.scales_a = scales(*mma.getScalesA(), mma.getCopy(), static_cast<int64_t>(mma.getScalesACol()));
      command.scales_b = scales(*mma.getScalesB(), mma.getCopy(), static_cast<int64_t>(mma.getScalesBCol()));
    }
    command.accumulator = accumulator(acc.getChannel(), acc.getSlot());
    if (mma.getFirst()) {
      const auto loop = loops_.find(mma.getFirst());
      WARPWRIGHT_ASSERT(loop != loops_.end(), "what overwrites an accumulator first is not a loop's number");
      command.overwrites_in = loop->second;
    }
  }
};

}  // namespace

Script extract_script(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel) { return Extractor(kernel_op, kernel).run(); }

Protocol extract_protocol(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel) { return unroll(extract_script(kernel_op, kernel)); }

}  // namespace warpwright::prove
