// SPDX-License-Identifier: Apache-2.0
// The rules of cuTensorMapEncodeTiled (CUDA Driver API 13.0), and our form of the 128 bytes.
#include "tools/emulator/tma/tensor_map.h"

#include <cstring>
#include <string>

namespace warpwright::emulator::tma {
namespace {

constexpr uint32_t kMaxRank = 5;
constexpr uint64_t kMaxDim = uint64_t{1} << 32;
constexpr uint64_t kStrideLimit = uint64_t{1} << 40;
constexpr uint32_t kMaxBox = 256;
constexpr uint32_t kMaxElementStride = 8;

/// 16U4_ALIGN16B and 16U6_ALIGN16B: 16 elements take 16 bytes of shared memory.
bool is_padded(ElementType type) { return type == ElementType::k16U4Align16B || type == ElementType::k16U6Align16B; }

bool is_packed(ElementType type) { return is_padded(type) || type == ElementType::k16U4Align8B; }

bool is_float(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kF32:
    case ElementType::kF64:
    case ElementType::kBf16:
    case ElementType::kF32Ftz:
    case ElementType::kTf32:
    case ElementType::kTf32Ftz:
      return true;
    default:
      return false;
  }
}

std::string at(const char *name, uint32_t i, uint64_t value) {
  return std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(value);
}

/// 32 bytes where the interleave or a padded type asks for it, else 16.
uint64_t alignment_of(const TensorMap &map) {
  return map.interleave == Interleave::k32B || is_padded(map.type) ? 32 : 16;
}

Error check_global(const TensorMap &map) {
  const uint64_t alignment = alignment_of(map);
  if (map.address % alignment != 0) {
    return {"tma.address", "the tensor's address is not a multiple of " + std::to_string(alignment) + " bytes"};
  }
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.dims[i] == 0 || map.dims[i] > kMaxDim) return {"tma.dim", at("dim", i, map.dims[i]) + ", not 1 … 2^32"};
  }
  const uint64_t multiple = is_padded(map.type) ? 128 : is_packed(map.type) ? 2 : 1;
  if (map.dims[0] % multiple != 0) {
    return {"tma.dim", at("dim", 0, map.dims[0]) + ", not a multiple of " + std::to_string(multiple)};
  }
  for (uint32_t i = 0; i + 1 < map.rank; ++i) {
    const uint64_t stride = map.strides_bytes[i];
    if (stride % alignment != 0 || stride >= kStrideLimit) {
      return {"tma.stride",
              at("stride", i, stride) + " bytes, not a multiple of " + std::to_string(alignment) + " below 2^40"};
    }
  }
  return {};
}

Error check_box(const TensorMap &map) {
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.box[i] > kMaxBox) return {"tma.box", at("box", i, map.box[i]) + ", not 1 … 256"};
    const uint32_t stride = map.element_strides[i];
    if (stride == 0 || stride > kMaxElementStride) {
      return {"tma.element-stride", at("element stride", i, stride) + ", not 1 … 8"};
    }
  }
  if (is_padded(map.type) && map.box[0] != 128) {
    return {"tma.box", at("box", 0, map.box[0]) + "; padded 4- and 6-bit types take 128"};
  }
  if (map.interleave == Interleave::kNone && map.box[0] * element_bits(map.type) % 128 != 0) {
    return {"tma.box", at("box", 0, map.box[0]) + " elements, not a multiple of 16 bytes"};
  }
  return {};
}

Error check_swizzle(const TensorMap &map) {
  if (map.interleave == Interleave::k32B && map.swizzle != Swizzle::k32B) {
    return {"tma.interleave", "an interleave of 32 bytes goes with a swizzle of 32 bytes"};
  }
  const uint32_t span = map.swizzle == Swizzle::k32B ? 32 : map.swizzle == Swizzle::k64B ? 64 : 128;
  const uint32_t inner_bytes = is_padded(map.type) ? map.box[0] : map.box[0] * element_bits(map.type) / 8;
  if (map.swizzle != Swizzle::kNone && map.interleave == Interleave::kNone && inner_bytes > span) {
    return {"tma.swizzle", "the box is " + std::to_string(inner_bytes) + " bytes wide, more than the swizzle's " +
                               std::to_string(span)};
  }
  if (!is_padded(map.type)) return {};
  const bool is_common =
      map.swizzle == Swizzle::kNone || map.swizzle == Swizzle::k128B || map.swizzle == Swizzle::k128BAtom32B;
  const bool is_store_only = map.type == ElementType::k16U6Align16B && map.swizzle == Swizzle::k128BAtom64B;
  if (!is_common && !is_store_only) return {"tma.swizzle", "the padded type does not go with this swizzle"};
  if (map.type == ElementType::k16U6Align16B && map.interleave != Interleave::kNone) {
    return {"tma.interleave", "16U6_ALIGN16B is not interleaved"};
  }
  return {};
}

