// SPDX-License-Identifier: Apache-2.0
// Test inputs for the kernel. Its sums are exact for all of them.
#pragma once

#include "generator/families/w4a8_gemm/reference.h"

#include <cstdint>

namespace warpwright::w4a8_gemm {

/// Every code, scale and offset that a packed weight may hold, bytes of both extremes, and scales with full mantissas: what
/// rounds or overflows if anything does. One token of eight has all bytes at ±127, one of eight is all zero.
///
/// With a residual, scales are powers of two and LoRA values small integers of the same units, so that every sum is exact in
/// any order; each has a full mantissa again after the column scale.
///
/// Requires  shapes that the family plans (our bug otherwise).
/// Ensures   outputs stay within the range of fp16; equal seeds give equal bytes on every host.
Tensors exact_tensors(const Problem &problem, uint64_t seed);

/// Bell-shaped activations with a few large columns and bell-shaped weights, quantised by quantise.h.
///
/// Ensures   equal seeds give equal bytes on every host.
Tensors random_tensors(const Problem &problem, uint64_t seed);

}  // namespace warpwright::w4a8_gemm
