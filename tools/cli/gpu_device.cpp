// SPDX-License-Identifier: Apache-2.0
// Opens a GPU and calls it.
#include "tools/cli/gpu_device.h"

#include "runtime/src/image_choice.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace warpwright::cli {
namespace {

/// More than a row of any shipped operator's output, so that one row too many is seen.
constexpr uint64_t kGuardBytes = 1 << 20;
constexpr uint8_t kGuardByte = 0xC5;

}  // namespace

std::string GpuDevice::About::words() const {
  return fmt::format("{}, compute capability {}.{}, {} SMs, driver for CUDA {}.{}", name, major, minor, num_sms, cuda_version / 1000,
                     cuda_version % 1000 / 10);
}

std::unique_ptr<GpuDevice> GpuDevice::open(int ordinal, bool with_timing, support::Diagnostics &diagnostics) {
  std::unique_ptr<GpuDevice> device(new GpuDevice);
  device->ordinal_ = ordinal;
  device->guard_bytes_ = with_timing ? 0 : kGuardBytes;
  ww_message_t message;
  ww_device_info_t info{};
  info.struct_bytes = sizeof info;
  ww_status_t status = wwDriverOpen(nullptr, &device->driver_, &message);
  if (status == WW_STATUS_OK) status = wwDriverDescribeDevice(device->driver_, ordinal, &info, &message);
  if (status != WW_STATUS_OK) {
    const bool is_old = status == WW_STATUS_DRIVER_TOO_OLD;
    diagnostics.add(error(is_old ? "environment.old-driver" : "environment.no-gpu",
                          fmt::format("device {} of {}: {}", ordinal, libcuda_path(), message.text),
                          {"warpwright doctor shows what is found", "--on emulator needs no GPU"}));
    return nullptr;
  }
  if (const std::string missing = device->functions_.load(libcuda_path(), with_timing); !missing.empty()) {
    diagnostics.add(error("environment.old-driver", fmt::format("{} has no {}", libcuda_path(), missing), {"a driver for CUDA 13.0 has it"}));
    return nullptr;
  }
  device->about_.major = info.major, device->about_.minor = info.minor, device->about_.num_sms = info.num_sms;
  if (device->describe(with_timing)) return device;
  diagnostics.add(error("environment.no-gpu", fmt::format("device {} of {}: {}", ordinal, libcuda_path(), device->problem_)));
  return nullptr;
}

bool GpuDevice::describe(bool with_timing) {
  const GpuDriver &cuda = functions_;
  char text[256] = {};
  int l2_bytes = 0;
  check(cuda.cuDeviceGet(&handle_, ordinal_), "cuDeviceGet");
  check(cuda.cuDeviceGetName(text, sizeof text - 1, handle_), "cuDeviceGetName");
  about_.name = text;
  check(cuda.cuDriverGetVersion(&about_.cuda_version), "cuDriverGetVersion");
  if (cuda.cuDeviceGetAttribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, handle_) == CUDA_SUCCESS)
    about_.l2_bytes = static_cast<uint64_t>(l2_bytes);
  if (with_timing && cuda.cuDeviceGetPCIBusId(text, sizeof text - 1, handle_) == CUDA_SUCCESS) about_.pci_bus_id = text;
  if (!problem_.empty() || !check(cuda.cuDevicePrimaryCtxRetain(&context_, handle_), "making a context")) return false;
  return check(cuda.cuCtxSetCurrent(context_), "making the context current") &&
         check(cuda.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
}

GpuDevice::~GpuDevice() {
  if (is_hung_) return;
  problem_.clear();
  free_all();
  if (stream_) functions_.cuStreamDestroy(stream_);
  if (context_) {
    functions_.cuCtxSetCurrent(nullptr);
    functions_.cuDevicePrimaryCtxRelease(handle_);
  }
  wwDriverClose(driver_);
}

bool GpuDevice::runs(const std::string &arch, support::Diagnostics &diagnostics) const {
  const auto parsed = runtime::parse_arch(arch);
  if (parsed && runtime::runs_on(*parsed, about_.major, about_.minor)) return true;
  diagnostics.add(error("environment.other-gpu",
                        fmt::format("the kernels are for {}; device {} is {}", arch, ordinal_, about_.words()),
                        {"--on emulator", "--device for another one of several GPUs"}));
  return false;
}

uint64_t GpuDevice::allocate(const std::string &name, uint64_t bytes) {
  Allocation fresh{name, 0, bytes};
  if (!problem_.empty() || !check(functions_.cuMemAlloc(&fresh.base, bytes + 2 * guard_bytes_), fmt::format("{} B for {}", bytes, name)))
    return 0;
  allocations_.push_back(fresh);
  if (guard_bytes_ == 0) return fresh.base;
  check(functions_.cuMemsetD8(fresh.base, kGuardByte, bytes + 2 * guard_bytes_), "filling " + name);
  check(functions_.cuCtxSynchronize(), "filling " + name);
  return problem_.empty() ? fresh.base + guard_bytes_ : 0;
}

bool GpuDevice::write(uint64_t address, const std::vector<uint8_t> &bytes) {
  // Copies from pageable memory may still be under way, and a non-blocking stream does not wait for them.
  return problem_.empty() && check(functions_.cuMemcpyHtoD(address, bytes.data(), bytes.size()), "copying to the device") &&
         check(functions_.cuCtxSynchronize(), "copying to the device");
}

std::vector<uint8_t> GpuDevice::read(uint64_t address, uint64_t bytes) {
  std::vector<uint8_t> result(bytes);
  if (!problem_.empty() || !check(functions_.cuMemcpyDtoH(result.data(), address, bytes), "copying from the device")) result.clear();
  return result;
}

void GpuDevice::free_all() {
  if (!is_hung_)
    for (const Allocation &allocation : allocations_) functions_.cuMemFree(allocation.base);
  allocations_.clear();
}

std::string GpuDevice::damaged_guard() {
  for (const Allocation &allocation : allocations_)
    for (const bool is_behind : {false, true}) {
      const std::vector<uint8_t> guard = read(allocation.base + (is_behind ? guard_bytes_ + allocation.bytes : 0), guard_bytes_);
      for (uint64_t i = 0; i < guard.size(); ++i) {
        // The byte nearest to the buffer is the one that says most.
        const uint64_t at = is_behind ? i : guard.size() - 1 - i;
        if (guard[at] == kGuardByte) continue;
        return is_behind ? fmt::format("the launch has written {} B behind the end of {}", i + 1, allocation.name)
                         : fmt::format("the launch has written {} B before the start of {}", i + 1, allocation.name);
      }
    }
  return {};
}

bool GpuDevice::wait(int timeout_seconds) {
  if (!problem_.empty()) return false;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const CUresult result = functions_.cuStreamQuery(stream_);
    if (result != CUDA_ERROR_NOT_READY) return check(result, "running the kernels");
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > std::chrono::seconds(timeout_seconds)) break;
    if (waited > std::chrono::milliseconds(5)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  is_hung_ = true;
  problem_ = fmt::format("a launch has not ended after {} s", timeout_seconds);
  return false;
}

bool GpuDevice::check(CUresult result, const std::string &what) {
  if (result != CUDA_SUCCESS && problem_.empty()) problem_ = fmt::format("{}: {}", what, functions_.words(result));
  return result == CUDA_SUCCESS;
}

bool GpuDevice::recover() {
  if (is_hung_ || functions_.cuCtxSynchronize() != CUDA_SUCCESS) return false;
  problem_.clear();
  return true;
}

int leave(const GpuDevice &device, int code) {
  if (!device.is_hung()) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace warpwright::cli
