// SPDX-License-Identifier: Apache-2.0
// Resolves the driver's functions and words its errors.
#include "tools/cli/gpu_driver.h"

#include <dlfcn.h>
#include <stdlib.h>

#define WW_TEXT_OF(name) #name
#define WW_SYMBOL_OF(name) WW_TEXT_OF(name)

namespace warpwright::cli {

std::string libcuda_path() {
  const char *path = secure_getenv("WARPWRIGHT_LIBCUDA");
  return path && *path ? path : "libcuda.so.1";
}

std::string GpuDriver::load(const std::string &path, bool with_timing) {
  // It stays loaded: it may have threads and exit handlers of its own.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return path;
  std::string missing;
#define WW_LOAD(name)                                                          \
  name = reinterpret_cast<decltype(name)>(dlsym(library, WW_SYMBOL_OF(name))); \
  if (!name && missing.empty()) missing = WW_SYMBOL_OF(name);
  WW_GPU_FUNCTIONS(WW_LOAD)
  if (!with_timing) return missing;
  WW_GPU_TIMING_FUNCTIONS(WW_LOAD)
#undef WW_LOAD
  return missing;
}

std::string GpuDriver::words(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  return (name ? name : "CUDA error " + std::to_string(static_cast<int>(result))) + (text ? " (" + std::string(text) + ")" : "");
}

}  // namespace warpwright::cli
