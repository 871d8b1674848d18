// SPDX-License-Identifier: Apache-2.0
// warpwright-opt: builds a spec's IR or reads it from a file, runs passes, prints the IR. For tests and for looking.
#include "generator/emit/pipeline.h"
#include "generator/laws/closed_form.h"
#include "generator/lower/family_ir.h"
#include "generator/lower/passes.h"
#include "generator/plan/family_plan.h"
#include "generator/prove/ir/extract.h"
#include "tools/cli/families.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace ww = warpwright;

namespace {

llvm::cl::OptionCategory category("warpwright-opt options");
llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("[FILE.mlir]"), llvm::cl::cat(category));
llvm::cl::opt<std::string> spec_file("spec", llvm::cl::desc("The spec whose plan the IR names; its IR is built unless a file is given"), llvm::cl::value_desc("SPEC"), llvm::cl::cat(category));
llvm::cl::list<std::string> overrides("set", llvm::cl::desc("path=JSON"), llvm::cl::cat(category));
llvm::cl::opt<std::string> until("until", llvm::cl::desc("Run the pipeline up to and including PASS; \"build\" runs none"), llvm::cl::value_desc("PASS"), llvm::cl::cat(category));
llvm::cl::list<std::string> passes("pass", llvm::cl::desc("Run this pass alone (repeatable)"), llvm::cl::value_desc("PASS"), llvm::cl::cat(category));
llvm::cl::opt<bool> check("check", llvm::cl::desc("Check the protocol of the resulting ptx.kernel instead of printing it"), llvm::cl::cat(category));
llvm::cl::opt<bool> verify_diagnostics("verify-diagnostics", llvm::cl::desc("Compare diagnostics with expected-error comments"), llvm::cl::cat(category));

int fail(const ww::support::Diagnostics &diagnostics) {
  llvm::errs() << diagnostics.render();
  return static_cast<int>(ww::support::Exit::kBadInput);
}

int check_kernels(mlir::ModuleOp module, const ww::plan::KernelPlan &kernel) {
  ww::support::Diagnostics diagnostics;
  for (auto kernel_op : module.getOps<ww::ir::ptx::PtxKernelOp>())
    ww::prove::check_protocol(ww::prove::extract_protocol(kernel_op, kernel), {}, diagnostics);
  llvm::outs() << diagnostics.render();
  return static_cast<int>(diagnostics.has_errors() ? ww::support::Exit::kCheckFailed : ww::support::Exit::kOk);
}

/// The passes that the options ask for, or nothing where a name is unknown.
std::optional<std::vector<const ww::lower::PassInfo *>> chosen_passes() {
  std::vector<const ww::lower::PassInfo *> chosen;
  const auto &all = ww::lower::pass_list();
  auto find = [&](const std::string &name) -> const ww::lower::PassInfo * {
    for (const auto &info : all)
      if (info.name == name) return &info;
    llvm::errs() << "warpwright-opt: no pass is named \"" << name << "\"\n";
    return nullptr;
  };
  for (const std::string &name : passes) {
    if (const auto *info = find(name)) chosen.push_back(info);
    else return std::nullopt;
  }
  if (!passes.empty() || until == "build") return chosen;
  if (!until.empty() && !find(until)) return std::nullopt;
  // A file is only read and verified unless passes are named.
  if (until.empty() && !input.empty()) return chosen;
  for (const auto &info : all) {
    chosen.push_back(&info);
    if (info.name == until) break;
  }
  return chosen;
}

int run(mlir::MLIRContext &context, llvm::SourceMgr *sources, const ww::plan::OperatorPlan *op) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (sources) module = mlir::parseSourceFile<mlir::ModuleOp>(*sources, &context);
  else module = ww::cli::family_ir(op->spec.family).build(context, *op, 0);
  if (!module || mlir::failed(mlir::verify(*module))) return static_cast<int>(ww::support::Exit::kBadInput);
  auto chosen = chosen_passes();
  if (!chosen) return static_cast<int>(ww::support::Exit::kUsage);
  if (!chosen->empty() && !op) {
    llvm::errs() << "warpwright-opt: passes read the plan: give --spec\n";
    return static_cast<int>(ww::support::Exit::kUsage);
  }
  for (const auto *info : *chosen) {
    mlir::PassManager manager(&context);
    manager.addPass(info->create(op->kernels[0]));
    if (mlir::failed(manager.run(*module))) return static_cast<int>(ww::support::Exit::kBadInput);
  }
  if (check && op) return check_kernels(*module, op->kernels[0]);
  module->print(llvm::outs());
  llvm::outs() << "\n";
  return 0;
}

/// Each piece of a file that is split at `// -----` lines is a module of its own.
int run_file(const ww::plan::OperatorPlan *op) {
  std::string error;
  auto file = mlir::openInputFile(input, &error);
  if (!file) {
    llvm::errs() << "warpwright-opt: " << error << "\n";
    return static_cast<int>(ww::support::Exit::kBadInput);
  }
  int result = 0;
  auto process = [&](std::unique_ptr<llvm::MemoryBuffer> piece, llvm::raw_ostream &) -> mlir::LogicalResult {
    mlir::MLIRContext context;
    context.printOpOnDiagnostic(false);
    ww::lower::load_dialects(context);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(piece), llvm::SMLoc());
    if (verify_diagnostics) {
      mlir::SourceMgrDiagnosticVerifierHandler handler(sources, &context);
      run(context, &sources, op);
      return handler.verify();
    }
    mlir::SourceMgrDiagnosticHandler handler(sources, &context);
    result = std::max(result, run(context, &sources, op));
    return mlir::success();
  };
  if (mlir::failed(mlir::splitAndProcessBuffer(std::move(file), process, llvm::outs(), "// -----", ""))) return 1;
  return result;
}

}  // namespace

int main(int argc, char **argv) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Runs Warpwright's passes\n");
  std::optional<ww::plan::OperatorPlan> op;
  if (!spec_file.empty()) {
    ww::support::Diagnostics diagnostics;
    auto spec = ww::spec::load_spec(spec_file, {overrides.begin(), overrides.end()}, ww::cli::family_specs(), diagnostics);
    if (!spec) return fail(diagnostics);
    op = ww::plan::choose_plan(*spec, ww::cli::family_plan(spec->family), *ww::target::find_target(spec->arch), ww::laws::ClosedForm(), diagnostics);
    if (!op) return fail(diagnostics);
  }
  if (input.empty() && !op) {
    llvm::errs() << "warpwright-opt: give a FILE.mlir, or --spec\n";
    return static_cast<int>(ww::support::Exit::kUsage);
  }
  const ww::plan::OperatorPlan *plan = op ? &*op : nullptr;
  if (!input.empty()) return run_file(plan);
  mlir::MLIRContext context;
  ww::lower::load_dialects(context);
  return run(context, nullptr, plan);
}
