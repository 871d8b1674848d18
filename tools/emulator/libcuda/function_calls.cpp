// SPDX-License-Identifier: Apache-2.0
// What may be asked about kernels. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"
#include "tools/emulator/machine/program.h"
#include "tools/emulator/ptx/link.h"

#include <algorithm>

using namespace warpwright::emulator;
using namespace warpwright::emulator::driver;

namespace {

CUresult check_function(const CUfunc_st *function) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.functions.count(const_cast<CUfunc_st *>(function)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Without what the system reserves; nothing for a kernel that the machine does not run.
CUresult measure_static_shared(const CUfunc_st &function, uint32_t *bytes) {
  Program program;
  const ptx::Linked linked = ptx::link(*function.module, *function.kernel);
  const ptx::Kernel &kernel = linked.kernel ? *linked.kernel : *function.kernel;
  if (!linked.error.slug.empty() || !decode(kernel, program, function.variables->addresses()).slug.empty()) return CUDA_ERROR_INVALID_PTX;
  *bytes = program.static_shared_bytes - kReservedSharedBytes;
  return CUDA_SUCCESS;
}

CUresult get_attribute(int *value, CUfunction_attribute attribute, const CUfunc_st *function) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_function(function));
  State &state = State::instance();
  const ptx::Kernel &kernel = *function->kernel;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = kernel.max_threads.x ? static_cast<int>(std::min<uint64_t>(kernel.max_threads.count(), 1024)) : 1024;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: {
      uint32_t bytes = 0;
      WW_CHECK(measure_static_shared(*function, &bytes));
      *value = static_cast<int>(bytes);
      return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = state.model.major * 10 + state.model.minor; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = static_cast<int>(kernel.cluster.x); return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: {
      const std::lock_guard<std::mutex> lock(state.mutex);
      const auto found = function->attributes.find(attribute);
      const int otherwise = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? 48 * 1024 : 0;
      *value = found == function->attributes.end() ? otherwise : found->second;
      return CUDA_SUCCESS;
    }
    default: return CUDA_ERROR_NOT_SUPPORTED;  // registers, for one, are not in PTX
  }
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return get_attribute(value, attribute, function);
}

CUresult CUDAAPI cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return get_attribute(value, attribute, reinterpret_cast<CUfunc_st *>(kernel));
}

/// By threads, blocks and shared memory of an SM; registers are not in PTX. A cluster's CTAs may be on any SMs here.
/// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", for 9.0 and 10.0.
CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  if (!clusters || !config) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_function(function));
  constexpr uint64_t kThreads = 2048, kBlocks = 32, kSharedBytes = 228 * 1024;
  ptx::Dim3 cluster = function->kernel->cluster;
  for (unsigned int i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dim = config->attrs[i].value.clusterDim;
      cluster = {dim.x, dim.y, dim.z};
    }
  const uint64_t threads = uint64_t{config->blockDimX} * config->blockDimY * config->blockDimZ;
  if (cluster.count() == 0 || cluster.count() > 16 || threads == 0 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  uint32_t static_bytes = 0;
  WW_CHECK(measure_static_shared(*function, &static_bytes));
  const uint64_t shared = uint64_t{static_bytes} + config->sharedMemBytes + kReservedSharedBytes;
  const uint64_t blocks = std::min({kBlocks, kThreads / threads, kSharedBytes / shared});
  *clusters = static_cast<int>(blocks * static_cast<uint64_t>(State::instance().model.num_sms) / cluster.count());
  return CUDA_SUCCESS;
}

}  // extern "C"
