// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the tensor cores: formats, and the fused sum with its constants for each architecture and kind.
#pragma once

#include "tools/emulator/tensor/descriptors.h"

#include <cstdint>

namespace warpwright::emulator::tensor {

/// A finite number as the tensor core aligns it: value = significand · 2^(exponent - fraction bits of the format).
/// A subnormal has the format's least exponent; zero has exponent -126 in every format (MMA-Sim,
/// simulator/arithmetic.py, extract_significand_exponent).
constexpr int32_t kZeroExponent = -126;

/// A decoded element.
struct Decoded {
  double value = 0;  ///< exact; infinity and NaN where the format has them
  int32_t exponent = kZeroExponent;
};

/// `bits` in the low bits, as wide as the format. TF32 is a 32-bit word whose low 13 bits are dropped; UE4M3 ignores
/// bit 7.
Decoded decode(Format format, uint32_t bits);

/// How terms are summed: each is cut toward zero to `fraction_bits` below the largest exponent, the sum is exact, and
/// the result is rounded once.
struct FusedSum {
  int32_t fraction_bits = 25;
  int32_t result_fraction_bits =
      23;  ///< of FP32 results, rounded toward zero; FP16 results are rounded to nearest even
};

enum class Architecture : uint8_t { kHopper, kBlackwell };

/// Source: MMA-Sim (github.com/microsoft/MMA-Sim), simulator/nv_ptx.py, classes wgmma, tcgen05mma,
/// tcgen05mma_block_scale. Hopper's are an H200's: with one bit more or less tests/emulator/wgmma differs from its outputs.
FusedSum fused_sum_of(Architecture architecture, MmaKind kind);

/// The float that a fused sum of exact value `sum` becomes: toward zero to `fraction_bits`, subnormals kept, beyond the
/// largest finite number infinity, NaN 0x7FFFFFFF, every zero +0 (MMA-Sim, nv_fused_dot_add).
uint32_t round_to_f32(double sum, int32_t fraction_bits);

/// To nearest even; NaN 0x7FFF, every zero +0.
uint32_t round_to_f16(double sum);

}  // namespace warpwright::emulator::tensor
