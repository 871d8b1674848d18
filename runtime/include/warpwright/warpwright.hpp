// SPDX-License-Identifier: Apache-2.0
// A thin C++17 face of warpwright.h: ownership and containers, no exceptions of its own.
#pragma once

#include "warpwright/warpwright.h"

#include <memory>
#include <string>
#include <vector>

namespace warpwright {

/// A status with its sentence; false is a failure.
///
/// Example   if (warpwright::Result opened = archive.open("kernels.wwa"); !opened) log(opened.text());
class [[nodiscard]] Result {
 public:
  Result() = default;
  Result(ww_status_t status, const ww_message_t &message) : status_(status), text_(message.text) {}
  explicit operator bool() const { return status_ == WW_STATUS_OK; }
  ww_status_t status() const { return status_; }
  const std::string &text() const { return text_; }

 private:
  ww_status_t status_ = WW_STATUS_OK;
  std::string text_;
};

/// The CUDA driver.
class Driver {
 public:
  /// `path` empty: as wwDriverOpen's NULL.
  Result open(const std::string &path = {}) {
    ww_driver_t *driver = nullptr;
    ww_message_t message;
    const ww_status_t status = wwDriverOpen(path.empty() ? nullptr : path.c_str(), &driver, &message);
    driver_.reset(driver);
    return {status, message};
  }
  ww_driver_t *get() const { return driver_.get(); }

 private:
  struct Close {
    void operator()(ww_driver_t *driver) const { wwDriverClose(driver); }
  };
  std::unique_ptr<ww_driver_t, Close> driver_;
};

/// A launch that is checked and encoded. Lifetime: ends before the archive's; its buffers stay where they are.
class Call {
 public:
  Result launch(CUstream_st *stream) const {
    ww_message_t message;
    const ww_status_t status = wwCallLaunch(call_.get(), stream, &message);
    return {status, message};
  }
  void reset(ww_call_t *call = nullptr) { call_.reset(call); }

 private:
  struct Destroy {
    void operator()(ww_call_t *call) const { wwCallDestroy(call); }
  };
  std::unique_ptr<ww_call_t, Destroy> call_;
};

/// An operator of an open archive. Lifetime: the archive's.
class Operator {
 public:
  Operator() = default;
  explicit Operator(ww_operator_t *op) : op_(op) {}
  ww_operator_t *get() const { return op_; }

  Result load(const Driver &driver, int device) const {
    ww_message_t message;
    const ww_status_t status = wwOperatorLoad(op_, driver.get(), device, &message);
    return {status, message};
  }

  Result launch(const Driver &driver, const std::vector<ww_variable_t> &variables,
                const std::vector<ww_buffer_t> &buffers, CUstream_st *stream, void *workspace = nullptr,
                uint64_t workspace_bytes = 0) const {
    const ww_launch_t launch = describe(variables, buffers, stream, workspace, workspace_bytes);
    ww_message_t message;
    const ww_status_t status = wwOperatorLaunch(op_, driver.get(), &launch, &message);
    return {status, message};
  }

  /// As launch(), but nothing is launched before Call::launch.
  Result prepare(const Driver &driver, const std::vector<ww_variable_t> &variables,
                 const std::vector<ww_buffer_t> &buffers, Call *call, void *workspace = nullptr,
                 uint64_t workspace_bytes = 0) const {
    const ww_launch_t launch = describe(variables, buffers, nullptr, workspace, workspace_bytes);
    ww_call_t *made = nullptr;
    ww_message_t message;
    const ww_status_t status = wwCallCreate(op_, driver.get(), &launch, &made, &message);
    call->reset(made);
    return {status, message};
  }

  Result measure_workspace(const std::vector<ww_variable_t> &variables, int64_t num_sms, uint64_t *num_bytes) const {
    ww_message_t message;
    const ww_status_t status =
        wwOperatorMeasureWorkspace(op_, variables.data(), variables.size(), num_sms, num_bytes, &message);
    return {status, message};
  }

 private:
  static ww_launch_t describe(const std::vector<ww_variable_t> &variables, const std::vector<ww_buffer_t> &buffers,
                              CUstream_st *stream, void *workspace, uint64_t workspace_bytes) {
    ww_launch_t launch = {};
    launch.struct_bytes = sizeof(launch);
    launch.variables = variables.data();
    launch.num_variables = variables.size();
    launch.buffers = buffers.data();
    launch.num_buffers = buffers.size();
    launch.workspace = workspace;
    launch.workspace_bytes = workspace_bytes;
    launch.stream = stream;
    return launch;
  }

  ww_operator_t *op_ = nullptr;
};

/// An open archive.
class Archive {
 public:
  Result open(const std::string &path) {
    ww_archive_t *archive = nullptr;
    ww_message_t message;
    const ww_status_t status = wwArchiveOpen(path.c_str(), &archive, &message);
    archive_.reset(archive);
    return {status, message};
  }
  Result verify() const {
    ww_message_t message;
    const ww_status_t status = wwArchiveVerify(archive_.get(), &message);
    return {status, message};
  }
  Result find(const std::string &name, Operator *op) const {
    ww_operator_t *found = nullptr;
    ww_message_t message;
    const ww_status_t status = wwArchiveFindOperator(archive_.get(), name.c_str(), &found, &message);
    *op = Operator(found);
    return {status, message};
  }
  size_t count_operators() const { return wwArchiveCountOperators(archive_.get()); }
  ww_archive_t *get() const { return archive_.get(); }

 private:
  struct Close {
    void operator()(ww_archive_t *archive) const { wwArchiveClose(archive); }
  };
  std::unique_ptr<ww_archive_t, Close> archive_;
};

}  // namespace warpwright
