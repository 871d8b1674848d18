// SPDX-License-Identifier: Apache-2.0
// An operator's launch recipe with its expressions parsed.
#pragma once

#include "runtime/format/archive_generated.h"
#include "runtime/format/expression.h"
#include "runtime/src/status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpwright::runtime {

/// An expression with what it means, for messages. `text` points into the archive.
struct Formula {
  format::Expression expression;
  const char *text = nullptr;
  std::string meaning;  ///< "grid x of kernel w4a4…"

  /// Errors: SHAPE_REFUSED where the value is not defined for these variables.
  Status evaluate(const std::vector<int64_t> &values, int64_t *result) const;
  /// The same, and the value must lie in [min, max].
  Status evaluate_within(const std::vector<int64_t> &values, int64_t min, int64_t max, int64_t *result) const;
};

struct PreparedTensor {
  std::vector<Formula> dims;
  Formula bytes;
};

struct PreparedMap {
  const format::TensorMap *record = nullptr;
  std::vector<Formula> dims;
  std::vector<Formula> strides_bytes;
};

struct PreparedKernel {
  const format::Kernel *record = nullptr;
  std::vector<Formula> grid;  ///< x, y, z
  std::vector<Formula> requires_true;
  std::vector<PreparedMap> maps;
  std::vector<std::optional<Formula>> param_values;  ///< per parameter; set for integers
};

struct PreparedDispatch {
  Formula condition;
  const format::Dispatch *record = nullptr;
};

/// The values of all variables of a launch: bound, fixed, num_sms, in Program's order.
using Values = std::vector<int64_t>;

/// Threads   immutable after prepare().
class Program {
 public:
  /// Errors: INVALID_RECIPE, naming the expression.
  Status prepare(const format::Operator &record);

  /// Errors: NOT_FOUND (with the names that exist), UNBOUND_VARIABLE, INVALID_ARGUMENT (bound twice, or a fixed one
  /// to another value).
  Status bind(const ww_variable_t *variables, size_t num_variables, int64_t num_sms, Values *values) const;

  /// The kernels of the first dispatch row that holds, with their grids.
  Status choose(const Values &values, std::vector<ww_grid_t> *grids) const;

  Status measure_workspace(const Values &values, uint64_t *num_bytes) const;

  const std::vector<PreparedTensor> &tensors() const { return tensors_; }
  const std::vector<PreparedKernel> &kernels() const { return kernels_; }

 private:
  Status prepare_kernel(const format::Kernel &record);
  Status prepare_map(const format::Kernel &kernel, const format::TensorMap &record, PreparedMap *map);
  Status parse(const flatbuffers::String *text, const std::vector<std::string> &names, std::string meaning,
               Formula *formula) const;
  Status parse_all(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> &texts,
                   const std::vector<std::string> &names, const std::string &meaning,
                   std::vector<Formula> *formulas) const;
  Status choose_grid(const PreparedKernel &kernel, const Values &values, ww_grid_t *grid) const;

  const format::Operator *record_ = nullptr;
  std::vector<std::string> shape_names_;   ///< bound, then fixed variables
  std::vector<std::string> launch_names_;  ///< the same, then num_sms
  size_t num_bound_ = 0;
  std::vector<int64_t> fixed_values_;
  std::vector<PreparedTensor> tensors_;
  std::vector<PreparedKernel> kernels_;
  std::vector<PreparedDispatch> dispatch_;
  Formula workspace_;
};

/// Bytes of one element of a tensor map.
int64_t bytes_of(format::Element element);

}  // namespace warpwright::runtime
