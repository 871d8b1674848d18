// SPDX-License-Identifier: Apache-2.0
// Devices, contexts, streams, events, names of errors.
#include "tests/emulator/libcuda/cuda_fixture.h"

#include <thread>

TEST_CASE("libcuda: devices have an architecture's attributes") {
  int count = 0, value = 0;
  REQUIRE(cuda().cuDeviceGetCount(&count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CUdevice device = -1;
  CHECK(cuda().cuDeviceGet(&device, 1) == CUDA_SUCCESS);
  CHECK(device == 1);
  CHECK(cuda().cuDeviceGet(&device, 2) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuda().cuDeviceGet(&device, -1) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuda().cuDeviceGet(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  const auto attribute = [&](CUdevice_attribute which) {
    CHECK(cuda().cuDeviceGetAttribute(&value, which, 0) == CUDA_SUCCESS);
    return value;
  };
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == 10);
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == 0);
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == 148);
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == 232448);
  CHECK(cuda().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 2) == CUDA_ERROR_INVALID_DEVICE);
  char name[64] = {};
  CHECK(cuda().cuDeviceGetName(name, sizeof(name), 0) == CUDA_SUCCESS);
  CHECK(std::string(name) == "Warpwright emulator, sm_100a");
  size_t bytes = 0;
  CHECK(cuda().cuDeviceTotalMem(&bytes, 0) == CUDA_SUCCESS);
  CHECK(bytes > 0);
}

TEST_CASE("libcuda: a call that needs a context says so") {
  REQUIRE(cuda().cuCtxSetCurrent(nullptr) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  CUdevice device = 0;
  CHECK(cuda().cuMemAlloc(&address, 16) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuda().cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuda().cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuda().cuCtxPopCurrent(nullptr) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuda().cuDevicePrimaryCtxRelease(1) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuda().cuCtxSetCurrent(reinterpret_cast<CUcontext>(&address)) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("libcuda: contexts are pushed, popped, and of a thread") {
  const Context first;
  CUcontext second = nullptr, current = nullptr;
  CUdevice device = -1;
  REQUIRE(cuda().cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
  CHECK(second != first.handle);
  REQUIRE(cuda().cuCtxPushCurrent(second) == CUDA_SUCCESS);
  CHECK(cuda().cuCtxGetDevice(&device) == CUDA_SUCCESS);
  CHECK(device == 1);
  CUcontext of_thread = first.handle;
  std::thread([&] { cuda().cuCtxGetCurrent(&of_thread); }).join();
  CHECK(of_thread == nullptr);
  CHECK(cuda().cuCtxPopCurrent(&current) == CUDA_SUCCESS);
  CHECK(current == second);
  CHECK(cuda().cuCtxGetCurrent(&current) == CUDA_SUCCESS);
  CHECK(current == first.handle);
  CHECK(cuda().cuCtxPushCurrent(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuDevicePrimaryCtxRelease(1) == CUDA_SUCCESS);
  CHECK(cuda().cuCtxSetCurrent(second) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("libcuda: streams and events") {
  const Context context;
  CUstream stream = nullptr;
  CUevent begin = nullptr, end = nullptr;
  REQUIRE(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(cuda().cuEventCreate(&begin, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
  REQUIRE(cuda().cuEventCreate(&end, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
  float milliseconds = -1;
  CHECK(cuda().cuEventElapsedTime(&milliseconds, begin, end) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuda().cuEventRecord(begin, stream) == CUDA_SUCCESS);
  CHECK(cuda().cuEventRecord(end, stream) == CUDA_SUCCESS);
  CHECK(cuda().cuStreamWaitEvent(stream, end, 0) == CUDA_SUCCESS);
  CHECK(cuda().cuEventSynchronize(end) == CUDA_SUCCESS);
  CHECK(cuda().cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS);
  CHECK(milliseconds >= 0);
  CHECK(cuda().cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(cuda().cuStreamQuery(nullptr) == CUDA_SUCCESS);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  CHECK(cuda().cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS);
  CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(cuda().cuEventDestroy(begin) == CUDA_SUCCESS);
  CHECK(cuda().cuEventDestroy(begin) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuda().cuEventRecord(begin, stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuda().cuEventDestroy(end) == CUDA_SUCCESS);
  CHECK(cuda().cuStreamDestroy(stream) == CUDA_SUCCESS);
  CHECK(cuda().cuStreamSynchronize(stream) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("libcuda: errors have names; functions are found by name") {
  const char *text = nullptr;
  CHECK(cuda().cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(cuda().cuGetErrorString(CUDA_ERROR_INVALID_HANDLE, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "invalid resource handle");
  CHECK(cuda().cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE);
  int version = 0;
  CHECK(cuda().cuDriverGetVersion(&version) == CUDA_SUCCESS);
  CHECK(version == 13000);
  void *function = nullptr;
  CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  CHECK(cuda().cuGetProcAddress("cuMemAlloc", &function, 13000, 0, &result) == CUDA_SUCCESS);
  CHECK(function == reinterpret_cast<void *>(cuda().cuMemAlloc));
  CHECK(result == CU_GET_PROC_ADDRESS_SUCCESS);
  CHECK(cuda().cuGetProcAddress("cuLaunchKernelEx", &function, 13000, 0, nullptr) == CUDA_SUCCESS);
  CHECK(function == reinterpret_cast<void *>(cuda().cuLaunchKernelEx));
  CHECK(cuda().cuGetProcAddress("cuNothing", &function, 13000, 0, &result) == CUDA_ERROR_NOT_FOUND);
  CHECK(function == nullptr);
  CHECK(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}
