// SPDX-License-Identifier: Apache-2.0
// The options of `pack`. Included once, beside CLI11.
#pragma once

#include "tools/pack/options.h"

#include <CLI/CLI.hpp>

namespace warpwright::cli {

inline void add_pack_options(CLI::App *verb, pack::Options &pack) {
  verb->add_option("INPUT", pack.input, "Folder of a checkpoint, or one safetensors file")->required()->type_name("");
  verb->add_option("-o,--output", pack.output, "What to make: a folder, or a file of a file; must not exist")->required()->type_name("PATH");
  verb->add_option("--group", pack.group, "Columns that share a scale: 64, 128, or the whole channel")
      ->check(CLI::IsMember({"64", "128", "channel"}))->type_name("64|128|channel");
  verb->add_option("--rounding", pack.rounding, "Of group scales; up never clips a code")
      ->check(CLI::IsMember({"nearest", "up"}))->type_name("nearest|up");
  verb->add_option("--write", pack.write, "Tensors: row-major codes, the kernels' layout, or both")
      ->check(CLI::IsMember({"canonical", "packed", "both"}))->type_name("WHAT");
  verb->add_option("--ignore", pack.ignore, "Layers that stay as they are, besides lm_head, embeddings, norms and routers; may be given again")
      ->allow_extra_args(false)->type_name("PATTERN");
  verb->add_option("--layers", pack.layers, "JSON file with overrides by layer: group, rounding, split, parts, ignore")->type_name("FILE");
  verb->add_option("--smooth", pack.smooth, "Safetensors file with a tensor LAYER.smooth [K] by which columns are multiplied first")->type_name("FILE");
  verb->add_option("--ranks", pack.ranks, "Tensor-parallel parts, one folder each")->check(CLI::Range(1, 64))->type_name("N");
  verb->add_flag("--check", pack.check, "Print error statistics of each layer, from the packed bytes");
  verb->add_flag("--dry-run", pack.dry_run, "Say what would be done; read headers only, write nothing");
  verb->add_flag("--json", pack.json, "Print JSON");
}

}  // namespace warpwright::cli
