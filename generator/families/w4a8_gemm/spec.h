// SPDX-License-Identifier: Apache-2.0
// The spec side of the w4a8_gemm family: its field table and the rules between fields.
#pragma once

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/family_spec.h"

namespace warpwright::w4a8_gemm {

/// Registers of a thread beside so many accumulators: fragments, codes, addresses, and what ptxas keeps of a long epilogue.
/// Measured: of 597 random kernels those spilled that had 96 or 192 accumulators and 72 or 63 registers beside them.
constexpr int64_t other_registers(int64_t accumulators) { return accumulators <= 64 ? 56 : 80; }

/// Parts of K that each have a stage: of a K that is no whole number of stages, one.
int64_t most_splits(int64_t k, int64_t stage_elems);

/// Registers of a thread of a kernel with so many compute warpgroups and two warps that load.
/// Source: NVIDIA H100 Tensor Core GPU Architecture: 16 K registers in each of an SM's four partitions, among which warps are
/// dealt; CUDA C++ Programming Guide 13.0, "Compute Capabilities": 255 a thread at most, given in eights.
int64_t thread_registers(int64_t warpgroups);

/// The most compute warpgroups whose registers take a wgmma of `tile_m` tokens each; 0: none do.
int64_t most_warpgroups(int64_t tile_m);

/// GEMM of signed bytes and 4-bit weights on an integer two-level grid. One instance; lives as long as the program.
const spec::FamilySpec &family_spec();

/// The rules between fields, FamilySpec::check of this family.
///
/// Errors    spec.k-group, spec.k-stage, spec.lqq-needs-group, spec.warpgroups-need-channels, spec.accumulator-registers,
///          , spec.uneven-splits. Each says the reason, the limit, what would work, and a source.
void check_rules(const spec::KernelSpec &spec, support::Diagnostics &diagnostics);

}  // namespace warpwright::w4a8_gemm
