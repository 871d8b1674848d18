// SPDX-License-Identifier: Apache-2.0
// The kernel as roles and channels: who loads, multiplies and stores what, in which order.
#include "generator/families/w4a4_lora_gemm/ir/ir.h"
#include "generator/ir/flow.h"
#include "generator/ir/ptx.h"
#include "generator/lower/family_ir.h"
#include "generator/plan/words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace warpwright {
namespace {

using namespace ir::flow;
using ir::ptx::PtxConstOp;
using ir::ptx::PtxCtaRankOp;
using ir::ptx::PtxLoadScalarOp;
using mlir::Value;

// PTX ISA 9.0, "Scale factor layout": an atom has 128 rows.
constexpr int64_t kAtomRows = 128;
// 16-bit kinds consume 16 elements of K an MMA: PTX ISA 9.0, "tcgen05.mma: matrix shape".
constexpr int64_t kMmaHalfElems = 16;

/// Builds one kernel. Methods append at the builder's insertion point.
class KernelBuilder {
 public:
  KernelBuilder(mlir::MLIRContext &context, const plan::OperatorPlan &op, const plan::KernelPlan &kernel)
      : b_(&context), op_(op), kernel_(kernel), pair_(kernel.cta_group == 2) {}

  mlir::OwningOpRef<mlir::ModuleOp> build() {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at("tile.m"));
    b_.setInsertionPointToStart(module->getBody());
    auto kernel = FlowKernelOp::create(b_, at("tile.m"), kernel_.name, kernel_.cta_group);
    b_.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
    for (const plan::Channel &channel : kernel_.channels) add_channel(channel);
    add_role("load_weights", [&] { load_weights(); });
    add_role("load_activations", [&] { load_activations(); });
    add_role("mma", [&] { multiply(); });
    add_role("epilogue", [&] { epilogue(); });
    return module;
  }

 private:
  mlir::OpBuilder b_;
  const plan::OperatorPlan &op_;
  const plan::KernelPlan &kernel_;
  const bool pair_;

  mlir::Location at(const std::string &path) {
    const support::SourceLocation &where = op_.spec.at(path).where;
    return mlir::FileLineColLoc::get(b_.getContext(), where.file.empty() ? op_.spec.file : where.file, where.line, where.column);
  }
  Value constant(const char *name, const std::string &path) {
    return PtxConstOp::create(b_, at(path), b_.getI32Type(), name, kernel_.constant(name));
  }
  Value literal(int64_t value, const std::string &path) { return mlir::arith::ConstantIntOp::create(b_, at(path), value, 32); }
  Value add(Value x, Value y) { return mlir::arith::AddIOp::create(b_, x.getLoc(), x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulIOp::create(b_, x.getLoc(), x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivSIOp::create(b_, x.getLoc(), x, y); }
  bool is(const char *trait, const char *word) const { return kernel_.trait(trait) == word; }

  void add_channel(const plan::Channel &channel) {
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
    const std::string path = channel.name == "acc" ? "accumulators" : channel.name == "store" ? "epilogue.staging_buffers" : channel.name == "lora" ? "lora.stages" : "pipeline_depth";
    FlowChannelOp::create(b_, at(path), channel.name, channel.depth, b_.getArrayAttr(chain), b_.getArrayAttr(kinds),
                             b_.getStrArrayAttr(scopes), b_.getStrArrayAttr(payloads), b_.getStrArrayAttr(parts));
  }

  template <typename Body> void add_role(const char *name, Body body) {
    auto role = FlowRoleOp::create(b_, at("tile.m"), name);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&role.getBody().emplaceBlock());
    body();
  }
  template <typename Body> void tiles(Body body) {
    auto loop = FlowTilesOp::create(b_, at("scheduler"));
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block *block = &loop.getBody().emplaceBlock();
    block->addArguments({b_.getI32Type(), b_.getI32Type()}, {at("scheduler"), at("scheduler")});
    b_.setInsertionPointToStart(block);
    body(block->getArgument(0), block->getArgument(1));
  }
  template <typename Body> void repeat(const char *bound, int64_t trips, const char *iv, const std::string &path, Body body) {
    auto loop = FlowForOp::create(b_, at(path), bound, trips, iv);
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block *block = &loop.getBody().emplaceBlock();
    Value index = block->addArgument(b_.getI32Type(), at(path));
    b_.setInsertionPointToStart(block);
    body(index);
  }
  template <typename Body> void once(Value iv, int64_t index, const std::string &path, Body body) {
    auto op = FlowAtOp::create(b_, at(path), iv, index);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&op.getBody().emplaceBlock());
    body();
  }

