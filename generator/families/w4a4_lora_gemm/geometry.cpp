// SPDX-License-Identifier: Apache-2.0
// From the fields of a resolved spec to the numbers of the kernel.
#include "generator/families/w4a4_lora_gemm/geometry.h"

#include <algorithm>

namespace warpwright::w4a4_lora_gemm {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

void set_problem(Geometry &g, const spec::KernelSpec &spec) {
  g.family = spec.family;
  g.arch = spec.arch;
  g.has_fixed_m = !spec.at("problem.m").is_dynamic();
  if (g.has_fixed_m) g.m = spec.integer("problem.m");
  g.n = spec.integer("problem.n");
  g.k = spec.integer("problem.k");
  g.is_nvfp4 = spec.text("quant.scheme") == "nvfp4";
  g.tile_m = spec.integer("tile.m");
  g.tile_n = spec.integer("tile.n");
  g.tile_k = spec.integer("tile.k");
  g.cta_group = spec.integer("cta_pairing");
  // A sketch gives its own depth.
  if (!spec.is_auto("pipeline_depth")) g.stages = spec.integer("pipeline_depth");
  g.k_tiles = ceil_div(g.k, g.tile_k);
  g.operand_row_bytes = spec::bytes_of(spec::NumberFormat::kE2m1, g.tile_k);
}

void set_scales(Geometry &g) {
  // One scale per 16 (NVFP4) or 32 (MXFP4) elements. PTX ISA 9.0, "tcgen05.mma", .block16 and .block32.
  const int64_t block_elems = g.is_nvfp4 ? 16 : 32;
  g.scale_atoms_k = ceil_div(g.tile_k, block_elems * kAtomScales);
  g.scale_blocks_b = ceil_div(g.tile_n, kAtomRows);
  g.scale_cols_a = g.scale_atoms_k * kAtomCols;
  g.scale_cols_b = g.scale_atoms_k * g.scale_blocks_b * kAtomCols;
}

void set_lora(Geometry &g, const spec::KernelSpec &spec) {
  g.lora_rank = spec.integer("lora.rank");
  g.lora_is_fp16 = spec.text("lora.type") == "fp16";
  if (!g.has_lora()) return;
  g.lora_is_dedicated = spec.text("lora.placement") == "dedicated";
  if (g.lora_is_dedicated) g.lora_stages = spec.integer("lora.stages");
  // In the ring a chunk takes the slots of A and B, so its rows are as long as theirs.
  g.lora_row_bytes = g.lora_is_dedicated ? kSwizzleRowBytes : std::min(g.operand_row_bytes, kSwizzleRowBytes);
  g.lora_chunk_ranks = g.lora_row_bytes / spec::bytes_of(spec::NumberFormat::kBf16, 1);
  g.lora_chunks = ceil_div(g.lora_rank, g.lora_chunk_ranks);
}

void set_accumulators(Geometry &g, const spec::KernelSpec &spec, int64_t tmem_cols) {
  const std::string &word = spec.text("accumulators");
  g.accumulators = word == "single"   ? Accumulators::kSingle
                   : word == "double" ? Accumulators::kDouble
                                      : Accumulators::kOverlapped;
  g.is_strict = spec.text("ordering") == "strict";
  g.acc_stride_cols = g.tile_n;
  // Overlapped accumulators leave exactly the scale columns free: 2 x 256 - overlap + scales = 512.
  if (g.accumulators == Accumulators::kOverlapped) g.acc_stride_cols = g.tile_n - g.scale_cols();
  if (g.is_strict) {
    // The MMA thread waits for the MMAs of the copy that it overwrites, so a handful hides the commit's latency.
    const int64_t free_cols = tmem_cols - g.acc_buffers() * g.tile_n;
    g.scale_copies = std::clamp<int64_t>(free_cols / g.scale_cols(), 1, 4);
  }
}

void set_epilogue(Geometry &g, const spec::KernelSpec &spec) {
  g.has_column_scale = spec.flag("epilogue.column_scale");
  g.has_bias = spec.flag("epilogue.bias");
  g.activation = spec.text("epilogue.activation");
  const std::string &output = spec.text("epilogue.output");
  g.output = output == "fp32"   ? spec::NumberFormat::kFp32
             : output == "fp16" ? spec::NumberFormat::kFp16
                                : spec::NumberFormat::kBf16;
  g.subtile_cols = spec.integer("epilogue.staging_cols");
  g.staging_buffers = spec.integer("epilogue.staging_buffers");
  const int64_t row_bytes = spec::bytes_of(g.output, g.subtile_cols);
  g.staging_panels = ceil_div(row_bytes, kSwizzleRowBytes);
  g.panel_row_bytes = row_bytes / g.staging_panels;
  const int64_t shared_cols = g.accumulators == Accumulators::kOverlapped ? g.scale_cols() : g.tile_n;
  g.early_subtiles = ceil_div(shared_cols, g.subtile_cols);
}

}  // namespace

Geometry make_geometry(const spec::KernelSpec &spec, const target::SmTarget &target) {
  Geometry g;
  set_problem(g, spec);
  set_scales(g);
  set_lora(g, spec);
  set_accumulators(g, spec, target.tmem_cols);
  set_epilogue(g, spec);
  const std::string &along = spec.text("rasterisation.along");
  g.raster_along_m = along == "m";
  g.raster_group = spec.integer("rasterisation.group");
  g.has_pdl = spec.flag("programmatic_dependent_launch");
  return g;
}

std::vector<Operand> make_operands(const Geometry &g) {
  using plan::Split;
  const int64_t a_rows = g.tile_m;
  const int64_t scale_row_bytes = kAtomScales * g.scale_atoms_k;
  std::vector<Operand> operands = {
      {"main", {"map_a", "a_tile", "load_activations", Split::kOwnRows, a_rows, 1, g.operand_row_bytes, 1}},
      {"main", {"map_sfa", "a_scales", "load_activations", Split::kOwnRows, a_rows, kAtomRows, scale_row_bytes, 1, false}},
      {"main", {"map_b", "b_tile", "load_weights", Split::kHalfN, g.tile_n, 1, g.operand_row_bytes, 1}},
      {"main", {"map_sfb", "b_scales", "load_weights", Split::kAllN, g.tile_n, kAtomRows, scale_row_bytes, 1, false}},
  };
  if (!g.has_lora()) return operands;
  // In the ring every chunk is a turn of its own; dedicated slots take all chunks in one turn.
  const int64_t boxes = g.lora_is_dedicated ? g.lora_chunks : 1;
  const std::string_view act = g.lora_is_dedicated ? "lora_act" : "a_tile";
  const std::string_view up = g.lora_is_dedicated ? "lora_up" : "b_tile";
  const int64_t row_bytes = g.lora_row_bytes;
  operands.push_back({"lora", {"map_lora_act", act, "load_activations", Split::kOwnRows, a_rows, 1, row_bytes, boxes}});
  operands.push_back({"lora", {"map_lora_up", up, "load_weights", Split::kHalfN, g.tile_n, 1, row_bytes, boxes}});
  return operands;
}

}  // namespace warpwright::w4a4_lora_gemm
