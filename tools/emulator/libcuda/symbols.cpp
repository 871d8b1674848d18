// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress: the library's own functions by their name without a version.
#include "tools/emulator/libcuda/state.h"

#include <dlfcn.h>

namespace {

/// This library, opened once more.
void *own_library() {
  static void *const library = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<void *>(&own_library), &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  }();
  return library;
}

}  // namespace

/// The newest version that the library has. Source: CUDA Driver API 13.0, cuGetProcAddress.
extern "C" CUresult CUDAAPI cuGetProcAddress(const char *symbol, void **function, int, cuuint64_t,
                                             CUdriverProcAddressQueryResult *status) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  const std::string name = symbol;
  if (own_library() && name.rfind("cu", 0) == 0)
    for (const char *version : {"_v4", "_v3", "_v2", ""})
      if (!*function) *function = dlsym(own_library(), (name + version).c_str());
  if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
