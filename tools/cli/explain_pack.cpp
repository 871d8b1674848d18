// SPDX-License-Identifier: Apache-2.0
// What is wrong with a checkpoint, or with what was asked of it.
#include "tools/cli/explain.h"

namespace warpwright::cli {
namespace {

struct Row {
  const char *slug, *what, *why, *fix;
};

constexpr Row kRows[] = {
    {"pack.degenerate-channel", "a channel is all zero, or too small for an fp32 scale",
     "Its scale is 1 and its values are zero, which is exact for zeros. A pruned channel is ordinary; a whole layer of them is a broken checkpoint.",
     "Nothing, if it is meant; else look at the named row of the source."},
    {"pack.degenerate-group", "all values of a group are the same",
     "The group's range is zero, its scale 1. Weights of a trained layer are not: padding, pruning or a damaged file are.",
     "Nothing, if it is meant; else look at the named row and columns of the source."},
    {"pack.duplicate-key", "a JSON object has a key twice", "Readers differ in which of the two they believe.", "Keep one of the two."},
    {"pack.exists", "the output is there already", "Results never replace what is there: a packed checkpoint takes long to make.",
     "Give --output another name, or remove what is there."},
    {"pack.half-range", "a folded value is beyond the half format's range", "fp16 ends at 65,504; the value would be infinite.",
     "Take bf16: --set lora.type=\"bf16\""},
    {"pack.index", "the index and the files of a checkpoint disagree",
     "model.safetensors.index.json says which file has which tensor. A file that is missing or older than the index is an incomplete download.",
     "Fetch the named file again."},
    {"pack.no-layers", "no tensor is a weight to quantise",
     "Weights are matrices of F32, F16 or BF16 named LAYER.weight, or the tensors of AWQ, GPTQ or compressed-tensors; embeddings, norms, lm_head and routers stay as they are.",
     "Check the names, and --ignore."},
    {"pack.not-finite", "a weight has NaN or an infinity",
     "The scale of its channel would be NaN and the whole channel with it, without any error at run time. Nothing is written.",
     "Fix the source; the message names the tensor, row and group of the first one and how many there are."},
    {"pack.not-json", "a header, an index, a config or an overrides file is no JSON", "Nothing can be read from it.",
     "The message names the line and column; a damaged safetensors header means a damaged file."},
    {"pack.overrides", "the file of --layers has something that is not understood",
     "It takes {\"layers\": [{\"match\": PATTERN, …}]} with group, rounding, split, parts and ignore; the first entry that matches a layer counts.",
     "The message names the key and what it takes."},
    {"pack.requantised", "the source is 4-bit already and is quantised a second time",
     "Its group scales are fractions; this family's are integers 1 to 16 on an int8 grid. The codes cannot be carried over, and a second rounding costs accuracy.",
     "Pack from the 16-bit weights where you have them; --check tells what the second rounding costs."},
    {"pack.row-scale", "a factor that values would be divided by is zero or not finite", "The quotients would be infinite or NaN.",
     "Fix the scale of the named row."},
    {"pack.safetensors", "a safetensors file contradicts itself",
     "Its header's length, types, shapes and offsets must fit each other and the file's size, without gaps or overlaps. A truncated download fails here.",
     "Fetch or write the file again."},
    {"pack.shape", "a tensor's shape does not fit",
     "A weight is laid out in slabs of 64 channels and blocks of 64 or 128 columns, and a group does not cross a row's end: N is a multiple of 64, K of 64 and of the group.",
     "Another --group, or --ignore for that layer."},
    {"pack.smooth", "the calibration file does not fit the checkpoint",
     "It is a safetensors file with LAYER.smooth [K], positive factors: weight columns are multiplied by them, and activations must be divided.",
     "The message names the tensor; a name that belongs to no quantised layer is refused, since it would silently do nothing."},
    {"pack.source-format", "the tensors of a layer are of no format that can be read",
     "Read are floating-point weights, AWQ (version gemm), GPTQ (gptq and gptq_v2, with or without act-order) and compressed-tensors (pack-quantized), each of 4 bits.",
     "Convert the checkpoint, or pack from the 16-bit weights."},
    {"pack.split", "a layer cannot be split over the ranks, or nobody said how",
     "A column split needs whole 64-row slabs on each rank, a row split whole groups; a fused layer is split part by part.",
     "Say it in --layers: \"split\": \"column\", \"row\" or \"none\", and \"parts\" for fused layers; or take fewer --ranks."},
    {"pack.unmatched", "a pattern matches no layer", "It does nothing; often it is a typing mistake.",
     "`warpwright pack … --dry-run` lists the layers' names."},
    {"pack.unreadable", "a file cannot be read", "The system's own reason is in the message.", "Check the path and permissions."},
};

}  // namespace

std::vector<Explanation> explain_pack() {
  std::vector<Explanation> all;
  for (const Row &row : kRows) all.push_back({row.slug, row.what, row.why, "", row.fix, "generator/families/w4a8_gemm/README.md, \"Quantisation and packed layout\""});
  return all;
}

}  // namespace warpwright::cli
