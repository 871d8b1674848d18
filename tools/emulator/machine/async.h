// SPDX-License-Identifier: Apache-2.0
// Asynchronous work in flight: bulk copies in any order, tensor work of a CTA group in order of issue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace warpwright::emulator {

/// One operation after its issue. Its effects come when the scheduler says so, in one or several stages.
class AsyncOperation {
 public:
  virtual ~AsyncOperation() = default;
  /// The next stage; true when that was the last.
  virtual bool advance() = 0;
};

/// Source: PTX ISA 9.0, "Asynchronous Operations", "tcgen05 Memory Consistency Model": bulk copies are not ordered with each
/// other. Tensor work keeps the order of its issue, the looser of the two readings of that section: mma, cp, shift and commit
/// of one thread and CTA group read and write in turn.
class AsyncWork {
 public:
  void issue_copy(std::unique_ptr<AsyncOperation> operation);
  /// `pipe`: the rank of the CTA that works, of a pair the even one.
  void issue_tensor(uint32_t pipe, std::unique_ptr<AsyncOperation> operation);
  /// How many operations could advance now.
  size_t num_ready() const;
  /// Advances one of them: copies first, oldest first, then the head of each tensor pipe.
  void advance(size_t which);
  /// How many of those are copies: the first ones.
  size_t num_copies() const { return copies_.size(); }
  uint64_t num_issued() const { return num_issued_; }

 private:
  std::deque<std::unique_ptr<AsyncOperation>> copies_;
  std::map<uint32_t, std::deque<std::unique_ptr<AsyncOperation>>> pipes_;  ///< none is empty
  uint64_t num_issued_ = 0;
};

}  // namespace warpwright::emulator
