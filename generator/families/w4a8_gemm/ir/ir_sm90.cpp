// SPDX-License-Identifier: Apache-2.0
// The kernel as roles and channels: who loads, multiplies and stores what, in which order.
#include "generator/families/w4a8_gemm/ir/ir.h"

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/lower/flow_builder.h"

#include <fmt/format.h>

namespace warpwright {
namespace {

using namespace ir::flow;
using ir::ptx::PtxRegistersOp;
using mlir::Value;

class KernelBuilder : lower::FlowBuilder {
 public:
  KernelBuilder(mlir::MLIRContext &context, const plan::OperatorPlan &op, const plan::KernelPlan &kernel)
      : FlowBuilder(context, op, kernel), group_(w4a8_gemm::group_of(kernel.trait("group")).value()) {}

  mlir::OwningOpRef<mlir::ModuleOp> build() {
    mlir::OwningOpRef<mlir::ModuleOp> module = begin_kernel("tile.m");
    for (const plan::Channel &channel : kernel_.channels) add_channel(channel, channel.name == "wx" ? "pipeline_depth" : "epilogue.output");
    add_role("compute", "tile.m", [&] { compute(); });
    add_role("load_weights", "tile.m", [&] { load_weights(); });
    add_role("load_activations", "tile.m", [&] { load_activations(); });
    return module;
  }

 private:
  const int64_t group_;

  bool has_tail() const { return count("kK") % w4a8_gemm::kBlockElems != 0; }
  bool is_split() const { return count("kSplits") > 1; }

  /// The stages of K of one output tile: `body(k, payload, blocks, halves)`, k counted within the split.
  template <typename Body> void stages(Body body) {
    if (count("kTurns") > 0)
      repeat("kTurns", count("kTurns"), "k", "problem.k", [&](Value k) { body(k, "main", count("kTileK") / w4a8_gemm::kBlockElems, 2); });
    if (has_tail()) body(constant("kTurns", "problem.k"), "tail", 1, 1);
  }

  struct Device {
    std::string callee;
    std::vector<std::string> templates;
    llvm::SmallVector<mlir::Attribute> regions;
    llvm::SmallVector<Value> tokens, indices;
    std::vector<std::string> params, uses;
    bool writes = false;
  };
  void device(Value registers, const Device &what, const std::string &path) {
    const auto words = [&](const std::vector<std::string> &texts) {
      llvm::SmallVector<llvm::StringRef> refs(texts.begin(), texts.end());
      return b_.getStrArrayAttr(refs);
    };
    FlowDeviceOp::create(b_, at(path), what.callee, words(what.templates), registers, b_.getArrayAttr(what.regions), what.tokens, what.indices,
                         words(what.params), words(what.uses), what.writes);
  }

  // ---- Roles ----------------------------------------------------------------------------------------------------

  /// Which channels, and which part of K, a tile along n stands for: splits of a tile are neighbours.
  Value channel_tile(Value tile_n) { return is_split() ? div(tile_n, constant("kSplits", "split_k")) : tile_n; }
  Value stage_of(Value tile_n, Value k) {
    return is_split() ? add(mul(rem(tile_n, constant("kSplits", "split_k")), constant("kTurns", "problem.k")), k) : k;
  }

  void load_weights() {
    if (is("pdl", "yes")) FlowLaunchDependentsOp::create(b_, at("programmatic_dependent_launch"));
    tiles("tile.n", [&](Value, Value tile_n) {
      stages([&](Value k, const char *payload, int64_t, int64_t) {
        Value slot = acquire("wx", "pipeline_depth");
        Value stage = stage_of(tile_n, k);
        // An uneven split has turns past the end of K, which multiply by zeros: any stage serves them.
        if (count("kTurns") * count("kSplits") > count("kLastStage") + 1)
          stage = mlir::arith::MinSIOp::create(b_, at("split_k"), stage, constant("kLastStage", "problem.k"));
        Value in_slab = mul(stage, constant("kStageChunks", "quant.group"));
        for (int64_t slab = 0; slab < count("kSlabs"); ++slab) {
          Value index = mul(channel_tile(tile_n), constant("kSlabs", "tile.n"));
          if (slab) index = add(index, literal(slab, "tile.n"));
          // The last tile may reach beyond the weight: what it loads again is not stored.
          if (count("kN") % count("kTileN")) index = mlir::arith::MinSIOp::create(b_, at("problem.n"), index, constant("kLastSlab", "problem.n"));
          Value chunk = add(mul(index, constant("kSlabChunks", "quant.group")), in_slab);
          FlowBulkLoadOp::create(b_, at("tile.n"), "w", "w_tile", slot, payload, slab, chunk);
        }
        commit(slot, "wx", "pipeline_depth", payload);
      });
    });
  }

