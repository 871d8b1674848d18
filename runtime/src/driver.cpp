// SPDX-License-Identifier: Apache-2.0
// Loads libcuda and resolves the functions of cuda_functions.def.
#include "runtime/src/driver.h"

#include <dlfcn.h>
#include <stdlib.h>

#define WW_TEXT_OF(name) #name
#define WW_SYMBOL_OF(name) WW_TEXT_OF(name)

namespace warpwright::runtime {

namespace {

constexpr const char *kDefaultLibrary = "libcuda.so.1";
/// The youngest function is cuFuncLoad. An architecture may need more, which the driver checks itself when it loads a
/// cubin.
constexpr const char *kMinCuda = "12.4";

std::string cuda_version(void *library) {
  const auto get_version =
      reinterpret_cast<decltype(&::cuDriverGetVersion)>(dlsym(library, WW_SYMBOL_OF(cuDriverGetVersion)));
  int version = 0;
  if (!get_version || get_version(&version) != CUDA_SUCCESS) return "an unknown CUDA version";
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

Status Driver::load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return failure(WW_STATUS_NO_DRIVER, std::string("no CUDA driver: ") + (reason ? reason : path));
  }
  const char *missing = nullptr;
#define WW_CUDA(name)                                                                  \
  name = reinterpret_cast<decltype(name)>(dlsym(library, WW_SYMBOL_OF(name)));         \
  if (!name && !missing) missing = WW_SYMBOL_OF(name);
#include "runtime/src/cuda_functions.def"
#undef WW_CUDA
  if (!missing) return {};
  return failure(WW_STATUS_DRIVER_TOO_OLD, std::string("driver too old: missing ") + missing + " (the driver supports " +
                                               cuda_version(library) + ", the runtime needs CUDA " + kMinCuda + ")");
}

Status Driver::open(const char *path, std::shared_ptr<Driver> *driver) {
  if (!path) path = secure_getenv("WARPWRIGHT_LIBCUDA");
  if (!path || !*path) path = kDefaultLibrary;
  std::shared_ptr<Driver> opened(new Driver);
  WW_RETURN_IF_FAILED(opened->load(path));
  const CUresult result = opened->cuInit(0);
  int num_devices = 0;
  if (result == CUDA_ERROR_NO_DEVICE ||
      (result == CUDA_SUCCESS && opened->cuDeviceGetCount(&num_devices) == CUDA_SUCCESS && num_devices == 0))
    return failure(WW_STATUS_NO_DEVICE, "the CUDA driver sees no device");
  WW_RETURN_IF_FAILED(opened->check(result, "cuInit"));
  *driver = std::move(opened);
  return {};
}

Status Driver::check(CUresult result, const std::string &what) const {
  if (result == CUDA_SUCCESS) return {};
  const char *name = nullptr;
  const char *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  return failure(WW_STATUS_CUDA_ERROR, what + ": " + (name ? name : "error " + std::to_string(result)) +
                                           (text ? std::string(" (") + text + ")" : std::string()));
}

Status Driver::device(int ordinal, Device *device) {
  CUdevice handle = 0;
  if (const CUresult result = cuDeviceGet(&handle, ordinal); result != CUDA_SUCCESS) {
    Status status = check(result, "device " + std::to_string(ordinal));
    return result == CUDA_ERROR_INVALID_DEVICE ? failure(WW_STATUS_NO_DEVICE, std::move(status.text)) : status;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, is_new] = devices_.try_emplace(handle);
  if (is_new) {
    Device found;
    found.handle = handle;
    const std::pair<CUdevice_attribute, int *> attributes[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &found.major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &found.minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &found.num_sms}};
    for (const auto &[attribute, value] : attributes) {
      if (const CUresult result = cuDeviceGetAttribute(value, attribute, handle); result != CUDA_SUCCESS) {
        devices_.erase(place);
        return check(result, "cuDeviceGetAttribute");
      }
    }
    place->second = found;
  }
  *device = place->second;
  return {};
}

Status Driver::current_context(Context *context) {
  CUdevice handle = 0;
  const CUresult result = cuCtxGetDevice(&handle);
  if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED)
    return failure(WW_STATUS_NO_CONTEXT, "no CUDA context is current in this thread");
  if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
    return failure(WW_STATUS_NO_CONTEXT, "the CUDA context that is current in this thread was destroyed");
  if (result != CUDA_SUCCESS) return check(result, "cuCtxGetDevice");
  if (const CUresult got = cuCtxGetCurrent(&context->handle); got != CUDA_SUCCESS) return check(got, "cuCtxGetCurrent");
  if (const CUresult got = cuCtxGetId(context->handle, &context->id); got != CUDA_SUCCESS) return check(got, "cuCtxGetId");
  // CUdevice is the ordinal: CUDA Driver API 13.0, cuDeviceGet maps one to the other.
  return device(handle, &context->device);
}

Status Driver::check_stream(CUstream stream, const Context &context) const {
  // The default streams are those of whatever context is current.
  if (stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return {};
  CUcontext owner = nullptr;
  const CUresult result = cuStreamGetCtx(stream, &owner);
  // A green context's stream has no answer here (CUDA Driver API 13.0, cuStreamGetCtx_v2); the launch itself will say.
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED) return {};
  if (result != CUDA_SUCCESS) return check(result, "the stream");
  if (owner == context.handle) return {};
  return failure(WW_STATUS_WRONG_DEVICE, "the stream belongs to another CUDA context than the one of device " +
                                             std::to_string(context.device.handle) + " that is current in this thread");
}

Status Driver::check_pointer(const void *pointer, const Device &device, const char *kind, const char *name) const {
  unsigned int type = 0, is_managed = 0;
  int ordinal = -1;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *answers[] = {&type, &ordinal, &is_managed};
  // An address that CUDA does not know leaves the answers at 0: CUDA Driver API 13.0, cuPointerGetAttributes.
  if (const CUresult result = cuPointerGetAttributes(3, attributes, answers, reinterpret_cast<CUdeviceptr>(pointer));
      result != CUDA_SUCCESS)
    return check(result, std::string(kind) + name);
  if (is_managed || (type == CU_MEMORYTYPE_DEVICE && ordinal == device.handle)) return {};
  const std::string what = std::string(kind) + name;
  if (type != CU_MEMORYTYPE_DEVICE)
    return failure(WW_STATUS_NOT_DEVICE_MEMORY, what + " is not in device memory" +
                                                    (type == CU_MEMORYTYPE_HOST ? ": it is pinned host memory"
                                                                                : ": CUDA does not know its address"));
  return failure(WW_STATUS_WRONG_DEVICE, what + " is on device " + std::to_string(ordinal) + "; the launch is on device " +
                                             std::to_string(device.handle));
}

Status Driver::is_capturing(CUstream stream, bool *answer) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = cuStreamIsCapturing(stream, &status);
  // The legacy stream while another stream captures in global mode: a launch would break that capture.
  if (result != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT && result != CUDA_SUCCESS) return check(result, "cuStreamIsCapturing");
  *answer = result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || status != CU_STREAM_CAPTURE_STATUS_NONE;
  return {};
}

}  // namespace warpwright::runtime
