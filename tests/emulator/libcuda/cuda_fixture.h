// SPDX-License-Identifier: Apache-2.0
// The emulated driver's functions and kernels for its tests.
#pragma once

#include "tests/catch.h"

#include <cuda.h>

#include <string>

#define CUDA_TEST_FUNCTIONS(F)                                                                                          \
  F(cuInit) F(cuDriverGetVersion) F(cuGetErrorName) F(cuGetErrorString) F(cuDeviceGet) F(cuDeviceGetCount)              \
  F(cuDeviceGetName) F(cuDeviceGetAttribute) F(cuDeviceTotalMem) F(cuDevicePrimaryCtxRetain)                            \
  F(cuDevicePrimaryCtxRelease) F(cuCtxSetCurrent) F(cuCtxGetCurrent) F(cuCtxPushCurrent) F(cuCtxPopCurrent)             \
  F(cuCtxGetDevice) F(cuCtxSynchronize) F(cuMemAlloc) F(cuMemFree) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemcpyDtoD)      \
  F(cuMemcpyHtoDAsync) F(cuMemcpyDtoHAsync) F(cuMemsetD8) F(cuMemsetD32) F(cuMemsetD8Async) F(cuMemsetD32Async)         \
  F(cuStreamCreate) F(cuStreamDestroy) F(cuStreamSynchronize) F(cuStreamQuery) F(cuStreamBeginCapture)                  \
  F(cuStreamIsCapturing) F(cuStreamWaitEvent) F(cuEventCreate) F(cuEventDestroy) F(cuEventRecord)                       \
  F(cuEventSynchronize) F(cuEventElapsedTime) F(cuModuleLoadData) F(cuModuleGetFunction) F(cuModuleGetGlobal) F(cuModuleUnload)              \
  F(cuLibraryLoadData) F(cuLibraryUnload) F(cuLibraryGetKernel) F(cuLibraryGetGlobal) F(cuKernelGetFunction) F(cuKernelSetAttribute)          \
  F(cuFuncSetAttribute) F(cuFuncGetAttribute) F(cuFuncLoad) F(cuTensorMapEncodeTiled) F(cuLaunchKernel)                 \
  F(cuLaunchKernelEx) F(cuOccupancyMaxActiveClusters) F(cuGetProcAddress) F(cuCtxGetId) F(cuDevicePrimaryCtxReset)      \
  F(cuPointerGetAttributes) F(cuStreamGetCtx) F(cuStreamEndCapture) F(cuGraphInstantiate) F(cuGraphLaunch)              \
  F(cuGraphDestroy) F(cuGraphExecDestroy) F(cuThreadExchangeStreamCaptureMode)

/// Found once; every function of the list must be there.
struct Cuda {
#define CUDA_TEST_MEMBER(name) decltype(&::name) name = nullptr;
  CUDA_TEST_FUNCTIONS(CUDA_TEST_MEMBER)
#undef CUDA_TEST_MEMBER
  const char *(*wwEmulatorLastReport)() = nullptr;
  CUresult (*wwEmulatorConfigure)(const char *schedule, unsigned int jobs) = nullptr;
};

const Cuda &cuda();

/// The primary context of device 0, current while this lives.
struct Context {
  Context();
  ~Context();
  CUcontext handle = nullptr;
};

/// y[i] = x[i] + add for i < n, a thread an element; and `wild`, which stores to an address that nothing has.
std::string add_ptx(const std::string &target = "sm_100a");
