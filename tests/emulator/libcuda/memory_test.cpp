// SPDX-License-Identifier: Apache-2.0
// Device memory and tensor maps.
#include "tests/emulator/libcuda/cuda_fixture.h"

#include <algorithm>
#include <vector>

TEST_CASE("libcuda: copies and fills stay inside an allocation") {
  const Context context;
  CUdeviceptr a = 0, b = 0;
  REQUIRE(cuda().cuMemAlloc(&a, 64) == CUDA_SUCCESS);
  REQUIRE(cuda().cuMemAlloc(&b, 64) == CUDA_SUCCESS);
  CHECK(a % 256 == 0);
  CHECK(cuda().cuMemAlloc(&b, 0) == CUDA_ERROR_INVALID_VALUE);
  std::vector<uint32_t> data(16, 7), back(16, 0);
  CHECK(cuda().cuMemcpyHtoD(a, data.data(), 64) == CUDA_SUCCESS);
  CHECK(cuda().cuMemcpyDtoD(b, a, 64) == CUDA_SUCCESS);
  CHECK(cuda().cuMemsetD32(b + 8, 9, 2) == CUDA_SUCCESS);
  CHECK(cuda().cuMemsetD8Async(b + 4, 1, 4, nullptr) == CUDA_SUCCESS);
  CHECK(cuda().cuMemcpyDtoHAsync(back.data(), b, 64, nullptr) == CUDA_SUCCESS);
  data[1] = 0x01010101;
  data[2] = data[3] = 9;
  CHECK(back == data);
  CHECK(cuda().cuMemcpyHtoD(a, data.data(), 65) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemcpyDtoH(back.data(), a + 60, 5) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemsetD32(a + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemsetD32(a, 0, SIZE_MAX / 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemFree(a + 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemFree(a) == CUDA_SUCCESS);
  CHECK(cuda().cuMemFree(a) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemcpyHtoD(a, data.data(), 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuMemFree(0) == CUDA_SUCCESS);
  CHECK(cuda().cuMemFree(b) == CUDA_SUCCESS);
}

TEST_CASE("libcuda: tensor maps are checked as the driver checks them") {
  alignas(64) CUtensorMap maps[2] = {};
  const cuuint64_t dims[2] = {64, 32}, strides[1] = {256};
  const cuuint32_t box[2] = {32, 8}, steps[2] = {1, 1};
  const auto encode = [&](CUtensorMap *map, CUtensorMapDataType type, void *address, const cuuint64_t *row,
                          CUtensorMapSwizzle swizzle) {
    return cuda().cuTensorMapEncodeTiled(map, type, 2, address, dims, row, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  void *const address = reinterpret_cast<void *>(0x10000);
  CHECK(encode(maps, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, address, strides, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
  CHECK(std::any_of(std::begin(maps[0].opaque), std::end(maps[0].opaque), [](cuuint64_t word) { return word != 0; }));
  auto *crooked = reinterpret_cast<CUtensorMap *>(reinterpret_cast<char *>(maps) + 32);
  CHECK(encode(crooked, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, address, strides, CU_TENSOR_MAP_SWIZZLE_128B) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(nullptr, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, address, strides, CU_TENSOR_MAP_SWIZZLE_128B) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(maps, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, reinterpret_cast<void *>(0x10008), strides,
               CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE);
  const cuuint64_t odd_strides[1] = {264};
  CHECK(encode(maps, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, address, odd_strides, CU_TENSOR_MAP_SWIZZLE_128B) ==
        CUDA_ERROR_INVALID_VALUE);
  // 32 fp32 are 128 bytes: more than a 64-byte swizzle spans.
  CHECK(encode(maps, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, address, strides, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE);
  // 256 more than a valid type or swizzle is not that type or swizzle.
  CHECK(encode(maps, static_cast<CUtensorMapDataType>(256 + CU_TENSOR_MAP_DATA_TYPE_FLOAT32), address, strides,
               CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(maps, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, address, strides,
               static_cast<CUtensorMapSwizzle>(256 + CU_TENSOR_MAP_SWIZZLE_128B)) == CUDA_ERROR_INVALID_VALUE);
}
