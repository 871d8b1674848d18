// SPDX-License-Identifier: Apache-2.0
// From a lowered operator to one that the runtime has opened, for the verbs that launch.
#pragma once

#include "generator/compile/compile.h"
#include "generator/compile/scratch.h"
#include "tools/cli/lowering.h"
#include "warpwright/warpwright.h"

#include <memory>
#include <optional>

namespace warpwright::cli {

/// One operator, opened through the runtime.
class OpenedOperator {
 public:
  /// Compiles every kernel and packs them in a folder that lives as long as this. `ptx_file`: a text that takes the place of
  /// the first kernel's, or empty.
  /// Errors    of compile::compile_kernel and archive::write_archive; run.unreadable-ptx, cli.unwritable, run.failed.
  static std::unique_ptr<OpenedOperator> compile(const LoweredOperator &op, const std::string &ptx_file, support::Diagnostics &diagnostics);
  /// The operator's kernels from an archive that `build` made of the same plan.
  /// Errors    archive.*; run.other-archive: there is no operator of that name, or its plan is another one.
  static std::unique_ptr<OpenedOperator> from_archive(const LoweredOperator &op, const std::string &file, support::Diagnostics &diagnostics);
  ~OpenedOperator() { wwArchiveClose(archive_); }
  OpenedOperator(const OpenedOperator &) = delete;

  ww_operator_t *op() const { return op_; }
  /// What runs on the emulator, by kernel of the plan; empty for those of an archive.
  const std::vector<std::string> &ptx() const { return ptx_; }

 private:
  OpenedOperator() = default;
  bool open(const LoweredOperator &op, const std::string &file, support::Diagnostics &diagnostics);

  compile::ScratchFolder folder_;
  std::vector<std::string> ptx_;
  ww_archive_t *archive_ = nullptr;
  ww_operator_t *op_ = nullptr;
};

/// Kernel `which` of the operator as nvcc compiles it.
std::optional<compile::CompiledKernel> compile_one(const LoweredOperator &op, size_t which, bool line_info,
                                                   support::Diagnostics &diagnostics);

/// Opens an archive through the runtime; nullptr with the slug that fits what it says.
/// Errors    archive.unreadable, archive.not-an-archive, archive.unsupported-version, archive.corrupt.
ww_archive_t *open_archive_file(const std::string &file, support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
