// SPDX-License-Identifier: Apache-2.0
// Queues of asynchronous work.
#include "tools/emulator/machine/async.h"

namespace warpwright::emulator {

void AsyncWork::issue_copy(std::unique_ptr<AsyncOperation> operation) {
  ++num_issued_;
  copies_.push_back(std::move(operation));
}

void AsyncWork::issue_tensor(uint32_t pipe, std::unique_ptr<AsyncOperation> operation) {
  ++num_issued_;
  pipes_[pipe].push_back(std::move(operation));
}

size_t AsyncWork::num_ready() const { return copies_.size() + pipes_.size(); }

void AsyncWork::advance(size_t which) {
  if (which < copies_.size()) {
    const auto place = copies_.begin() + static_cast<std::ptrdiff_t>(which);
    if ((*place)->advance()) copies_.erase(place);
    return;
  }
  const auto pipe = std::next(pipes_.begin(), static_cast<std::ptrdiff_t>(which - copies_.size()));
  if (!pipe->second.front()->advance()) return;
  pipe->second.pop_front();
  if (pipe->second.empty()) pipes_.erase(pipe);
}

}  // namespace warpwright::emulator
