// SPDX-License-Identifier: Apache-2.0
// Clocks, power and temperature of a GPU, as NVML tells them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpwright::cli {

/// What NVML says at one moment; a value that it does not give is missing. Power is an average over a second on some GPUs.
struct GpuReading {
  std::optional<unsigned> sm_mhz, memory_mhz, celsius;
  std::optional<double> watts;
  std::optional<uint64_t> clock_reasons;  ///< why clocks are low: bits of NVML's nvmlClocksEventReason…
  std::string words() const;
};

/// NVML, found at run time; without it readings are empty.
class GpuMonitor {
 public:
  /// libnvidia-ml.so.1, or $WARPWRIGHT_LIBNVML, and the device of a PCI bus id.
  explicit GpuMonitor(const std::string &pci_bus_id);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor &) = delete;

  /// Why there are no readings, or an empty text.
  const std::string &why() const { return why_; }
  GpuReading read() const;

 private:
  struct Functions;
  Functions *functions_ = nullptr;
  void *device_ = nullptr;
  std::string why_;
};

}  // namespace warpwright::cli
