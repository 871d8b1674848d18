// SPDX-License-Identifier: Apache-2.0
// The spec side of the w4a8_gemm family: its field table and the rules between fields.
#pragma once

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/family_spec.h"

namespace warpwright::w4a8_gemm {

/// Registers that a thread of one of two compute warpgroups may spend on accumulators: ten warps have 168 each, and fragments,
/// codes and addresses take about 70.
inline constexpr int64_t kMostAccumulatorRegisters = 96;

/// GEMM of signed bytes and 4-bit weights on an integer two-level grid. One instance; lives as long as the program.
const spec::FamilySpec &family_spec();

/// The rules between fields, FamilySpec::check of this family.
///
/// Errors    spec.k-group, spec.lqq-needs-group, spec.warpgroups-need-channels, spec.wide-tile-two-warpgroups,
///           spec.accumulator-registers, spec.uneven-splits. Each says the reason, the limit, what would work, and a source.
void check_rules(const spec::KernelSpec &spec, support::Diagnostics &diagnostics);

}  // namespace warpwright::w4a8_gemm
