// SPDX-License-Identifier: Apache-2.0
// The kernel as roles and channels: who loads, multiplies and stores what, in which order.
#include "generator/families/w4a4_lora_gemm/ir/ir.h"
#include "generator/ir/flow.h"
#include "generator/ir/ptx.h"
#include "generator/lower/family_ir.h"
#include "generator/lower/flow_builder.h"


namespace warpwright {
namespace {

using namespace ir::flow;
using ir::ptx::PtxCtaRankOp;
using ir::ptx::PtxLoadScalarOp;
using mlir::Value;

// PTX ISA 9.0, "Scale factor layout": an atom has 128 rows.
constexpr int64_t kAtomRows = 128;
// 16-bit kinds consume 16 elements of K an MMA: PTX ISA 9.0, "tcgen05.mma: matrix shape".
constexpr int64_t kMmaHalfElems = 16;

class KernelBuilder : lower::FlowBuilder {
 public:
  KernelBuilder(mlir::MLIRContext &context, const plan::OperatorPlan &op, const plan::KernelPlan &kernel)
      : FlowBuilder(context, op, kernel), pair_(kernel.cta_group == 2) {}

  mlir::OwningOpRef<mlir::ModuleOp> build() {
    mlir::OwningOpRef<mlir::ModuleOp> module = begin_kernel("tile.m");
    for (const plan::Channel &channel : kernel_.channels) add_channel(channel, path_of(channel.name));
    add_role("load_weights", "tile.m", [&] { load_weights(); });
    add_role("load_activations", "tile.m", [&] { load_activations(); });
    add_role("mma", "tile.m", [&] { multiply(); });
    add_role("epilogue", "tile.m", [&] { epilogue(); });
    return module;
  }

 private:
  const bool pair_;

  static const char *path_of(const std::string &channel) {
    return channel == "acc"     ? "accumulators"
           : channel == "store" ? "epilogue.staging_buffers"
           : channel == "lora"  ? "lora.stages"
                                : "pipeline_depth";
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
    tiles("scheduler", [&](Value, Value tile_n) {
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
    tiles("scheduler", [&](Value tile_m, Value) {
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
    tiles("scheduler", [&](Value, Value tile_n) {
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
    tiles("scheduler", [&](Value tile_m, Value tile_n) {
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
