// SPDX-License-Identifier: Apache-2.0
// The verb `run`: a spec's kernel, built and launched through the runtime, its values against the reference.
#include "generator/support/files.h"
#include "tools/cli/conformance.h"
#include "tools/cli/emulated_device.h"
#include "tools/cli/launch_shapes.h"
#include "tools/cli/lowering.h"
#include "tools/cli/operator_archive.h"
#include "tools/cli/profile_report.h"
#include "tools/cli/report.h"
#include "tools/cli/source_lines.h"
#include "tools/cli/specs.h"
#include "tools/cli/trial_launch.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace warpwright::cli {
namespace {

/// Lines of a kernel's source for lines of its PTX; empty where the compiler gives none.
SourceLines lines_of(const LoweredOperator &op, size_t kernel, const std::string &ptx) {
  support::Diagnostics known;  // this source has been compiled before, without complaint
  const auto located = compile_one(op, kernel, true, known);
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
    const auto bound = bind_shape(op.plan, options_.shape, diagnostics_);
    if (!bound) return false;
    const Shape variables = one_row_more(op.plan, *bound, num_sms());
    opened_ = options_.archive.empty() ? OpenedOperator::compile(op, options_.ptx, diagnostics_)
                                       : OpenedOperator::from_archive(op, options_.archive, diagnostics_);
    if (!opened_) return false;
    for (const plan::KernelPlan &kernel : op.plan.kernels) device_.set_names(kernel.name, names_of(kernel));
    lines_.clear();
    bool is_right = true;
    for (const TrialInputs inputs : {TrialInputs::kExact, TrialInputs::kRandom}) {
      const bool is_exact = inputs == TrialInputs::kExact;
      if (options_.inputs != "both" && options_.inputs != (is_exact ? "exact" : "random")) continue;
      const auto trial = make_trial(op.plan, variables, inputs, options_.seed, diagnostics_);
      if (!trial) is_right = false;
      else
        for (const std::string &schedule : with_forced_branches(options_.schedules, options_.force_branches))
          is_right &= launch(op, variables, *trial, is_exact ? "exact" : "random", schedule);
    }
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

  int64_t num_sms() const {
    ww_device_info_t info{};
    info.struct_bytes = sizeof info;
    const bool is_known = wwDriverDescribeDevice(device_.driver(), 0, &info, nullptr) == WW_STATUS_OK;
    return options_.num_sms ? options_.num_sms : is_known ? info.num_sms : 1;
  }

  bool launch(const LoweredOperator &op, const Shape &values, const OperatorTrial &trial, const char *inputs,
              const std::string &schedule) {
    Outcome outcome{op.plan.name, inputs, schedule, "", {}, trial.values, 0};
    if (const std::string why = device_.configure(schedule, options_.jobs); !why.empty()) return fail("cli.usage", why, op);
    TrialLaunch launch(device_, opened_->op(), trial, values, options_.num_sms);
    outcome.problem = launch.prepare();
    if (outcome.problem.empty()) observe(op, launch, values, inputs, schedule, &outcome);
    for (size_t i = 0; i < trial.outputs.size() && outcome.problem.empty() && !forces_branches(schedule); ++i)
      outcome.problem = trial.outputs[i].judge(launch.output(i));
    device_.free_all();
    outcomes_.push_back(outcome);
    if (!save_schedule(op)) return false;
    if (!outcome.problem.empty())
      fail("run.failed", fmt::format("{} inputs, schedule {}: {}", inputs, schedule, outcome.problem), op);
    return outcome.problem.empty();
  }

  /// The launch itself, and what the emulator and the plan say of it.
  void observe(const LoweredOperator &op, TrialLaunch &launch, const Shape &values, const char *inputs,
               const std::string &schedule, Outcome *outcome) {
    std::vector<std::unique_ptr<ConformanceCheck>> checks;
    for (const ww_grid_t &grid : launch.grids()) {
      checks.push_back(std::make_unique<ConformanceCheck>(op.kernels[grid.kernel_index].script));
      if (!forces_branches(schedule)) device_.trace(op.kernels[grid.kernel_index].name, &ConformanceCheck::listen, checks.back().get());
    }
    ww_message_t message;
    const auto start = std::chrono::steady_clock::now();
    const ww_status_t status = launch.launch(nullptr, &message);
    outcome->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const ww_grid_t &grid : launch.grids()) device_.trace(op.kernels[grid.kernel_index].name, nullptr, nullptr);
    outcome->launch = device_.last_launch();
    // The device speaks of the kernel that ran last: the one that failed, or the last one.
    size_t last = launch.grids().back().kernel_index;
    for (const ww_grid_t &grid : launch.grids())
      if (std::string(message.text).find(op.kernels[grid.kernel_index].name) != std::string::npos) last = grid.kernel_index;
    if (profiles_.is_wanted()) keep_profile(op, last, inputs, schedule);
    if (!outcome->launch.report.empty()) {
      outcome->problem = lines(op, last).translate(outcome->launch.report, op.plan.name + ".cu");
    } else if (status != WW_STATUS_OK) {
      outcome->problem = message.text;
    }
    // A replay is one cluster's.
    const bool judges_tiles = options_.replay.empty() && !forces_branches(schedule) &&
                              std::find(options_.waivers.begin(), options_.waivers.end(), "conformance.trips") == options_.waivers.end();
    for (size_t i = 0; i < checks.size() && outcome->problem.empty() && judges_tiles; ++i)
      outcome->problem = checks[i]->judge_tiles(op.plan.kernels[launch.grids()[i].kernel_index].output_tiles, values);
  }

