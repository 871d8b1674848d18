// SPDX-License-Identifier: Apache-2.0
// The points of configs/sweeps/w4a4_matrix.json, drawn from its seed.
#pragma once

#include "generator/spec/kernel_spec.h"

#include <string>
#include <vector>

namespace warpwright::test {

using Setting = std::vector<std::string>;  ///< "path=JSON"

struct Matrix {
  std::string base;
  std::vector<std::vector<Setting>> axes;
  /// One choice an axis, for every point.
  std::vector<std::vector<size_t>> points;

  Setting overrides(const std::vector<size_t> &point) const;
};

Matrix load_matrix();

/// The spec of a point. Its fields are legal one by one; rules between them are not checked.
spec::KernelSpec spec_without_rules(const Matrix &matrix, const std::vector<size_t> &point);

}  // namespace warpwright::test
