// SPDX-License-Identifier: Apache-2.0
// Specs and plans of the W4A4 LoRA GEMM for tests, from a base and the overrides that `--set` takes.
#pragma once

#include "generator/families/w4a4_lora_gemm/plan.h"

namespace warpwright::test {

/// NVFP4, a pair's tile of 256 x 256 x 256, 64-column bf16 staging in two buffers, no LoRA, on sm_100a; then `sets`.
spec::KernelSpec make_spec(const std::vector<std::string> &sets);

const target::SmTarget &b200();

/// The plan of a spec without autos; throws std::runtime_error with the diagnostics where there is none.
plan::OperatorPlan make_plan(const std::vector<std::string> &sets);

/// The largest pipeline depth whose budget fits, by trying each in turn; 0 where none does.
int64_t deepest_that_fits(const spec::KernelSpec &spec);

}  // namespace warpwright::test