  mlir::Type token_type() { return TokenType::get(b_.getContext()); }
  Value acquire(const char *channel, const std::string &path) { return FlowAcquireOp::create(b_, at(path), token_type(), channel, 0); }
  Value wait(const char *channel, const std::string &path) { return FlowWaitOp::create(b_, at(path), token_type(), channel, 1); }
  void commit(Value token, const char *channel, const std::string &path, const char *payload = nullptr) {
    FlowCommitOp::create(b_, at(path), token, symbol(channel), b_.getI64IntegerAttr(0), payload ? b_.getStringAttr(payload) : mlir::StringAttr(), mlir::StringAttr());
  }
  void release(Value token, const char *channel, const std::string &path, const char *part = nullptr) {
    FlowReleaseOp::create(b_, at(path), token, symbol(channel), b_.getI64IntegerAttr(1), mlir::StringAttr(), part ? b_.getStringAttr(part) : mlir::StringAttr());
  }
  mlir::FlatSymbolRefAttr symbol(const char *name) { return mlir::FlatSymbolRefAttr::get(b_.getContext(), name); }
  void load(const char *map, const char *region, Value token, const char *payload, mlir::ValueRange coordinates, const std::string &path) {
    FlowLoadOp::create(b_, at(path), map, region, token, payload, coordinates);
  }

  /// `tile` of the CTA group in rows, plus this CTA's share.
  Value first_row(Value tile, const char *tile_rows, const char *cta_rows, const std::string &path) {
    Value row = mul(tile, constant(tile_rows, path));
    if (!pair_) return row;
    Value rank = PtxCtaRankOp::create(b_, at(path), b_.getI32Type());
    return add(row, mul(rank, constant(cta_rows, path)));
  }
  Value k_bytes(Value k) { return mul(k, div(constant("kTileK", "tile.k"), literal(2, "tile.k"))); }
  Value k_atoms(Value k) { return mul(k, constant("kScaleAtoms", "quant.scheme")); }
  Value row_block(Value row) { return div(row, literal(kAtomRows, "quant.scheme")); }
  bool has_lora() const { return kernel_.constant("kLoraRank") > 0; }
  bool lora_in_ring() const { return has_lora() && is("lora_placement", "ring"); }
  bool lora_dedicated() const { return has_lora() && is("lora_placement", "dedicated"); }
  int64_t count(const char *name) const { return kernel_.constant(name); }

  // ---- Roles ----------------------------------------------------------------------------------------------------

  void load_lora(const char *map, const char *ring_region, const char *own_region, Value row) {
    if (lora_in_ring())
      repeat("kLoraChunks", count("kLoraChunks"), "chunk", "lora.rank", [&](Value chunk) {
        Value slot = acquire("ab", "lora.placement");
        load(map, ring_region, slot, "lora", {mul(chunk, constant("kLoraChunkRanks", "lora.rank")), row}, "lora.rank");
        commit(slot, "ab", "lora.placement", "lora");
      });
    if (lora_dedicated()) {
      Value slot = acquire("lora", "lora.stages");
      load(map, own_region, slot, "lora", {literal(0, "lora.rank"), row}, "lora.rank");
      commit(slot, "lora", "lora.stages", "lora");
    }
  }
  /// No CTA ends while a commit of an MMA may still arrive at its slots. One loader waits for both: they fill the same slots.
  void drain_loads() {
    FlowDrainOp::create(b_, at("pipeline_depth"), "ab");
    if (lora_dedicated()) FlowDrainOp::create(b_, at("lora.stages"), "lora");
  }

