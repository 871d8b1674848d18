// SPDX-License-Identifier: Apache-2.0
// lower-tiles: tile-level operations become instructions on slots.
#include "generator/lower/kernel_pass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace warpwright::lower {
namespace {

using namespace ir::flow;
using namespace ir::ptx;

// PTX ISA 9.0, "tcgen05.mma: matrix shape": every kind consumes 32 bytes of K a row.
constexpr int64_t kMmaKBytes = 32;
// PTX ISA 9.0, "Scale factor layout": 128 rows × 4 scales, 512 bytes, four columns after a warpx4 copy.
constexpr int64_t kAtomBytes = 512;
constexpr int64_t kAtomCols = 4;

class LowerTiles : public KernelPass<LowerTiles> {
 public:
  static constexpr llvm::StringLiteral kName{"lower-tiles"};
  using KernelPass::KernelPass;

  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> ops;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<FlowLoadOp, FlowBulkLoadOp, FlowDeviceOp, FlowCopyScalesOp, FlowMmaOp, FlowLoadAccumulatorOp, FlowApplyOp, FlowStageOp, FlowStoreOp,
                    FlowDependencyWaitOp, FlowLaunchDependentsOp>(op))
        ops.push_back(op);
    });
    for (mlir::Operation *op : ops) {
      if (mlir::failed(lower(op))) return signalPassFailure();
    }
    for (mlir::Operation *op : llvm::reverse(ops)) op->erase();
  }

 private:
  llvm::DenseMap<mlir::Value, mlir::Value> slots_, fragments_;

  mlir::Value slot_of(mlir::Value token) {
    mlir::Value &slot = slots_[token];
    if (!slot) {
      mlir::OpBuilder builder(token.getContext());
      builder.setInsertionPointAfterValue(token);
      slot = mlir::UnrealizedConversionCastOp::create(builder, token.getLoc(), SlotType::get(token.getContext()), token).getResult(0);
    }
    return slot;
  }
  /// The slot that selects a copy of a tensor-memory range, or nothing where there is one copy.
  mlir::Value copy_of(mlir::Value token) {
    auto channel = token.getDefiningOp()->getAttrOfType<mlir::FlatSymbolRefAttr>("channel");
    return kernel().channel(channel.getValue().str()).depth > 1 ? slot_of(token) : mlir::Value();
  }

  mlir::LogicalResult lower(mlir::Operation *op) {
    mlir::OpBuilder builder(op);
    if (auto load = mlir::dyn_cast<FlowLoadOp>(op)) return lower_load(load, builder);
    if (auto load = mlir::dyn_cast<FlowBulkLoadOp>(op)) return lower_bulk_load(load, builder);
    if (auto device = mlir::dyn_cast<FlowDeviceOp>(op)) return lower_device(device, builder);
    if (auto copy = mlir::dyn_cast<FlowCopyScalesOp>(op)) return lower_scales(copy, builder);
    if (auto mma = mlir::dyn_cast<FlowMmaOp>(op)) return lower_mma(mma, builder);
    if (auto load = mlir::dyn_cast<FlowLoadAccumulatorOp>(op)) return lower_accumulator(load, builder);
    if (auto apply = mlir::dyn_cast<FlowApplyOp>(op)) {
      mlir::Value input = fragments_.lookup(apply.getInput());
      fragments_[apply.getResult()] = PtxCallOp::create(builder, op->getLoc(), input.getType(), apply.getCallee(), input,
                                                                apply.getParams(), apply.getIndices());
      return mlir::success();
    }
    if (auto stage = mlir::dyn_cast<FlowStageOp>(op)) return lower_stage(stage, builder);
    if (auto store = mlir::dyn_cast<FlowStoreOp>(op)) return lower_store(store, builder);
    if (mlir::isa<FlowDependencyWaitOp>(op)) PtxGridWaitOp::create(builder, op->getLoc());
    if (mlir::isa<FlowLaunchDependentsOp>(op)) PtxGridLaunchOp::create(builder, op->getLoc());
    return mlir::success();
  }

  /// The plan's copy that a load stands for, and the barrier that its bytes complete on.
  struct Filling {
    const plan::Copy *copy = nullptr;
    const plan::Barrier *barrier = nullptr;
  };
  mlir::FailureOr<Filling> filling_of(mlir::Operation *load, mlir::Value token, llvm::StringRef payload, llvm::StringRef source, llvm::StringRef region) {
    mlir::Operation *taken = token.getDefiningOp();
    const std::string channel = taken->getAttrOfType<mlir::FlatSymbolRefAttr>("channel").getValue().str();
    const int64_t position = taken->getAttrOfType<mlir::IntegerAttr>("position").getInt();
    Filling filling;
    filling.barrier = barrier_from(kernel(), channel, position);
    if (!filling.barrier) return load->emitOpError() << "loads into @" << channel << ", which no barrier guards", mlir::failure();
    for (const plan::Payload &each : kernel().channel(channel).payloads)
      for (const plan::Copy &copy : each.copies)
        if (each.name == payload && copy.tensor_map == source && copy.region == region) filling.copy = &copy;
    if (!filling.copy) return load->emitOpError() << "is no copy of payload \"" << payload << "\" of @" << channel, mlir::failure();
    return filling;
  }

  mlir::LogicalResult lower_load(FlowLoadOp load, mlir::OpBuilder &builder) {
    const auto filling = filling_of(load, load.getToken(), load.getPayload(), load.getMap(), load.getRegion());
    if (mlir::failed(filling)) return mlir::failure();
    const plan::Copy &copy = *filling->copy;
    const plan::TensorMap &map = kernel().tensor_map(copy.tensor_map);
    for (int64_t box = 0; box < copy.boxes; ++box) {
      llvm::SmallVector<mlir::Value> coordinates(load.getCoordinates());
      if (box) coordinates[0] = add_constant(coordinates[0], box * map.box[0], builder, load.getLoc());
      PtxTmaLoadOp::create(builder, load.getLoc(), load.getMap(), load.getRegion(), filling->barrier->name, slot_of(load.getToken()),
                                   coordinates, box * copy.box_bytes, copy.box_bytes,
                                   filling->barrier->lives_in == plan::CtaScope::kLeader);
    }
    return mlir::success();
  }

  mlir::LogicalResult lower_bulk_load(FlowBulkLoadOp load, mlir::OpBuilder &builder) {
    const auto filling = filling_of(load, load.getToken(), load.getPayload(), load.getSource(), load.getRegion());
    if (mlir::failed(filling)) return mlir::failure();
    const int64_t box = load.getBox();
    if (box < 0 || box >= filling->copy->boxes) return load.emitOpError() << "box " << box << " of " << filling->copy->boxes;
    PtxBulkLoadOp::create(builder, load.getLoc(), load.getSource(), load.getRegion(), filling->barrier->name, slot_of(load.getToken()),
                                  load.getChunk(), box * filling->copy->box_bytes, filling->copy->box_bytes);
    return mlir::success();
  }

  mlir::LogicalResult lower_device(FlowDeviceOp device, mlir::OpBuilder &builder) {
    llvm::SmallVector<mlir::Value> slots;
    for (mlir::Value token : device.getTokens()) slots.push_back(slot_of(token));
    PtxDeviceOp::create(builder, device.getLoc(), device.getCallee(), device.getTemplates(), device.getRegisters(), device.getRegions(), slots,
                                device.getIndices(), device.getParams(), device.getUses(), device.getWrites());
    return mlir::success();
  }

  mlir::Value add_constant(mlir::Value value, int64_t addend, mlir::OpBuilder &builder, mlir::Location where) {
    mlir::Value constant = mlir::arith::ConstantIntOp::create(builder, where, addend, 32);
    return mlir::arith::AddIOp::create(builder, where, value, constant);
  }

  mlir::LogicalResult lower_scales(FlowCopyScalesOp copy, mlir::OpBuilder &builder) {
    const int64_t atoms = copy.getAtoms(), row_blocks = copy.getRowBlocks();
    for (int64_t atom = 0; atom < atoms; ++atom)
      for (int64_t block = 0; block < row_blocks; ++block)
        PtxScaleCopyOp::create(builder, copy.getLoc(), copy.getRegion(), slot_of(copy.getToken()),
                                       (block * atoms + atom) * kAtomBytes, copy.getRange(),
                                       (atom * row_blocks + block) * kAtomCols, copy_of(copy.getScales()));
    return mlir::success();
  }

  mlir::LogicalResult lower_mma(FlowMmaOp mma, mlir::OpBuilder &builder) {
    mlir::Location where = mma.getLoc();
    mlir::Value slot = slot_of(mma.getToken());
    mlir::Value acc = PtxAccumulatorOp::create(builder, where, builder.getI32Type(), mma.getAccChannel(), slot_of(mma.getAcc()));
    auto descriptor = [&](llvm::StringRef region, int64_t offset_bytes) -> mlir::Value {
      return PtxDescriptorOp::create(builder, where, DescriptorType::get(builder.getContext()), region, slot, offset_bytes, mma.getRowBytes());
    };
    mlir::Value a = descriptor(mma.getA(), mma.getAOffsetBytes());
    mlir::Value b = descriptor(mma.getB(), mma.getBOffsetBytes());
    mlir::Value copy = mma.getScales() ? copy_of(mma.getScales()) : mlir::Value();
    const int64_t steps = mma.getSteps(), per_atom = mma.getStepsPerAtom();
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t atom = step / per_atom;
      PtxMmaOp::create(builder, where, mma.getKind(), acc, a, b, step * kMmaKBytes, copy, mma.getOddTile(),
                               step == 0 ? mma.getFirst() : mlir::Value(), mma.getScalesAAttr(), mma.getScalesBAttr(),
                               atom * kAtomCols, atom * kAtomCols * static_cast<int64_t>(mma.getRowBlocksB()),
                               step % per_atom * 2);
    }
    return mlir::success();
  }

  mlir::LogicalResult lower_accumulator(FlowLoadAccumulatorOp load, mlir::OpBuilder &builder) {
    mlir::Location where = load.getLoc();
    mlir::Value slot = slot_of(load.getToken());
    const int64_t cols = mlir::cast<ir::flow::FragmentType>(load.getResult().getType()).getElems();
    mlir::Value subtile = PtxSubtileOp::create(builder, where, builder.getI32Type(), load.getStep(), slot, load.getSubtiles(), load.getSharedFirst());
    mlir::Type type = ir::ptx::FragmentType::get(builder.getContext(), cols);
    mlir::Value raw = PtxTensorLoadOp::create(builder, where, type, load.getChannel(), slot, subtile, cols);
    fragments_[load.getResult()] = PtxTensorWaitOp::create(builder, where, type, raw);
    load.getSubtile().replaceAllUsesWith(subtile);
    return mlir::success();
  }

  mlir::LogicalResult lower_stage(FlowStageOp stage, mlir::OpBuilder &builder) {
    const plan::SmemRegion &region = kernel().region(stage.getRegion().str());
    const int64_t panels = stage.getPanels();
    if (region.stage_bytes % panels) return stage.emitOpError() << panels << " panels do not divide " << region.stage_bytes << " bytes";
    PtxStageRowOp::create(builder, stage.getLoc(), stage.getFormat(), fragments_.lookup(stage.getInput()), stage.getRegion(),
                                  slot_of(stage.getToken()), panels, region.stage_bytes / panels, stage.getRowBytes());
    return mlir::success();
  }

  mlir::LogicalResult lower_store(FlowStoreOp store, mlir::OpBuilder &builder) {
    const plan::SmemRegion &region = kernel().region(store.getRegion().str());
    const int64_t panels = store.getPanels(), panel_bytes = region.stage_bytes / panels;
    auto elect = PtxElectOp::create(builder, store.getLoc(), 0);
    mlir::Value slot = slot_of(store.getToken());
    builder.setInsertionPointToStart(add_block(elect.getBody()));
    for (int64_t panel = 0; panel < panels; ++panel) {
      llvm::SmallVector<mlir::Value> coordinates(store.getCoordinates());
      if (panel) coordinates[0] = add_constant(coordinates[0], panel * static_cast<int64_t>(store.getPanelElems()), builder, store.getLoc());
      PtxTmaStoreOp::create(builder, store.getLoc(), store.getMap(), store.getRegion(), slot, coordinates, panel * panel_bytes, panel_bytes);
    }
    return mlir::success();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_lower_tiles(const plan::KernelPlan &kernel) { return std::make_unique<LowerTiles>(kernel); }

}  // namespace warpwright::lower
