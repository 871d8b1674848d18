// SPDX-License-Identifier: Apache-2.0
// Field table of the w4a8_gemm family.
#include "generator/families/w4a8_gemm/spec.h"

#include "generator/spec/field_rows.h"

namespace warpwright::w4a8_gemm {
namespace {

using spec::Field;
using spec::FieldType;
using spec::boolean;
using spec::choice;
using spec::one_of;
using spec::range;
using spec::with_source;

constexpr char kMatrixShape[] = "PTX ISA 9.0, \"wgmma.mma_async\", shapes of .u8 and .s8: m64nNk32";

void add_problem(std::vector<Field> &fields) {
  // 2^20 tokens of 2^20 channels keep tile counts and TMA coordinates inside 32 bits.
  constexpr int64_t kExtentLimit = 1048576;
  Field m = range("problem.m", 1, kExtentLimit, 1, "tokens", "Tokens: rows of the activations and of the output; \"dynamic\" is bound at launch.");
  m.default_value = spec::dynamic_value();
  m.allows_dynamic = true;
  fields.push_back(m);
  Field n = range("problem.n", 64, kExtentLimit, 64, "channels", "Output channels: rows of the weight, columns of the output.");
  n.required = true;
  n.allows_auto = false;
  n.source = std::string(kMatrixShape) + ": the channels are M";
  fields.push_back(n);
  Field k = range("problem.k", 64, kMostK, 64, "elements",
                  "Length of the dot products, a multiple of the group; the largest keeps 255 · 128 · K within s32.");
  k.required = true;
  k.allows_auto = false;
  k.source = "PTX ISA 9.0, \"wgmma.mma_async\": integer accumulators are s32";
  fields.push_back(k);
}

void add_quantisation(std::vector<Field> &fields) {
  fields.push_back(choice("quant.group", {"64", "128", "channel"},
                          "Elements along K that share an integer scale and offset; channel: none but the channel's own scale and zero."));
  fields.push_back(choice("quant.dequant", {"u8", "lqq"},
                          "Operand of the tensor core: u8, whose offset of 128 the epilogue takes off, or lqq, s8 by one more XOR a word."));
}

void add_tile(std::vector<Field> &fields) {
  fields.push_back(with_source(one_of("tile.m", {8, 16, 32, 64, 96, 128, 192, 256}, "tokens", "Tokens of an output tile."),
                               std::string(kMatrixShape) + ": the tokens are N"));
  fields.push_back(with_source(one_of("tile.n", {64, 128, 192, 256, 320, 384, 448}, "channels", "Channels of an output tile, 64 or 128 a compute warpgroup."),
                               kMatrixShape));
  Field k = with_source(one_of("tile.k", {128, 256}, "elements", "Elements of K in one pipeline stage, each 128 rows of their own; K is a multiple of 256 where it has 256."),
                        "PTX ISA 9.0, \"Tensor Swizzling Modes\": a swizzled row has at most 128 bytes");
  k.default_value = spec::integer_value(128);
  fields.push_back(k);
  fields.push_back(one_of("compute_warpgroups", {1, 2, 3, 4, 5, 6, 7}, "warpgroups", "Warpgroups that turn codes into bytes and multiply; two more warps load."));
  fields.push_back(range("pipeline_depth", 2, 16, 1, "stages", "Stages of the shared-memory ring of weights and activations."));
}

void add_lora(std::vector<Field> &fields) {
  Field rank = range("lora.rank", 0, 128, 16, "ranks", "Rank of the low-rank residual; 0 leaves it out.");
  rank.default_value = spec::integer_value(0);
  rank.source = "PTX ISA 9.0, \"Warp Level Matrix Multiply-Accumulate Instructions: mma\": K of .m16n8k16";
  fields.push_back(rank);
  fields.push_back(choice("lora.type", {"bf16", "fp16"}, "Element type of both LoRA operands."));
}

void add_epilogue(std::vector<Field> &fields) {
  fields.push_back(boolean("epilogue.column_scale", false, "Multiplies channel n by column_scale[n], the residual included."));
  fields.push_back(boolean("epilogue.bias", false, "Adds bias[n] to channel n."));
  fields.push_back(choice("epilogue.output", {"bf16", "fp16"}, "Element type of the output."));
}

void add_schedule(std::vector<Field> &fields) {
  fields.push_back(one_of("split_k", {1, 2, 3, 4, 5, 6, 7, 8}, "splits",
                          "Equal parts of K, each a tile of the grid; the last one to end adds the others' sums, which is exact."));
  fields.push_back(boolean("programmatic_dependent_launch", true,
                           "Starts under the tail of the kernel before it; weights are requested before the wait."));
}

spec::FamilySpec make_family_spec() {
  spec::FamilySpec family;
  family.name = "w4a8_gemm";
  family.title = "4-bit weights on an integer two-level grid times int8 activations (W4A8 for serving)";
  family.edition = 1;
  family.archs = {"sm_90a"};
  add_problem(family.fields);
  add_quantisation(family.fields);
  add_tile(family.fields);
  add_lora(family.fields);
  add_epilogue(family.fields);
  add_schedule(family.fields);
  family.check = check_rules;
  family.starter = {
      {"problem.m", "\"dynamic\""},  {"problem.n", "12288"},       {"problem.k", "4096"},
      {"quant.group", "\"64\""},     {"epilogue.bias", "false"},   {"epilogue.output", "\"bf16\""},
  };
  return family;
}

}  // namespace

const spec::FamilySpec &family_spec() {
  static const spec::FamilySpec family = make_family_spec();
  return family;
}

}  // namespace warpwright::w4a8_gemm