  void load_weights() {
    tiles([&](Value, Value tile_n) {
      Value row = first_row(tile_n, "kTileN", "kCtaN", "tile.n");
      repeat("kKTiles", count("kKTiles"), "k", "problem.k", [&](Value k) {
        Value slot = acquire("ab", "pipeline_depth");
        load("map_b", "b_tile", slot, "main", {k_bytes(k), row}, "tile.n");
        Value block = row_block(mul(tile_n, constant("kTileN", "tile.n")));
        load("map_sfb", "b_scales", slot, "main", {literal(0, "quant.scheme"), k_atoms(k), block}, "quant.scheme");
        commit(slot, "ab", "pipeline_depth", "main");
      });
      load_lora("map_lora_up", "b_tile", "lora_up", row);
    });
    if (is("pdl", "yes")) FlowLaunchDependentsOp::create(b_, at("programmatic_dependent_launch"));
  }

  void load_activations() {
    if (is("pdl", "yes")) FlowDependencyWaitOp::create(b_, at("programmatic_dependent_launch"));
    tiles([&](Value tile_m, Value) {
      Value row = first_row(tile_m, "kTileM", "kCtaRows", "tile.m");
      repeat("kKTiles", count("kKTiles"), "k", "problem.k", [&](Value k) {
        Value slot = acquire("ab", "pipeline_depth");
        load("map_a", "a_tile", slot, "main", {k_bytes(k), row}, "tile.m");
        load("map_sfa", "a_scales", slot, "main", {literal(0, "quant.scheme"), k_atoms(k), row_block(row)}, "quant.scheme");
        commit(slot, "ab", "pipeline_depth", "main");
      });
      load_lora("map_lora_act", "a_tile", "lora_act", row);
    });
    drain_loads();
  }

  struct MmaOperands {
    const char *a, *b;
    int64_t steps = 0, row_bytes = 0, a_offset_bytes = 0, b_offset_bytes = 0;
  };
  void mma_half(Value acc, Value slot, const MmaOperands &operands) {
    auto op = FlowMmaOp::create(b_, at("lora.rank"), "f16", acc, "acc", operands.a, operands.b, slot, Value(), Value(), Value(),
                                   operands.steps, operands.row_bytes, nullptr, nullptr);
    op.setAOffsetBytes(operands.a_offset_bytes);
    op.setBOffsetBytes(operands.b_offset_bytes);
  }
  void mma_main(Value acc, Value slot, Value scales, Value tile_n, Value k) {
    const int64_t tile_cols = count("kTileN"), steps = count("kMmasPerKTile"), atoms = count("kScaleAtoms");
    // Tiles of 64 or 192 columns start in the middle of a row block of scales every other time.
    Value odd = tile_cols % kAtomRows ? tile_n : Value();
    auto op = FlowMmaOp::create(b_, at("quant.scheme"), is("scheme", "nvfp4") ? "nvf4" : "mxf4", acc, "acc", "a_tile", "b_tile", slot, scales, odd, k,
                                   steps, count("kTileK") / 2, symbol("scales_a"), symbol("scales_b"));
    op.setStepsPerAtom(steps / atoms);
    op.setRowBlocksB(row_blocks_b());
  }
  int64_t row_blocks_b() const { return (count("kTileN") + kAtomRows - 1) / kAtomRows; }

