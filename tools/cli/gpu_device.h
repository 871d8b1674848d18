// SPDX-License-Identifier: Apache-2.0
// A real GPU behind the runtime: memory with guards, a stream, waits that end.
#pragma once

#include "generator/support/diagnostics.h"
#include "tools/cli/gpu_driver.h"
#include "tools/cli/trial_launch.h"

#include <memory>
#include <string>
#include <vector>

namespace warpwright::cli {

/// One device with its primary context current in the thread that opened it.
///
/// Ensures   the first call that fails is kept in problem(), in the driver's words; after it calls do nothing and report failure.
class GpuDevice : public DeviceMemory {
 public:
  struct About {
    std::string name;
    int major = 0, minor = 0, num_sms = 0;
    int cuda_version = 0;   ///< that the driver supports: 13000
    uint64_t l2_bytes = 0;  ///< 0: the driver does not say
    std::string pci_bus_id; ///< for timing; empty: unknown
    std::string words() const;
  };

  /// Errors    environment.no-gpu: no driver, no such device; environment.old-driver.
  static std::unique_ptr<GpuDevice> open(int ordinal, bool with_timing, support::Diagnostics &diagnostics);
  ~GpuDevice() override;

  /// Whether kernels of an architecture ("sm_90a") run on it. Errors: environment.other-gpu, naming both.
  bool runs(const std::string &arch, support::Diagnostics &diagnostics) const;

  const About &about() const { return about_; }
  const GpuDriver &functions() const { return functions_; }
  CUstream stream() const { return stream_; }
  ww_driver_t *driver() const override { return driver_; }
  int32_t ordinal() const override { return ordinal_; }

  /// With a pattern on both sides, but for timing: there are many buffers then.
  uint64_t allocate(const std::string &name, uint64_t bytes) override;
  bool write(uint64_t address, const std::vector<uint8_t> &bytes) override;
  std::vector<uint8_t> read(uint64_t address, uint64_t bytes) override;
  void free_all() override;
  /// The first byte outside of an allocation that has changed, in words, or an empty text.
  std::string damaged_guard();

  /// Waits for the stream, at most so long; a launch that takes longer counts as hung, and the device as lost.
  bool wait(int timeout_seconds);
  /// `what` failed unless `result` is CUDA_SUCCESS.
  bool check(CUresult result, const std::string &what);
  const std::string &problem() const { return problem_; }
  /// Forgets problem(). False: the device is lost, so that every later call would fail as well; a new process is needed.
  bool recover();
  /// A kernel still runs: the process must end without the driver's clean-up, which would wait for it.
  bool is_hung() const { return is_hung_; }

 private:
  struct Allocation {
    std::string name;
    CUdeviceptr base = 0;
    uint64_t bytes = 0;
  };

  GpuDevice() = default;
  bool describe(bool with_timing);

  GpuDriver functions_;
  ww_driver_t *driver_ = nullptr;
  int ordinal_ = 0;
  CUdevice handle_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  About about_;
  std::vector<Allocation> allocations_;
  std::string problem_;
  uint64_t guard_bytes_ = 0;
  bool is_hung_ = false;
};

/// Ends the process with `code` where a kernel still runs, else returns it.
int leave(const GpuDevice &device, int code);

}  // namespace warpwright::cli
