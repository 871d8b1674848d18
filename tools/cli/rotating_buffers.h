// SPDX-License-Identifier: Apache-2.0
// Several sets of an operator's buffers, so that a launch finds none of its bytes in the L2.
#pragma once

#include "tools/cli/gpu_device.h"

#include <string>
#include <vector>

namespace warpwright::cli {

class RotatingBuffers {
 public:
  RotatingBuffers(GpuDevice &device, ww_operator_t *op, const std::vector<ww_variable_t> &variables)
      : device_(device), op_(op), variables_(variables) {}
  RotatingBuffers(const RotatingBuffers &) = delete;

  /// Makes the sets and fills them. What went wrong, or an empty text.
  std::string prepare();
  /// One launch with a set's buffers into the device's stream; all sets share the workspace, as launches of one stream do.
  ww_status_t launch(size_t set, uint32_t flags, ww_message_t *message) const;
  /// The first output byte in which a set differs from the first set, or an empty text.
  std::string different_outputs();

  size_t sets() const { return sets_.size(); }
  uint64_t set_bytes() const { return set_bytes_; }

 private:
  struct Tensor {
    std::string name, format;
    bool is_output = false;
    bool is_zeroed = false;  ///< zero before the first launch, which leaves it so
    uint64_t bytes = 0;
  };

  std::string measure();
  bool fill(const Tensor &tensor, uint64_t address, uint64_t seed);
  /// Outputs of neighbouring sets differ until a launch has written them.
  bool poison_outputs();

  GpuDevice &device_;
  ww_operator_t *op_;
  std::vector<ww_variable_t> variables_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<ww_buffer_t>> sets_;
  uint64_t set_bytes_ = 0, workspace_ = 0, workspace_bytes_ = 0;
};

/// `bytes` of finite random values of a format of runtime/format ("bf16", "s8", …); whole bytes for those it does not know.
std::vector<uint8_t> random_values(const std::string &format, uint64_t bytes, uint64_t seed);

}  // namespace warpwright::cli
