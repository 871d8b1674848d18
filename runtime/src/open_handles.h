// SPDX-License-Identifier: Apache-2.0
// Which archive and operator handles are open, so that a stale one is a status rather than a crash.
#pragma once

#include "runtime/src/status.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_set>

namespace warpwright::runtime {

/// NOTE: an address that a later archive was given is open again; a handle that old is not found out.
class OpenHandles {
 public:
  static OpenHandles &instance();

  void add(const void *handle) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    handles_.insert(handle);
  }
  /// False: it was not open.
  bool remove(const void *handle) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    return handles_.erase(handle) > 0;
  }
  bool has(const void *handle) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return handles_.count(handle) > 0;
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_set<const void *> handles_;
};

/// Errors    INVALID_ARGUMENT. `handle` is not null.
inline Status check_open(const void *handle) {
  if (OpenHandles::instance().has(handle)) return {};
  return failure(WW_STATUS_INVALID_ARGUMENT, "the handle is of no open archive: closed, or never opened");
}

}  // namespace warpwright::runtime
