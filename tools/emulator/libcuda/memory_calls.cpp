// SPDX-License-Identifier: Apache-2.0
// Device memory and tensor maps. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"
#include "tools/emulator/tma/tensor_map.h"

#include <cstring>

using namespace warpwright::emulator;
using namespace warpwright::emulator::driver;

namespace {

uint8_t *resolve(CUdeviceptr address, size_t bytes) { return State::instance().memory.resolve(address, bytes); }

/// For a copy or memset that returns when it is done.
CUresult check_blocking_call() {
  WW_CHECK(check_context());
  return check_unsafe_call();
}

template <class T> CUresult fill(CUdeviceptr to, T value, size_t count) {
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
CUresult copy_in(CUdeviceptr to, const void *from, size_t bytes) {
  return bytes == 0 ? CUDA_SUCCESS : copy(resolve(to, bytes), from, bytes);
}
CUresult copy_out(void *to, CUdeviceptr from, size_t bytes) {
  return bytes == 0 ? CUDA_SUCCESS : copy(static_cast<uint8_t *>(to), resolve(from, bytes), bytes);
}
CUresult copy_across(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return bytes == 0 ? CUDA_SUCCESS : copy(resolve(to, bytes), resolve(from, bytes), bytes);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  WW_CHECK(check_blocking_call());
  if (!address || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  *address = state.memory.allocate(bytes);
  if (!*address) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.owners[*address] = current_context()->device;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  WW_CHECK(check_blocking_call());
  if (address == 0) return CUDA_SUCCESS;
  State &state = State::instance();
  if (!state.memory.release(address)) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.owners.erase(address);
  return CUDA_SUCCESS;
}

/// Memory of modules' variables is on every device here. Addresses that are no device memory have zeros for answers.
CUresult CUDAAPI cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **answers, CUdeviceptr pointer) {
  WW_CHECK(check_context());
  if (!attributes || !answers) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const GlobalMemory::Region region = state.memory.find(pointer);
  const bool is_device = region.data && region.contains(pointer, 1);
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto owner = state.owners.find(region.base);
  for (unsigned int i = 0; i < count; ++i) {
    if (!answers[i]) return CUDA_ERROR_INVALID_VALUE;
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned int *>(answers[i]) = is_device ? static_cast<unsigned int>(CU_MEMORYTYPE_DEVICE) : 0u;
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int *>(answers[i]) = !is_device ? -2 : owner == state.owners.end() ? current_context()->device : owner->second;
        break;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<unsigned int *>(answers[i]) = 0; break;
      default: return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  WW_CHECK(check_blocking_call());
  return copy_in(to, from, bytes);
}
CUresult CUDAAPI cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  WW_CHECK(check_blocking_call());
  return copy_out(to, from, bytes);
}
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  WW_CHECK(check_blocking_call());
  return copy_across(to, from, bytes);
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  WW_CHECK(check_context());
  return run_or_record(stream, [=] { return copy_across(to, from, bytes); });
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  WW_CHECK(check_context());
  return run_or_record(stream, [=] { return copy_in(to, from, bytes); });
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  WW_CHECK(check_context());
  return run_or_record(stream, [=] { return copy_out(to, from, bytes); });
}

CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  WW_CHECK(check_blocking_call());
  return fill<uint8_t>(to, value, count);
}
CUresult CUDAAPI cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  WW_CHECK(check_blocking_call());
  return fill<uint32_t>(to, value, count);
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  WW_CHECK(check_context());
  return run_or_record(stream, [=] { return fill<uint8_t>(to, value, count); });
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  WW_CHECK(check_context());
  return run_or_record(stream, [=] { return fill<uint32_t>(to, value, count); });
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
