// SPDX-License-Identifier: Apache-2.0
// Printed forms of barriers, copies, tensor work and the epilogue.
#include "generator/emit/body_printer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpwright::emit {

using namespace ir::ptx;

namespace {
/// The pair's leader is CTA 0 of the cluster; every CTA of the pair is this mask.
constexpr const char *kPairMask = "0x3";
}  // namespace

void BodyPrinter::print_wait(PtxMbarWaitOp wait) {
  const std::string address = barrier_address(wait.getBarrier(), wait.getSlot());
  const std::string parity = slot_name(wait.getSlot()) + ".parity";
  if (!options_.debug_waits) return statement(wait.getAcquireCluster() ? "mbarrier_wait_cluster" : "mbarrier_wait", {address, parity});
  const auto index = [](const auto &records, const std::string &name) {
    int i = 0;
    for (const auto &record : records) {
      if (record.name == name) return i;
      ++i;
    }
    return -1;
  };
  called("mbarrier_try_wait");
  out_ << fmt::format("mbarrier_wait_or_trap({}, {}, {}, {}, {}, {});\n", address, parity, index(kernel_.roles, role_->name),
                      index(kernel_.barriers, wait.getBarrier().str()), loops_.empty() ? "-1" : loops_.front(),
                      loops_.size() < 2 ? "-1" : loops_.back());
}

bool BodyPrinter::print_barrier(mlir::Operation *op) {
  if (auto init = mlir::dyn_cast<PtxMbarInitOp>(op)) {
    const std::string name = constant_name(init.getBarrier().str());
    if (init.getCount() == 1) return statement("mbarrier_init", {"smem + " + name, std::to_string(init.getArrivals())}), true;
    out_ << "for (u32 i = 0; i < " << init.getCount() << "; ++i) ";
    statement("mbarrier_init", {fmt::format("smem + {} + {} * i", name, kernel_.region("barriers").stride_bytes), std::to_string(init.getArrivals())});
    return true;
  }
  if (mlir::isa<PtxMbarInitFenceOp>(op)) return statement("fence_mbarrier_init", {}), true;
  if (mlir::isa<PtxGroupSyncOp>(op)) return statement(pair_ ? "cluster_sync" : "cta_sync", {}), true;
  if (mlir::isa<PtxSyncwarpOp>(op)) return statement("syncwarp", {}), true;
  if (auto wait = mlir::dyn_cast<PtxMbarWaitOp>(op)) return print_wait(wait), true;
  if (auto expect = mlir::dyn_cast<PtxMbarExpectOp>(op)) {
    if (expect.getLeaderOnly()) out_ << "if (is_leader) ";
    statement("mbarrier_arrive_expect_tx", {barrier_address(expect.getBarrier(), expect.getSlot()), std::to_string(expect.getBytes())});
    return true;
  }
  if (auto arrive = mlir::dyn_cast<PtxMbarArriveOp>(op)) {
    const std::string address = barrier_address(arrive.getBarrier(), arrive.getSlot());
    if (arrive.getOnLeader()) statement("mbarrier_arrive_remote", {called("map_to_cta") + "(" + address + ", 0)"});
    else statement("mbarrier_arrive", {address});
    return true;
  }
  if (auto sync = mlir::dyn_cast<PtxNamedSyncOp>(op)) {
    const std::string name = constant_name(sync.getNamedBarrier().str());
    return statement("named_barrier_sync", {name, name + "Threads"}), true;
  }
  if (mlir::isa<PtxGridWaitOp>(op)) return statement("grid_dependency_wait", {}), true;
  if (mlir::isa<PtxGridLaunchOp>(op)) return statement("grid_launch_dependents", {}), true;
  return false;
}

