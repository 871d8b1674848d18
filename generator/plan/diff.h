// SPDX-License-Identifier: Apache-2.0
// What differs between two plans, field by field and figure by figure.
#pragma once

#include "generator/plan/records.h"

namespace warpwright::plan {

/// A field of the specs that has two values.
struct FieldChange {
  std::string path;
  std::string before_json;
  std::string after_json;
};

/// A figure of the plans that has two values; absent on the side where the record does not exist.
struct FigureChange {
  std::string what;  ///< "region a_tile, bytes"
  std::optional<int64_t> before;
  std::optional<int64_t> after;
};

/// Fields of both specs, arch included, in order of path.
std::vector<FieldChange> diff_fields(const spec::KernelSpec &before, const spec::KernelSpec &after);

/// Shared memory, tensor memory, barriers, MMA slots and threads of the kernels, matched by position.
std::vector<FigureChange> diff_figures(const OperatorPlan &before, const OperatorPlan &after);

}  // namespace warpwright::plan
