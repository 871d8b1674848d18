// SPDX-License-Identifier: Apache-2.0
// Tensor maps: what cuTensorMapEncodeTiled takes, its rules, and the 128 bytes that stand for it in the emulator.
#pragma once

#include "tools/emulator/memory/error.h"

#include <array>
#include <cstdint>
#include <optional>

namespace warpwright::emulator::tma {

/// The values are those of CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion and
/// CUtensorMapFloatOOBfill, so that they cross the driver's interface by a cast (CUDA Driver API 13.0,
/// cuTensorMapEncodeTiled).
enum class ElementType : uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,
  kTf32,
  kTf32Ftz,
  k16U4Align8B,
  k16U4Align16B,
  k16U6Align16B,
};
enum class Interleave : uint8_t { kNone, k16B, k32B };
enum class Swizzle : uint8_t { kNone, k32B, k64B, k128B, k128BAtom32B, k128BAtom32BFlip8B, k128BAtom64B };
enum class L2Promotion : uint8_t { kNone, k64B, k128B, k256B };
enum class OobFill : uint8_t { kZero, kNan };

/// A tiled tensor map. Dimension 0 is contiguous; sizes count elements, also of the packed types.
struct TensorMap {
  ElementType type = ElementType::kU8;
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, 5> dims{};
  std::array<uint64_t, 4> strides_bytes{};  ///< of dimensions 1 … rank - 1
  std::array<uint32_t, 5> box{};
  std::array<uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  Interleave interleave = Interleave::kNone;
  Swizzle swizzle = Swizzle::kNone;
  L2Promotion l2_promotion = L2Promotion::kNone;
  OobFill oob_fill = OobFill::kZero;
  bool operator==(const TensorMap &) const = default;
};

/// Bits of one element: 4 and 6 for the packed types.
uint32_t element_bits(ElementType type);

/// The first rule of cuTensorMapEncodeTiled that `map` breaks, or no error.
///
/// Errors    tma.type, tma.rank, tma.address, tma.dim, tma.stride, tma.box, tma.element-stride, tma.interleave,
/// tma.swizzle,
///           tma.l2-promotion, tma.oob-fill
Error validate(const TensorMap &map);

/// Writes the emulator's own form of the 128 opaque bytes: a magic number, a version, the fields, a checksum.
void encode(const TensorMap &map, uint8_t out[128]);

/// What encode wrote; nothing for any other bytes, or where the fields break a rule of validate.
std::optional<TensorMap> decode(const uint8_t in[128]);

}  // namespace warpwright::emulator::tma
