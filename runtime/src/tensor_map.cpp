// SPDX-License-Identifier: Apache-2.0
// Dims and strides from expressions, the rest from the recipe; the limits are checked here so that the message can
// name the expression instead of CUDA_ERROR_INVALID_VALUE.
#include "runtime/src/tensor_map.h"

namespace warpwright::runtime {

namespace {

/// Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled: globalAddress and globalStrides are multiples of 16 bytes,
/// globalDim[i] is 1 … 2^32, globalStrides[i] is below 2^40.
constexpr uintptr_t kAddressAlignBytes = 16;
constexpr int64_t kStrideAlignBytes = 16;
constexpr int64_t kMaxDim = int64_t{1} << 32;
constexpr int64_t kMaxStrideBytes = (int64_t{1} << 40) - 1;
constexpr uint32_t kMaxRank = 5;

CUtensorMapDataType type_of(format::Element element) {
  switch (element) {
    case format::Element::U8: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case format::Element::U16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case format::Element::S32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case format::Element::Fp16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case format::Element::Fp32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case format::Element::Bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

CUtensorMapSwizzle swizzle_of(uint16_t swizzle_bytes) {
  switch (swizzle_bytes) {
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

CUtensorMapL2promotion promotion_of(uint16_t promotion_bytes) {
  switch (promotion_bytes) {
    case 64: return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
    case 128: return CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    case 256: return CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    default: return CU_TENSOR_MAP_L2_PROMOTION_NONE;
  }
}

}  // namespace

Status encode_tensor_map(const Driver &driver, const PreparedMap &map, const Values &values, void *pointer,
                         CUtensorMap *encoded) {
  const format::TensorMap &record = *map.record;
  if (reinterpret_cast<uintptr_t>(pointer) % kAddressAlignBytes != 0)
    return failure(WW_STATUS_MISALIGNED_POINTER, record.name()->str() + ": the tensor's address is not a multiple of 16");
  const uint32_t rank = record.dims()->size();
  cuuint64_t dims[kMaxRank] = {};
  cuuint64_t strides[kMaxRank] = {};
  cuuint32_t box[kMaxRank] = {};
  cuuint32_t element_strides[kMaxRank] = {};
  for (uint32_t i = 0; i < rank; ++i) {
    int64_t dim = 0;
    WW_RETURN_IF_FAILED(map.dims[i].evaluate_within(values, 1, kMaxDim, &dim));
    dims[i] = static_cast<cuuint64_t>(dim);
    box[i] = record.box()->Get(i);
    element_strides[i] = 1;
  }
  for (uint32_t i = 0; i + 1 < rank; ++i) {
    int64_t stride = 0;
    WW_RETURN_IF_FAILED(map.strides_bytes[i].evaluate_within(values, kStrideAlignBytes, kMaxStrideBytes, &stride));
    if (stride % kStrideAlignBytes != 0)
      return failure(WW_STATUS_SHAPE_REFUSED, map.strides_bytes[i].meaning + " is " + std::to_string(stride) +
                                                  " B (\"" + map.strides_bytes[i].text + "\"), not a multiple of 16");
    strides[i] = static_cast<cuuint64_t>(stride);
  }
  const CUresult result =
      driver.cuTensorMapEncodeTiled(encoded, type_of(record.element()), rank, pointer, dims, strides, box,
                                    element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    swizzle_of(record.swizzle_bytes()), promotion_of(record.l2_promotion_bytes()),
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? Status{} : driver.check(result, record.name()->str());
}

}  // namespace warpwright::runtime
