// SPDX-License-Identifier: Apache-2.0
// Opens the emulator's library and calls it.
#include "tools/cli/emulated_device.h"

#include "tools/cli/report.h"
#include "tools/emulator/libcuda/state.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#define WW_TEXT_OF(name) #name
#define WW_SYMBOL_OF(name) WW_TEXT_OF(name)

namespace warpwright::cli {

struct EmulatedDevice::Functions {
#define WW_FUNCTIONS(F)                                                                                                    \
  F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxRelease) F(cuCtxSetCurrent) F(cuMemAlloc) F(cuMemFree) F(cuMemcpyHtoD)   \
  F(cuMemcpyDtoH) F(cuModuleLoadData) F(cuModuleUnload) F(cuModuleGetFunction) F(cuFuncSetAttribute) F(cuLaunchKernelEx)   \
  F(cuGetErrorName) F(wwEmulatorConfigure) F(wwEmulatorSetNames) F(wwEmulatorTrace) F(wwEmulatorRecordSchedules) F(wwEmulatorLastSchedule) F(wwEmulatorRecordProfiles) F(wwEmulatorLastProfile) F(wwEmulatorWaive) F(wwEmulatorSetPolicy) F(wwEmulatorLastReport) F(wwEmulatorLastStatistics)
#define WW_MEMBER(name) decltype(&::name) name = nullptr;
  WW_FUNCTIONS(WW_MEMBER)
#undef WW_MEMBER
};

namespace {

std::vector<std::string> places() {
  std::vector<std::string> found;
  if (const char *path = std::getenv("WARPWRIGHT_EMULATOR"); path && *path) return {path};
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return {};
  std::string folder(self, static_cast<size_t>(length));
  for (int i = 0; i < 2; ++i) folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
  return {folder + "/lib/libwarpwright_cuda_emulator.so"};
}

}  // namespace

EmulatedDevice::EmulatedDevice() : functions_(std::make_unique<Functions>()) {}

std::unique_ptr<EmulatedDevice> EmulatedDevice::open(const std::string &arch, bool checks_races, support::Diagnostics &diagnostics) {
  constexpr int kKeepsTheUsers = 0, kReplacesTheUsers = 1;
  ::setenv("WARPWRIGHT_EMULATOR_ARCH", arch.c_str(), kKeepsTheUsers);
  if (!checks_races) ::setenv("WARPWRIGHT_EMULATOR_CHECKS", "memory", kReplacesTheUsers);
  std::string reasons;
  for (const std::string &path : places()) {
    // The runtime opens the same file again, and gets the same library.
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      reasons += (reasons.empty() ? "" : "; ") + std::string(reason ? reason : path);
      continue;
    }
    std::unique_ptr<EmulatedDevice> device(new EmulatedDevice);
    bool is_whole = true;
#define WW_LOAD(name)                                                                                             \
  device->functions_->name = reinterpret_cast<decltype(device->functions_->name)>(dlsym(library, WW_SYMBOL_OF(name))); \
  is_whole &= device->functions_->name != nullptr;
    WW_FUNCTIONS(WW_LOAD)
#undef WW_LOAD
    ww_message_t message;
    CUcontext context = nullptr;
    if (!is_whole) {
      reasons += path + ": not the emulator";
    } else if (wwDriverOpen(path.c_str(), &device->driver_, &message) != WW_STATUS_OK) {
      reasons += path + ": " + message.text;
    } else if (device->functions_->cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
               device->functions_->cuCtxSetCurrent(context) == CUDA_SUCCESS) {
      return device;
    }
  }
  diagnostics.add(error("environment.no-emulator", fmt::format("the emulator's library cannot be opened: {}", reasons),
                                 {"build the target warpwright_cuda_emulator, or set WARPWRIGHT_EMULATOR to the library"}));
  return nullptr;
}

EmulatedDevice::~EmulatedDevice() {
  if (!driver_) return;
  free_all();
  wwDriverClose(driver_);
  functions_->cuCtxSetCurrent(nullptr);
  functions_->cuDevicePrimaryCtxRelease(0);
}

std::vector<std::string> with_forced_branches(const std::vector<std::string> &schedules, bool forces) {
  std::vector<std::string> all;
  for (const std::string &schedule : schedules) {
    all.push_back(schedule);
    if (!forces || forces_branches(schedule)) continue;
    all.push_back(schedule + "+taken");
    all.push_back(schedule + "+not-taken");
  }
  return all;
}

std::string EmulatedDevice::configure(const std::string &schedule, int jobs) {
  if (functions_->wwEmulatorConfigure(schedule.c_str(), static_cast<unsigned>(jobs)) == CUDA_SUCCESS) return {};
  return fmt::format("there is no schedule \"{}\": lazy, eager, random:SEED, adversarial:WARP, with +taken or +not-taken behind it, or a file with decisions", schedule);
}

