// SPDX-License-Identifier: Apache-2.0
// lower_operator: build, lower, print and extract each kernel of an operator.
#include "generator/emit/pipeline.h"

#include "generator/emit/emit_cuda.h"
#include "generator/lower/family_ir.h"
#include "generator/lower/passes.h"
#include "generator/prove/ir/extract.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>

namespace warpwright::emit {
namespace {

support::SourceLocation location_of(mlir::Location where) {
  support::SourceLocation result;
  if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(where)) {
    result.file = file.getFilename().str();
    result.line = static_cast<int>(file.getLine());
    result.column = static_cast<int>(file.getColumn());
  }
  return result;
}

std::string text_of(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

bool wants(const LowerOptions &options, const std::string &pass) {
  for (const std::string &name : options.dump_after)
    if (name == "all" || name == pass) return true;
  return false;
}

bool known_dumps(const LowerOptions &options, support::Diagnostics &diagnostics) {
  for (const std::string &name : options.dump_after) {
    if (name == "all" || name == "build") continue;
    const auto &passes = lower::pass_list();
    if (std::none_of(passes.begin(), passes.end(), [&](const lower::PassInfo &info) { return info.name == name; })) {
      support::Diagnostic error;
      error.slug = "lower.unknown-pass";
      error.message = "no pass is named \"" + name + "\"";
      error.hints = {"warpwright list passes"};
      diagnostics.add(std::move(error));
      return false;
    }
  }
  return true;
}

std::optional<LoweredKernel> lower_kernel(mlir::MLIRContext &context, const plan::OperatorPlan &op, size_t index,
                                          const lower::FamilyIr &family, const LowerOptions &options) {
  const plan::KernelPlan &kernel = op.kernels[index];
  LoweredKernel result;
  result.name = kernel.name;
  mlir::OwningOpRef<mlir::ModuleOp> module = family.build(context, op, index);
  if (mlir::failed(mlir::verify(*module))) return std::nullopt;
  int number = 0;
  std::string previous = options.dump_after.empty() ? "" : text_of(*module);
  if (wants(options, "build")) result.dumps.push_back({"00-build", previous, true});
  auto after = [&](const lower::PassInfo &info, mlir::ModuleOp current) {
    ++number;
    if (options.dump_after.empty()) return;
    std::string text = text_of(current);
    if (wants(options, info.name)) result.dumps.push_back({fmt::format("{:02}-{}", number, info.name), text, text != previous});
    previous = std::move(text);
  };
  if (mlir::failed(lower::run_pipeline(*module, kernel, after))) return std::nullopt;
  auto kernels = module->getOps<ir::ptx::PtxKernelOp>();
  WARPWRIGHT_ASSERT(!kernels.empty(), "the pipeline left no kernel");
  ir::ptx::PtxKernelOp kernel_op = *kernels.begin();
  EmitOptions emit_options;
  emit_options.debug_waits = options.debug_waits;
  emit_options.debug_lines = options.debug_lines;
  // Without its folder: equal specs give equal bytes wherever they lie.
  emit_options.spec_file = op.spec.file.substr(op.spec.file.rfind('/') + 1);
  emit_options.formula = family.formula(op, index);
  result.source = emit_cuda(kernel_op, kernel, emit_options);
  result.script = prove::extract_script(kernel_op, kernel);
  result.protocol = prove::unroll(result.script);
  return result;
}

}  // namespace

std::vector<PassName> list_passes() {
  std::vector<PassName> out;
  for (const lower::PassInfo &pass : lower::pass_list()) out.push_back({pass.name, pass.text});
  return out;
}

std::optional<std::vector<LoweredKernel>> lower_operator(const plan::OperatorPlan &op, const lower::FamilyIr &family,
                                                         const LowerOptions &options, support::Diagnostics &diagnostics) {
  if (!known_dumps(options, diagnostics)) return std::nullopt;
  mlir::MLIRContext context;
  lower::load_dialects(context);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    support::Diagnostic error;
    error.slug = "lower.rejected";
    error.severity = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error ? support::Severity::kError : support::Severity::kNote;
    error.where = location_of(diagnostic.getLocation());
    error.message = diagnostic.str();
    diagnostics.add(std::move(error));
    return mlir::success();
  });
  std::vector<LoweredKernel> kernels;
  for (size_t index = 0; index < op.kernels.size(); ++index) {
    auto kernel = lower_kernel(context, op, index, family, options);
    if (!kernel) return std::nullopt;
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

}  // namespace warpwright::emit
