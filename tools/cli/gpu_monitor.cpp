// SPDX-License-Identifier: Apache-2.0
// Opens NVML and asks it. Source of signatures and numbers: NVML API Reference 13.0.
#include "tools/cli/gpu_monitor.h"

#include "generator/support/text_table.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <memory>
#include <vector>

namespace warpwright::cli {

struct GpuMonitor::Functions {
  int (*nvmlInit_v2)();
  int (*nvmlShutdown)();
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *, void **);
  int (*nvmlDeviceGetClockInfo)(void *, unsigned, unsigned *);
  int (*nvmlDeviceGetPowerUsage)(void *, unsigned *);
  int (*nvmlDeviceGetTemperature)(void *, unsigned, unsigned *);
  int (*nvmlDeviceGetCurrentClocksThrottleReasons)(void *, unsigned long long *);
};

GpuMonitor::GpuMonitor(const std::string &pci_bus_id) {
  const char *path = secure_getenv("WARPWRIGHT_LIBNVML");
  if (!path || !*path) path = "libnvidia-ml.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why_ = fmt::format("no clocks or power: {} cannot be opened", path);
    return;
  }
  auto found = std::make_unique<Functions>();
  bool is_whole = true;
#define WW_LOAD(name) is_whole &= (found->name = reinterpret_cast<decltype(found->name)>(dlsym(library, #name))) != nullptr;
  WW_LOAD(nvmlInit_v2) WW_LOAD(nvmlShutdown) WW_LOAD(nvmlDeviceGetHandleByPciBusId_v2) WW_LOAD(nvmlDeviceGetClockInfo)
  WW_LOAD(nvmlDeviceGetPowerUsage) WW_LOAD(nvmlDeviceGetTemperature) WW_LOAD(nvmlDeviceGetCurrentClocksThrottleReasons)
#undef WW_LOAD
  if (!is_whole || found->nvmlInit_v2() != 0) {
    why_ = fmt::format("no clocks or power: {} {}", path, is_whole ? "does not start" : "lacks a function");
    return;
  }
  functions_ = found.release();
  if (functions_->nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.c_str(), &device_) == 0) return;
  device_ = nullptr;
  why_ = fmt::format("no clocks or power: NVML does not know the GPU at {}", pci_bus_id.empty() ? "an unknown bus id" : pci_bus_id);
}

GpuMonitor::~GpuMonitor() {
  if (functions_) functions_->nvmlShutdown();
  delete functions_;
}

GpuReading GpuMonitor::read() const {
  constexpr unsigned kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;
  GpuReading reading;
  if (!device_) return reading;
  unsigned value = 0;
  unsigned long long reasons = 0;
  if (functions_->nvmlDeviceGetClockInfo(device_, kSmClock, &value) == 0) reading.sm_mhz = value;
  if (functions_->nvmlDeviceGetClockInfo(device_, kMemoryClock, &value) == 0) reading.memory_mhz = value;
  if (functions_->nvmlDeviceGetPowerUsage(device_, &value) == 0) reading.watts = value / 1000.0;
  if (functions_->nvmlDeviceGetTemperature(device_, kGpuSensor, &value) == 0) reading.celsius = value;
  if (functions_->nvmlDeviceGetCurrentClocksThrottleReasons(device_, &reasons) == 0) reading.clock_reasons = reasons;
  return reading;
}

std::string GpuReading::words() const {
  std::vector<std::string> words;
  if (sm_mhz) words.push_back(fmt::format("SM {} MHz", *sm_mhz));
  if (memory_mhz) words.push_back(fmt::format("memory {} MHz", *memory_mhz));
  if (watts) words.push_back(fmt::format("{:.0f} W", *watts));
  if (celsius) words.push_back(fmt::format("{} °C", *celsius));
  if (clock_reasons && *clock_reasons > 1) words.push_back(fmt::format("clock event reasons {:#x}", *clock_reasons));
  return words.empty() ? "unknown" : support::join_words(words);
}

}  // namespace warpwright::cli
