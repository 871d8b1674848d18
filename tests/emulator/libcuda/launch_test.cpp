// SPDX-License-Identifier: Apache-2.0
// Launches: values, refusals, findings, threads.
#include "tests/emulator/libcuda/cuda_fixture.h"

#include <thread>
#include <vector>

namespace {

/// A context with add_ptx() loaded.
struct Loaded : Context {
  Loaded() {
    const std::string ptx = add_ptx();
    REQUIRE(cuda().cuModuleLoadData(&module, ptx.c_str()) == CUDA_SUCCESS);
    REQUIRE(cuda().cuModuleGetFunction(&add, module, "add") == CUDA_SUCCESS);
    REQUIRE(cuda().cuModuleGetFunction(&wild, module, "wild") == CUDA_SUCCESS);
  }
  ~Loaded() { cuda().cuModuleUnload(module); }
  CUmodule module = nullptr;
  CUfunction add = nullptr, wild = nullptr;
};

/// Runs add over n elements; an empty result: a call failed.
std::vector<uint32_t> run_add(CUfunction add, uint32_t n, uint32_t addend) {
  std::vector<uint32_t> values(n);
  for (uint32_t i = 0; i < n; ++i) values[i] = i * 3;
  CUdeviceptr x = 0, y = 0;
  void *parameters[] = {&y, &x, &n, &addend};
  const bool is_done = cuda().cuMemAlloc(&x, n * 4) == CUDA_SUCCESS && cuda().cuMemAlloc(&y, n * 4) == CUDA_SUCCESS &&
                       cuda().cuMemcpyHtoD(x, values.data(), n * 4) == CUDA_SUCCESS &&
                       cuda().cuLaunchKernel(add, (n + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS &&
                       cuda().cuMemcpyDtoH(values.data(), y, n * 4) == CUDA_SUCCESS;
  cuda().cuMemFree(x);
  cuda().cuMemFree(y);
  return is_done ? values : std::vector<uint32_t>();
}

bool is_sum(const std::vector<uint32_t> &values, uint32_t n, uint32_t addend) {
  if (values.size() != n) return false;
  for (uint32_t i = 0; i < n; ++i)
    if (values[i] != i * 3 + addend) return false;
  return true;
}

}  // namespace

TEST_CASE("libcuda: a launch computes") {
  const Loaded loaded;
  for (const uint32_t n : {1u, 31u, 64u, 65u, 1000u}) CHECK(is_sum(run_add(loaded.add, n, 5), n, 5));
  CHECK(std::string(cuda().wwEmulatorLastReport()).empty());
}

TEST_CASE("libcuda: a launch that CUDA would refuse is refused") {
  const Loaded loaded;
  const auto launch = [&](CUfunction function, unsigned grid, unsigned block, unsigned shared, CUstream stream, void **parameters) {
    return cuda().cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, parameters, nullptr);
  };
  CHECK(launch(loaded.wild, 0, 1, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(loaded.wild, 1, 0, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(loaded.wild, 1, 1025, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(loaded.wild, 1, 65, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);  // .maxntid 64
  CHECK(std::string(cuda().wwEmulatorLastReport()).find("launch.threads") == 0);
  CHECK(launch(loaded.wild, 1, 32, 48 * 1024 + 1, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(std::string(cuda().wwEmulatorLastReport()).find("launch.shared-memory") == 0);
  CHECK(launch(loaded.add, 1, 32, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(nullptr, 1, 32, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(loaded.wild, 1, 32, 0, reinterpret_cast<CUstream>(uintptr_t{12345}), nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config = {3, 1, 1, 32, 1, 1, 0, nullptr, &cluster, 1};
  CHECK(cuda().cuLaunchKernelEx(&config, loaded.wild, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  cluster.value.clusterDim = {16, 1, 1};
  config.gridDimX = 16;
  CHECK(cuda().cuLaunchKernelEx(&config, loaded.wild, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(std::string(cuda().wwEmulatorLastReport()).find("launch.cluster") == 0);
  CHECK(cuda().cuLaunchKernelEx(nullptr, loaded.wild, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  cuda().cuCtxSetCurrent(nullptr);
  CHECK(launch(loaded.wild, 1, 32, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_CONTEXT);
  cuda().cuCtxSetCurrent(loaded.handle);
}

TEST_CASE("libcuda: every schedule computes the same; a schedule that is none is refused") {
  const Loaded loaded;
  for (const char *schedule : {"eager", "random:1", "random:18446744073709551615", "lazy"}) {
    INFO(schedule);
    CHECK(cuda().wwEmulatorConfigure(schedule, 2) == CUDA_SUCCESS);
    CHECK(is_sum(run_add(loaded.add, 500, 7), 500, 7));
  }
  for (const char *schedule : {"", "random", "random:x", "random:18446744073709551616", "Lazy"}) {
    INFO(schedule);
    CHECK(cuda().wwEmulatorConfigure(schedule, 1) == CUDA_ERROR_INVALID_VALUE);
  }
  CHECK(cuda().wwEmulatorConfigure("lazy", 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().wwEmulatorConfigure(nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().wwEmulatorConfigure("lazy", 1) == CUDA_SUCCESS);
}

TEST_CASE("libcuda: a wild store is an illegal address, named, and leaves the device usable") {
  const Loaded loaded;
  CHECK(cuda().cuLaunchKernel(loaded.wild, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::string report = cuda().wwEmulatorLastReport();
  INFO(report);
  CHECK(report.find("memory.out-of-bounds") == 0);
  CHECK(report.find("PTX line 39") != std::string::npos);
  CHECK(is_sum(run_add(loaded.add, 100, 1), 100, 1));
  CHECK(std::string(cuda().wwEmulatorLastReport()).empty());
}

TEST_CASE("libcuda: threads launch at once") {
  const Loaded loaded;
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      if (cuda().cuCtxSetCurrent(loaded.handle) != CUDA_SUCCESS) return;
      for (uint32_t i = 0; i < 20; ++i) right[t] += is_sum(run_add(loaded.add, 100 + 37 * i, t + i), 100 + 37 * i, t + i);
    });
  for (std::thread &thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 20));
}
