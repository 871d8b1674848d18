// SPDX-License-Identifier: Apache-2.0
// The verb `run`: a spec's kernel, built and launched through the runtime, its values against the reference.
#include "generator/archive/archive.h"
#include "generator/compile/compile.h"
#include "generator/compile/scratch.h"
#include "generator/plan/report.h"
#include "generator/support/files.h"
#include "generator/support/text_table.h"
#include "tools/cli/conformance.h"
#include "tools/cli/emulated_device.h"
#include "tools/cli/lowering.h"
#include "tools/cli/profile_report.h"
#include "tools/cli/report.h"
#include "tools/cli/source_lines.h"
#include "tools/cli/specs.h"
#include "tools/cli/trial.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace warpwright::cli {
namespace {

std::optional<compile::CompiledKernel> compile_one(const LoweredOperator &op, size_t which, bool line_info,
                                                   support::Diagnostics &diagnostics) {
  const target::SmTarget *target = target::find_target(op.archs.front());
  WARPWRIGHT_ASSERT(target != nullptr, "no target is named " + op.archs.front());
  const plan::KernelPlan &kernel = op.plan.kernels[which];
  compile::CompileOptions options;
  options.kernel_name = kernel.name;
  options.line_info = line_info;
  options.cache_folder = compile::default_cache_folder();
  compile::CompilePolicy policy;
  policy.spill_limit_bytes = kernel.spill_limit_bytes;
  policy.max_registers = target->max_registers_per_thread;
  policy.dynamic_smem_bytes = kernel.launch.dynamic_smem_bytes;
  return compile::compile_kernel(op.kernels[which].source, *target, policy, options, diagnostics);
}

/// Compiles and packs one operator. `ptx`: the text that takes the place of the first kernel's, or nothing; it becomes what
/// runs.
bool write_archive_of(const LoweredOperator &op, std::optional<std::string> &ptx, const std::string &file,
                      support::Diagnostics &diagnostics) {
  archive::PackedOperator packed;
  packed.plan = op.plan;
  packed.plan_json = plan::plan_json(op.plan);
  packed.spec_json = op.plan.spec.canonical_json();
  for (size_t i = 0; i < op.kernels.size(); ++i) {
    auto kernel = compile_one(op, i, false, diagnostics);
    if (!kernel) return false;
    if (ptx && i == 0) kernel->ptx = *ptx;
    if (i == 0) ptx = kernel->ptx;
    packed.sources.push_back(op.kernels[i].source);
    packed.images.push_back({{op.archs.front(), std::move(*kernel)}});
  }
  return archive::write_archive(file, {packed}, diagnostics);
}

/// Lines of the first kernel's source for lines of its PTX; empty where the compiler gives none.
SourceLines lines_of(const LoweredOperator &op, const std::string &ptx) {
  support::Diagnostics known;  // this source has been compiled before, without complaint
  const auto located = compile_one(op, 0, true, known);
  return located ? SourceLines(ptx, located->ptx) : SourceLines();
}

/// One row of the result.
struct Outcome {
  std::string op, inputs, schedule;
  std::string problem;  ///< empty: values are right and nothing was found
  EmulatedLaunch launch;
  uint64_t values = 0;
  double seconds = 0;
};

class Runner {
 public:
  Runner(const RunOptions &options, EmulatedDevice &device, support::Diagnostics &diagnostics)
      : options_(options), device_(device), diagnostics_(diagnostics), profiles_(options) {}

