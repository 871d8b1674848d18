// SPDX-License-Identifier: Apache-2.0
// The recording libcuda. Built twice: WARPWRIGHT_FAKE_OLD leaves out what a driver of CUDA 11 lacks.
#include "tests/unit/runtime/fake_cuda.h"

#include <cstring>
#include <elf.h>
#include <memory>
#include <utility>

using namespace warpwright::testing;

namespace {

FakeCuda &state() {
  static FakeCuda fake;
  return fake;
}

using Lock = std::lock_guard<std::mutex>;

/// A context's handle, never null; a context that is made anew has the old handle and another id.
CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1); }

CUstreamCaptureMode &capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

}  // namespace

#define FAKE __attribute__((visibility("default")))

extern "C" {

FAKE FakeCuda *fakeCudaState() { return &state(); }

FAKE CUresult cuInit(unsigned) { return state().init_result; }

FAKE CUresult cuDriverGetVersion(int *version) {
  *version = state().driver_version;
  return CUDA_SUCCESS;
}

FAKE CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = error == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}

FAKE CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "as the test asked";
  return CUDA_SUCCESS;
}

FAKE CUresult cuDeviceGetCount(int *count) {
  *count = static_cast<int>(state().devices.size());
  return CUDA_SUCCESS;
}

FAKE CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= static_cast<int>(state().devices.size())) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

FAKE CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const FakeDevice &found = state().devices.at(static_cast<size_t>(device));
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = found.major; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = found.minor; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = found.num_sms; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

FAKE CUresult cuCtxGetDevice(CUdevice *device) {
  const int current = state().current_device;
  if (current < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *device = current;
  return CUDA_SUCCESS;
}

FAKE CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = state().current_device < 0 ? nullptr : context_of(state().current_device);
  return CUDA_SUCCESS;
}

FAKE CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  *id = state().context_epoch * 100 + reinterpret_cast<uintptr_t>(context);
  return CUDA_SUCCESS;
}

FAKE CUresult cuStreamGetCtx(CUstream, CUcontext *context) {
  *context = context_of(state().stream_device < 0 ? state().current_device : state().stream_device);
  return CUDA_SUCCESS;
}

FAKE CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *status) {
  *status = state().is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

FAKE CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  std::swap(*mode, capture_mode());
  return CUDA_SUCCESS;
}

FAKE CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **answers, CUdeviceptr pointer) {
  const Lock lock(state().mutex);
  const auto found = state().pointers.find(pointer);
  const bool is_listed = found != state().pointers.end();
  for (unsigned i = 0; i < count; ++i) {
    int answer = 0;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      answer = is_listed ? static_cast<int>(found->second.first) : static_cast<int>(CU_MEMORYTYPE_DEVICE);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) answer = is_listed ? found->second.second : state().current_device;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) answer = is_listed && found->second.first == CU_MEMORYTYPE_UNIFIED;
    *static_cast<int *>(answers[i]) = answer;
  }
  return CUDA_SUCCESS;
}

FAKE CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char, size_t bytes, CUstream stream) {
  const Lock lock(state().mutex);
  state().memsets.push_back({address, bytes, stream});
  return CUDA_SUCCESS;
}

#ifndef WARPWRIGHT_FAKE_OLD

FAKE CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *, void **, unsigned,
                                CUlibraryOption *, void **, unsigned) {
  const Lock lock(state().mutex);
  state().loads_in_strict_mode += capture_mode() != CU_STREAM_CAPTURE_MODE_RELAXED;
  const bool is_cubin = std::memcmp(code, ELFMAG, SELFMAG) == 0;
  if (is_cubin && state().load_cubin_result != CUDA_SUCCESS) return state().load_cubin_result;
  if (state().load_result != CUDA_SUCCESS) return state().load_result;
  state().loads.emplace_back(static_cast<const char *>(code) + (is_cubin ? sizeof(Elf64_Ehdr) : 0));
  *library = reinterpret_cast<CUlibrary>(state().loads.size());
  return CUDA_SUCCESS;
}

FAKE CUresult cuLibraryUnload(CUlibrary) {
  const Lock lock(state().mutex);
  ++state().unloads;
  return CUDA_SUCCESS;
}

// A kernel's handle is one more than the position of its name in `looked_up`.
FAKE CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary, const char *name) {
  const Lock lock(state().mutex);
  if (state().get_kernel_result != CUDA_SUCCESS) return state().get_kernel_result;
  state().looked_up.push_back(name);
  *kernel = reinterpret_cast<CUkernel>(state().looked_up.size());
  return CUDA_SUCCESS;
}

FAKE CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  const Lock lock(state().mutex);
  if (state().set_attribute_result != CUDA_SUCCESS) return state().set_attribute_result;
  const std::string &name = state().looked_up.at(reinterpret_cast<uintptr_t>(kernel) - 1);
  state().attributes.push_back({name, attribute, value, device});
  return CUDA_SUCCESS;
}

FAKE CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  if (state().current_device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

FAKE CUresult cuFuncLoad(CUfunction function) {
  const Lock lock(state().mutex);
  state().loads_in_strict_mode += capture_mode() != CU_STREAM_CAPTURE_MODE_RELAXED;
  state().placed.push_back(state().looked_up.at(reinterpret_cast<uintptr_t>(function) - 1));
  return CUDA_SUCCESS;
}

FAKE CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                     const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                     const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill) {
  const Lock lock(state().mutex);
  if (state().encode_result != CUDA_SUCCESS) return state().encode_result;
  FakeEncode encode{type,       rank,
                    address,    {dims, dims + rank},
                    {strides, strides + rank - 1}, {box, box + rank},
                    {element_strides, element_strides + rank},
                    interleave, swizzle,
                    promotion,  fill};
  // The map's first word says which encode made it, so that a launch's parameters can be told apart.
  std::memset(map, 0, sizeof(*map));
  map->opaque[0] = state().encodes.size();
  state().encodes.push_back(std::move(encode));
  return CUDA_SUCCESS;
}

FAKE CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **) {
  const Lock lock(state().mutex);
  if (state().launch_result != CUDA_SUCCESS) return state().launch_result;
  FakeLaunch launch;
  launch.kernel = state().looked_up.at(reinterpret_cast<uintptr_t>(function) - 1);
  launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  launch.smem_bytes = config->sharedMemBytes;
  launch.stream = config->hStream;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z};
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      launch.is_dependent = attribute.value.programmaticStreamSerializationAllowed == 1;
  }
  const std::vector<size_t> &bytes = state().param_bytes[launch.kernel];
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto *value = static_cast<const uint8_t *>(params[i]);
    launch.params.emplace_back(value, value + bytes[i]);
  }
  state().launches.push_back(std::move(launch));
  return CUDA_SUCCESS;
}

#endif

}  // extern "C"
