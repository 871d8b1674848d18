// SPDX-License-Identifier: Apache-2.0
// A checkpoint through the check, the quantisation and the files.
#pragma once

#include "generator/families/w4a8_gemm/statistics.h"
#include "tools/pack/layers.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::pack {

/// Free of the checkpoint, which is closed by then.
struct LayerReport {
  std::string name;
  std::string source;  ///< type, or published format
  int64_t n = 0;
  int64_t k = 0;
  int64_t group = 64;
  Split split = Split::kNone;
  std::optional<w4a8_gemm::ErrorStatistics> errors;  ///< --check
};

struct Report {
  std::vector<LayerReport> layers;
  size_t other_tensors = 0;  ///< that go along as they are
  bool is_interrupted = false;
};

/// Reads everything once and reports what is wrong with it; only then writes, aside, and puts the result in place whole.
///
/// Memory    64 rows in fp32 and what a layer of AWQ, GPTQ or compressed-tensors occupies in its file.
/// Errors    those of open_checkpoint() and find_layers(); pack.not-finite, pack.smooth, pack.exists, cli.unwritable.
/// Warnings  pack.degenerate-channel, pack.degenerate-group; a note pack.requantised for sources that are 4-bit already.
/// Returns   nothing if there is an error. `is_interrupted` is asked between slabs.
std::optional<Report> run(const Options &options, const std::function<bool()> &is_interrupted, support::Diagnostics &diagnostics);

}  // namespace warpwright::pack
