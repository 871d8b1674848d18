// SPDX-License-Identifier: Apache-2.0
// A libcuda for tests: it records what it is asked and does nothing.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace warpwright::testing {

struct FakeDevice {
  int major = 10;
  int minor = 0;
  int num_sms = 148;
};

struct FakeEncode {
  CUtensorMapDataType type;
  uint32_t rank = 0;
  void *address = nullptr;
  std::vector<uint64_t> dims;
  std::vector<uint64_t> strides_bytes;
  std::vector<uint32_t> box;
  std::vector<uint32_t> element_strides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

struct FakeLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid = {};
  std::array<uint32_t, 3> block = {};
  uint32_t smem_bytes = 0;
  CUstream stream = nullptr;
  std::array<uint32_t, 3> cluster = {};  ///< zeros: no attribute
  bool is_dependent = false;             ///< programmatic stream serialization allowed
  std::vector<std::vector<uint8_t>> params;  ///< as many and as long as `param_bytes` says
};

struct FakeAttribute {
  std::string kernel;
  CUfunction_attribute attribute;
  int value = 0;
  CUdevice device = 0;
  bool operator==(const FakeAttribute &other) const {
    return kernel == other.kernel && attribute == other.attribute && value == other.value && device == other.device;
  }
};

struct FakeMemset {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  CUstream stream = nullptr;
};

/// What the fake answers and what it was asked. Tests reset it before each case.
struct FakeCuda {
  std::mutex mutex;  ///< the fake's functions hold it
  // Answers.
  int driver_version = 13000;
  CUresult init_result = CUDA_SUCCESS;
  std::vector<FakeDevice> devices = {FakeDevice()};
  int current_device = 0;  ///< −1: no context
  unsigned long long context_epoch = 0;  ///< grows when contexts are made anew
  std::map<CUdeviceptr, std::pair<CUmemorytype, int>> pointers;  ///< kind and device; others are the current device's memory
  bool is_capturing = false;  ///< every stream
  int stream_device = -1;     ///< whose context every stream belongs to; −1: the current one's
  CUresult load_result = CUDA_SUCCESS;
  CUresult load_cubin_result = CUDA_SUCCESS;  ///< of images that are ELF files
  CUresult get_kernel_result = CUDA_SUCCESS;
  CUresult set_attribute_result = CUDA_SUCCESS;
  CUresult encode_result = CUDA_SUCCESS;
  CUresult launch_result = CUDA_SUCCESS;
  std::map<std::string, std::vector<size_t>> param_bytes;  ///< of each kernel's parameters
  // Records.
  std::vector<std::string> loads;  ///< the bytes behind the loaded cubin's ELF header, up to a 0; other images whole
  int unloads = 0;
  std::vector<std::string> looked_up;
  std::vector<FakeAttribute> attributes;
  std::vector<std::string> placed;  ///< kernels given to cuFuncLoad
  std::vector<FakeEncode> encodes;
  std::vector<FakeLaunch> launches;
  std::vector<FakeMemset> memsets;
  int loads_in_strict_mode = 0;  ///< loads and placements made while the thread could disturb a capture
};

}  // namespace warpwright::testing

/// The fake's state, to be found with dlsym in the library that the runtime loaded.
extern "C" warpwright::testing::FakeCuda *fakeCudaState();
