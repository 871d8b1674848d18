// SPDX-License-Identifier: Apache-2.0
// From spec fields to the numbers of a kernel.
#include "generator/families/w4a8_gemm/geometry.h"

namespace warpwright::w4a8_gemm {

Geometry make_geometry(const spec::KernelSpec &spec) {
  Geometry g;
  g.family = spec.family;
  g.arch = spec.arch;
  const spec::FieldValue &m = spec.at("problem.m");
  g.has_fixed_m = !m.is_dynamic();
  if (g.has_fixed_m) g.m = m.integer;
  g.n = spec.integer("problem.n");
  g.k = spec.integer("problem.k");
  g.tile_m = spec.integer("tile.m");
  g.tile_n = spec.integer("tile.n");
  g.warpgroups = spec.integer("compute_warpgroups");
  const spec::FieldValue &depth = spec.at("pipeline_depth");
  if (!depth.is_auto()) g.stages = depth.integer;
  g.group = group_of(spec.text("quant.group")).value();
  g.stage_blocks = spec.integer("tile.k") / kBlockElems;
  g.is_lqq = spec.text("quant.dequant") == "lqq";
  g.splits = spec.integer("split_k");
  g.lora_rank = spec.integer("lora.rank");
  g.lora_is_fp16 = spec.text("lora.type") == "fp16";
  g.has_column_scale = spec.flag("epilogue.column_scale");
  g.has_bias = spec.flag("epilogue.bias");
  g.has_pdl = spec.flag("programmatic_dependent_launch");
  g.output = spec.text("epilogue.output") == "fp16" ? spec::NumberFormat::kFp16 : spec::NumberFormat::kBf16;
  return g;
}

}  // namespace warpwright::w4a8_gemm
