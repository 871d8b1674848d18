// SPDX-License-Identifier: Apache-2.0
// Test inputs for the kernel: ones on which every order of summation is exact, and random ones.
#pragma once

#include "generator/families/w4a4_lora_gemm/reference.h"

#include <cstdint>

namespace warpwright::w4a4_lora_gemm {

/// Largest K for which exact_tensors() exists.
int64_t max_exact_k(const Problem &problem);

/// Tensors whose sums are exact in fp32 whatever the order: all products are multiples of one power of two, and the sum of
/// all magnitudes, LoRA and bias included, is below 2^24 of it. alpha and column scales are powers of two, so alpha · s_w · S
/// + bias is exact as well: without an activation the output must be bit-equal to the reference.
///
/// Values    every FP4 code and, for short K, block scales with mantissas; some blocks have scale zero.
/// Requires  k ≤ max_exact_k, shapes that the family plans (our bug otherwise).
/// Ensures   equal seeds give equal bytes on every host.
Tensors exact_tensors(const Problem &problem, uint64_t seed);

/// Bell-shaped activations with a few large columns, bell-shaped weights, quantised and folded by pack.h.
///
/// Ensures   equal seeds give equal bytes on every host; LoRA-up stays within the range of fp16.
Tensors random_tensors(const Problem &problem, uint64_t seed);

}  // namespace warpwright::w4a4_lora_gemm