  void multiply_k_tile(Value acc, Value tile_n, Value k) {
    Value slot = wait("ab", "pipeline_depth");
    Value filled = acquire("scales", "ordering");
    const int64_t atoms = count("kScaleAtoms");
    FlowCopyScalesOp::create(b_, at("quant.scheme"), "a_scales", slot, "scales_a", filled, 1, atoms);
    FlowCopyScalesOp::create(b_, at("quant.scheme"), "b_scales", slot, "scales_b", filled, row_blocks_b(), atoms);
    commit(filled, "scales", "ordering");
    Value scales = wait("scales", "ordering");
    mma_main(acc, slot, scales, tile_n, k);
    release(scales, "scales", "ordering");
    release(slot, "ab", "pipeline_depth");
  }

  /// Chunks of the rank; the last one may be short.
  void multiply_lora_ring(Value acc) {
    const int64_t row_bytes = count("kTileK") / 2, full_steps = count("kLoraChunkRanks") / kMmaHalfElems;
    const int64_t tail_steps = count("kLoraMmas") % full_steps, chunks = count("kLoraChunks");
    const int64_t full_chunks = tail_steps ? chunks - 1 : chunks;
    auto chunk = [&](int64_t steps) {
      Value slot = wait("ab", "lora.placement");
      mma_half(acc, slot, {"a_tile", "b_tile", steps, row_bytes});
      release(slot, "ab", "lora.placement");
    };
    if (full_chunks)
      repeat(tail_steps ? "kLoraChunks - 1" : "kLoraChunks", full_chunks, "chunk", "lora.rank", [&](Value) { chunk(full_steps); });
    if (tail_steps) chunk(tail_steps);
  }

  void multiply_lora_dedicated(Value acc) {
    Value slot = wait("lora", "lora.stages");
    const int64_t chunk_steps = count("kLoraChunkRanks") / kMmaHalfElems, mmas = count("kLoraMmas");
    for (int64_t chunk = 0; chunk * chunk_steps < mmas; ++chunk)
      mma_half(acc, slot, {"lora_act", "lora_up", std::min(chunk_steps, mmas - chunk * chunk_steps),
                           static_cast<int64_t>(kernel_.tensor_map("map_lora_act").swizzle),
                           chunk * box_bytes("lora_act"), chunk * box_bytes("lora_up")});
    release(slot, "lora", "lora.stages");
  }
  int64_t box_bytes(const char *region) const {
    for (const plan::Payload &payload : kernel_.channel("lora").payloads)
      for (const plan::Copy &copy : payload.copies)
        if (copy.region == region) return copy.box_bytes;
    throw support::InternalError(std::string("no copy fills ") + region);
  }

  void multiply() {
    tiles([&](Value, Value tile_n) {
      Value acc = acquire("acc", "accumulators");
      repeat("kKTiles", count("kKTiles"), "k", "problem.k", [&](Value k) { multiply_k_tile(acc, tile_n, k); });
      if (has_lora() && is("ordering", "strict")) {
        Value done = acquire("kinds", "ordering");
        commit(done, "kinds", "ordering");
        Value start = wait("kinds", "ordering");
        release(start, "kinds", "ordering");
      }
      if (lora_in_ring()) multiply_lora_ring(acc);
      if (lora_dedicated()) multiply_lora_dedicated(acc);
      commit(acc, "acc", "accumulators");
    });
    if (is("ordering", "strict")) FlowDrainOp::create(b_, at("ordering"), "scales");
  }

  Value apply(const char *callee, Value fragment, llvm::ArrayRef<llvm::StringRef> params, mlir::ValueRange indices, const std::string &path) {
    return FlowApplyOp::create(b_, at(path), fragment.getType(), callee, fragment, b_.getStrArrayAttr(params), indices);
  }