// Our encoding: 8 bytes of magic and version, the fields, 8 bytes of checksum at the end.
constexpr uint64_t kMagic = 0x0001'7061'6D77'7721;  // version 1
constexpr size_t kBytes = 128;

class Writer {
 public:
  explicit Writer(uint8_t *bytes) : at_(bytes) {}
  template <typename T>
  void put(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

 private:
  uint8_t *at_;
};

class Reader {
 public:
  explicit Reader(const uint8_t *bytes) : at_(bytes) {}
  template <typename T>
  void get(T *value) {
    std::memcpy(value, at_, sizeof *value);
    at_ += sizeof *value;
  }

 private:
  const uint8_t *at_;
};

/// FNV-1a.
uint64_t checksum(const uint8_t *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

}  // namespace

uint32_t element_bits(ElementType type) {
  switch (type) {
    case ElementType::kU8:
      return 8;
    case ElementType::kU16:
    case ElementType::kF16:
    case ElementType::kBf16:
      return 16;
    case ElementType::kU64:
    case ElementType::kS64:
    case ElementType::kF64:
      return 64;
    case ElementType::k16U4Align8B:
    case ElementType::k16U4Align16B:
      return 4;
    case ElementType::k16U6Align16B:
      return 6;
    default:
      return 32;
  }
}

Error validate(const TensorMap &map) {
  if (map.type > ElementType::k16U6Align16B) return {"tma.type", "no such element type"};
  if (map.interleave > Interleave::k32B) return {"tma.interleave", "no such interleave"};
  if (map.swizzle > Swizzle::k128BAtom64B) return {"tma.swizzle", "no such swizzle"};
  if (map.l2_promotion > L2Promotion::k256B) return {"tma.l2-promotion", "no such L2 promotion"};
  if (map.oob_fill > OobFill::kNan) return {"tma.oob-fill", "no such fill"};
  if (map.rank == 0 || map.rank > kMaxRank) return {"tma.rank", "rank " + std::to_string(map.rank) + ", not 1 … 5"};
  if (map.interleave != Interleave::kNone && map.rank < 3) {
    return {"tma.rank", "rank " + std::to_string(map.rank) + "; an interleaved tensor has at least 3"};
  }
  if (Error error = check_global(map)) return error;
  if (Error error = check_box(map)) return error;
  if (Error error = check_swizzle(map)) return error;
  if (map.oob_fill == OobFill::kNan && !is_float(map.type)) {
    return {"tma.oob-fill", "NaN fills floating-point types only"};
  }
  return {};
}

void encode(const TensorMap &map, uint8_t out[128]) {
  std::memset(out, 0, kBytes);
  Writer writer(out);
  writer.put(kMagic);
  writer.put(map.address);
  // A dimension of 2^32 is written as 0.
  for (const uint64_t dim : map.dims) writer.put(static_cast<uint32_t>(dim));
  for (const uint64_t stride : map.strides_bytes) writer.put(stride);
  for (const uint32_t box : map.box) writer.put(static_cast<uint16_t>(box));
  for (const uint32_t stride : map.element_strides) writer.put(static_cast<uint8_t>(stride));
  writer.put(static_cast<uint8_t>(map.rank));
  writer.put(map.type);
  writer.put(map.interleave);
  writer.put(map.swizzle);
  writer.put(map.l2_promotion);
  writer.put(map.oob_fill);
  const uint64_t sum = checksum(out, kBytes - sizeof(uint64_t));
  std::memcpy(out + kBytes - sizeof sum, &sum, sizeof sum);
}

std::optional<TensorMap> decode(const uint8_t in[128]) {
  uint64_t sum = 0;
  std::memcpy(&sum, in + kBytes - sizeof sum, sizeof sum);
  uint64_t magic = 0;
  Reader reader(in);
  reader.get(&magic);
  if (magic != kMagic || sum != checksum(in, kBytes - sizeof sum)) return std::nullopt;
  TensorMap map;
  std::array<uint32_t, kMaxRank> dims{};
  std::array<uint16_t, kMaxRank> box{};
  std::array<uint8_t, kMaxRank> element_strides{};
  uint8_t rank = 0;
  reader.get(&map.address);
  reader.get(&dims);
  reader.get(&map.strides_bytes);
  reader.get(&box);
  reader.get(&element_strides);
  reader.get(&rank);
  reader.get(&map.type);
  reader.get(&map.interleave);
  reader.get(&map.swizzle);
  reader.get(&map.l2_promotion);
  reader.get(&map.oob_fill);
  map.rank = rank;
  for (uint32_t i = 0; i < kMaxRank; ++i) {
    map.dims[i] = dims[i] == 0 && i < map.rank ? kMaxDim : dims[i];
    map.box[i] = box[i];
    map.element_strides[i] = element_strides[i];
  }
  if (validate(map)) return std::nullopt;
  return map;
}

}  // namespace warpwright::emulator::tma
