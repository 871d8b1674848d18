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
  /// The device of the thread's current context. Errors: NO_CONTEXT.
  Status current_device(Device *device);

 private:
  Driver() = default;
  Status load(const char *path);

  std::mutex mutex_;
  std::map<CUdevice, Device> devices_;
};

}  // namespace warpwright::runtime

/// The ABI's handle.
struct ww_driver_t {
  std::shared_ptr<warpwright::runtime::Driver> driver;
};
