// SPDX-License-Identifier: Apache-2.0
// Tensors, tensor maps, parameters, constants and MMA slots of the kernel.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/plan/kernel_name.h"

namespace warpwright::w4a4_lora_gemm {
namespace {

using plan::TensorMap;
using spec::NumberFormat;

std::string number(int64_t value) { return std::to_string(value); }

std::string half_name(const Geometry &g) { return g.lora_is_fp16 ? "fp16" : "bf16"; }

int64_t box_rows(const Geometry &g, const std::vector<Operand> &operands, const std::string &map) {
  for (const Operand &operand : operands)
    if (operand.tile.tensor_map == map) return plan::cta_rows(operand.tile, g.cta_group);
  throw support::InternalError("no operand has the tensor map " + map);
}

/// Packed FP4 as bytes: the shared-memory image is the same, and bytes can be encoded on any driver.
TensorMap make_fp4_map(const Geometry &g, const char *name, const char *tensor, const char *rows, int64_t rows_boxed) {
  TensorMap map;
  map.name = name;
  map.tensor = tensor;
  map.element = "u8";
  map.dims = {"k / 2", rows};
  map.strides_bytes = {"k / 2"};
  map.box = {g.operand_row_bytes, rows_boxed};
  map.swizzle = static_cast<plan::Swizzle>(g.operand_row_bytes);
  return map;
}

/// Scale atoms: 256 two-byte elements an atom, because a box has at most 256 elements a dimension.
/// Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled.
TensorMap make_scale_map(const Geometry &g, const char *name, const char *tensor, const char *rows,
                         int64_t rows_boxed) {
  const std::string atoms = "ceil_div(k, " + number(g.is_nvfp4 ? 64 : 128) + ")";
  TensorMap map;
  map.name = name;
  map.tensor = tensor;
  map.element = "u16";
  map.dims = {"256", atoms, std::string("ceil_div(") + rows + ", 128)"};
  map.strides_bytes = {number(kAtomBytes), atoms + " * " + number(kAtomBytes)};
  map.box = {kAtomBytes / 2, g.scale_atoms_k, rows_boxed / kAtomRows};
  return map;
}

TensorMap make_lora_map(const Geometry &g, const char *name, const char *tensor, const char *rows, int64_t rows_boxed) {
  TensorMap map;
  map.name = name;
  map.tensor = tensor;
  map.element = half_name(g);
  map.dims = {"rank", rows};
  map.strides_bytes = {"rank * 2"};
  map.box = {g.lora_chunk_ranks, rows_boxed};
  map.swizzle = static_cast<plan::Swizzle>(g.lora_row_bytes);
  return map;
}

TensorMap make_output_map(const Geometry &g) {
  const int64_t element_bytes = spec::bytes_of(g.output, 1);
  TensorMap map;
  map.name = "map_out";
  map.tensor = "out";
  map.element = std::string(spec::name_of(g.output));
  map.dims = {"n", "m"};
  map.strides_bytes = {"n * " + number(element_bytes)};
  map.box = {g.panel_row_bytes / element_bytes, kCtaRows};
  map.swizzle = static_cast<plan::Swizzle>(g.panel_row_bytes);
  map.is_store = true;
  return map;
}

plan::Tensor make_scale_tensor(const Geometry &g, const char *name, const char *text, const std::string &rows) {
  const std::string blocks = "ceil_div(" + rows + ", 128)";
  const std::string atoms = "ceil_div(k, " + number(g.is_nvfp4 ? 64 : 128) + ")";
  plan::Tensor tensor;
  tensor.name = name;
  tensor.text = text;
  tensor.format = g.is_nvfp4 ? NumberFormat::kUe4m3 : NumberFormat::kUe8m0;
  tensor.dims = {blocks + " * 128", atoms + " * 4"};
  tensor.layout = "scale_atoms_128x4";
  tensor.bytes = blocks + " * " + atoms + " * " + number(kAtomBytes);
  return tensor;
}

plan::Tensor make_matrix(const char *name, const char *text, NumberFormat format, const char *rows, const char *cols) {
  plan::Tensor tensor;
  tensor.name = name;
  tensor.text = text;
  tensor.format = format;
  tensor.dims = {rows, cols};
  tensor.layout = "row_major";
  const int64_t bits = spec::bits_of(format);
  tensor.bytes = std::string(rows) + " * " + cols + (bits < 8 ? " / " + number(8 / bits) : " * " + number(bits / 8));
  return tensor;
}

plan::Tensor make_vector(const char *name, const char *text, const char *elems, int64_t align_bytes) {
  plan::Tensor tensor;
  tensor.name = name;
  tensor.text = text;
  tensor.format = NumberFormat::kFp32;
  tensor.dims = {elems};
  tensor.layout = "vector";
  tensor.bytes = std::string(elems) + " * 4";
  tensor.align_bytes = align_bytes;
  return tensor;
}

/// Instruction descriptor of a block-scaled FP4 MMA.
/// Source: PTX ISA 9.0, "Instruction descriptor", table for .kind::mxf4 and .kind::mxf4nvf4.
int64_t main_descriptor(const Geometry &g) {
  constexpr int64_t kE2m1 = 1;
  const int64_t scale_format = g.is_nvfp4 ? 0 : 1;  // UE4M3, UE8M0
  return kE2m1 << 7 | kE2m1 << 10 | (g.tile_n >> 3) << 17 | scale_format << 23 | (g.tile_m >> 7) << 27;
}

/// Instruction descriptor of a 16-bit MMA that accumulates in FP32.
/// Source: PTX ISA 9.0, "Instruction descriptor", table for .kind::f16.
int64_t lora_descriptor(const Geometry &g) {
  constexpr int64_t kAccumulateFp32 = 1;
  const int64_t half = g.lora_is_fp16 ? 0 : 1;  // F16, BF16
  return kAccumulateFp32 << 4 | half << 7 | half << 10 | (g.tile_n >> 3) << 17 | (g.tile_m >> 4) << 24;
}

}  // namespace

std::vector<TensorMap> make_tensor_maps(const Geometry &g, const std::vector<Operand> &operands) {
  std::vector<TensorMap> maps = {
      make_fp4_map(g, "map_a", "a", "m", box_rows(g, operands, "map_a")),
      make_scale_map(g, "map_sfa", "a_scales", "m", box_rows(g, operands, "map_sfa")),
      make_fp4_map(g, "map_b", "b", "n", box_rows(g, operands, "map_b")),
      make_scale_map(g, "map_sfb", "b_scales", "n", box_rows(g, operands, "map_sfb")),
  };
  if (g.has_lora()) {
    maps.push_back(make_lora_map(g, "map_lora_act", "lora_act", "m", box_rows(g, operands, "map_lora_act")));
    maps.push_back(make_lora_map(g, "map_lora_up", "lora_up", "n", box_rows(g, operands, "map_lora_up")));
  }
  maps.push_back(make_output_map(g));
  return maps;
}

std::vector<plan::Tensor> make_tensors(const Geometry &g) {
  std::vector<plan::Tensor> tensors = {
      make_matrix("a", "activations, two FP4 values a byte", NumberFormat::kE2m1, "m", "k"),
      make_scale_tensor(g, "a_scales", "block scales of a; rows and scales of the padding are zero", "m"),
      make_matrix("b", "weights, two FP4 values a byte", NumberFormat::kE2m1, "n", "k"),
      make_scale_tensor(g, "b_scales", "block scales of b; rows and scales of the padding are zero", "n"),
      make_vector("alpha", "product of the per-tensor scales of a and b", "1", 4),
  };
  if (g.has_column_scale) tensors.push_back(make_vector("column_scale", "s_w, one factor a column of out", "n", 16));
  if (g.has_bias) tensors.push_back(make_vector("bias", "added to each row of out", "n", 16));
  if (g.has_lora()) {
    const NumberFormat half = g.lora_is_fp16 ? NumberFormat::kFp16 : NumberFormat::kBf16;
    tensors.push_back(make_matrix("lora_act", "activations through LoRA-down", half, "m", "rank"));
    tensors.push_back(make_matrix("lora_up", "LoRA-up weights, divided by alpha * s_w", half, "n", "rank"));
  }
  tensors.push_back(make_matrix("out", "the result", g.output, "m", "n"));
  tensors.back().is_output = true;
  return tensors;
}

std::vector<plan::KernelParam> make_params(const Geometry &g, const std::vector<TensorMap> &maps) {
  using Kind = plan::KernelParam::Kind;
  std::vector<plan::KernelParam> params;
  for (const TensorMap &map : maps)
    params.push_back({map.name, Kind::kTensorMap, "const __grid_constant__ CUtensorMap", map.name,
                      (map.is_store ? "stores " : "loads ") + map.tensor});
  params.push_back({"alpha", Kind::kPointer, "const float *", "alpha", "factor of the whole sum"});
  if (g.has_column_scale)
    params.push_back({"column_scale", Kind::kPointer, "const float *", "column_scale", "factor of each column"});
  if (g.has_bias) params.push_back({"bias", Kind::kPointer, "const float *", "bias", "added to each column"});
  params.push_back({"m", Kind::kInt32, "int", "m", "rows of a and out"});
  return params;
}

std::vector<plan::Constant> make_constants(const Geometry &g, const plan::TmemPlan &tmem) {
  const int64_t weight_rows = g.tile_n / g.cta_group;
  return {
      {"kTileM", g.tile_m, "rows", "output tile of the CTA group"},
      {"kTileN", g.tile_n, "columns", "output tile of the CTA group"},
      {"kTileK", g.tile_k, "elements", "K of one pipeline stage"},
      {"kCtaRows", kCtaRows, "rows", "output rows of one CTA"},
      {"kCtaN", weight_rows, "rows", "rows of B that one CTA loads"},
      {"kStages", g.stages, "slots", "depth of the operand ring"},
      {"kN", g.n, "columns", "columns of the output"},
      {"kK", g.k, "elements", "length of the sum"},
      {"kKTiles", g.k_tiles, "turns", "k tiles of one output tile"},
      {"kMmasPerKTile", g.tile_k / kMmaFp4Elems, "instructions", "FP4 MMAs of one k tile"},
      {"kScaleAtoms", g.scale_atoms_k, "atoms", "scale atoms of one k tile and row block"},
      {"kScaleColsA", g.scale_cols_a, "columns", "tensor memory of one copy of A's scales"},
      {"kScaleColsB", g.scale_cols_b, "columns", "tensor memory of one copy of B's scales"},
      {"kScaleCopies", g.scale_copies, "copies", "copies of the scale columns"},
      {"kLoraRank", g.lora_rank, "elements", "rank of the residual"},
      {"kLoraChunks", g.lora_chunks, "boxes", "LoRA chunks of one output tile"},
      {"kLoraChunkRanks", g.lora_chunk_ranks, "elements", "ranks of one chunk"},
      {"kLoraMmas", g.lora_rank / kMmaHalfElems, "instructions", "16-bit MMAs of one output tile"},
      {"kSubtiles", g.subtiles(), "sub-tiles", "epilogue sub-tiles of one output tile"},
      {"kSubtileCols", g.subtile_cols, "columns", "columns of one sub-tile"},
      {"kStagingBuffers", g.staging_buffers, "buffers", "sub-tiles that may be on their way out"},
      {"kStagingPanels", g.staging_panels, "panels", "bulk stores of one sub-tile"},
      {"kAccBuffers", g.acc_buffers(), "tiles", "accumulator tiles in tensor memory"},
      {"kAccStrideCols", g.acc_stride_cols, "columns", "from one accumulator to the next"},
      {"kAccEarlySubtiles", g.early_subtiles, "sub-tiles", "drained before the accumulator is released"},
      {"kTmemCols", tmem.alloc_cols, "columns", "allocated tensor memory"},
      {"kTilesN", (g.n + g.tile_n - 1) / g.tile_n, "tiles", "output tiles along n"},
      {"kRasterGroup", g.raster_group, "tiles", "tiles of a raster group"},
      {"kInstrDescMain", main_descriptor(g), "bits", "instruction descriptor of the FP4 MMAs"},
      {"kInstrDescLora", g.has_lora() ? lora_descriptor(g) : 0, "bits", "instruction descriptor of the 16-bit MMAs"},
  };
}

std::vector<plan::MmaSlots> make_mma_slots(const Geometry &g, const target::SmTarget &target) {
  const int64_t mma_clocks = g.tile_n / target.mma_cols_per_clk;
  // Every MMA reads 32 bytes of K of each row of its operands. PTX ISA 9.0, "tcgen05.mma", table of shapes.
  const int64_t mma_operand_bytes = 32 * (kCtaRows + g.tile_n / g.cta_group);
  const int64_t main = g.k_tiles * (g.tile_k / kMmaFp4Elems);
  std::vector<plan::MmaSlots> slots = {
      {g.is_nvfp4 ? "mxf4nvf4.block16" : "mxf4.block32", "K / 64 FP4 MMAs", main, main * mma_clocks,
       "N / 2 clocks an MMA: measured for 8-bit kinds, inferred for FP4", main * mma_operand_bytes}};
  if (g.has_lora()) {
    const int64_t lora = g.lora_rank / kMmaHalfElems;
    slots.push_back({"f16", "R / 16 LoRA MMAs", lora, lora * mma_clocks, "N / 2 clocks an MMA: measured",
                     lora * mma_operand_bytes});
  }
  return slots;
}

plan::TileWork make_epilogue_work(const Geometry &g) {
  const int64_t elems = kCtaRows * g.tile_n;
  plan::TileWork work;
  work.role = "epilogue";
  work.text = "accumulator to registers, affine and activation, staging, bulk store";
  work.tmem_read_bytes = elems * spec::bytes_of(NumberFormat::kFp32, 1);
  // Scale or scale-and-add, and half a conversion (two values each).
  int64_t fp32_per_elem_x2 = 3;
  int64_t special_per_elem = 0;
  if (g.activation == "silu") {  // x / (1 + exp(-x)): scale, exponential, add, reciprocal, multiply
    fp32_per_elem_x2 += 6;
    special_per_elem = 2;
  } else if (g.activation == "gelu") {  // cubic polynomial, tanh, multiply-add, multiply
    fp32_per_elem_x2 += 10;
    special_per_elem = 1;
  }
  work.fp32_results = elems * fp32_per_elem_x2 / 2;
  work.special_results = elems * special_per_elem;
  work.smem_bytes = 2 * g.subtiles() * g.staging_bytes();
  work.steps = g.subtiles();
  const bool is_overlapped = g.accumulators == Accumulators::kOverlapped;
  work.exposed_steps = is_overlapped ? g.early_subtiles : g.acc_buffers() == 1 ? g.subtiles() : 0;
  return work;
}

std::map<std::string, std::string> make_traits(const Geometry &g) {
  const char *placement = !g.has_lora() ? "none" : g.lora_is_dedicated ? "dedicated" : "ring";
  const char *accumulators = g.accumulators == Accumulators::kSingle   ? "single"
                             : g.accumulators == Accumulators::kDouble ? "double"
                                                                       : "overlapped";
  return {
      {"scheme", g.is_nvfp4 ? "nvfp4" : "mxfp4"},
      {"lora_type", half_name(g)},
      {"lora_placement", placement},
      {"activation", g.activation},
      {"output", std::string(spec::name_of(g.output))},
      {"accumulators", accumulators},
      {"ordering", g.is_strict ? "strict" : "pipe"},
      {"raster_along", g.raster_along_m ? "m" : "n"},
      {"column_scale", g.has_column_scale ? "yes" : "no"},
      {"bias", g.has_bias ? "yes" : "no"},
      {"pdl", g.has_pdl ? "yes" : "no"},
  };
}

std::string make_kernel_name(const Geometry &g) {
  plan::KernelNameKey key;
  key.family = g.family;
  const std::string format = g.is_nvfp4 ? "nvf4" : "mxf4";
  key.formats = {format, format, std::string(spec::name_of(g.output))};
  if (g.has_lora()) {
    key.traits.push_back("r" + number(g.lora_rank) + (g.lora_is_dedicated ? "d" + number(g.lora_stages) : ""));
    if (g.lora_is_fp16) key.traits.push_back("lorafp16");
  }
  if (g.has_column_scale) key.traits.push_back("scale");
  if (g.has_bias) key.traits.push_back("bias");
  if (g.activation != "none") key.traits.push_back(g.activation);
  if (g.is_strict) key.traits.push_back("strict");
  // Overlapped at n = 256 and double below are what a tile is expected to have.
  if (g.accumulators == Accumulators::kSingle) key.traits.push_back("single");
  if (!g.has_pdl) key.traits.push_back("nopdl");
  key.tile_m = g.tile_m;
  key.tile_n = g.tile_n;
  key.tile_k = g.tile_k;
  key.cta_group = g.cta_group;
  key.stages = g.stages;
  key.arch = g.arch;
  return plan::format_kernel_name(key);
}

}  // namespace warpwright::w4a4_lora_gemm
