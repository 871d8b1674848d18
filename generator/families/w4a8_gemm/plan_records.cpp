// SPDX-License-Identifier: Apache-2.0
// Tensors, tensor maps, parameters, constants and work of the kernel.
#include "generator/families/w4a8_gemm/plan.h"
#include "generator/plan/kernel_name.h"

#include <fmt/format.h>

namespace warpwright::w4a8_gemm {
namespace {

using plan::TensorMap;
using spec::NumberFormat;

plan::Tensor make_tensor(const char *name, const char *text, NumberFormat format, std::vector<std::string> dims, const char *layout, std::string bytes) {
  plan::Tensor tensor;
  tensor.name = name;
  tensor.text = text;
  tensor.format = format;
  tensor.dims = std::move(dims);
  tensor.layout = layout;
  tensor.bytes = std::move(bytes);
  return tensor;
}

plan::Tensor make_vector(const char *name, const char *text, NumberFormat format, const char *elems) {
  plan::Tensor tensor = make_tensor(name, text, format, {elems}, "vector", fmt::format("{} * {}", elems, spec::bytes_of(format, 1)));
  tensor.align_bytes = spec::bytes_of(format, 1);
  return tensor;
}

/// Tiles of the whole output, splits not counted.
std::string whole_tiles(const Geometry &g) { return fmt::format("ceil_div(m, {}) * {}", g.tile_m, g.tiles_n()); }

}  // namespace

std::vector<TensorMap> make_tensor_maps(const Geometry &g) {
  TensorMap x;
  x.name = "map_x";
  x.tensor = "x";
  x.element = "u8";  // The bytes are the same, and bytes can be encoded on any driver.
  x.dims = {"k", "m"};
  x.strides_bytes = {"k"};
  x.box = {kSwizzleRowBytes, g.tile_m};
  x.swizzle = plan::Swizzle::k128;
  x.l2_promotion_bytes = 256;
  if (g.is_split()) return {x};
  TensorMap out;
  out.name = "map_out";
  out.tensor = "out";
  out.element = std::string(spec::name_of(g.output));
  out.dims = {"n", "m"};
  out.strides_bytes = {"n * 2"};
  out.box = {kSlabRows, g.chunk_tokens()};
  out.swizzle = plan::Swizzle::k128;
  out.is_store = true;
  return {x, out};
}

std::vector<plan::Tensor> make_tensors(const Geometry &g) {
  std::vector<plan::Tensor> tensors = {
      make_tensor("w", "packed weights: slabs of 64 channels, blocks of 128 columns, codes and group scales", NumberFormat::kU8,
                  {std::to_string(packed_bytes(g.n, g.k, g.group))}, g.group == kPerChannel ? "w4a8_channel" : g.group == 64 ? "w4a8_g64" : "w4a8_g128",
                  std::to_string(packed_bytes(g.n, g.k, g.group))),
      make_vector("w_scale", "scale of each channel", NumberFormat::kFp32, "n")};
  if (g.group == kPerChannel) tensors.push_back(make_vector("w_zero", "code of each channel that stands for 0", NumberFormat::kU8, "n"));
  tensors.push_back(make_tensor("x", "activations", NumberFormat::kS8, {"m", "k"}, "row_major", "m * k"));
  tensors.push_back(make_vector("x_scale", "scale of each token", NumberFormat::kFp32, "m"));
  tensors.push_back(make_vector("x_sum", "sum of each token's bytes", NumberFormat::kS32, "m"));
  if (g.has_column_scale) tensors.push_back(make_vector("column_scale", "factor of each channel, the residual included", NumberFormat::kFp32, "n"));
  if (g.has_bias) tensors.push_back(make_vector("bias", "added to each channel", NumberFormat::kFp32, "n"));
  if (g.has_lora()) {
    const NumberFormat half = g.lora_is_fp16 ? NumberFormat::kFp16 : NumberFormat::kBf16;
    const std::string rank = std::to_string(g.lora_rank);
    tensors.push_back(make_tensor("lora_act", "activations through LoRA-down", half, {"m", rank}, "row_major", "m * " + rank + " * 2"));
    tensors.push_back(make_tensor("lora_up", "LoRA-up weights", half, {"n", rank}, "row_major", "n * " + rank + " * 2"));
  }
  if (g.is_split()) {
    const std::string tickets = fmt::format("{} * {}", whole_tiles(g), g.compute_warps());
    tensors.push_back(make_tensor("tickets", "zero before the first launch; every launch leaves them zero", NumberFormat::kS32, {tickets}, "zeroed", tickets + " * 4"));
  }
  tensors.push_back(make_tensor("out", "the result", g.output, {"m", "n"}, "row_major", "m * n * 2"));
  tensors.back().is_output = true;
  return tensors;
}

std::vector<plan::KernelParam> make_params(const Geometry &g, const std::vector<TensorMap> &maps) {
  using Kind = plan::KernelParam::Kind;
  std::vector<plan::KernelParam> params;
  for (const TensorMap &map : maps)
    params.push_back({map.name, Kind::kTensorMap, "const __grid_constant__ CUtensorMap", map.name, (map.is_store ? "stores " : "loads ") + map.tensor});
  params.push_back({"w", Kind::kPointer, "const unsigned char *", "w", "packed weights"});
  params.push_back({"w_scale", Kind::kPointer, "const float *", "w_scale", "scale of each channel"});
  if (g.group == kPerChannel) params.push_back({"w_zero", Kind::kPointer, "const unsigned char *", "w_zero", "zero code of each channel"});
  params.push_back({"x_scale", Kind::kPointer, "const float *", "x_scale", "scale of each token"});
  params.push_back({"x_sum", Kind::kPointer, "const int *", "x_sum", "sum of each token's bytes"});
  if (g.has_column_scale) params.push_back({"column_scale", Kind::kPointer, "const float *", "column_scale", "factor of each channel"});
  if (g.has_bias) params.push_back({"bias", Kind::kPointer, "const float *", "bias", "added to each channel"});
  if (g.has_lora()) {
    params.push_back({"lora_act", Kind::kPointer, "const u16 *", "lora_act", "activations through LoRA-down"});
    params.push_back({"lora_up", Kind::kPointer, "const u16 *", "lora_up", "LoRA-up weights"});
  }
  if (g.is_split()) {
    params.push_back({"out", Kind::kPointer, "u16 *", "out", "the result"});
    params.push_back({"tickets", Kind::kPointer, "u32 *", "tickets", "splits of a tile that have ended, for each warp"});
    params.push_back({"partials", Kind::kPointer, "int4 *", "workspace", "sums of every split"});
  }
  params.push_back({"m", Kind::kInt32, "int", "m", "tokens"});
  return params;
}

std::vector<plan::Constant> make_constants(const Geometry &g) {
  return {
      {"kTileM", g.tile_m, "tokens", "output tile of a CTA"},
      {"kTileN", g.tile_n, "channels", "output tile of a CTA"},
      {"kTileK", g.stage_blocks * kBlockElems, "elements", "K of one pipeline stage"},
      {"kN", g.n, "channels", "columns of the output"},
      {"kK", g.k, "elements", "length of the sum"},
      {"kTurns", g.whole_turns(), "turns", "whole stages of K of one output tile"},
      {"kSlabs", g.slabs(), "slabs", "64 channels each, of an output tile"},
      {"kWarpgroupSlabs", g.warpgroup_slabs(), "slabs", "of a warpgroup"},
      {"kLastSlab", g.n / kSlabRows - 1, "slab", "the last one of the weight"},
      {"kLastStage", (blocks_along_k(g.k) - 1) / g.stage_blocks, "stage", "the last one of a slab"},
      {"kLastSlabChannel", g.n - kSlabRows, "channel", "where the last slab begins"},
      {"kSlabChunks", slab_bytes(g.k, g.group) / kChunkBytes, "16 bytes", "from slab to slab in memory"},
      {"kStageChunks", g.stage_blocks * g.block_bytes(2) / kChunkBytes, "16 bytes", "from stage to stage in memory"},
      {"kCodeOffset", g.offset(), "code", "what every operand of the weight is too large by"},
      {"kLoraRank", g.lora_rank, "elements", "rank of the residual"},
      {"kSplits", g.splits, "splits", "of K; each is a tile of the grid"},
      {"kTilesN", g.tiles_n() * g.splits, "tiles", "along n, every split of each"},
      {"kRasterGroup", 1, "tiles", "tiles of a raster group"},
  };
}

plan::MmaSlots make_mma_slots(const Geometry &g, const target::SmTarget &target) {
  const int64_t steps = (g.whole_turns() * g.stage_blocks * 2 + (g.has_tail() ? 1 : 0)) * (kHalfElems / kMmaBytesK) * g.slabs();
  // Measured on H200 (target/sm90a.cpp): N / 2 clocks from N = 32 on, 13 below.
  const int64_t clocks = std::max<int64_t>(g.tile_m / (2 * target.mma_cols_per_clk), 13);
  return {"s32.u8.s8", "wgmma of 64 channels and K = 32", steps, steps * clocks, "N / 2 clocks an MMA, 13 at least: measured",
          steps * kMmaBytesK * g.tile_m};
}

std::vector<plan::TileWork> make_tile_work(const Geometry &g) {
  const int64_t elems = g.tile_m * g.tile_n;
  plan::TileWork work;
  work.role = "compute";
  work.text = "integers to values, staging, bulk store";
  // Subtract, convert, two multiplications, the channel's factor; a product of the residual counts as half an operation.
  work.fp32_results = elems * (4 + (g.has_column_scale ? 1 : 0)) + elems * g.lora_rank / 2;
  work.smem_bytes = 2 * elems * spec::bytes_of(g.output, 1);
  work.steps = g.chunks() * g.warpgroup_slabs();
  work.exposed_steps = work.steps;  // The same warps multiply.
  return {work};
}

std::map<std::string, std::string> make_traits(const Geometry &g) {
  return {
      {"group", group_word(g.group)},
      {"dequant", g.is_lqq ? "lqq" : "u8"},
      {"output", std::string(spec::name_of(g.output))},
      {"raster_along", "m"},
      {"lora_type", g.lora_type()},
      {"column_scale", g.has_column_scale ? "yes" : "no"},
      {"bias", g.has_bias ? "yes" : "no"},
      {"pdl", g.has_pdl ? "yes" : "no"},
  };
}

std::string make_kernel_name(const Geometry &g) {
  plan::KernelNameKey key;
  key.family = g.family;
  key.formats = {"w4", "s8", std::string(spec::name_of(g.output))};
  key.traits.push_back(g.group == kPerChannel ? "channel" : "g" + std::to_string(g.group));
  if (g.is_lqq) key.traits.push_back("lqq");
  if (g.has_lora()) key.traits.push_back("r" + std::to_string(g.lora_rank));
  if (g.has_lora() && g.lora_is_fp16) key.traits.push_back("lorafp16");
  if (g.has_column_scale) key.traits.push_back("scale");
  if (g.has_bias) key.traits.push_back("bias");
  if (g.warpgroups != g.tile_n / kSlabRows) key.traits.push_back("wg" + std::to_string(g.warpgroups));
  if (g.is_split()) key.traits.push_back("split" + std::to_string(g.splits));
  if (!g.has_pdl) key.traits.push_back("nopdl");
  key.tile_m = g.tile_m;
  key.tile_n = g.tile_n;
  key.tile_k = g.stage_blocks * kBlockElems;
  key.stages = g.stages;
  key.arch = g.arch;
  return plan::format_kernel_name(key);
}

std::string output_tiles(const Geometry &g) { return g.is_split() ? fmt::format("{} * {}", whole_tiles(g), g.splits) : whole_tiles(g); }
std::string grid_ctas(const Geometry &g) { return fmt::format("min({}, num_sms)", output_tiles(g)); }

std::map<std::string, int64_t> fixed_variables(const Geometry &g) {
  std::map<std::string, int64_t> variables = {{"n", g.n}, {"k", g.k}};
  if (g.has_fixed_m) variables["m"] = g.m;
  return variables;
}

std::string workspace_bytes(const Geometry &g) {
  if (!g.is_split()) return "0";
  return fmt::format("{} * {}", whole_tiles(g), g.splits * g.tile_m * g.tile_n * 4);
}

}  // namespace warpwright::w4a8_gemm