  bool run(const LoweredOperator &op) {
    std::map<std::string, int64_t> variables = op.plan.fixed_variables;
    for (const auto &[name, value] : options_.shape) {
      const auto &known_names = op.plan.variables;
      if (std::find(known_names.begin(), known_names.end(), name) == known_names.end() && !op.plan.fixed_variables.count(name))
        return fail("cli.usage", fmt::format("--shape names {}; the operator's variables are {}", name, support::join_words(known_names)), op);
      const auto [known, is_new] = variables.emplace(name, value);
      if (!is_new && known->second != value)
        return fail("run.fixed-variable", fmt::format("the spec fixes {} to {}", name, known->second), op);
    }
    for (const std::string &name : op.plan.variables)
      if (!variables.count(name)) variables[name] = op.plan.kernels.front().constant("kTileM") + 1;
    const compile::ScratchFolder folder;
    if (folder.path().empty()) return fail("cli.unwritable", folder.why(), op);
    const std::string file = folder.path() + "/kernels.wwa";
    std::optional<std::string> ptx;
    if (!options_.ptx.empty()) {
      std::string why;
      ptx = support::read_file(options_.ptx, why);
      if (!ptx) return fail("run.unreadable-ptx", fmt::format("{}: {}", options_.ptx, why), op);
    }
    if (!write_archive_of(op, ptx, file, diagnostics_)) return false;
    ww_archive_t *opened = nullptr;
    ww_operator_t *loaded = nullptr;
    ww_message_t message;
    if (wwArchiveOpen(file.c_str(), &opened, &message) != WW_STATUS_OK ||
        wwArchiveGetOperator(opened, 0, &loaded, &message) != WW_STATUS_OK) {
      wwArchiveClose(opened);
      return fail("run.failed", message.text, op);
    }
    for (const plan::KernelPlan &kernel : op.plan.kernels) device_.set_names(kernel.name, names_of(kernel));
    ptx_ = *ptx;
    lines_.reset();
    bool is_right = true;
    for (const TrialInputs inputs : {TrialInputs::kExact, TrialInputs::kRandom}) {
      const bool is_exact = inputs == TrialInputs::kExact;
      if (options_.inputs != "both" && options_.inputs != (is_exact ? "exact" : "random")) continue;
      const auto trial = make_trial(op.plan, variables, inputs, options_.seed, diagnostics_);
      if (!trial) is_right = false;
      else
        for (const std::string &schedule : options_.schedules)
          is_right &= launch(op, loaded, variables, *trial, is_exact ? "exact" : "random", schedule);
    }
    wwArchiveClose(opened);
    return is_right;
  }

  const std::vector<Outcome> &outcomes() const { return outcomes_; }
  const ProfileLog &profiles() const { return profiles_; }

 private:
  bool fail(const char *slug, const std::string &text, const LoweredOperator &op) {
    support::Diagnostic d = error(slug, text, {});
    d.where.file = op.plan.spec.file;
    diagnostics_.add(std::move(d));
    return false;
  }

  bool launch(const LoweredOperator &op, ww_operator_t *loaded, const std::map<std::string, int64_t> &values,
              const OperatorTrial &trial, const char *inputs, const std::string &schedule) {
    Outcome outcome{op.plan.name, inputs, schedule};
    outcome.values = trial.values;
    if (const std::string why = device_.configure(schedule, options_.jobs); !why.empty()) return fail("cli.usage", why, op);
    std::vector<ww_variable_t> variables;
    for (const std::string &name : op.plan.variables) variables.push_back({name.c_str(), values.at(name)});
    std::vector<ww_buffer_t> buffers;
    uint64_t output = 0;
    for (const auto &[name, bytes] : trial.inputs)
      buffers.push_back({name.c_str(), reinterpret_cast<void *>(device_.upload(bytes)), bytes.size()});
    output = device_.allocate(trial.output_bytes);
    buffers.push_back({trial.output.c_str(), reinterpret_cast<void *>(output), trial.output_bytes});
    ww_launch_t wanted{};
    wanted.struct_bytes = sizeof wanted;
    wanted.variables = variables.data();
    wanted.num_variables = variables.size();
    wanted.buffers = buffers.data();
    wanted.num_buffers = buffers.size();
    wanted.num_sms = options_.num_sms;
    ww_message_t message;
    std::vector<std::unique_ptr<ConformanceCheck>> checks;
    for (const emit::LoweredKernel &kernel : op.kernels) {
      checks.push_back(std::make_unique<ConformanceCheck>(kernel.script));
      device_.trace(kernel.name, &ConformanceCheck::listen, checks.back().get());
    }
    const auto start = std::chrono::steady_clock::now();
    const ww_status_t status = wwOperatorLaunch(loaded, device_.driver(), &wanted, &message);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const emit::LoweredKernel &kernel : op.kernels) device_.trace(kernel.name, nullptr, nullptr);
    outcome.launch = device_.last_launch();
    if (profiles_.is_wanted()) keep_profile(op, inputs, schedule);
    if (!outcome.launch.report.empty()) {
      if (!lines_) lines_ = lines_of(op, ptx_);
      outcome.problem = lines_->translate(outcome.launch.report, op.plan.name + ".cu");
    } else if (status != WW_STATUS_OK) {
      outcome.problem = message.text;
    }
    if (!save_schedule(op)) return false;
    // A replay is one cluster's.
    const bool judges_tiles = options_.replay.empty() && std::find(options_.waivers.begin(), options_.waivers.end(), "conformance.trips") == options_.waivers.end();
    for (size_t i = 0; i < checks.size() && outcome.problem.empty() && judges_tiles; ++i)
      outcome.problem = checks[i]->judge_tiles(op.plan.kernels[i].output_tiles, values);
    if (outcome.problem.empty()) outcome.problem = trial.judge(device_.download(output, trial.output_bytes));
    device_.free_all();
    outcomes_.push_back(outcome);
    if (!outcome.problem.empty())
      fail("run.failed", fmt::format("{} inputs, schedule {}: {}", inputs, schedule, outcome.problem), op);
    return outcome.problem.empty();
  }