bool BodyPrinter::print_copy(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<PtxTmaLoadOp>(op)) {
    std::string barrier = barrier_address(load.getBarrier(), load.getSlot());
    if (load.getOnLeader()) barrier = called("map_to_cta") + "(" + barrier + ", 0)";
    std::vector<std::string> arguments = {region_address(load.getRegion(), load.getSlot(), load.getOffsetBytes()), load.getMap().str(), barrier};
    for (mlir::Value coordinate : load.getCoordinates()) arguments.push_back(expression(coordinate));
    statement(grouped("tma_load_" + std::to_string(load.getCoordinates().size()) + "d"), arguments);
    return true;
  }
  if (auto load = mlir::dyn_cast<PtxBulkLoadOp>(op)) {
    // The parts of a sum are arguments of their own: together they run over a line.
    auto sum = load.getChunk().getDefiningOp<mlir::arith::AddIOp>();
    statement("bulk_load_chunks", {region_address(load.getRegion(), load.getSlot(), load.getOffsetBytes()), load.getSource().str(),
                                   expression(sum ? sum.getLhs() : load.getChunk()), sum ? expression(sum.getRhs()) : "0",
                                   std::to_string(load.getBytes()), barrier_address(load.getBarrier(), load.getSlot())});
    return true;
  }
  if (auto store = mlir::dyn_cast<PtxTmaStoreOp>(op)) {
    std::vector<std::string> arguments = {store.getMap().str(), region_address(store.getRegion(), store.getSlot(), store.getOffsetBytes())};
    for (mlir::Value coordinate : store.getCoordinates()) arguments.push_back(expression(coordinate));
    statement("tma_store_" + std::to_string(store.getCoordinates().size()) + "d", arguments);
    return true;
  }
  if (mlir::isa<PtxBulkCommitOp>(op)) return statement("bulk_commit_group", {}), true;
  if (auto wait = mlir::dyn_cast<PtxBulkWaitOp>(op)) {
    const std::string wrapper = wait.getRead() ? "bulk_wait_group_read" : "bulk_wait_group";
    return statement(fmt::format("{}<{}>", wrapper, static_cast<int64_t>(wait.getLeft())), {}, wrapper), true;
  }
  if (auto prefetch = mlir::dyn_cast<PtxPrefetchMapOp>(op)) return statement("prefetch_tensor_map", {prefetch.getMap().str()}), true;
  if (mlir::isa<PtxProxyFenceOp>(op)) return statement("fence_proxy_async_shared", {}), true;
  return false;
}

bool BodyPrinter::print_tensor(mlir::Operation *op) {
  if (auto alloc = mlir::dyn_cast<PtxTmemAllocOp>(op)) {
    out_ << "if (warp == " << constant_name(alloc.getRole().str()) << "Warp) {\n";
    out_.indent();
    statement(grouped("tcgen05_alloc"), {"smem + kTmemAddress", "kTmemCols"});
    statement(grouped("tcgen05_relinquish"), {});
    out_.unindent() << "}\n";
    return true;
  }
  if (mlir::isa<PtxTmemAddressOp>(op)) {
    out_ << "const u32 tmem = " << called("load_shared_u32") << "(smem + kTmemAddress);\n";
    return true;
  }
  if (auto dealloc = mlir::dyn_cast<PtxTmemDeallocOp>(op)) {
    out_ << "if (warp == " << constant_name(dealloc.getRole().str()) << "Warp) ";
    statement(grouped("tcgen05_dealloc"), {"tmem", "kTmemCols"});
    return true;
  }
  if (auto fence = mlir::dyn_cast<PtxTensorFenceOp>(op)) return statement("tcgen05_fence_" + fence.getSide().str(), {}), true;
  if (auto copy = mlir::dyn_cast<PtxScaleCopyOp>(op)) {
    statement(grouped("tcgen05_cp_32x128b_warpx4"),
              {columns(copy.getRange(), copy.getCol(), copy.getCopy()),
               called("scale_descriptor") + "(" + region_address(copy.getRegion(), copy.getSlot(), copy.getOffsetBytes()) + ")"});
    return true;
  }
  if (auto acc = mlir::dyn_cast<PtxAccumulatorOp>(op)) {
    const plan::Channel &channel = kernel_.channel(acc.getChannel().str());
    const std::string name = names_[acc.getResult()] = fresh("acc_cols");
    out_ << "const u32 " << name << " = tmem + " << constant_name(channel.regions[0]);
    if (channel.depth > 1) out_ << " + kAccStrideCols * " << buffer_index(acc.getSlot());
    out_ << ";\n";
    return true;
  }
  if (auto descriptor = mlir::dyn_cast<PtxDescriptorOp>(op)) {
    const std::string name = names_[descriptor.getResult()] = fresh(descriptor.getRegion().str() + "_desc");
    out_ << "const u64 " << name << " = " << called("operand_descriptor") << "<" << descriptor.getRowBytes() << ">("
         << region_address(descriptor.getRegion(), descriptor.getSlot(), descriptor.getOffsetBytes()) << ");\n";
    return true;
  }
  if (auto mma = mlir::dyn_cast<PtxMmaOp>(op)) return print_mma(mma), true;
  if (auto commit = mlir::dyn_cast<PtxCommitOp>(op)) {
    std::vector<std::string> arguments = {barrier_address(commit.getBarrier(), commit.getSlot())};
    if (commit.getMulticast()) arguments.push_back(kPairMask);
    return statement(grouped(commit.getMulticast() ? "tcgen05_commit_multicast" : "tcgen05_commit"), arguments), true;
  }
  return false;
}

