// SPDX-License-Identifier: Apache-2.0
// Prints the operations of a kernel as statements, and remembers which device functions they call.
#pragma once

#include "generator/emit/emit_cuda.h"

#include "mlir/Support/IndentedOstream.h"

#include <map>
#include <set>

namespace warpwright::emit {

class BodyPrinter {
 public:
  BodyPrinter(mlir::raw_indented_ostream &out, const plan::KernelPlan &kernel, const EmitOptions &options)
      : out_(out), kernel_(kernel), options_(options), pair_(kernel.cta_group == 2) {}

  /// init, roles and exit, in the function's braces.
  void print_kernel(ir::ptx::PtxKernelOp kernel_op);

  /// Wrappers and device functions that the printed text calls.
  const std::set<std::string> &called() const { return called_; }

 private:
  mlir::raw_indented_ostream &out_;
  const plan::KernelPlan &kernel_;
  const EmitOptions &options_;
  const bool pair_;
  const plan::Role *role_ = nullptr;
  std::set<std::string> called_;
  llvm::DenseMap<mlir::Value, std::string> names_;
  std::map<std::string, int> uses_of_name_;
  std::vector<std::string> loops_;  ///< loop variables in scope, outermost first

  void print_preamble();
  void print_role(ir::ptx::PtxRoleOp role, bool is_first);
  void print_block(mlir::Block &block);
  void print(mlir::Operation *op);
  bool print_structure(mlir::Operation *op);
  bool print_barrier(mlir::Operation *op);
  bool print_copy(mlir::Operation *op);
  bool print_tensor(mlir::Operation *op);
  bool print_epilogue(mlir::Operation *op);
  void print_mma(ir::ptx::PtxMmaOp mma);
  void print_slot(ir::ptx::PtxSlotOp slot);
  void print_wait(ir::ptx::PtxMbarWaitOp wait);
  void print_for(ir::ptx::PtxForOp loop);
  void print_elect(ir::ptx::PtxElectOp elect);
  void print_call(ir::ptx::PtxCallOp call);
  void print_stage(ir::ptx::PtxStageRowOp stage);
  void print_device(ir::ptx::PtxDeviceOp device);

  /// `function(arguments);`, broken at 120 columns; remembers the call. `wrapper` is the name that isa knows.
  void statement(const std::string &function, const std::vector<std::string> &arguments, const std::string &wrapper = "");
  std::string called(const std::string &wrapper) { called_.insert(wrapper); return wrapper; }
  std::string grouped(const std::string &wrapper) { return called(pair_ ? wrapper + "_pair" : wrapper); }

  std::string expression(mlir::Value value, int outer_precedence = 0);
  std::string fresh(const std::string &name);
  std::string slot_name(mlir::Value slot) { return names_.lookup(slot); }
  std::string buffer_index(mlir::Value slot);
  std::string barrier_address(llvm::StringRef barrier, mlir::Value slot);
  std::string region_address(llvm::StringRef region, mlir::Value slot, int64_t offset_bytes);
  std::string columns(llvm::StringRef range, int64_t col, mlir::Value copy);
};

}  // namespace warpwright::emit
