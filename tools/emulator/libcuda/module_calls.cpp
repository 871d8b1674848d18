// SPDX-License-Identifier: Apache-2.0
// Modules, kernels and launches. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"
#include "tools/emulator/ptx/parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace warpwright::emulator;
using namespace warpwright::emulator::driver;

namespace {

/// Whether a device runs PTX of a target: "a" targets run on their own architecture, "f" ones in their family from it on, the
/// others on any later one. Source: PTX ISA 9.0, ".target"; sm_100f is the family of compute capabilities 10.0 and 10.3.
bool runs_on(const std::string &target, const DeviceModel &model) {
  char *suffix = nullptr;
  const unsigned long number = std::strtoul(target.c_str() + 3, &suffix, 10);
  const auto own = static_cast<unsigned long>(model.major * 10 + model.minor);
  if (*suffix == 'a') return number == own;
  if (*suffix == 'f') return number <= own && number / 10 == own / 10;
  return *suffix == '\0' && number <= own;
}

CUresult refuse(CUresult result, const std::string &why) {
  last_report() = why + "\n";
  return result;
}

CUresult load(const void *image, CUlib_st **library) {
  if (!State::instance().is_ready()) return CUDA_ERROR_NOT_INITIALIZED;
  WW_CHECK(check_unsafe_call());
  if (!image || !library) return CUDA_ERROR_INVALID_VALUE;
  const char *text = static_cast<const char *>(image);
  // A cubin is an ELF file; a fat binary begins with its magic number (fatbinary.h). A text may be shorter than either.
  if (std::strncmp(text, "\177ELF", 4) == 0 || std::strncmp(text, "\x50\xED\x55\xBA", 4) == 0)
    return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, "module.binary: the emulator runs PTX texts; this is a cubin or a fat binary");
  ptx::ParseResult parsed = ptx::parse(text);
  if (!parsed.module) {
    return refuse(CUDA_ERROR_INVALID_PTX, parsed.error.slug + ": PTX line " + std::to_string(parsed.error.line) + ", column " +
                                              std::to_string(parsed.error.column) + ": " + parsed.error.text);
  }
  const DeviceModel &model = State::instance().model;
  if (!runs_on(parsed.module->target, model))
    return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "module.target: PTX for " + parsed.module->target + " does not run on the emulated " + model.arch);
  auto fresh = std::make_unique<CUlib_st>();
  fresh->module = std::make_unique<ptx::Module>(std::move(*parsed.module));
  for (const ptx::Kernel &kernel : fresh->module->kernels)
    fresh->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{fresh->module.get(), &kernel, {}, &fresh->variables, {}}));
  State &state = State::instance();
  if (const Error error = fresh->variables.place(*fresh->module, state.memory))
    return refuse(error.slug == "memory.out-of-memory" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX, error.slug + ": " + error.text);
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (const auto &function : fresh->functions) state.functions.insert(function.get());
  *library = fresh.release();
  state.libraries.insert(*library);
  return CUDA_SUCCESS;
}

CUresult unload(CUlib_st *library) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.libraries.erase(library)) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto &function : library->functions) state.functions.erase(function.get());
  library->variables.release(state.memory);
  delete library;
  return CUDA_SUCCESS;
}

CUresult find(CUlib_st *library, const char *name, CUfunc_st **function) {
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.libraries.count(library)) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto &candidate : library->functions)
    if (candidate->kernel->name == name) {
      *function = candidate.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult find_variable(CUlib_st *library, const char *name, CUdeviceptr *address, size_t *bytes) {
  if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.libraries.count(library)) return CUDA_ERROR_INVALID_HANDLE;
  const auto &variables = library->module->variables;
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const ptx::Variable &variable) { return variable.name == name; });
  const size_t index = static_cast<size_t>(found - variables.begin());
  if (found == variables.end() || !library->variables.addresses()[index]) return CUDA_ERROR_NOT_FOUND;
  if (address) *address = library->variables.addresses()[index];
  if (bytes) *bytes = found->bytes;
  return CUDA_SUCCESS;
}

CUresult check_function(const void *function) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  CUfunc_st *known = static_cast<CUfunc_st *>(const_cast<void *>(function));
  return state.functions.count(known) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult set_attribute(CUfunc_st *function, CUfunction_attribute attribute, int value) {
  WW_CHECK(check_function(function));
  const bool is_shared = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  // Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": 227 KB a block.
  if (is_shared && (value < 0 || value > 227 * 1024)) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  function->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

/// Dynamic shared memory beyond 48 KB must have been allowed, and clusters beyond 8 CTAs.
CUresult check_resources(const CUfunc_st &function, const Launch &wanted) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto attribute = [&](CUfunction_attribute which, int otherwise) {
    const auto found = function.attributes.find(which);
    return found == function.attributes.end() ? otherwise : found->second;
  };
  const auto allowed = static_cast<uint32_t>(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 * 1024));
  if (wanted.dynamic_shared_bytes > std::max(allowed, 48u * 1024))
    return refuse(CUDA_ERROR_INVALID_VALUE,
                  "launch.shared-memory: " + std::to_string(wanted.dynamic_shared_bytes) + " bytes of dynamic shared memory, " +
                      std::to_string(allowed) + " are allowed: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES");
  if (wanted.cluster.x && wanted.cluster.count() > 8 && !attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0))
    return refuse(CUDA_ERROR_INVALID_VALUE, "launch.cluster: more than 8 CTAs need "
                                            "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED");
  return CUDA_SUCCESS;
}