void BodyPrinter::print_mma(PtxMmaOp mma) {
  auto advanced = [&](mlir::Value descriptor) {
    // Descriptors count in 16 bytes.
    std::string text = names_.lookup(descriptor);
    return mma.getKBytes() ? text + " + " + std::to_string(mma.getKBytes() / 16) : text;
  };
  const bool scaled = mma.getScalesA().has_value();
  std::string descriptor = scaled ? "kInstrDescMain" : "kInstrDescLora";
  // PTX ISA 9.0, "Instruction descriptor": SFA_ID in bits 29-30, SFB_ID in bits 4-5.
  if (mma.getScaleId()) descriptor += fmt::format(" | {}u << 29 | {}u << 4", mma.getScaleId(), mma.getScaleId());
  std::vector<std::string> arguments = {names_.lookup(mma.getAcc()), advanced(mma.getA()), advanced(mma.getB()), descriptor};
  if (scaled) {
    arguments.push_back(columns(*mma.getScalesA(), mma.getScalesACol(), mma.getCopy()));
    std::string b = columns(*mma.getScalesB(), mma.getScalesBCol(), mma.getCopy());
    // 64 rows of scales are two columns.
    if (mma.getOddTile()) b += " + 2 * (" + expression(mma.getOddTile(), 3) + " % 2)";
    arguments.push_back(b);
  }
  arguments.push_back(mma.getFirst() ? expression(mma.getFirst()) + " != 0" : "true");
  statement(grouped("tcgen05_mma_" + mma.getKind().str()), arguments);
}

bool BodyPrinter::print_epilogue(mlir::Operation *op) {
  if (auto scalar = mlir::dyn_cast<PtxLoadScalarOp>(op)) {
    // Volatile: stays below the wait for the grid that may have written it.
    out_ << "const float " << scalar.getParam() << "_value = *static_cast<const volatile float *>(" << scalar.getParam() << ");\n";
    return true;
  }
  if (auto subtile = mlir::dyn_cast<PtxSubtileOp>(op)) {
    const std::string name = names_[subtile.getResult()] = fresh("subtile");
    const std::string step = expression(subtile.getStep());
    out_ << "const int " << name << " = ";
    if (subtile.getSharedFirst()) out_ << buffer_index(subtile.getAcc()) << " == 0 ? kSubtiles - 1 - " << step << " : " << step << ";\n";
    else out_ << step << ";\n";
    return true;
  }
  if (auto load = mlir::dyn_cast<PtxTensorLoadOp>(op)) {
    const int64_t cols = load.getSubtileCols();
    const plan::Channel &channel = kernel_.channel(load.getRange().str());
    const std::string name = names_[load.getResult()] = fresh("values");
    out_ << called("Fragment") << "<" << cols << "> " << name << ";\n";
    std::string address = "tmem + (warp % 4 << 21) + " + constant_name(channel.regions[0]);
    if (channel.depth > 1) address += " + kAccStrideCols * " + buffer_index(load.getSlot());
    address += " + kSubtileCols * " + expression(load.getSubtile(), 3);
    return statement("tcgen05_ld_x" + std::to_string(cols), {name, address}), true;
  }
  if (auto wait = mlir::dyn_cast<PtxTensorWaitOp>(op)) {
    names_[wait.getResult()] = names_.lookup(wait.getInput());
    return statement("tcgen05_wait_ld", {names_.lookup(wait.getInput())}), true;
  }
  if (auto call = mlir::dyn_cast<PtxCallOp>(op)) return print_call(call), true;
  if (auto stage = mlir::dyn_cast<PtxStageRowOp>(op)) return print_stage(stage), true;
  if (auto registers = mlir::dyn_cast<PtxRegistersOp>(op)) {
    const std::string name = names_[registers.getResult()] = fresh(registers.getName().str());
    called(registers.getType().split('<').first.str());
    out_ << registers.getType() << " " << name << ";\n";
    return true;
  }
  if (auto device = mlir::dyn_cast<PtxDeviceOp>(op)) return print_device(device), true;
  return false;
}