bool EmulatedDevice::set_names(const std::string &kernel, const std::string &names) {
  return functions_->wwEmulatorSetNames(kernel.c_str(), names.c_str()) == CUDA_SUCCESS;
}

void EmulatedDevice::trace(const std::string &kernel, Listener listen, void *user) { functions_->wwEmulatorTrace(kernel.c_str(), listen, user); }

void EmulatedDevice::judge_by(const std::string &policy, const std::vector<std::string> &waivers) {
  functions_->wwEmulatorSetPolicy(policy.c_str());
  for (const std::string &slug : waivers) waive(slug, "");
}

void EmulatedDevice::waive(const std::string &slug, const std::string &text) { functions_->wwEmulatorWaive(slug.c_str(), text.c_str()); }

void EmulatedDevice::record_schedules() { functions_->wwEmulatorRecordSchedules(1); }

std::string EmulatedDevice::last_schedule() const { return functions_->wwEmulatorLastSchedule(); }

void EmulatedDevice::record_profiles() { functions_->wwEmulatorRecordProfiles(1); }

std::vector<emulator::profile::Entry> EmulatedDevice::last_profile() const {
  std::vector<emulator::profile::Entry> entries;
  ww_emulator_profile_row_t row;
  while (functions_->wwEmulatorLastProfile(entries.size(), &row) == CUDA_SUCCESS)
    entries.push_back({row.opcode, row.ptx_line, row.file, row.source_line, static_cast<emulator::profile::Cause>(row.cause), row.counters});
  return entries;
}

uint64_t EmulatedDevice::allocate(const std::string &, uint64_t bytes) {
  CUdeviceptr address = 0;
  if (functions_->cuMemAlloc(&address, bytes) != CUDA_SUCCESS) return 0;
  allocations_.push_back(address);
  return address;
}

bool EmulatedDevice::write(uint64_t address, const std::vector<uint8_t> &bytes) {
  return functions_->cuMemcpyHtoD(address, bytes.data(), bytes.size()) == CUDA_SUCCESS;
}

std::vector<uint8_t> EmulatedDevice::read(uint64_t address, uint64_t bytes) {
  std::vector<uint8_t> result(bytes);
  if (functions_->cuMemcpyDtoH(result.data(), address, bytes) != CUDA_SUCCESS) result.clear();
  return result;
}

void EmulatedDevice::free_all() {
  for (const uint64_t address : allocations_) functions_->cuMemFree(address);
  allocations_.clear();
}

std::string EmulatedDevice::launch(const PtxLaunch &wanted) {
  const auto name_of = [&](CUresult result) {
    const char *name = nullptr;
    if (result == CUDA_SUCCESS) return std::string();
    return functions_->cuGetErrorName(result, &name) == CUDA_SUCCESS ? std::string(name) : fmt::format("error {}", static_cast<int>(result));
  };
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (const CUresult result = functions_->cuModuleLoadData(&module, wanted.ptx.c_str()); result != CUDA_SUCCESS) return name_of(result);
  CUresult result = functions_->cuModuleGetFunction(&function, module, wanted.entry.c_str());
  const auto allow = [&](CUfunction_attribute attribute, int value) {
    if (result == CUDA_SUCCESS) result = functions_->cuFuncSetAttribute(function, attribute, value);
  };
  allow(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(wanted.dynamic_shared_bytes));
  allow(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {wanted.cluster[0], wanted.cluster[1], wanted.cluster[2]};
  CUlaunchConfig config{};
  config.gridDimX = wanted.grid[0], config.gridDimY = wanted.grid[1], config.gridDimZ = wanted.grid[2];
  config.blockDimX = wanted.block[0], config.blockDimY = wanted.block[1], config.blockDimZ = wanted.block[2];
  config.sharedMemBytes = wanted.dynamic_shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = wanted.cluster[0] ? 1 : 0;
  std::vector<void *> arguments;
  for (const std::vector<uint8_t> &argument : wanted.arguments) arguments.push_back(const_cast<uint8_t *>(argument.data()));
  if (result == CUDA_SUCCESS) result = functions_->cuLaunchKernelEx(&config, function, arguments.data(), nullptr);
  functions_->cuModuleUnload(module);
  return name_of(result);
}

EmulatedLaunch EmulatedDevice::last_launch() const {
  ww_emulator_statistics_t sums{};
  functions_->wwEmulatorLastStatistics(&sums);
  return {sums.warp_instructions, sums.mmas, sums.bytes_loaded, sums.bytes_stored, functions_->wwEmulatorLastReport()};
}

}  // namespace warpwright::cli