  void load_activations() {
    if (is("pdl", "yes")) FlowDependencyWaitOp::create(b_, at("programmatic_dependent_launch"));
    tiles("tile.n", [&](Value tile_m, Value tile_n) {
      stages([&](Value k, const char *payload, int64_t, int64_t) {
        Value slot = acquire("wx", "pipeline_depth");
        load("map_x", "x_tile", slot, payload,
             {mul(stage_of(tile_n, k), constant("kTileK", "tile.k")), mul(tile_m, constant("kTileM", "tile.m"))}, "tile.m");
        commit(slot, "wx", "pipeline_depth", payload);
      });
    });
  }

  static std::string number(int64_t value) { return std::to_string(value); }
  std::string width() const { return "_n" + number(count("kTileM")); }
  /// What makes two 16-bit elements of two values.
  std::string pack() const { return "pack_" + kernel_.trait("output"); }
  bool has_lora() const { return count("kLoraRank") > 0; }
  /// The epilogue's parameters: what a kernel lacks is null, and missing at the end.
  std::string factors() const {
    std::string text = "{m, x_scale, x_sum, w_scale";
    text += group_ == w4a8_gemm::kPerChannel ? ", w_zero" : ", nullptr";
    text += is("column_scale", "yes") ? ", column_scale" : ", nullptr";
    text += is("bias", "yes") ? ", bias" : ", nullptr";
    return text + (has_lora() ? ", lora_act, lora_up}" : "}");
  }
  /// What makes values of sums, and the functions that it needs.
  std::string values(std::vector<std::string> &uses) const {
    const std::string plain = "tokens_to_values", mma = "mma_" + kernel_.trait("lora_type"), offset = number(count("kCodeOffset"));
    uses.push_back(has_lora() ? plain + "_lora" : plain);
    if (!has_lora()) return fmt::format("{}<{}>", plain, offset);
    uses.push_back(mma);
    return fmt::format("{}_lora<{}, kLoraRank, {}>", plain, offset, mma);
  }

  void multiply(Value acc, int64_t blocks, int64_t halves) {
    Value slot = wait("wx", "pipeline_depth");
    const bool is_signed = is("dequant", "lqq");
    Device call;
    call.callee = "multiply_w4a8";
    call.templates = {number(blocks), number(halves), number(group_), is_signed ? "true" : "false", number(w4a8_gemm::codes_bytes(halves)),
                      number(w4a8_gemm::block_bytes(group_, halves))};
    call.regions = {symbol("w_tile"), symbol("x_tile")};
    call.tokens = {slot, slot};
    call.uses = {(is_signed ? "wgmma_s8_s8" : "wgmma_u8_s8") + width(), "wgmma_fence" + width(), "wgmma_wait_all" + width()};
    device(acc, call, "quant.dequant");
    release(slot, "wx", "pipeline_depth");
  }

