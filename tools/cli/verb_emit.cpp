// SPDX-License-Identifier: Apache-2.0
// The verb `emit`: the operator as CUDA C++, and the IR on the way there.
#include "generator/plan/json_writer.h"
#include "generator/support/files.h"
#include "tools/cli/lowering.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

/// IR to standard error, or to `<folder>/<number>-<pass>.mlir`; a pass that changed nothing says so.
void write_dumps(const LoweredOperator &op, const EmitOptions &options, support::Diagnostics &diagnostics) {
  std::string why;
  if (!options.dump_folder.empty() && !support::make_folders(options.dump_folder, why)) {
    support::Diagnostic d = error("cli.unwritable", fmt::format("cannot make the folder: {}", why));
    d.where.file = options.dump_folder;
    diagnostics.add(std::move(d));
    return;
  }
  for (const emit::LoweredKernel &kernel : op.kernels) {
    for (const emit::IrDump &dump : kernel.dumps) {
      const std::string heading =
          fmt::format("// {} of {}{}\n", dump.pass, kernel.name, dump.changed ? "" : ": unchanged");
      // Whole even then: what follows a pass is what `prove --ir` takes.
      const std::string text = heading + dump.text;
      if (options.dump_folder.empty()) {
        fmt::print(stderr, "{}\n", text);
        continue;
      }
      const std::string name = op.kernels.size() == 1 ? dump.pass : kernel.name + "." + dump.pass;
      write_result(options.dump_folder + "/" + name + ".mlir", text, diagnostics);
    }
  }
}

std::string sources_json(const LoweredOperator &op) {
  plan::JsonWriter json;
  json.begin_object();
  json.text("operator", op.plan.name);
  json.begin_list("kernels");
  for (const emit::LoweredKernel &kernel : op.kernels) {
    json.begin_object();
    json.text("name", kernel.name);
    json.text("source", kernel.source);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return json.take();
}

/// One file, or, where an operator has several kernels, `<output>/<kernel>.cu`: each must compile alone.
void write_sources(const LoweredOperator &op, const EmitOptions &options, support::Diagnostics &diagnostics) {
  if (options.json) {
    write_result(options.output, sources_json(op), diagnostics);
    return;
  }
  if (op.kernels.size() == 1 && !support::is_folder(options.output)) {
    write_result(options.output, op.kernels[0].source, diagnostics);
    return;
  }
  std::string why;
  if (options.output.empty() || !support::make_folders(options.output, why)) {
    diagnostics.add(
        error("cli.usage", fmt::format("the operator has {} kernels: -o must name a folder", op.kernels.size())));
    return;
  }
  for (const emit::LoweredKernel &kernel : op.kernels) {
    write_result(options.output + "/" + kernel.name + ".cu", kernel.source, diagnostics);
  }
}

}  // namespace

int run_emit(const EmitOptions &options) {
  support::Diagnostics diagnostics;
  if (!spares_inputs(options.output, {options.spec}, diagnostics)) return finish(diagnostics, format_of(options.json));
  emit::LowerOptions lower_options;
  lower_options.dump_after = options.dump_after;
  lower_options.debug_waits = options.debug_waits;
  lower_options.debug_lines = options.debug_lines;
  const std::optional<LoweredOperator> op = lower_spec(options.spec, options.set, {}, lower_options, diagnostics);
  if (op) {
    write_dumps(*op, options, diagnostics);
    write_sources(*op, options, diagnostics);
  }
  return finish(diagnostics, format_of(options.json));
}

}  // namespace warpwright::cli