  /// The PTX that runs has no lines of the source; the second compilation's are put in.
  void keep_profile(const LoweredOperator &op, const char *inputs, const std::string &schedule) {
    ProfiledLaunch launch{op.plan.name, inputs, schedule, device_.last_profile(), {{op.plan.name + ".cu", op.kernels.front().source}}};
    if (!lines_) lines_ = lines_of(op, ptx_);
    for (emulator::profile::Entry &entry : launch.entries) {
      const uint32_t line = lines_->line_of(entry.ptx_line);
      if (!entry.file.empty() || line == 0) continue;
      entry.file = op.plan.name + ".cu";
      entry.source_line = line;
    }
    profiles_.add(std::move(launch));
  }

  /// The decisions of the first launch with a finding.
  bool save_schedule(const LoweredOperator &op) {
    std::string why;
    const std::string schedule = options_.schedule_out.empty() || has_saved_ ? "" : device_.last_schedule();
    if (schedule.empty()) return true;
    has_saved_ = true;
    return support::write_file(options_.schedule_out, schedule, why) ||
           fail("cli.unwritable", fmt::format("{}: {}", options_.schedule_out, why), op);
  }

  const RunOptions &options_;
  EmulatedDevice &device_;
  support::Diagnostics &diagnostics_;
  std::vector<Outcome> outcomes_;
  ProfileLog profiles_;
  bool has_saved_ = false;
  std::string ptx_;                   ///< of the operator that runs, its first kernel's
  std::optional<SourceLines> lines_;  ///< of it, once somebody asked
};

void print(const std::vector<Outcome> &outcomes) {
  fmt::print("{:<36} {:<7} {:<12} {:>12} {:>14} {:>8} {:>9}  {}\n", "operator", "inputs", "schedule", "values", "warp instr.", "MMAs",
             "seconds", "verdict");
  for (const Outcome &o : outcomes)
    fmt::print("{:<36} {:<7} {:<12} {:>12} {:>14} {:>8} {:>9.2f}  {}\n", o.op, o.inputs, o.schedule, o.values,
               o.launch.warp_instructions, o.launch.mmas, o.seconds, o.problem.empty() ? "ok" : "FAILED");
}

/// The device that runs an operator: sm_100f code runs on sm_100a devices.
std::string emulated_arch(const LoweredOperator &op) {
  return op.archs.front() == "sm_100f" ? "sm_100a" : op.archs.front();
}

}  // namespace

int run_run(const RunOptions &options) {
  support::Diagnostics diagnostics;
  const std::vector<std::string> files = expand_specs(options.specs, diagnostics);
  if (!spares_inputs(options.profile_out, files, diagnostics)) return finish(diagnostics, format_of(false));
  std::vector<LoweredOperator> operators;
  for (const std::string &file : files) {
    auto lowered = lower_spec(file, options.set, {}, {}, diagnostics);
    if (lowered) operators.push_back(std::move(*lowered));
  }
  if (diagnostics.has_errors() || operators.empty()) return finish(diagnostics, format_of(false));
  const std::string arch = emulated_arch(operators.front());
  for (const LoweredOperator &op : operators)
    if (emulated_arch(op) != arch)
      diagnostics.add(error("run.mixed-architectures",
                            fmt::format("{} is for {}, {} for {}", operators.front().plan.name, arch, op.plan.name, op.archs.front()),
                            {"run each architecture by itself"}));
  if (!options.ptx.empty() && operators.size() != 1)
    diagnostics.add(error("cli.usage", "--ptx takes one SPEC", {}));
  if (diagnostics.has_errors()) return finish(diagnostics, format_of(false));
  const auto device = EmulatedDevice::open(arch, !options.no_races, diagnostics);
  if (!device) return finish(diagnostics, format_of(false));
  device->judge_by(options.policy, options.waivers);
  if (!options.schedule_out.empty()) device->record_schedules();
  if (ProfileLog(options).is_wanted()) device->record_profiles();
  Runner runner(options, *device, diagnostics);
  for (const LoweredOperator &op : operators) {
    diagnostics.add_source(op.plan.spec.file, op.plan.spec.source_text);
    runner.run(op);
  }
  print(runner.outcomes());
  runner.profiles().print(diagnostics);
  return finish(diagnostics, format_of(false));
}

}  // namespace warpwright::cli
