// SPDX-License-Identifier: Apache-2.0
// Stream capture, graphs, what a capture forbids; pointers' and contexts' identities.
#include "tests/emulator/libcuda/cuda_fixture.h"

#include <thread>

namespace {

constexpr uint32_t kElems = 64;

/// The add kernel over one buffer: x[i] += 1 in place.
struct Add {
  Add() {
    const std::string ptx = add_ptx();
    REQUIRE(cuda().cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) == CUDA_SUCCESS);
    REQUIRE(cuda().cuLibraryGetKernel(&kernel, library, "add") == CUDA_SUCCESS);
    REQUIRE(cuda().cuMemAlloc(&address, kElems * 4) == CUDA_SUCCESS);
    REQUIRE(cuda().cuMemsetD32(address, 10, kElems) == CUDA_SUCCESS);
    REQUIRE(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  }
  ~Add() {
    cuda().cuStreamDestroy(stream);
    cuda().cuMemFree(address);
    cuda().cuLibraryUnload(library);
  }
  void place() {
    CUfunction function = nullptr;
    REQUIRE(cuda().cuKernelGetFunction(&function, kernel) == CUDA_SUCCESS);
    REQUIRE(cuda().cuFuncLoad(function) == CUDA_SUCCESS);
  }
  CUresult launch() {
    uint32_t elems = kElems, addend = 1;
    void *parameters[] = {&address, &address, &elems, &addend};
    return cuda().cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, kElems, 1, 1, 0, stream, parameters, nullptr);
  }
  uint32_t first() const {
    uint32_t value = 0;
    REQUIRE(cuda().cuMemcpyDtoH(&value, address, 4) == CUDA_SUCCESS);
    return value;
  }
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUdeviceptr address = 0;
  CUstream stream = nullptr;
};

}  // namespace

TEST_CASE("graph: a capture runs nothing; each launch of the graph runs all of it in order") {
  const Context context;
  Add add;
  add.place();
  REQUIRE(cuda().cuStreamBeginCapture(add.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CHECK(cuda().cuStreamIsCapturing(add.stream, &status) == CUDA_SUCCESS);
  CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(cuda().cuStreamBeginCapture(add.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(cuda().cuMemsetD32Async(add.address, 100, kElems, add.stream) == CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) CHECK(add.launch() == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  REQUIRE(cuda().cuStreamEndCapture(add.stream, &graph) == CUDA_SUCCESS);
  CHECK(add.first() == 10);
  REQUIRE(cuda().cuGraphInstantiate(&executable, graph, 0) == CUDA_SUCCESS);
  CHECK(cuda().cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(cuda().cuGraphDestroy(graph) == CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 2; ++i) {
    CHECK(cuda().cuGraphLaunch(executable, add.stream) == CUDA_SUCCESS);
    CHECK(add.first() == 102);
  }
  CHECK(cuda().cuGraphExecDestroy(executable) == CUDA_SUCCESS);
  CHECK(cuda().cuGraphLaunch(executable, add.stream) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("graph: calls that allocate, load or wait spoil a capture") {
  const Context context;
  Add add;
  add.place();
  CUdeviceptr address = 0;
  CUlibrary library = nullptr;
  const std::string ptx = add_ptx();
  const auto call = [&](int which) {
    switch (which) {
      case 0: return cuda().cuMemAlloc(&address, 16);
      case 1: return cuda().cuCtxSynchronize();
      case 2: return cuda().cuStreamSynchronize(add.stream);
      case 3: return cuda().cuMemsetD8(add.address, 0, 1);
      default: return cuda().cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    }
  };
  for (int which = 0; which < 5; ++which) {
    REQUIRE(cuda().cuStreamBeginCapture(add.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(call(which) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(add.launch() == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUgraph graph = nullptr;
    CHECK(cuda().cuStreamEndCapture(add.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(graph == nullptr);
  }
  // Another thread spoils a global capture, unless it says that it does not care.
  for (const bool is_relaxed : {false, true}) {
    REQUIRE(cuda().cuStreamBeginCapture(add.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CUresult allocated = CUDA_SUCCESS;
    std::thread([&] {
      cuda().cuCtxSetCurrent(context.handle);
      CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
      if (is_relaxed) cuda().cuThreadExchangeStreamCaptureMode(&mode);
      allocated = cuda().cuMemAlloc(&address, 16);
    }).join();
    CHECK(allocated == (is_relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
    CUgraph graph = nullptr;
    CHECK(cuda().cuStreamEndCapture(add.stream, &graph) == (is_relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
  }
}

TEST_CASE("graph: a kernel that no context has loaded cannot be captured, nor can the legacy stream") {
  const Context context;
  Add add;
  REQUIRE(cuda().cuStreamBeginCapture(add.stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(add.launch() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  CHECK(cuda().cuStreamEndCapture(add.stream, &graph) == CUDA_SUCCESS);
  CHECK(cuda().cuStreamEndCapture(add.stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(cuda().cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUstream blocking = nullptr;
  REQUIRE(cuda().cuStreamCreate(&blocking, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
  REQUIRE(cuda().cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CHECK(cuda().cuMemsetD8Async(add.address, 0, 1, nullptr) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(cuda().cuStreamEndCapture(blocking, &graph) == CUDA_SUCCESS);
  CHECK(cuda().cuStreamDestroy(blocking) == CUDA_SUCCESS);
}

TEST_CASE("identity: pointers know their device, streams their context, and a reset context is another one") {
  const Context context;
  Add add;
  unsigned int type = 7;
  int ordinal = -1;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *answers[] = {&type, &ordinal};
  CUcontext second = nullptr, owner = nullptr;
  REQUIRE(cuda().cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
  REQUIRE(cuda().cuCtxPushCurrent(second) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  REQUIRE(cuda().cuMemAlloc(&address, 100) == CUDA_SUCCESS);
  CHECK(cuda().cuPointerGetAttributes(2, attributes, answers, address + 99) == CUDA_SUCCESS);
  CHECK((type == CU_MEMORYTYPE_DEVICE && ordinal == 1));
  CHECK(cuda().cuPointerGetAttributes(2, attributes, answers, add.address) == CUDA_SUCCESS);
  CHECK((type == CU_MEMORYTYPE_DEVICE && ordinal == 0));
  CHECK(cuda().cuPointerGetAttributes(2, attributes, answers, reinterpret_cast<CUdeviceptr>(&type)) == CUDA_SUCCESS);
  CHECK(type == 0);
  CHECK(cuda().cuStreamGetCtx(add.stream, &owner) == CUDA_SUCCESS);
  CHECK(owner == context.handle);

  unsigned long long before = 0, after = 0;
  CHECK(cuda().cuCtxGetId(nullptr, &before) == CUDA_SUCCESS);
  CHECK(cuda().cuDevicePrimaryCtxReset(1) == CUDA_SUCCESS);
  CHECK(cuda().cuCtxGetDevice(&ordinal) == CUDA_ERROR_INVALID_CONTEXT);
  REQUIRE(cuda().cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
  CHECK(cuda().cuCtxGetId(second, &after) == CUDA_SUCCESS);
  CHECK(before != after);
  CHECK(cuda().cuMemFree(address) == CUDA_ERROR_INVALID_VALUE);  // gone with the context
  CHECK(cuda().cuCtxPopCurrent(nullptr) == CUDA_SUCCESS);
  CHECK(cuda().cuDevicePrimaryCtxRelease(1) == CUDA_SUCCESS);
}
