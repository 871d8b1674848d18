// SPDX-License-Identifier: Apache-2.0
// Allocates, fills and compares sets of buffers.
#include "tools/cli/rotating_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace warpwright::cli {
namespace {

/// Sets hold so many times the bytes of the L2, and are at least two.
constexpr uint64_t kMultipleOfL2 = 4;
/// Where a driver does not say how large the L2 is: more than any has.
constexpr uint64_t kUnknownL2Bytes = uint64_t{1} << 28;
/// Random values repeat after so many bytes: a period that no tile has.
constexpr uint64_t kPeriodBytes = (uint64_t{1} << 22) + 64;

}  // namespace

std::vector<uint8_t> random_values(const std::string &format, uint64_t bytes, uint64_t seed) {
  std::vector<uint8_t> values(bytes);
  std::mt19937_64 random(seed);
  const auto fill = [&](size_t width, auto make) {
    for (size_t i = 0; i + width <= values.size(); i += width) {
      const uint32_t code = make();
      std::memcpy(&values[i], &code, width);
    }
  };
  const auto draw = [&](uint64_t below) { return static_cast<uint32_t>(random() % below); };
  // Magnitudes from 0.5 to below 1, both signs. Scales are positive.
  if (format == "bf16") fill(2, [&] { return (draw(2) << 15) | 0x3F00u | draw(128); });
  else if (format == "fp16") fill(2, [&] { return (draw(2) << 15) | 0x3800u | draw(1024); });
  else if (format == "fp32") fill(4, [&] { return 0x3F000000u | draw(1u << 23); });
  else if (format == "s32") fill(4, [&] { return draw(1u << 16) - (1u << 15); });
  else if (format == "ue4m3") fill(1, [&] { return 0x30u + draw(8); });
  else if (format == "ue8m0") fill(1, [&] { return 126u + draw(2); });
  else if (format == "e4m3") fill(1, [&] { return (draw(2) << 7) | 0x30u | draw(8); });
  else fill(1, [&] { return draw(256); });
  return values;
}

std::string RotatingBuffers::measure() {
  ww_message_t message;
  ww_operator_info_t info{};
  info.struct_bytes = sizeof info;
  if (wwOperatorDescribe(op_, &info, &message) != WW_STATUS_OK) return message.text;
  for (size_t i = 0; i < info.num_tensors; ++i) {
    ww_tensor_info_t tensor{};
    tensor.struct_bytes = sizeof tensor;
    uint64_t bytes = 0;
    size_t num_dims = 0;
    if (wwOperatorDescribeTensor(op_, i, &tensor, &message) != WW_STATUS_OK ||
        wwOperatorMeasureTensor(op_, tensor.name, variables_.data(), variables_.size(), nullptr, 0, &num_dims, &bytes, &message) != WW_STATUS_OK)
      return message.text;
    tensors_.push_back({tensor.name, tensor.format, tensor.is_output != 0, std::string_view(tensor.layout) == "zeroed", bytes});
    set_bytes_ += bytes;
  }
  if (wwOperatorMeasureWorkspace(op_, variables_.data(), variables_.size(), device_.about().num_sms, &workspace_bytes_, &message) != WW_STATUS_OK)
    return message.text;
  return {};
}

std::string RotatingBuffers::prepare() {
  if (std::string why = measure(); !why.empty()) return why;
  const uint64_t l2_bytes = device_.about().l2_bytes ? device_.about().l2_bytes : kUnknownL2Bytes;
  sets_.resize(std::max<uint64_t>(2, (kMultipleOfL2 * l2_bytes + set_bytes_ - 1) / std::max<uint64_t>(1, set_bytes_)));
  for (size_t set = 0; set < sets_.size(); ++set)
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const uint64_t address = device_.allocate(tensors_[i].name, std::max<uint64_t>(1, tensors_[i].bytes));
      if (!address) return device_.problem();
      sets_[set].push_back({tensors_[i].name.c_str(), reinterpret_cast<void *>(address), tensors_[i].bytes});
      const bool is_filled = tensors_[i].is_output || tensors_[i].bytes == 0 ||
                             (set == 0 ? fill(tensors_[i], address, i)
                                       : device_.check(device_.functions().cuMemcpyDtoD(address, reinterpret_cast<CUdeviceptr>(sets_[0][i].pointer),
                                                                                        tensors_[i].bytes), "copying a buffer"));
      if (!is_filled) return device_.problem();
    }
  if (workspace_bytes_ > 0) {
    workspace_ = device_.allocate("the workspace", workspace_bytes_);
    if (!workspace_ || !device_.check(device_.functions().cuMemsetD8(workspace_, 0, workspace_bytes_), "clearing the workspace")) return device_.problem();
  }
  return poison_outputs() ? "" : device_.problem();
}

bool RotatingBuffers::fill(const Tensor &tensor, uint64_t address, uint64_t seed) {
  std::vector<uint8_t> values = random_values(tensor.format, std::min(tensor.bytes, kPeriodBytes), seed + 1);
  if (tensor.is_zeroed) std::fill(values.begin(), values.end(), uint8_t{0});
  if (!device_.write(address, values)) return false;
  // What is there is doubled until the tensor is full.
  for (uint64_t done = values.size(); done < tensor.bytes;) {
    const uint64_t next = std::min(done, tensor.bytes - done);
    if (!device_.check(device_.functions().cuMemcpyDtoD(address + done, address, next), "filling " + tensor.name)) return false;
    done += next;
  }
  return true;
}

ww_status_t RotatingBuffers::launch(size_t set, uint32_t flags, ww_message_t *message) const {
  ww_launch_t wanted{};
  wanted.struct_bytes = sizeof wanted;
  wanted.variables = variables_.data();
  wanted.num_variables = variables_.size();
  wanted.buffers = sets_[set].data();
  wanted.num_buffers = sets_[set].size();
  wanted.workspace = reinterpret_cast<void *>(workspace_);
  wanted.workspace_bytes = workspace_bytes_;
  wanted.stream = device_.stream();
  wanted.flags = flags;
  return wwOperatorLaunch(op_, device_.driver(), &wanted, message);
}

bool RotatingBuffers::poison_outputs() {
  constexpr uint8_t kPoison = 0xFF;
  bool is_done = true;
  for (size_t set = 0; set < sets_.size(); ++set)
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (tensors_[i].is_output)
        is_done = is_done && device_.check(device_.functions().cuMemsetD8(reinterpret_cast<CUdeviceptr>(sets_[set][i].pointer),
                                                                          static_cast<unsigned char>(kPoison - set % 2), tensors_[i].bytes), "filling an output");
  return is_done && device_.check(device_.functions().cuCtxSynchronize(), "filling an output");
}

std::string RotatingBuffers::different_outputs() {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i].is_output) continue;
    const std::vector<uint8_t> first = device_.read(reinterpret_cast<uint64_t>(sets_[0][i].pointer), tensors_[i].bytes);
    for (size_t set = 1; set < sets_.size() && device_.problem().empty(); ++set) {
      const std::vector<uint8_t> other = device_.read(reinterpret_cast<uint64_t>(sets_[set][i].pointer), tensors_[i].bytes);
      const auto at = std::mismatch(first.begin(), first.end(), other.begin(), other.end()).first;
      if (device_.problem().empty() && at != first.end())
        return fmt::format("byte {} of {} is not what launches with other buffers of the same values write (set {} of {})", at - first.begin(),
                           tensors_[i].name, set + 1, sets_.size());
    }
  }
  return device_.problem();
}

}  // namespace warpwright::cli
