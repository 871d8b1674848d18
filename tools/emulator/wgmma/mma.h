// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async as one step: D = A·B or D = A·B + D of a warpgroup, bit for bit by the rules of tensor/numerics.h.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/tensor/descriptors.h"
#include "tools/emulator/tensor/operand_layout.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace warpwright::emulator::wgmma {

inline constexpr uint32_t kWarps = 4;             ///< of a warpgroup
inline constexpr uint32_t kRows = 64;             ///< of A and D: 16 of each warp
inline constexpr uint32_t kRowsOfWarp = kRows / kWarps;
inline constexpr uint32_t kRegistersOfA = 4;      ///< of a thread, whatever the format
inline constexpr uint32_t kMaxRegistersOfD = 128;
inline constexpr uint32_t kMaxN = 256;

/// What the opcode and its immediates say.
struct Instruction {
  tensor::Format a = tensor::Format::kF16;
  tensor::Format b = tensor::Format::kF16;
  tensor::Format d = tensor::Format::kF32;
  uint32_t n = 8;
  bool is_a_in_registers = false;
  bool saturates = false;
  bool negate_a = false;
  bool negate_b = false;
  bool mn_major_a = false;
  bool mn_major_b = false;

  uint32_t element_bytes() const;
  uint32_t k() const { return tensor::kRowBytes / element_bytes(); }
  /// Of D in a thread: two FP16 results share one.
  uint32_t registers_of_d() const { return d == tensor::Format::kF16 ? n / 4 : n / 2; }
  tensor::MmaKind kind() const;
  bool operator==(const Instruction &) const = default;
};

/// PTX ISA 9.0, "Matrix Shape" of wgmma.mma_async: N in steps of 8, for integers 8, 24 and steps of 16, up to 256.
bool is_shape(tensor::Format a, uint32_t n);

struct Request {
  Instruction instruction;
  uint64_t a_descriptor = 0;  ///< unused when A is in registers
  uint64_t b_descriptor = 0;
  bool adds_d = false;  ///< scale-d
  bool operator==(const Request &) const = default;
};

/// The bytes of shared memory that the part of one warp reads.
struct Footprint {
  std::vector<ByteRange> a;  ///< its 16 rows; empty when A is in registers
  std::vector<ByteRange> b;
};

/// Errors    those of tensor::decode_wgmma_matrix; wgmma.shared-range
Error footprint(const Request &request, uint32_t warp, uint32_t shared_bytes, Footprint *out);

/// A warp's registers: 32 lanes each.
struct WarpRegisters {
  std::array<const uint32_t *, kRegistersOfA> a{};
  std::array<uint32_t *, kMaxRegistersOfD> d{};
};

/// Performs the MMA on memory that footprint() has accepted.
Error perform(const Request &request, const tensor::SharedView &shared, std::span<const WarpRegisters, kWarps> warps);

}  // namespace warpwright::emulator::wgmma