CUresult result_of(const Report &report) {
  std::string &text = last_report();
  text.clear();
  for (const Finding &finding : report.findings)
    text += finding.slug + ": " + finding.text + (finding.where.empty() ? "" : " [" + finding.where + "]") + "\n";
  if (report.findings_left_out) text += std::to_string(report.findings_left_out) + " more\n";
  if (report.is_clean()) return CUDA_SUCCESS;
  for (const Finding &finding : report.findings) {
    if (finding.slug.rfind("launch.", 0) == 0) return CUDA_ERROR_INVALID_VALUE;
    if (finding.slug == "memory.out-of-bounds") return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

/// A capture takes no launch of a kernel whose code is in no context yet, since that would load it.
/// Source: CUDA C++ Programming Guide 13.0, "Lazy Loading".
CUresult check_placed(CUfunc_st *function, CUstream stream) {
  const bool captures = is_capturing(stream);
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!captures) function->placed_contexts.insert(current_context()->id);
  else if (!function->placed_contexts.count(current_context()->id))
    return refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "launch.capture: the kernel's code is not in the context yet: cuFuncLoad");
  return CUDA_SUCCESS;
}

CUresult execute(Launch wanted) {
  State &state = State::instance();
  Options options;
  last_report().clear();
  last_profile().clear();
  {
    const std::lock_guard<std::mutex> lock(state.mutex);
    options = state.options;
    const std::string &name = wanted.kernel->name;
    if (const auto found = state.names.find(name); found != state.names.end()) wanted.names = found->second;
    if (const auto found = state.traces.find(name); found != state.traces.end()) wanted.trace = found->second;
  }
  Report report = run(wanted, state.memory, options);
  last_statistics() = report.statistics;
  last_schedule() = report.schedule;
  last_profile() = std::move(report.profile);
  return result_of(report);
}

}  // namespace

CUresult warpwright::emulator::driver::launch(const CUlaunchConfig &config, CUfunc_st *function, void **parameters, void **extra) {
  WW_CHECK(check_context());
  WW_CHECK(check_function(function));
  WW_CHECK(check_stream(config.hStream));
  last_report().clear();
  last_profile().clear();
  if (extra) return CUDA_ERROR_NOT_SUPPORTED;
  const ptx::Kernel &kernel = *function->kernel;
  if (!kernel.parameters.empty() && !parameters) return CUDA_ERROR_INVALID_VALUE;
  Launch wanted;
  wanted.module = function->module;
  wanted.kernel = &kernel;
  wanted.variables = function->variables;
  wanted.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  wanted.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  wanted.cluster = {0, 0, 0};
  wanted.dynamic_shared_bytes = config.sharedMemBytes;
  for (unsigned int i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dim = config.attrs[i].value.clusterDim;
      wanted.cluster = {dim.x, dim.y, dim.z};
    }
  wanted.parameters.resize(kernel.parameter_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (!parameters[i]) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(wanted.parameters.data() + kernel.parameters[i].offset, parameters[i], kernel.parameters[i].bytes);
  }
  WW_CHECK(check_resources(*function, wanted));
  WW_CHECK(check_placed(function, config.hStream));
  return run_or_record(config.hStream, [wanted = std::move(wanted)] { return execute(wanted); });
}

extern "C" {

CUresult CUDAAPI cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *, void **, unsigned int, CUlibraryOption *,
                                   void **, unsigned int) {
  return load(code, library);
}
CUresult CUDAAPI cuLibraryUnload(CUlibrary library) { return unload(library); }
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return find(library, name, reinterpret_cast<CUfunc_st **>(kernel));
}
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
  return find_variable(library, name, address, bytes);
}
CUresult CUDAAPI cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  WW_CHECK(check_context());
  WW_CHECK(check_function(kernel));
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return set_attribute(reinterpret_cast<CUfunc_st *>(kernel), attribute, value);
}
CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return set_attribute(function, attribute, value);
}
CUresult CUDAAPI cuFuncLoad(CUfunction function) {
  WW_CHECK(check_context());
  WW_CHECK(check_function(function));
  WW_CHECK(check_unsafe_call());
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  function->placed_contexts.insert(current_context()->id);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image) {
  WW_CHECK(check_context());
  return load(image, reinterpret_cast<CUlib_st **>(module));
}
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  return find_variable(reinterpret_cast<CUlib_st *>(module), name, address, bytes);
}
CUresult CUDAAPI cuModuleUnload(CUmodule module) { return unload(reinterpret_cast<CUlib_st *>(module)); }
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return find(reinterpret_cast<CUlib_st *>(module), name, function);
}

CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
  return config ? launch(*config, function, parameters, extra) : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                                CUstream stream, void **parameters, void **extra) {
  const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, nullptr, 0};
  return launch(config, function, parameters, extra);
}

}  // extern "C"
