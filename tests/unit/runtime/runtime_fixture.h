// SPDX-License-Identifier: Apache-2.0
// An open archive of one small operator, and the fake driver behind it.
#pragma once

#include "tests/unit/archive/small_operator.h"
#include "tests/unit/runtime/fake_cuda.h"

#include "warpwright/warpwright.h"

#include <memory>

namespace warpwright::testing {

/// The state of the fake that WARPWRIGHT_FAKE_CUDA names, as if freshly loaded.
FakeCuda &fresh_fake();

/// Opened from a file; closed at the end of the scope.
class OpenArchive {
 public:
  explicit OpenArchive(const std::string &bytes);
  ~OpenArchive() { wwArchiveClose(archive_); }
  ww_archive_t *get() const { return archive_; }
  ww_operator_t *op(const char *name) const;

 private:
  ScratchFolder scratch_;
  ww_archive_t *archive_ = nullptr;
};

/// The fake driver, opened and closed.
class OpenDriver {
 public:
  OpenDriver();
  ~OpenDriver() { wwDriverClose(driver_); }
  ww_driver_t *get() const { return driver_; }

 private:
  ww_driver_t *driver_ = nullptr;
};

/// A launch of the small operator with sound buffers, for tests to spoil.
struct SmallLaunch {
  explicit SmallLaunch(int64_t m);
  ww_variable_t variables[1];
  ww_buffer_t buffers[3];
  ww_launch_t launch;
};

/// Addresses that the fake driver never follows.
inline void *fake_address(uintptr_t value) { return reinterpret_cast<void *>(value); }
constexpr uintptr_t kX = 0x10000000, kScale = 0x20000004, kY = 0x30000010, kWorkspace = 0x40000000, kStream = 0x50;

}  // namespace warpwright::testing
