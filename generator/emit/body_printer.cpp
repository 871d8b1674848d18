// SPDX-License-Identifier: Apache-2.0
// Structure of the printed kernel: preamble, roles, loops, slots, expressions.
#include "generator/emit/body_printer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace warpwright::emit {

using namespace ir::ptx;

namespace {
constexpr size_t kLineChars = 120;

std::string warp_constant(const std::string &role) { return constant_name(role) + "Warp"; }
}  // namespace

void BodyPrinter::statement(const std::string &function, const std::vector<std::string> &arguments, const std::string &wrapper) {
  called_.insert(wrapper.empty() ? function : wrapper);
  std::string line = function + "(" + llvm::join(arguments, ", ") + ");";
  // Function, role and elected thread, then the loops.
  const size_t indent_chars = 8 + 2 * loops_.size();
  if (line.size() + indent_chars <= kLineChars) {
    out_ << line << "\n";
    return;
  }
  // One argument a line reads better than a ragged fill.
  out_ << function << "(\n";
  out_.indent().indent();
  for (size_t i = 0; i < arguments.size(); ++i) out_ << arguments[i] << (i + 1 < arguments.size() ? ",\n" : ");\n");
  out_.unindent().unindent();
}

std::string BodyPrinter::fresh(const std::string &name) {
  const int uses = ++uses_of_name_[name];
  return uses == 1 ? name : name + "_" + std::to_string(uses);
}

void BodyPrinter::print_preamble() {
  const plan::KernelPlan &k = kernel_;
  out_ << "extern __shared__ __align__(1024) unsigned char smem_bytes[];\n";
  out_ << "const u32 smem = static_cast<u32>(__cvta_generic_to_shared(smem_bytes));\n";
  out_ << "const u32 warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);\n";
  if (pair_) {
    out_ << "const u32 cta = " << called("cluster_cta_rank") << "();\n";
    out_ << "const bool is_leader = cta == 0;\n";
  }
  out_ << "const int tiles_m = (m + kTileM - 1) / kTileM;\n";
  out_ << "const int num_tiles = tiles_m * kTilesN;\n";
  const std::string group = std::to_string(k.cta_group);
  if (pair_) out_ << "const int first_tile = blockIdx.x / " << group << ", tile_step = gridDim.x / " << group << ";\n";
  else out_ << "const int first_tile = blockIdx.x, tile_step = gridDim.x;\n";
}

void BodyPrinter::print_kernel(PtxKernelOp kernel_op) {
  print_preamble();
  const bool has_tmem = kernel_.tmem.alloc_cols > 0;
  bool is_first = true;
  for (mlir::Operation &op : kernel_op.getBody().front()) {
    if (auto init = mlir::dyn_cast<PtxInitOp>(op)) {
      out_ << (has_tmem ? "\n// Set-up: barriers, then tensor memory.\n" : "\n// Set-up: barriers.\n");
      print_block(init.getBody().front());
    } else if (auto role = mlir::dyn_cast<PtxRoleOp>(op)) {
      print_role(role, is_first);
      is_first = false;
    } else if (auto exit = mlir::dyn_cast<PtxExitOp>(op)) {
      out_ << "}\n\n// Tear-down: nobody leaves while "
           << (has_tmem ? "a peer may still signal here or use tensor memory.\n" : "somebody may still signal a barrier here.\n");
      print_block(exit.getBody().front());
    } else {
      throw support::InternalError("no printed form of " + op.getName().getStringRef().str());
    }
  }
}

void BodyPrinter::print_role(PtxRoleOp role, bool is_first) {
  role_ = &kernel_.role(role.getRole().str());
  uses_of_name_.clear();
  const std::string first = warp_constant(role_->name);
  out_ << (is_first ? "\n" : "} else ");
  if (role_->num_warps == 1) out_ << "if (warp == " << first << ") {\n";
  else if (role_->first_warp == 0) out_ << "if (warp < " << first << "s) {\n";
  else out_ << "if (warp >= " << first << " && warp < " << first << " + " << first << "s) {\n";
  out_.indent();
  out_ << "// " << role_->name << ": " << role_->text << ".\n";
  std::string condition;
  if (pair_ && role_->runs_in == plan::CtaScope::kLeader) condition = "is_leader";
  if (role_->issue == plan::Issue::kElected) condition += (condition.empty() ? "" : " && ") + called("elect_one") + "()";
  if (!condition.empty()) {
    out_ << "if (" << condition << ") {\n";
    out_.indent();
  }
  print_block(role.getBody().front());
  if (!condition.empty()) out_.unindent() << "}\n";
  out_.unindent();
  role_ = nullptr;
}