  /// Of the kernel's source for its PTX; those of an archive have none.
  const SourceLines &lines(const LoweredOperator &op, size_t kernel) {
    const auto [place, is_new] = lines_.try_emplace(kernel);
    if (is_new && kernel < opened_->ptx().size()) place->second = lines_of(op, kernel, opened_->ptx()[kernel]);
    return place->second;
  }

  /// The PTX that runs has no lines of the source; the second compilation's are put in.
  void keep_profile(const LoweredOperator &op, size_t kernel, const char *inputs, const std::string &schedule) {
    ProfiledLaunch launch{op.plan.name, inputs, schedule, device_.last_profile(), {{op.plan.name + ".cu", op.kernels[kernel].source}}};
    for (emulator::profile::Entry &entry : launch.entries) {
      const uint32_t line = lines(op, kernel).line_of(entry.ptx_line);
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
  std::unique_ptr<OpenedOperator> opened_;  ///< the operator that runs
  std::map<size_t, SourceLines> lines_;     ///< of its kernels, once somebody asked
};

void print(const std::vector<Outcome> &outcomes) {
  fmt::print("{:<36} {:<7} {:<14} {:>12} {:>14} {:>8} {:>9}  {}\n", "operator", "inputs", "schedule", "values", "warp instr.", "MMAs",
             "seconds", "verdict");
  for (const Outcome &o : outcomes)
    fmt::print("{:<36} {:<7} {:<14} {:>12} {:>14} {:>8} {:>9.2f}  {}\n", o.op, o.inputs, o.schedule, o.values,
               o.launch.warp_instructions, o.launch.mmas, o.seconds, o.problem.empty() ? "ok" : "FAILED");
}

/// The device that runs an operator: sm_100f code runs on sm_100a devices.
std::string emulated_arch(const LoweredOperator &op) {
  return op.archs.front() == "sm_100f" ? "sm_100a" : op.archs.front();
}

}  // namespace

int run_run(const RunOptions &options) {
  support::Diagnostics diagnostics;
  if (options.on != "emulator" && !options.emulator_option.empty()) {
    diagnostics.add(error("cli.usage", fmt::format("{} needs --on emulator", options.emulator_option), {}));
    return finish(diagnostics, format_of(false));
  }
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
  if (options.on != "emulator") return run_on_gpu(options, operators, diagnostics);
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
