// SPDX-License-Identifier: Apache-2.0
// The spec side of the w4a4_lora_gemm family: its field table and the rules between fields.
#pragma once

#include "generator/spec/family_spec.h"

namespace warpwright::w4a4_lora_gemm {

/// Block-scaled FP4 GEMM with a low-rank residual and a per-column affine. One instance; lives as long as the program.
const spec::FamilySpec &family_spec();

/// The rules between fields, FamilySpec::check of this family.
///
/// Errors    spec.pair-needs-m256, spec.m256-needs-pair, spec.cluster-shape, spec.k-granularity, spec.overlap-needs-n256,
///           spec.double-needs-n192, spec.strict-no-overlap, spec.lora-stages-without-dedicated, spec.fp16-lora-range.
///           Each says the reason, the limit, what would work, and a source.
void check_rules(const spec::KernelSpec &spec, support::Diagnostics &diagnostics);

}  // namespace warpwright::w4a4_lora_gemm
