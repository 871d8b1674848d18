// SPDX-License-Identifier: Apache-2.0
// One launch to try a planned kernel with: the bytes of every tensor, and what must come out.
#pragma once

#include "generator/families/w4a8_gemm/inputs.h"

#include <map>
#include <string>
#include <vector>

namespace warpwright::w4a8_gemm {

enum class TrialInputs { kExact, kRandom };

/// Bytes by the names of the operator's tensors, and the output's reference, row-major m × n.
struct Trial {
  Problem problem;
  std::map<std::string, std::vector<uint8_t>> inputs;  ///< w (packed), w_scale, x, x_scale, x_sum; w_zero, column_scale, bias, lora_act and lora_up where used
  std::vector<float> expected;
  std::vector<double> tolerance;  ///< of each value; empty: equal to the bit
};

Trial make_trial(const spec::KernelSpec &spec, int64_t m, TrialInputs inputs, uint64_t seed);

/// The first output value that is not the reference's, in words, or an empty text. Random inputs with a residual have a tolerance:
/// the MMAs that add it round as the tensor core does.
std::string judge(const Trial &trial, const std::vector<uint8_t> &output);

/// Numbers of tokens at which a kernel with tiles of `tile_m` may err: one, a few, one tile, one token more, and three tiles
/// but for a token; rising, each once. Only the spec's own number where that is fixed.
std::vector<int64_t> edge_tokens(const spec::KernelSpec &spec, int64_t tile_m);

}  // namespace warpwright::w4a8_gemm
