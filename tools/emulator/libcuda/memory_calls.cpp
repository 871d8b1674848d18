// SPDX-License-Identifier: Apache-2.0
// Device memory and tensor maps. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"
#include "tools/emulator/tma/tensor_map.h"

#include <cstring>

using namespace warpwright::emulator;
using namespace warpwright::emulator::driver;

namespace {

uint8_t *resolve(CUdeviceptr address, size_t bytes) { return State::instance().memory.resolve(address, bytes); }

template <class T> CUresult fill(CUdeviceptr to, T value, size_t count) {
  WW_CHECK(check_context());
  if (count == 0) return CUDA_SUCCESS;
  uint8_t *data = count > SIZE_MAX / sizeof(T) || to % sizeof(T) ? nullptr : resolve(to, count * sizeof(T));
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  return CUDA_SUCCESS;
}

CUresult copy(uint8_t *to, const void *from, size_t bytes) {
  if (!to || !from) return CUDA_ERROR_INVALID_VALUE;
  std::memmove(to, from, bytes);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  WW_CHECK(check_context());
  if (!address || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *address = State::instance().memory.allocate(bytes);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  WW_CHECK(check_context());
  return address == 0 || State::instance().memory.release(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  WW_CHECK(check_context());
  return bytes == 0 ? CUDA_SUCCESS : copy(resolve(to, bytes), from, bytes);
}
CUresult CUDAAPI cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  WW_CHECK(check_context());
  return bytes == 0 ? CUDA_SUCCESS : copy(static_cast<uint8_t *>(to), resolve(from, bytes), bytes);
}
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  WW_CHECK(check_context());
  return bytes == 0 ? CUDA_SUCCESS : copy(resolve(to, bytes), resolve(from, bytes), bytes);
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  WW_CHECK(check_stream(stream));
  return cuMemcpyDtoD(to, from, bytes);
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  WW_CHECK(check_stream(stream));
  return cuMemcpyHtoD(to, from, bytes);
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  WW_CHECK(check_stream(stream));
  return cuMemcpyDtoH(to, from, bytes);
}

CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return fill<uint8_t>(to, value, count); }
CUresult CUDAAPI cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) { return fill<uint32_t>(to, value, count); }
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  WW_CHECK(check_stream(stream));
  return fill<uint8_t>(to, value, count);
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  WW_CHECK(check_stream(stream));
  return fill<uint32_t>(to, value, count);
}

CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                        const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                        const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                        CUtensorMapFloatOOBfill fill_with) {
  if (!map || reinterpret_cast<uintptr_t>(map) % 64 || rank == 0 || rank > 5 || !dims || !box || !element_strides ||
      (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  // The emulator's fields are bytes: what they cannot hold must not become something else.
  if (type > UINT8_MAX || interleave > UINT8_MAX || swizzle > UINT8_MAX || promotion > UINT8_MAX || fill_with > UINT8_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  tma::TensorMap encoded;
  encoded.type = static_cast<tma::ElementType>(type);
  encoded.rank = rank;
  encoded.address = reinterpret_cast<uintptr_t>(address);
  for (uint32_t d = 0; d < rank; ++d) {
    encoded.dims[d] = dims[d];
    encoded.box[d] = box[d];
    encoded.element_strides[d] = element_strides[d];
    if (d + 1 < rank) encoded.strides_bytes[d] = strides[d];
  }
  encoded.interleave = static_cast<tma::Interleave>(interleave);
  encoded.swizzle = static_cast<tma::Swizzle>(swizzle);
  encoded.l2_promotion = static_cast<tma::L2Promotion>(promotion);
  encoded.oob_fill = static_cast<tma::OobFill>(fill_with);
  if (tma::validate(encoded)) return CUDA_ERROR_INVALID_VALUE;
  tma::encode(encoded, reinterpret_cast<uint8_t *>(map));
  return CUDA_SUCCESS;
}

}  // extern "C"
