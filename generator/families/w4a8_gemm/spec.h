// SPDX-License-Identifier: Apache-2.0
// The spec side of the w4a8_gemm family: its field table and the rules between fields.
#pragma once

#include "generator/spec/family_spec.h"

namespace warpwright::w4a8_gemm {

/// The longest K for which no sum of products of an unsigned and a signed byte leaves s32, in halves of a packed block: 65,792.
inline constexpr int64_t kMostProducts = INT32_MAX / (255 * 128) / 64 * 64;

/// Registers that a thread of one of two compute warpgroups may spend on accumulators: ten warps have 168 each, and fragments,
/// codes and addresses take about 70.
inline constexpr int64_t kMostAccumulatorRegisters = 96;

/// GEMM of signed bytes and 4-bit weights on an integer two-level grid. One instance; lives as long as the program.
const spec::FamilySpec &family_spec();

/// The rules between fields, FamilySpec::check of this family.
///
/// Errors    spec.k-group, spec.lqq-needs-group, spec.warpgroups-need-channels, spec.wide-tile-two-warpgroups,
///           spec.accumulator-registers. Each says the reason, the limit, what would work, and a source.
void check_rules(const spec::KernelSpec &spec, support::Diagnostics &diagnostics);

}  // namespace warpwright::w4a8_gemm
