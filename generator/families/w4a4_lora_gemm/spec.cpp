// SPDX-License-Identifier: Apache-2.0
// Field table of the w4a4_lora_gemm family.
#include "generator/families/w4a4_lora_gemm/spec.h"

#include "generator/spec/field_rows.h"

namespace warpwright::w4a4_lora_gemm {
namespace {

using spec::Field;
using spec::FieldType;
using spec::boolean;
using spec::choice;
using spec::one_of;
using spec::planned;
using spec::range;
using spec::with_source;

constexpr char kMatrixShape[] = "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Matrix Shape\"";

/// Largest finite bfloat16: 0x7F7F. Source: its 8 exponent and 7 fraction bits, as in IEEE 754 single precision.
constexpr double kBf16Max = 3.3895313892515355e38;

void add_problem(std::vector<Field> &fields) {
  // 2^20 rows of 2^20 outputs keep tile counts and TMA coordinates inside 32 bits.
  constexpr int64_t kExtentLimit = 1048576;
  Field m = range("problem.m", 1, kExtentLimit, 1, "rows", "Rows of the activations and of the output; \"dynamic\" is bound at launch.");
  m.default_value = spec::dynamic_value();
  m.allows_dynamic = true;
  fields.push_back(m);
  Field n = range("problem.n", 64, kExtentLimit, 64, "columns", "Columns of the output: rows of the weights.");
  n.required = true;
  n.allows_auto = false;
  fields.push_back(n);
  Field k = range("problem.k", 64, kExtentLimit, 64, "elements",
                  "Length of the dot products: a multiple of 64 (nvfp4) or 128 (mxfp4), one scale atom.");
  k.required = true;
  k.allows_auto = false;
  k.source = "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Scale Factor A Layout\": 4 scales a row";
  fields.push_back(k);
}

void add_tile(std::vector<Field> &fields) {
  fields.push_back(choice("quant.scheme", {"nvfp4", "mxfp4"},
                          "E2M1 with a UE4M3 scale per 16 elements (nvfp4) or a UE8M0 scale per 32 (mxfp4)."));
  fields.push_back(with_source(one_of("tile.m", {128, 256}, "rows", "Rows of an output tile of the CTA group: 256 is a pair's."),
                               kMatrixShape));
  fields.push_back(with_source(one_of("tile.n", {64, 128, 192, 256}, "columns", "Columns of an output tile."), kMatrixShape));
  fields.push_back(with_source(one_of("tile.k", {128, 256}, "elements", "Elements of K in one pipeline stage: 64- or 128-byte rows."),
                               "PTX ISA 9.0, \"Tensor Swizzling Modes\": a swizzled row has at most 128 bytes"));
  fields.push_back(with_source(one_of("cta_pairing", {1, 2}, "CTAs", "CTAs that share an accumulator tile: 2 goes with tile.m 256."),
                               "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"CTA Pair\""));
  Field cluster = planned("cluster", FieldType::kIntegerList, "CTAs", "Cluster shape x, y: [cta_pairing, 1].");
  cluster.list_elems = 2;
  cluster.min = 1;
  cluster.max = 16;
  cluster.source = "CUDA C++ Programming Guide 13.0, \"Thread Block Clusters\": 8 CTAs portable, 16 with opt-in";
  fields.push_back(cluster);
  fields.push_back(range("pipeline_depth", 2, 16, 1, "stages", "Stages of the shared-memory ring of A, B and their scales."));
  Field accumulators = planned("accumulators", FieldType::kChoice, "",
                               "Accumulators in tensor memory: single, double, or overlapped (two that share columns; tile.n 256).");
  accumulators.choices = {"single", "double", "overlapped"};
  fields.push_back(accumulators);
}

void add_lora(std::vector<Field> &fields) {
  Field rank = range("lora.rank", 0, 256, 16, "ranks", "Rank of the low-rank residual; 0 leaves it out.");
  rank.default_value = spec::integer_value(0);
  rank.source = std::string(kMatrixShape) + ": K of kind::f16 is 16";
  fields.push_back(rank);
  fields.push_back(choice("lora.type", {"bf16", "fp16"}, "Element type of both LoRA operands."));
  Field placement = planned("lora.placement", FieldType::kChoice, "",
                            "LoRA operands travel through the main ring's stages, or have dedicated shared memory.");
  placement.choices = {"ring", "dedicated"};
  fields.push_back(placement);
  fields.push_back(range("lora.stages", 1, 4, 1, "stages", "Stages of the dedicated LoRA region; only with placement dedicated."));
  Field amax = planned("lora.folded_amax", FieldType::kNumber, "",
                       "Largest |L2 / (alpha · s_w)| of the checkpoint, for the range check of lora.type; required with fp16.");
  amax.number_min = 0;
  amax.excludes_number_min = true;
  amax.number_max = kBf16Max;
  fields.push_back(amax);
}

void add_epilogue(std::vector<Field> &fields) {
  fields.push_back(boolean("epilogue.column_scale", true, "Multiplies column n by s_w[n]."));
  fields.push_back(boolean("epilogue.bias", true, "Adds bias[n] to column n."));
  fields.push_back(choice("epilogue.activation", {"none", "silu", "gelu"}, "Applied after the bias."));
  fields.push_back(choice("epilogue.output", {"bf16", "fp16", "fp32"}, "Element type of the output."));
  fields.push_back(one_of("epilogue.staging_cols", {32, 64}, "columns", "Columns of the sub-tile that is staged in shared memory for a store."));
  fields.push_back(range("epilogue.staging_buffers", 1, 4, 1, "buffers", "Sub-tiles that may be in flight to memory."));
}

void add_schedule(std::vector<Field> &fields) {
  fields.push_back(choice("scheduler", {"static"}, "Persistent CTAs take tiles in a fixed order."));
  Field along = planned("rasterisation.along", FieldType::kChoice, "", "Direction in which consecutive tiles advance first.");
  along.choices = {"m", "n"};
  fields.push_back(along);
  fields.push_back(one_of("rasterisation.group", {1, 2, 4, 8}, "tiles", "Tiles across that are visited before the next step along."));
  fields.push_back(choice("ordering", {"pipe", "strict"},
                          "pipe relies on the tensor pipe's order between unlike instructions; strict waits for commits."));
  fields.push_back(boolean("programmatic_dependent_launch", true,
                           "Starts under the tail of the kernel before it; static operands are requested before the wait."));
}

spec::FamilySpec make_family_spec() {
  spec::FamilySpec family;
  family.name = "w4a4_lora_gemm";
  family.title = "block-scaled FP4 GEMM + low-rank residual + per-column affine (SVDQuant's compute-bound half)";
  family.edition = 1;
  family.archs = {"sm_100a", "sm_100f", "sm_103a"};
  add_problem(family.fields);
  add_tile(family.fields);
  add_lora(family.fields);
  add_epilogue(family.fields);
  add_schedule(family.fields);
  family.check = check_rules;
  family.starter = {
      {"problem.m", "\"dynamic\""}, {"problem.n", "12288"},           {"problem.k", "3072"},
      {"quant.scheme", "\"nvfp4\""}, {"lora.rank", "32"},             {"lora.type", "\"bf16\""},
      {"epilogue.column_scale", "true"}, {"epilogue.bias", "true"},   {"epilogue.activation", "\"none\""},
      {"epilogue.output", "\"bf16\""},
  };
  return family;
}

}  // namespace

const spec::FamilySpec &family_spec() {
  static const spec::FamilySpec family = make_family_spec();
  return family;
}

}  // namespace warpwright::w4a4_lora_gemm