  /// alpha · s_w, bias and activation of one row of a sub-tile whose first column is `n`.
  Value arithmetic(Value fragment, Value n) {
    // The last tile may reach beyond the output; its columns are not stored, but their factors must be readable.
    if (count("kN") % count("kTileN"))
      n = mlir::arith::MinSIOp::create(b_, at("problem.n"), n, literal(count("kN") - count("kSubtileCols"), "problem.n"));
    if (is("column_scale", "yes")) fragment = apply("scale_columns", fragment, {"alpha", "column_scale"}, n, "epilogue.column_scale");
    else fragment = apply("scale_uniform", fragment, {"alpha"}, {}, "epilogue.column_scale");
    if (is("bias", "yes")) fragment = apply("add_bias", fragment, {"bias"}, n, "epilogue.bias");
    if (!is("activation", "none")) fragment = apply(kernel_.trait("activation").c_str(), fragment, {}, {}, "epilogue.activation");
    return fragment;
  }

  void drain_subtile(Value acc, Value step, Value tile_m, Value tile_n) {
    const bool overlapped = is("accumulators", "overlapped");
    const std::string path = "epilogue.staging_cols";
    auto loaded = FlowLoadAccumulatorOp::create(b_, at("accumulators"), FragmentType::get(b_.getContext(), count("kSubtileCols")), b_.getI32Type(),
                                                   acc, "acc", step, count("kSubtiles"), overlapped);
    once(step, count("kAccEarlySubtiles") - 1, "accumulators", [&] { release(acc, "acc", "accumulators", overlapped ? "shared" : nullptr); });
    Value n = add(mul(tile_n, constant("kTileN", "tile.n")), mul(loaded.getSubtile(), constant("kSubtileCols", path)));
    Value fragment = arithmetic(loaded.getResult(), n);
    Value row = first_row(tile_m, "kTileM", "kCtaRows", "tile.m");
    const plan::TensorMap &map = kernel_.tensor_map("map_out");
    const int64_t panels = count("kStagingPanels");
    Value staged = acquire("store", "epilogue.staging_buffers");
    FlowStageOp::create(b_, at("epilogue.output"), kernel_.trait("output"), fragment, "staging", staged, panels, static_cast<int64_t>(map.swizzle));
    commit(staged, "store", "epilogue.staging_buffers");
    Value ready = wait("store", "epilogue.staging_buffers");
    FlowStoreOp::create(b_, at("epilogue.output"), "map_out", "staging", ready, panels, map.box[0], mlir::ValueRange{n, row});
    release(ready, "store", "epilogue.staging_buffers");
  }

  void epilogue() {
    if (is("pdl", "yes")) FlowDependencyWaitOp::create(b_, at("programmatic_dependent_launch"));
    PtxLoadScalarOp::create(b_, at("quant.scheme"), "alpha");
    tiles([&](Value tile_m, Value tile_n) {
      Value acc = wait("acc", "accumulators");
      repeat("kSubtiles", count("kSubtiles"), "step", "epilogue.staging_cols", [&](Value step) { drain_subtile(acc, step, tile_m, tile_n); });
    });
    FlowDrainOp::create(b_, at("epilogue.staging_buffers"), "store");
  }
};

std::vector<std::string> formula(const plan::OperatorPlan &op, size_t index) {
  const plan::KernelPlan &kernel = op.kernels[index];
  std::string sum = "sum_k a[m,k] b[n,k]";
  if (kernel.constant("kLoraRank") > 0) sum += " + sum_r lora_act[m,r] lora_up[n,r]";
  std::string value = kernel.trait("column_scale") == "yes" ? "alpha * column_scale[n] * (" : "alpha * (";
  value += sum + ")";
  if (kernel.trait("bias") == "yes") value += " + bias[n]";
  if (kernel.trait("activation") != "none") value = kernel.trait("activation") + "(" + value + ")";
  return {"out[m,n] = " + value, "a and b are FP4 (E2M1) with block scales; lora_up is divided by alpha * column_scale beforehand."};
}

}  // namespace

const lower::FamilyIr &w4a4_lora_gemm_ir() {
  static const lower::FamilyIr family = {
      "w4a4_lora_gemm",
      [](mlir::MLIRContext &context, const plan::OperatorPlan &op, size_t kernel) { return KernelBuilder(context, op, op.kernels[kernel]).build(); },
      formula,
  };
  return family;
}

}  // namespace warpwright
