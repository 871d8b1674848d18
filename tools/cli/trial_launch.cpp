// SPDX-License-Identifier: Apache-2.0
// Buffers, arguments and launches of trials.
#include "tools/cli/trial_launch.h"

#include <fmt/format.h>

namespace warpwright::cli {

std::string choose_kernels(ww_operator_t *op, const std::vector<ww_variable_t> &variables, int64_t num_sms,
                           std::vector<ww_grid_t> *grids) {
  ww_operator_info_t info{};
  info.struct_bytes = sizeof info;
  ww_message_t message;
  if (wwOperatorDescribe(op, &info, &message) != WW_STATUS_OK) return message.text;
  size_t count = 0;
  grids->resize(info.num_kernels);
  const ww_status_t status = wwOperatorChooseKernels(op, variables.data(), variables.size(), num_sms, grids->data(),
                                                     grids->size(), &count, &message);
  grids->resize(status == WW_STATUS_OK ? count : 0);
  return status == WW_STATUS_OK ? "" : message.text;
}

TrialLaunch::TrialLaunch(DeviceMemory &memory, ww_operator_t *op, const OperatorTrial &trial,
                         const std::map<std::string, int64_t> &variables, int num_sms)
    : memory_(memory), op_(op), trial_(trial), values_(variables), num_sms_(num_sms) {
  for (const auto &[name, value] : values_) variables_.push_back({name.c_str(), value});
}

std::string TrialLaunch::prepare() {
  ww_device_info_t device{};
  device.struct_bytes = sizeof device;
  ww_operator_info_t info{};
  info.struct_bytes = sizeof info;
  ww_message_t message;
  if (wwDriverDescribeDevice(memory_.driver(), memory_.ordinal(), &device, &message) != WW_STATUS_OK ||
      wwOperatorDescribe(op_, &info, &message) != WW_STATUS_OK)
    return message.text;
  const int64_t sms = num_sms_ ? num_sms_ : device.num_sms;
  if (std::string why = cli::choose_kernels(op_, variables_, sms, &grids_); !why.empty()) return why;
  if (wwOperatorMeasureWorkspace(op_, variables_.data(), variables_.size(), sms, &workspace_bytes_, &message) != WW_STATUS_OK)
    return message.text;
  workspace_is_cleared_ = info.workspace_must_be_zero != 0;
  const auto place = [&](const std::string &name, uint64_t bytes) {
    const uint64_t address = memory_.allocate(name, bytes);
    buffers_.push_back({name.c_str(), reinterpret_cast<void *>(address), bytes});
    return address;
  };
  for (const auto &[name, bytes] : trial_.inputs) {
    inputs_.push_back(place(name, bytes.size()));
    if (!inputs_.back() || !memory_.write(inputs_.back(), bytes)) return fmt::format("no device memory for {}", name);
  }
  for (const TrialOutput &output : trial_.outputs) {
    outputs_.push_back(place(output.tensor, output.bytes));
    if (!outputs_.back()) return fmt::format("no device memory for {}", output.tensor);
  }
  if (workspace_bytes_ > 0 && (workspace_ = memory_.allocate("the workspace", workspace_bytes_)) == 0)
    return fmt::format("no device memory for a workspace of {} B", workspace_bytes_);
  return {};
}

bool TrialLaunch::poison(uint8_t value) {
  bool is_done = true;
  for (size_t i = 0; i < outputs_.size(); ++i)
    is_done &= memory_.write(outputs_[i], std::vector<uint8_t>(trial_.outputs[i].bytes, value));
  if (workspace_ && !workspace_is_cleared_) is_done &= memory_.write(workspace_, std::vector<uint8_t>(workspace_bytes_, value));
  return is_done;
}

ww_status_t TrialLaunch::launch(CUstream_st *stream, ww_message_t *message) {
  ww_launch_t wanted{};
  wanted.struct_bytes = sizeof wanted;
  wanted.variables = variables_.data();
  wanted.num_variables = variables_.size();
  wanted.buffers = buffers_.data();
  wanted.num_buffers = buffers_.size();
  wanted.workspace = reinterpret_cast<void *>(workspace_);
  wanted.workspace_bytes = workspace_bytes_;
  wanted.stream = stream;
  wanted.num_sms = num_sms_;
  return wwOperatorLaunch(op_, memory_.driver(), &wanted, message);
}

std::string TrialLaunch::changed_input() {
  size_t index = 0;
  for (const auto &[name, bytes] : trial_.inputs)
    if (memory_.read(inputs_[index++], bytes.size()) != bytes) return fmt::format("the launch has changed its input {}", name);
  return {};
}

}  // namespace warpwright::cli
