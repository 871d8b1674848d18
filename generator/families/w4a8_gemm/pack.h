// SPDX-License-Identifier: Apache-2.0
// Canonical codes and group scales into the kernel's slabs, and back.
#pragma once

#include "generator/families/w4a8_gemm/quantise.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpwright::w4a8_gemm {

/// The codes and group scales of whole slabs; channel_scale and zero stay tensors of their own. Requires rows to be a
/// multiple of 64.
std::vector<uint8_t> pack(const QuantisedWeight &weight);

/// The inverse of pack(): what a kernel reads, in canonical form, with channel_scale and zero all 0.
///
/// Requires  as many bytes as `rows` (a multiple of 64) and `k` have.
QuantisedWeight unpack(std::string_view bytes, int64_t rows, int64_t k, int64_t group);

}  // namespace warpwright::w4a8_gemm
