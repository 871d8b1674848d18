// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, found at run time.
#pragma once

#include "runtime/src/status.h"

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>

namespace warpwright::runtime {

/// What the runtime asks of a device.
struct Device {
  CUdevice handle = 0;
  int major = 0;
  int minor = 0;
  int num_sms = 0;
};

/// The context that is current in a thread. `id` is never used again, where a handle may be.
/// Source: CUDA Driver API 13.0, cuCtxGetId.
struct Context {
  CUcontext handle = nullptr;
  unsigned long long id = 0;
  Device device;
};

/// libcuda's functions, and the devices seen through them.
///
/// Lifetime  the library stays loaded until the process ends: it may have threads and exit handlers of its own.
class Driver {
 public:
  static Status open(const char *path, std::shared_ptr<Driver> *driver);

#define WW_CUDA(name) decltype(&::name) name = nullptr;
#include "runtime/src/cuda_functions.def"
#undef WW_CUDA

  /// `result` as a status; `what` names the call and its object.
  Status check(CUresult result, const std::string &what) const;

  Status device(int ordinal, Device *device);
  /// Errors: NO_CONTEXT, also where the thread's context was destroyed.
  Status current_context(Context *context);
  /// Errors: WRONG_DEVICE where `stream` belongs to another context; CUDA_ERROR.
  Status check_stream(CUstream stream, const Context &context) const;
  /// Errors: NOT_DEVICE_MEMORY, WRONG_DEVICE. `kind` and `name` are the pointer's in the message: "tensor ", "x".
  Status check_pointer(const void *pointer, const Device &device, const char *kind, const char *name) const;
  /// Whether a launch into `stream` is recorded rather than run.
  Status is_capturing(CUstream stream, bool *answer) const;

 private:
  Driver() = default;
  Status load(const char *path);

  std::mutex mutex_;
  std::map<CUdevice, Device> devices_;
};

/// While it lives, what this thread does disturbs no capture in another thread.
/// Source: CUDA Driver API 13.0, cuThreadExchangeStreamCaptureMode: a thread in relaxed mode may make calls that a
/// global capture elsewhere would forbid.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver &driver) : driver_(driver) { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

 private:
  const Driver &driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace warpwright::runtime

/// The ABI's handle.
struct ww_driver_t {
  std::shared_ptr<warpwright::runtime::Driver> driver;
};