void BodyPrinter::print_block(mlir::Block &block) {
  // Names end with their braces.
  const auto outer_uses = uses_of_name_;
  for (mlir::Operation &op : block) print(&op);
  uses_of_name_ = outer_uses;
}

void BodyPrinter::print(mlir::Operation *op) {
  if (options_.debug_lines && !mlir::isa<PtxConstOp, PtxCtaRankOp>(op) && op->getDialect()->getNamespace() == "ptx")
    if (auto where = mlir::dyn_cast<mlir::FileLineColLoc>(op->getLoc()); where && where.getLine() > 0)
      out_ << "#line " << where.getLine() << " \"" << where.getFilename().getValue() << "\"\n";
  if (print_structure(op) || print_barrier(op) || print_copy(op) || print_tensor(op) || print_epilogue(op)) return;
  throw support::InternalError("no printed form of " + op->getName().getStringRef().str());
}

bool BodyPrinter::print_structure(mlir::Operation *op) {
  // Printed where they are used.
  if (mlir::isa<PtxConstOp, PtxCtaRankOp>(op) || mlir::isa<mlir::arith::ArithDialect>(op->getDialect())) return true;
  if (auto slot = mlir::dyn_cast<PtxSlotOp>(op)) return print_slot(slot), true;
  if (auto next = mlir::dyn_cast<PtxNextOp>(op)) {
    auto slot = next.getSlot().getDefiningOp<PtxSlotOp>();
    out_ << slot_name(next.getSlot()) << ".next<" << depth_constant(slot.getChannel().str()) << ">();\n";
    return true;
  }
  if (auto tiles = mlir::dyn_cast<PtxTilesOp>(op)) {
    out_ << "for (int t = first_tile; t < num_tiles; t += tile_step) {\n";
    out_.indent();
    const std::string raster = called("tile_along_" + kernel_.trait("raster_along"));
    out_ << "const Tile tile = " << raster << "<kTilesN, kRasterGroup>(t, tiles_m);\n";
    names_[tiles.getBody().getArgument(0)] = "tile.m";
    names_[tiles.getBody().getArgument(1)] = "tile.n";
    loops_.push_back("t");
    print_block(tiles.getBody().front());
    loops_.pop_back();
    out_.unindent() << "}\n";
    return true;
  }
  if (auto loop = mlir::dyn_cast<PtxForOp>(op)) return print_for(loop), true;
  if (auto elect = mlir::dyn_cast<PtxElectOp>(op)) return print_elect(elect), true;
  if (auto at = mlir::dyn_cast<PtxAtOp>(op)) {
    auto loop = mlir::cast<PtxForOp>(mlir::cast<mlir::BlockArgument>(at.getIv()).getOwner()->getParentOp());
    const bool last = at.getIndex() + 1 == loop.getTrips();
    out_ << "if (" << names_.lookup(at.getIv()) << " == " << (last ? loop.getBound().str() + " - 1" : std::to_string(at.getIndex())) << ") {\n";
    out_.indent();
    print_block(at.getBody().front());
    out_.unindent() << "}\n";
    return true;
  }
  return false;
}

void BodyPrinter::print_slot(PtxSlotOp slot) {
  std::string name = slot.getChannel().str();
  // A role may hold a channel at two positions: one slot for each.
  auto role = slot->getParentOfType<PtxRoleOp>();
  for (auto other : role.getBody().front().getOps<PtxSlotOp>())
    if (other != slot && other.getChannel() == slot.getChannel()) name = slot.getChannel().str() + (slot.getParity() ? "_in" : "_out");
  names_[slot.getResult()] = fresh(name);
  called("Slot");
  out_ << "Slot " << names_[slot.getResult()] << "{0, " << slot.getParity() << "};\n";
}

void BodyPrinter::print_for(PtxForOp loop) {
  const std::string iv = loop.getIv().str();
  names_[loop.getBody().getArgument(0)] = iv;
  out_ << "#pragma unroll 1\n";
  // Depths are unsigned words, as slots are; all other bounds are ints.
  const std::string type = loop.getBound().ends_with("Depth") ? "u32" : "int";
  out_ << "for (" << type << " " << iv << " = 0; " << iv << " < " << loop.getBound() << "; ++" << iv << ") {\n";
  out_.indent();
  loops_.push_back(iv);
  print_block(loop.getBody().front());
  loops_.pop_back();
  out_.unindent() << "}\n";
}

