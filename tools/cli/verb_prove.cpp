// SPDX-License-Identifier: Apache-2.0
// The verb `prove`: runs the protocol of the final IR under an adversary.
#include "generator/plan/json_writer.h"
#include "generator/prove/protocol.h"
#include "generator/support/files.h"
#include "tools/cli/lowering.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#include <chrono>
#include <fmt/format.h>

namespace warpwright::cli {
namespace {

/// One kernel's verdict.
struct Verdict {
  std::string spec;
  std::string kernel;
  int64_t threads = 0;
  int64_t events = 0;
  int64_t findings = 0;
  double ms = 0;
};

std::vector<Verdict> check_operator(const std::string &file, const LoweredOperator &op, support::Diagnostics &diagnostics) {
  std::vector<Verdict> verdicts;
  for (const emit::LoweredKernel &kernel : op.kernels) {
    const auto start = std::chrono::steady_clock::now();
    const size_t before = diagnostics.all().size();
    prove::check_protocol(kernel.protocol, {}, diagnostics);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    Verdict verdict;
    verdict.spec = file;
    verdict.kernel = kernel.name;
    verdict.threads = static_cast<int64_t>(kernel.protocol.threads.size());
    for (const prove::Thread &thread : kernel.protocol.threads) verdict.events += static_cast<int64_t>(thread.events.size());
    verdict.findings = static_cast<int64_t>(diagnostics.all().size() - before);
    verdict.ms = took.count();
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

/// The operator's kernel as `file` has it, instead of what the spec became.
bool take_ir(const std::string &file, LoweredOperator &op, support::Diagnostics &diagnostics) {
  std::string why;
  const auto text = support::read_file(file, why);
  if (!text) {
    support::Diagnostic unreadable = error("cli.bad-ir", "cannot read the IR: " + why);
    unreadable.where.file = file;
    diagnostics.add(std::move(unreadable));
    return false;
  }
  auto kernel = emit::read_final_ir(file, *text, op.plan, diagnostics);
  if (!kernel) return false;
  op.kernels.clear();
  op.kernels.push_back(*std::move(kernel));
  return true;
}

std::string to_text(const std::vector<Verdict> &verdicts) {
  std::string text;
  for (const Verdict &verdict : verdicts)
    text += fmt::format("{}  {}: {} threads, {} events, {:.1f} ms\n", verdict.findings ? "FAILED " : "no findings",
                        verdict.kernel, verdict.threads, verdict.events, verdict.ms);
  return text;
}

std::string to_json(const std::vector<Verdict> &verdicts) {
  plan::JsonWriter json;
  json.begin_object();
  json.begin_list("kernels");
  for (const Verdict &verdict : verdicts) {
    json.begin_object();
    json.text("spec", verdict.spec);
    json.text("kernel", verdict.kernel);
    json.integer("threads", verdict.threads);
    json.integer("events", verdict.events);
    json.integer("findings", verdict.findings);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return json.take();
}

}  // namespace

int run_prove(const ProveOptions &options) {
  support::Diagnostics diagnostics;
  std::vector<Verdict> verdicts;
  const std::vector<std::string> files = expand_specs(options.specs, diagnostics);
  if (!options.ir.empty() && files.size() != 1) {
    diagnostics.add(error("cli.usage", "--ir takes one spec, whose plan the IR names"));
    return finish(diagnostics, format_of(options.json));
  }
  for (const std::string &file : files) {
    auto op = lower_spec(file, options.set, {}, {}, diagnostics);
    if (!op || (!options.ir.empty() && !take_ir(options.ir, *op, diagnostics))) continue;
    for (Verdict &verdict : check_operator(file, *op, diagnostics)) verdicts.push_back(std::move(verdict));
  }
  const std::string result = options.json ? to_json(verdicts) : to_text(verdicts);
  std::fwrite(result.data(), 1, result.size(), stdout);
  return finish(diagnostics, format_of(options.json));
}

}  // namespace warpwright::cli
