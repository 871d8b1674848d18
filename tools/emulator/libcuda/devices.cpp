// SPDX-License-Identifier: Apache-2.0
// Initialisation, devices, contexts, the words of errors. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"

#include <cstdio>
#include <iterator>

using namespace warpwright::emulator::driver;

namespace {

constexpr int kCudaVersion = 13000;

struct ErrorWords {
  CUresult result;
  const char *name;
  const char *text;
};
#define WW_WORDS(name, text) {name, #name, text}
constexpr ErrorWords kErrors[] = {
    WW_WORDS(CUDA_SUCCESS, "no error"),
    WW_WORDS(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    WW_WORDS(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    WW_WORDS(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    WW_WORDS(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    WW_WORDS(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    WW_WORDS(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    WW_WORDS(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    WW_WORDS(CUDA_ERROR_NO_BINARY_FOR_GPU, "the emulator runs PTX, not cubins"),
    WW_WORDS(CUDA_ERROR_INVALID_PTX, "a PTX text that the emulator cannot read"),
    WW_WORDS(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    WW_WORDS(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    WW_WORDS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    WW_WORDS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
    WW_WORDS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "operation would make the legacy stream depend on a capturing blocking stream"),
    WW_WORDS(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "attempt to end a capture from another thread than it was begun in"),
    WW_WORDS(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    WW_WORDS(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    WW_WORDS(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    WW_WORDS(CUDA_ERROR_LAUNCH_FAILED, "the emulator found a fault in the kernel; wwEmulatorLastReport has it"),
    WW_WORDS(CUDA_ERROR_NOT_SUPPORTED, "operation not supported by the emulator"),
};
#undef WW_WORDS

const ErrorWords *words_of(CUresult result) {
  for (const ErrorWords &words : kErrors)
    if (words.result == result) return &words;
  return nullptr;
}

CUresult check_device(CUdevice device) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return device >= 0 && device < state.num_devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

std::vector<CUcontext> &pushed_contexts() {
  thread_local std::vector<CUcontext> contexts;
  return contexts;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned int flags) { return flags ? CUDA_ERROR_INVALID_VALUE : State::instance().initialise(); }

CUresult CUDAAPI cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = kCudaVersion;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult result, const char **text) {
  const ErrorWords *words = words_of(result);
  if (text) *text = words ? words->name : nullptr;
  return text && words ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult result, const char **text) {
  const ErrorWords *words = words_of(result);
  if (text) *text = words ? words->text : nullptr;
  return text && words ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDeviceGetCount(int *count) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = state.num_devices;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_device(ordinal));
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetName(char *name, int len, CUdevice device) {
  if (!name || len <= 0) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_device(device));
  std::snprintf(name, static_cast<size_t>(len), "%s", State::instance().model.name.c_str());
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_device(device));
  *bytes = size_t{1} << 40;
  return CUDA_SUCCESS;
}

/// Source of the limits: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_device(device));
  const DeviceModel &model = State::instance().model;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = model.major; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = model.minor; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = model.num_sms; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 2147483647; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 * 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 * 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 228 * 1024; break;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *value = 65536; break;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: *value = 1; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_device(device));
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  *context = state.contexts[static_cast<size_t>(device)].get();
  if (!(*context)->is_alive) (*context)->id = state.next_context_id++;
  (*context)->is_alive = true;
  ++(*context)->retained;
  return CUDA_SUCCESS;
}

/// The context's memory and streams are gone; it lives again, with another id, when it is retained.
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device) {
  WW_CHECK(check_device(device));
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  CUctx_st &context = *state.contexts[static_cast<size_t>(device)];
  context.is_alive = false;
  context.retained = 0;
  for (auto place = state.owners.begin(); place != state.owners.end();) {
    if (place->second == device) state.memory.release(place->first);
    place = place->second == device ? state.owners.erase(place) : std::next(place);
  }
  for (auto place = state.streams.begin(); place != state.streams.end();) {
    const bool is_gone = (*place)->context == &context;
    if (is_gone) delete *place;
    place = is_gone ? state.streams.erase(place) : std::next(place);
  }
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  WW_CHECK(check_device(device));
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  CUctx_st &context = *state.contexts[static_cast<size_t>(device)];
  if (context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--context.retained == 0) context.is_alive = false;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  bool is_known = context == nullptr;
  for (const auto &known : state.contexts) is_known |= known.get() == context && known->is_alive;
  if (!is_known) return CUDA_ERROR_INVALID_CONTEXT;
  current_context() = context;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context) {
  if (!State::instance().is_ready()) return CUDA_ERROR_NOT_INITIALIZED;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current_context();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_context());
  *device = current_context()->device;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetId(CUcontext context, unsigned long long *id) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  if (!context) WW_CHECK(check_context());
  *id = (context ? context : current_context())->id;
  return CUDA_SUCCESS;
}

// A launch has ended when it returns: there is nothing to wait for.
CUresult CUDAAPI cuCtxSynchronize(void) {
  WW_CHECK(check_context());
  return check_unsafe_call();
}

/// A stack of current contexts, its top being the current one, as in CUDA Driver API 13.0, cuCtxPushCurrent.
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  const CUcontext before = current_context();
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(cuCtxSetCurrent(context));
  pushed_contexts().push_back(before);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context) {
  WW_CHECK(check_context());
  if (context) *context = current_context();
  std::vector<CUcontext> &pushed = pushed_contexts();
  current_context() = pushed.empty() ? nullptr : pushed.back();
  if (!pushed.empty()) pushed.pop_back();
  return CUDA_SUCCESS;
}

}  // extern "C"
