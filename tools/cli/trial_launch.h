// SPDX-License-Identifier: Apache-2.0
// A launch of an operator for a trial, on a GPU or on the emulator: memory, arguments, outputs.
#pragma once

#include "tools/cli/trial.h"
#include "warpwright/warpwright.h"

#include <map>
#include <string>
#include <vector>

namespace warpwright::cli {

/// Memory of a device that a trial runs on.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual ww_driver_t *driver() const = 0;
  virtual int32_t ordinal() const { return 0; }
  /// Bytes of device memory; `name` is what findings call them. 0: there are none.
  virtual uint64_t allocate(const std::string &name, uint64_t bytes) = 0;
  /// False: a call has failed.
  virtual bool write(uint64_t address, const std::vector<uint8_t> &bytes) = 0;
  /// Fewer bytes than were asked for: a call has failed.
  virtual std::vector<uint8_t> read(uint64_t address, uint64_t bytes) = 0;
  virtual void free_all() = 0;
};

/// Buffers of one trial and the launch that uses them. They live until DeviceMemory::free_all().
class TrialLaunch {
 public:
  /// `variables`: all launch variables of the operator; `num_sms` 0: all of the device's.
  TrialLaunch(DeviceMemory &memory, ww_operator_t *op, const OperatorTrial &trial,
              const std::map<std::string, int64_t> &variables, int num_sms);
  TrialLaunch(const TrialLaunch &) = delete;

  /// Allocates everything and writes the inputs. What went wrong in the runtime's words, or an empty text.
  std::string prepare();
  /// Fills outputs, and the workspace where the runtime does not clear it, with one byte.
  bool poison(uint8_t value);
  /// `stream` nullptr: the default one.
  ww_status_t launch(CUstream_st *stream, ww_message_t *message);

  /// Kernels that a launch runs, in order; empty before prepare().
  const std::vector<ww_grid_t> &grids() const { return grids_; }
  std::vector<uint8_t> output(size_t index) { return memory_.read(outputs_[index], trial_.outputs[index].bytes); }
  /// The first input that no longer has its bytes, or an empty text.
  std::string changed_input();

 private:
  DeviceMemory &memory_;
  ww_operator_t *op_;
  const OperatorTrial &trial_;
  std::map<std::string, int64_t> values_;
  std::vector<ww_variable_t> variables_;
  std::vector<ww_buffer_t> buffers_;
  std::vector<uint64_t> inputs_, outputs_;  ///< addresses, in the trial's order
  std::vector<ww_grid_t> grids_;
  uint64_t workspace_ = 0, workspace_bytes_ = 0;
  bool workspace_is_cleared_ = false;
  int num_sms_;
};

/// Kernels of a launch with these variables on `num_sms` multiprocessors. What is wrong in the runtime's words, or nothing.
std::string choose_kernels(ww_operator_t *op, const std::vector<ww_variable_t> &variables, int64_t num_sms,
                           std::vector<ww_grid_t> *grids);

}  // namespace warpwright::cli
