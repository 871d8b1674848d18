// SPDX-License-Identifier: Apache-2.0
// What a family gives to the IR stage.
#pragma once

#include "generator/plan/records.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace warpwright::lower {

struct FamilyIr {
  std::string name;
  /// Builds a module with one flow.kernel for `plan.kernels[kernel]`; every op is located at the spec field it serves.
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &, const plan::OperatorPlan &, size_t kernel)> build;
  /// Lines for the emitted file's banner: the formula, in the parameters' names.
  std::function<std::vector<std::string>(const plan::OperatorPlan &, size_t kernel)> formula;
};

}  // namespace warpwright::lower