  void store(Value acc, Value tile_m, Value tile_n) {
    const plan::TensorMap &map = kernel_.tensor_map("map_out");
    const int64_t chunk = map.box[1], slabs = count("kWarpgroupSlabs");
    const int64_t panels = count("kSlabs") / slabs;
    for (int64_t slab = 0; slab < slabs; ++slab)
      for (int64_t first = 0; first < count("kTileM"); first += chunk) {
        Value token = mul(tile_m, constant("kTileM", "tile.m"));
        Value channel = mul(tile_n, constant("kTileN", "tile.n"));
        if (slab) channel = add(channel, literal(slab * w4a8_gemm::kSlabRows, "tile.n"));
        Value staged = acquire("store", "epilogue.output");
        Device call;
        call.callee = "stage_tokens";
        call.uses = {pack()};
        call.templates = {pack(), values(call.uses), number(slab), number(first), number(chunk)};
        call.regions = {symbol("staging")};
        call.tokens = {staged};
        call.indices = {token, channel, constant("kLastSlabChannel", "problem.n")};
        call.params = {factors()};
        call.writes = true;
        device(acc, call, "epilogue.output");
        commit(staged, "store", "epilogue.output");
        Value ready = wait("store", "epilogue.output");
        Value row = first ? add(token, literal(first, "tile.m")) : token;
        FlowStoreOp::create(b_, at("epilogue.output"), "map_out", "staging", ready, panels, slabs * w4a8_gemm::kSlabRows, mlir::ValueRange{channel, row});
        release(ready, "store", "epilogue.output");
      }
  }

  /// The last of a tile's splits to end adds the others' sums and stores.
  void finish_split(Value acc, Value tile_m, Value tile_n) {
    Device call;
    call.callee = "finish_split";
    call.uses = {pack()};
    call.templates = {pack(), values(call.uses), "kSplits", "kComputeWarps", "kN"};
    Value tile = add(mul(tile_m, div(constant("kTilesN", "tile.n"), constant("kSplits", "split_k"))), channel_tile(tile_n));
    call.indices = {tile, rem(tile_n, constant("kSplits", "split_k")), mul(tile_m, constant("kTileM", "tile.m")),
                    mul(channel_tile(tile_n), constant("kTileN", "tile.n"))};
    call.params = {factors(), "out", "tickets", "partials"};
    device(acc, call, "split_k");
  }

  void compute() {
    if (is("pdl", "yes")) FlowDependencyWaitOp::create(b_, at("programmatic_dependent_launch"));
    const std::string type = fmt::format("Accumulator<kTileM, {}>", count("kWarpgroupSlabs"));
    Value acc = PtxRegistersOp::create(b_, at("tile.m"), ir::ptx::RegistersType::get(b_.getContext()), type, "acc");
    tiles("tile.n", [&](Value tile_m, Value tile_n) {
      Device clear;
      clear.callee = "clear_accumulator";
      device(acc, clear, "tile.m");
      stages([&](Value, const char *, int64_t blocks, int64_t halves) { multiply(acc, blocks, halves); });
      if (is_split()) finish_split(acc, tile_m, tile_n);
      else store(acc, tile_m, tile_n);
    });
    if (!is_split()) FlowDrainOp::create(b_, at("epilogue.output"), "store");
  }
};

std::vector<std::string> formula(const plan::OperatorPlan &op, size_t index) {
  const plan::KernelPlan &kernel = op.kernels[index];
  const bool has_groups = kernel.trait("group") != "channel";
  std::string value = fmt::format("x_scale[m] * w_scale[n] * (sum_k x[m,k] u[n,k] - {} * x_sum[m])", has_groups ? "128" : "w_zero[n]");
  std::vector<std::string> lines;
  if (kernel.constant("kLoraRank") > 0) {
    lines.push_back("v[m,n] = " + value);
    value = "v[m,n] + sum_r lora_act[m,r] lora_up[n,r]";
  }
  if (kernel.trait("column_scale") == "yes") value = "column_scale[n] * (" + value + ")";
  if (kernel.trait("bias") == "yes") value += " + bias[n]";
  lines.push_back("out[m,n] = " + value);
  lines.push_back(has_groups ? "u is code * scale + offset of its group, a byte; codes have 4 bits, x is int8." : "u is a code of 4 bits; x is int8.");
  return lines;
}

}  // namespace

const lower::FamilyIr &w4a8_gemm_ir() {
  static const lower::FamilyIr family = {
      "w4a8_gemm",
      [](mlir::MLIRContext &context, const plan::OperatorPlan &op, size_t kernel) { return KernelBuilder(context, op, op.kernels[kernel]).build(); },
      formula,
  };
  return family;
}

}  // namespace warpwright
