// SPDX-License-Identifier: Apache-2.0
// What the messages of the spec stage mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {
namespace {

std::vector<Explanation> form() {
  return {
      {"spec.unreadable", "the spec file cannot be read",
       "The system refused to open or read it: the name is wrong, it is a folder, or permissions are missing.",
       "warpwright plan no_such_file.json", "Check the name. `warpwright list specs` shows the shipped specs; '-' reads standard input.", ""},
      {"spec.not-json", "the text is not JSON",
       "A spec is strict JSON (RFC 8259): double quotes, no comments, no comma before a closing bracket, no NaN, valid UTF-8, at most 64 levels deep.",
       "{ \"family\": \"w4a4_lora_gemm\", // the GEMM", "Correct the character under the caret. For remarks, write \"$comment\": \"...\" as a key of any object.", "RFC 8259"},
      {"spec.not-object", "the text is JSON, but not an object",
       "A spec is one object with named fields.", "[ 1, 2 ]", "Begin with `warpwright new FAMILY`.", ""},
      {"spec.duplicate-key", "a key occurs twice in one object",
       "JSON leaves open which of two equal keys holds. One of the two would be ignored silently, which is how a wrong tile gets built.",
       "{ \"tile\": {\"n\": 128, \"n\": 256} }", "Keep one of the two.", "RFC 8259, section 4"},
      {"spec.unknown-key", "the family has no such field",
       "A misspelt field would otherwise be ignored and its default used. The message names the nearest known key.",
       "{ \"lora\": {\"rnak\": 32} }", "Correct the spelling; `warpwright schema FAMILY --table` lists all fields. Remarks go into \"$comment\".", ""},
      {"spec.missing-key", "a field that has no default is missing",
       "The problem's fixed extents, the family and the edition cannot be guessed.", "{ \"family\": \"w4a4_lora_gemm\", \"edition\": 1, \"problem\": {\"n\": 3072} }",
       "Add the key that the message names.", ""},
      {"spec.wrong-type", "the value has the wrong JSON type",
       "Numbers are written without quotes, words with them, switches as true or false. Numbers with a fraction are refused where an integer is meant.",
       "{ \"tile\": {\"n\": \"256\"} }", "Write the type that the message names; leave the key out, or write \"auto\" where the field allows it.", ""},
      {"spec.out-of-range", "the number is outside the field's legal values",
       "The field table gives a range with a step, or a set of values, often because an instruction has no other shape. The message names the nearest legal values and the source of the limit.",
       "{ \"tile\": {\"n\": 96} }", "Take one of the nearest legal values.", ""},
      {"spec.not-a-choice", "the word is not one of the field's choices",
       "The field takes one of a few words, which the message lists.", "{ \"quant\": {\"scheme\": \"nvfp5\"} }", "Take one of the listed words.", ""},
      {"spec.unknown-family", "there is no operator family of this name",
       "The family decides which fields a spec has, so nothing else was checked.", "{ \"family\": \"w4a4_gemm\" }", "`warpwright list families` shows the names.", ""},
      {"spec.unknown-arch", "the family does not build for this architecture",
       "Architecture-specific instructions (tcgen05, wgmma) exist only on the listed targets; a plain sm_100 has none of them.",
       "{ \"arch\": \"sm_90\" }", "Take one of the listed architectures.", "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", target notes"},
      {"spec.unknown-edition", "the spec was written for another edition of the family's fields",
       "The edition changes when a field changes its meaning, so that an old spec is never read wrongly.", "{ \"edition\": 2 }",
       "Use the warpwright that reads this edition, or update the spec to the edition that the message names.", ""},
      {"spec.bad-override", "an argument of --set cannot be read",
       "--set takes a dotted path, an equals sign and a JSON value. A bare word is taken for a string.", "--set lora.rank",
       "--set lora.rank=64, --set quant.scheme=mxfp4, --set 'cluster=[2, 1]'.", ""},
  };
}

std::vector<Explanation> w4a4_lora_gemm() {
  return {
      {"spec.pair-needs-m256", "a CTA pair was asked for with tile.m 128",
       "A pair shares one accumulator tile: each CTA holds 128 rows, 256 together. The instruction also has M = 128 for a pair (64 rows in each CTA), but that form reads its scale factors from another layout in tensor memory, which this edition does not produce.",
       "{ \"tile\": {\"m\": 128}, \"cta_pairing\": 2 }", "tile.m 256 with cta_pairing 2, or tile.m 128 with cta_pairing 1.",
       "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Matrix Shape\" and \"Scale Factor A Layout\""},
      {"spec.m256-needs-pair", "tile.m 256 was asked for without a pair",
       "The block-scaled MMA of one CTA has M = 128: tensor memory has 128 lanes in each CTA. 256 rows need both CTAs of a pair.",
       "{ \"tile\": {\"m\": 256}, \"cta_pairing\": 1 }", "cta_pairing 2, or tile.m 128.",
       "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Matrix Shape\""},
      {"spec.cluster-shape", "the cluster is not one CTA group",
       "A larger cluster pays only if tiles are multicast between CTA groups, which this edition does not do; without multicast it would only make the kernel harder to place. The hardware ends at 16 CTAs (8 without opt-in), and a pair is two CTAs with neighbouring ranks.",
       "{ \"cluster\": [4, 1], \"cta_pairing\": 2 }", "[2, 1] for a pair, [1, 1] without; or leave the field out.",
       "CUDA C++ Programming Guide 13.0, \"Thread Block Clusters\"; PTX ISA 9.0, \"CTA Pair\""},
      {"spec.k-granularity", "problem.k does not fill whole scale atoms",
       "Scale factors are stored in atoms of 128 rows by 4 scales. With mxfp4 a scale covers 32 elements, so an atom covers 128 elements of K; with nvfp4 it covers 64.",
       "{ \"problem\": {\"k\": 3008}, \"quant\": {\"scheme\": \"mxfp4\"} }", "Pad K to a multiple of 128, or quantise with nvfp4.",
       "PTX ISA 9.0, \"Scale Factor A Layout\"; OCP Microscaling Formats 1.0"},
      {"spec.overlap-needs-n256", "overlapped accumulators were asked for with a narrower tile",
       "Two accumulators share columns only where two whole ones and the scale factors do not fit into 512 columns, which is at tile.n 256. Narrower tiles have room for two whole accumulators, which is better: nothing has to be drained early.",
       "{ \"tile\": {\"n\": 128}, \"accumulators\": \"overlapped\" }", "accumulators \"double\", or tile.n 256.",
       "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Tensor Memory\""},
      {"spec.double-needs-n192", "two whole accumulators of 256 columns leave no room for scale factors",
       "Tensor memory has 512 columns in each CTA. Block-scaled MMA reads its scale factors from there too.",
       "{ \"tile\": {\"n\": 256}, \"accumulators\": \"double\" }", "accumulators \"overlapped\", or tile.n 192.",
       "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Tensor Memory\""},
      {"spec.strict-no-overlap", "strict ordering was asked for with overlapped accumulators",
       "With ordering pipe, a copy of new scale factors is issued behind the MMAs that read the old ones, and the tensor pipe keeps the order. Strict ordering waits for a commit instead, and needs a second copy of the scale factors so that the wait costs nothing; two overlapped accumulators of 256 columns leave 48 columns, which is one copy.",
       "{ \"accumulators\": \"overlapped\", \"ordering\": \"strict\" }", "ordering \"pipe\", accumulators \"single\", or tile.n 192 or less with accumulators \"double\".",
       "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Memory Consistency Model\""},
      {"spec.lora-stages-without-dedicated", "lora.stages was given without dedicated LoRA memory",
       "In the ring, LoRA chunks use the stages that pipeline_depth counts; only a dedicated region has stages of its own.",
       "{ \"lora\": {\"rank\": 32, \"placement\": \"ring\", \"stages\": 2} }", "Leave lora.stages out, or set lora.placement to \"dedicated\".", ""},
      {"spec.fp16-lora-range", "fp16 cannot be shown to hold the folded LoRA weights",
       "LoRA is accumulated into the same accumulator as the quantised part, so its up-projection is stored divided by alpha times the column scale. With NVFP4 alpha is small and the quotient large: fp16 ends at 65504 and would become infinite, silently.",
       "{ \"lora\": {\"rank\": 32, \"type\": \"fp16\"} }", "lora.type \"bf16\"; or write the checkpoint's largest |L2 / (alpha * s_w)| as lora.folded_amax, if it is at most 65504.",
       "IEEE 754-2019, binary16"},
  };
}

std::vector<Explanation> w4a8_gemm() {
  return {
      {"spec.k-group", "problem.k is not a multiple of the group",
       "A group of 128 elements along K shares one integer scale and offset. A K that is 64 more than a multiple of 128 would end in half a group.",
       "{ \"problem\": {\"k\": 1728}, \"quant\": {\"group\": \"128\"} }", "quant.group \"64\", or pad K when packing.", ""},
      {"spec.lqq-needs-group", "LQQ was asked for with one scale a channel",
       "LQQ turns code * scale + offset, an unsigned byte, into a signed one by flipping its top bit. Without groups there is neither scale nor offset: the code itself is the operand, and the epilogue takes the zero off.",
       "{ \"quant\": {\"group\": \"channel\", \"dequant\": \"lqq\"} }", "quant.dequant \"u8\", or a group of 64 or 128.", ""},
      {"spec.warpgroups-need-channels", "there are more compute warpgroups than halves of the tile",
       "Each compute warpgroup multiplies 64 channels at a time, the fixed M of wgmma; four of them need a tile of 256 channels.",
       "{ \"tile\": {\"n\": 128}, \"compute_warpgroups\": 4 }", "compute_warpgroups 2, or tile.n 256.",
       "PTX ISA 9.0, \"wgmma.mma_async\", shapes"},
      {"spec.k-stage", "K does not divide into stages of 256",
       "A stage of 256 elements of K is two blocks of the packed weight, which one copy a slab brings; half a stage would need a copy of its own length.",
       "{ \"problem\": {\"k\": 4224}, \"tile\": {\"k\": 256} }", "tile.k 128.", ""},
      {"spec.accumulator-registers", "the accumulators of a tile do not fit into registers",
       "wgmma accumulates in registers: each compute warpgroup has tile.m times its channels of them, spread over 128 threads. Warps are dealt among the SM's four partitions of 16 K registers, so that 1 to 7 compute warpgroups and two warps that load have 255, 168, 128, 96, 80, 72 or 64 registers a thread, of which the rest takes 56, or 80 beside more than 64 accumulators.",
       "{ \"tile\": {\"m\": 128, \"n\": 256}, \"compute_warpgroups\": 2 }", "Fewer tokens, fewer channels of a warpgroup, or fewer warpgroups.",
       "PTX ISA 9.0, \"Register Fragments for wgmma.mma_async.m64nNk32\"; NVIDIA H100 Tensor Core GPU Architecture, figure of the streaming multiprocessor"},
      {"spec.uneven-splits", "K does not have whole blocks for that many splits",
       "Each split of K is a tile of the grid with the same number of blocks of 128, the last ones past the end of K where the number is uneven; a half block at the end of K would belong to one split alone, and a split without a block would do nothing.",
       "{ \"problem\": {\"k\": 1088}, \"split_k\": 2 }", "split_k 1, or as many splits as K has blocks at most.",
       "README.md of the family, \"Splits of K\""},
  };
}

}  // namespace

std::vector<Explanation> explain_spec() {
  std::vector<Explanation> out = form();
  for (const auto &family : {w4a4_lora_gemm, w4a8_gemm})
    for (Explanation &entry : family()) out.push_back(std::move(entry));
  return out;
}

}  // namespace warpwright::cli
