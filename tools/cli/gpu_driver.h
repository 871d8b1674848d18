// SPDX-License-Identifier: Apache-2.0
// The CUDA driver's functions that `run --on gpu` and `time` call themselves, found at run time as the runtime finds its own.
#pragma once

#include <cuda.h>

#include <string>

namespace warpwright::cli {

/// What trials need.
#define WW_GPU_FUNCTIONS(F)                                                                                                \
  F(cuDriverGetVersion) F(cuGetErrorName) F(cuGetErrorString) F(cuDeviceGet) F(cuDeviceGetName) F(cuDeviceGetAttribute)    \
  F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxRelease) F(cuCtxSetCurrent) F(cuCtxSynchronize) F(cuMemAlloc) F(cuMemFree) \
  F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemsetD8) F(cuStreamCreate) F(cuStreamDestroy) F(cuStreamQuery)
/// What timing needs besides: graphs, events, a kernel of its own.
#define WW_GPU_TIMING_FUNCTIONS(F)                                                                                         \
  F(cuDeviceGetPCIBusId) F(cuMemcpyDtoD) F(cuStreamBeginCapture) F(cuStreamEndCapture) F(cuGraphInstantiate) \
  F(cuGraphLaunch) F(cuGraphUpload) F(cuGraphExecDestroy) F(cuGraphDestroy) F(cuEventCreate) F(cuEventDestroy)             \
  F(cuEventRecord) F(cuEventElapsedTime) F(cuModuleLoadData) F(cuModuleUnload) F(cuModuleGetFunction) F(cuLaunchKernel)

struct GpuDriver {
#define WW_MEMBER(name) decltype(&::name) name = nullptr;
  WW_GPU_FUNCTIONS(WW_MEMBER)
  WW_GPU_TIMING_FUNCTIONS(WW_MEMBER)
#undef WW_MEMBER

  /// Empty, or the first of the functions that the library lacks. `with_timing`: all of them, else those of trials.
  std::string load(const std::string &path, bool with_timing);
  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string words(CUresult result) const;
};

/// The library that wwDriverOpen(nullptr, …) opens: $WARPWRIGHT_LIBCUDA, or libcuda.so.1.
std::string libcuda_path();

}  // namespace warpwright::cli