void BodyPrinter::print_elect(PtxElectOp elect) {
  const int64_t warp = static_cast<int64_t>(elect.getWarp());
  std::string condition = called("elect_one") + "()";
  if (warp >= 0) {
    std::string which = role_ ? warp_constant(role_->name) : std::to_string(warp);
    if (role_ && warp > 0) which += " + " + std::to_string(warp);
    condition = "warp == " + which + " && " + condition;
  }
  out_ << "if (" << condition << ") {\n";
  out_.indent();
  print_block(elect.getBody().front());
  out_.unindent() << "}\n";
}

std::string BodyPrinter::expression(mlir::Value value, int outer_precedence) {
  if (auto found = names_.find(value); found != names_.end()) return found->second;
  mlir::Operation *op = value.getDefiningOp();
  WARPWRIGHT_ASSERT(op, "a block argument without a name");
  if (auto constant = mlir::dyn_cast<PtxConstOp>(op)) return constant.getName().str();
  if (mlir::isa<PtxCtaRankOp>(op)) return "static_cast<int>(cta)";
  if (auto literal = mlir::dyn_cast<mlir::arith::ConstantIntOp>(op)) return std::to_string(literal.value());
  auto binary = [&](const char *sign, int precedence) {
    // The right operand of / binds tighter: a / (b * c).
    std::string text = expression(op->getOperand(0), precedence) + " " + sign + " " + expression(op->getOperand(1), precedence + 1);
    return precedence < outer_precedence ? "(" + text + ")" : text;
  };
  if (mlir::isa<mlir::arith::AddIOp>(op)) return binary("+", 1);
  if (mlir::isa<mlir::arith::SubIOp>(op)) return binary("-", 1);
  if (mlir::isa<mlir::arith::MulIOp>(op)) return binary("*", 3);
  if (mlir::isa<mlir::arith::DivSIOp>(op)) return binary("/", 3);
  if (mlir::isa<mlir::arith::RemSIOp>(op)) return binary("%", 3);
  if (mlir::isa<mlir::arith::MinSIOp>(op)) return "min(" + expression(op->getOperand(0)) + ", " + expression(op->getOperand(1)) + ")";
  throw support::InternalError("no expression for " + op->getName().getStringRef().str());
}

std::string BodyPrinter::buffer_index(mlir::Value value) {
  auto slot = value.getDefiningOp<PtxSlotOp>();
  if (slot.getBuffers() == 1) return "0";
  if (slot.getBuffers() == slot.getDepth()) return slot_name(value) + ".index";
  // One barrier paces two buffers: the turn's parity tells them apart. A producer starts at parity 1, on buffer 0.
  return slot.getParity() ? "(" + slot_name(value) + ".parity ^ 1)" : slot_name(value) + ".parity";
}

std::string BodyPrinter::barrier_address(llvm::StringRef barrier, mlir::Value slot) {
  std::string address = "smem + " + constant_name(barrier.str());
  if (kernel_.barrier(barrier.str()).count > 1)
    address += fmt::format(" + {} * {}.index", kernel_.region("barriers").stride_bytes, slot_name(slot));
  return address;
}

std::string BodyPrinter::region_address(llvm::StringRef name, mlir::Value slot, int64_t offset_bytes) {
  const plan::SmemRegion &region = kernel_.region(name.str());
  std::string address = "smem + " + constant_name(region.name);
  if (region.stages > 1) address += " + " + constant_name(region.name) + "Stride * " + buffer_index(slot);
  if (offset_bytes) address += " + " + std::to_string(offset_bytes);
  return address;
}

std::string BodyPrinter::columns(llvm::StringRef range, int64_t col, mlir::Value copy) {
  std::string address = "tmem + " + constant_name(range.str());
  if (copy) {
    const plan::TmemRange &record = kernel_.tmem_range(range.str());
    const int64_t copies = copy.getDefiningOp<PtxSlotOp>().getBuffers();
    address += fmt::format(" + {} * {}", record.cols / copies, buffer_index(copy));
  }
  if (col) address += " + " + std::to_string(col);
  return address;
}

}  // namespace warpwright::emit
