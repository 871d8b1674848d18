// SPDX-License-Identifier: Apache-2.0
// Writes operators into one file: manifest, cubins, PTX, plans, digests. Same input, same bytes.
#pragma once

#include "generator/compile/compile.h"
#include "generator/plan/records.h"

#include <string>
#include <utility>
#include <vector>

namespace warpwright::archive {

/// One operator, ready to pack: `images[i]` holds the compiled forms of `plan.kernels[i]`.
struct PackedOperator {
  plan::OperatorPlan plan;
  std::string plan_json;                 ///< plan/report.h's JSON
  std::string spec_json;                 ///< canonical
  std::vector<std::string> sources;      ///< emitted CUDA, per kernel
  std::vector<std::vector<std::pair<std::string, compile::CompiledKernel>>> images;  ///< (arch, kernel)
};

/// Writes `file` by staging beside it and renaming: a reader sees the old bytes or the new ones.
///
/// Ensures   no time, path, host or order of arrival in the bytes; operators sorted by name.
/// Errors    archive.duplicate-name, archive.unwritable; archive.invalid-recipe: the runtime could not read the launch
///           recipe back. Nothing is written then.
bool write_archive(const std::string &file, const std::vector<PackedOperator> &operators,
                   support::Diagnostics &diagnostics);

}  // namespace warpwright::archive