void BodyPrinter::print_device(PtxDeviceOp device) {
  const auto words = [](mlir::ArrayAttr attributes) {
    std::vector<std::string> texts;
    for (mlir::Attribute attribute : attributes) texts.push_back(mlir::cast<mlir::StringAttr>(attribute).getValue().str());
    return texts;
  };
  std::vector<std::string> arguments;
  for (mlir::Value registers : device.getRegisters()) arguments.push_back(names_.lookup(registers));
  for (auto [region, slot] : llvm::zip(device.getRegions(), device.getSlots()))
    arguments.push_back(region_address(mlir::cast<mlir::FlatSymbolRefAttr>(region).getValue(), slot, 0));
  for (mlir::Value index : device.getIndices()) arguments.push_back(expression(index));
  for (std::string &param : words(device.getParams())) arguments.push_back(std::move(param));
  for (const std::string &used : words(device.getUses())) called(used);
  const std::vector<std::string> templates = words(device.getTemplates());
  const std::string callee = device.getCallee().str();
  statement(templates.empty() ? callee : fmt::format("{}<{}>", callee, fmt::join(templates, ", ")), arguments, callee);
}

void BodyPrinter::print_call(PtxCallOp call) {
  const std::string name = names_[call.getResult()] = names_.lookup(call.getInput());
  std::vector<std::string> arguments = {name};
  for (mlir::Attribute attribute : call.getParams()) {
    const std::string param = mlir::cast<mlir::StringAttr>(attribute).getValue().str();
    auto role = call->getParentOfType<PtxRoleOp>();
    const bool is_scalar = llvm::any_of(role.getBody().front().getOps<PtxLoadScalarOp>(), [&](PtxLoadScalarOp each) { return each.getParam() == param; });
    arguments.push_back(is_scalar ? param + "_value" : param);
  }
  for (mlir::Value index : call.getIndices()) arguments.push_back(expression(index));
  statement(call.getCallee().str(), arguments);
}

void BodyPrinter::print_stage(PtxStageRowOp stage) {
  const std::string function = "stage_rows_" + stage.getFormat().str();
  const int64_t cols = mlir::cast<FragmentType>(stage.getInput().getType()).getElems(), panels = stage.getPanels();
  for (int64_t panel = 0; panel < panels; ++panel) {
    std::string callee = fmt::format("{}<{}>", function, static_cast<int64_t>(stage.getRowBytes()));
    if (panel) callee = fmt::format("{}<{}, {}>", function, static_cast<int64_t>(stage.getRowBytes()), panel * cols / panels);
    statement(callee, {region_address(stage.getRegion(), stage.getSlot(), panel * static_cast<int64_t>(stage.getPanelBytes())),
                       "threadIdx.x - 32 * " + constant_name(role_->name) + "Warp", names_.lookup(stage.getInput())},
              function);
  }
}

}  // namespace warpwright::emit
