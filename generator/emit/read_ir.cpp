// SPDX-License-Identifier: Apache-2.0
// Final IR from a file, so that an edited one can be checked like the one that was built.
#include "generator/emit/pipeline.h"
#include "generator/lower/passes.h"
#include "generator/prove/ir/extract.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace warpwright::emit {
namespace {

support::Diagnostic bad_ir(const std::string &file, const std::string &message) {
  support::Diagnostic error;
  error.slug = "cli.bad-ir";
  error.where.file = file;
  error.message = message;
  return error;
}

}  // namespace

std::optional<LoweredKernel> read_final_ir(const std::string &file, const std::string &text,
                                           const plan::OperatorPlan &plan, support::Diagnostics &diagnostics) {
  diagnostics.add_source(file, text);
  mlir::MLIRContext context;
  lower::load_dialects(context);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    support::Diagnostic error = bad_ir(file, diagnostic.str());
    if (auto where = mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation())) {
      error.where.line = static_cast<int>(where.getLine());
      error.where.column = static_cast<int>(where.getColumn());
    }
    diagnostics.add(std::move(error));
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, file);
  if (!module || mlir::failed(mlir::verify(*module))) return std::nullopt;
  for (ir::ptx::PtxKernelOp kernel_op : module->getOps<ir::ptx::PtxKernelOp>()) {
    for (const plan::KernelPlan &kernel : plan.kernels) {
      if (kernel.name != kernel_op.getSymName()) continue;
      LoweredKernel result;
      result.name = kernel.name;
      try {
        result.script = prove::extract_script(kernel_op, kernel);
        result.protocol = prove::unroll(result.script);
      } catch (const support::InternalError &mismatch) {
        // What would be our bug in IR of our own is a name or count that somebody wrote here.
        // "file.cpp:line: message" is of no use to them.
        const std::string what = mismatch.what();
        const size_t message = what.find(": ");
        diagnostics.add(bad_ir(file, "the IR and the plan of the spec do not fit: " +
                                         (message == std::string::npos ? what : what.substr(message + 2))));
        return std::nullopt;
      }
      return result;
    }
  }
  diagnostics.add(bad_ir(file, "holds no ptx.kernel of the spec's plan, " + plan.kernels.front().name));
  return std::nullopt;
}

}  // namespace warpwright::emit
