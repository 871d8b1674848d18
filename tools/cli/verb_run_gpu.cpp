// SPDX-License-Identifier: Apache-2.0
// `run --on gpu` and `--on both`: the trials on a real device, its outputs against the reference and the emulator's.
#include "generator/support/text_table.h"
#include "tools/cli/emulated_device.h"
#include "tools/cli/gpu_device.h"
#include "tools/cli/launch_shapes.h"
#include "tools/cli/lowering.h"
#include "tools/cli/operator_archive.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::cli {
namespace {

using support::Diagnostics;

/// What a launch finds in its outputs and workspace: NaN in every format that has one, then something else, so that bytes which
/// no launch writes differ between two launches.
constexpr uint8_t kPoisons[] = {0xFF, 0x5A};

/// One row of the result.
struct Row {
  std::string op, shape, inputs, kernels;
  uint64_t values = 0;
  int launches = 0;
  std::string problem;  ///< empty: right
};

std::string difference(const std::string &tensor, const std::vector<uint8_t> &one, const std::vector<uint8_t> &other, const std::string &whose) {
  const auto [at, there] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (at == one.end() && there == other.end()) return {};
  return fmt::format("byte {} of {} differs from {}", at - one.begin(), tensor, whose);
}

class GpuRunner {
 public:
  GpuRunner(const RunOptions &options, GpuDevice &device, EmulatedDevice *emulator, Diagnostics &diagnostics)
      : options_(options), device_(device), emulator_(emulator), diagnostics_(diagnostics) {}

  /// False: the device is lost, and nothing more can run.
  bool run(const LoweredOperator &op) {
    const auto bound = bind_shape(op.plan, options_.shape, diagnostics_);
    if (!bound) return true;
    const auto opened = options_.archive.empty() ? OpenedOperator::compile(op, "", diagnostics_)
                                                 : OpenedOperator::from_archive(op, options_.archive, diagnostics_);
    if (!opened) return true;
    const int64_t sms = options_.num_sms ? options_.num_sms : device_.about().num_sms;
    for (const Shape &shape : edge_shapes(op.plan, *bound, sms))
      for (const TrialInputs inputs : {TrialInputs::kExact, TrialInputs::kRandom}) {
        const bool is_exact = inputs == TrialInputs::kExact;
        if (options_.inputs != "both" && options_.inputs != (is_exact ? "exact" : "random")) continue;
        const auto trial = make_trial(op.plan, shape, inputs, options_.seed, diagnostics_);
        if (trial && !try_once(op, opened->op(), shape, *trial, is_exact ? "exact" : "random")) return false;
      }
    return true;
  }

  void print() const {
    support::TextTable table;
    for (const char *heading : {"operator", "shape", "inputs", "kernel"}) table.add_column(heading);
    for (const char *heading : {"values", "launches"}) table.add_column(heading, support::Align::kRight);
    table.add_column("verdict");
    for (const Row &row : rows_)
      table.add_row({row.op, row.shape, row.inputs, row.kernels, support::format_thousands(static_cast<int64_t>(row.values)),
                     std::to_string(row.launches), row.problem.empty() ? "ok" : "FAILED"});
    if (!table.empty()) fmt::print("{}", table.render(0));
  }

 private:
  bool try_once(const LoweredOperator &op, ww_operator_t *loaded, const Shape &shape, const OperatorTrial &trial, const char *inputs) {
    Row row{op.plan.name, shape_words(op.plan, shape), inputs, "", trial.values, 0, ""};
    TrialLaunch launch(device_, loaded, trial, shape, options_.num_sms);
    row.problem = launch.prepare();
    for (const ww_grid_t &grid : launch.grids())
      row.kernels += (row.kernels.empty() ? "" : ", ") + op.plan.kernels[grid.kernel_index].name;
    std::vector<std::vector<uint8_t>> outputs;
    while (row.problem.empty() && row.launches < options_.repeats) {
      row.problem = launch_once(launch, trial, outputs, row.launches);
      ++row.launches;
    }
    if (row.problem.empty()) row.problem = launch.changed_input();
    if (row.problem.empty() && emulator_) row.problem = compare_with_emulator(loaded, shape, trial, outputs);
    // What the driver refused says more than what followed from it.
    if (!device_.problem().empty()) row.problem = device_.problem();
    const bool is_usable = device_.problem().empty() || device_.recover();
    device_.free_all();
    rows_.push_back(row);
    if (row.problem.empty()) return true;
    support::Diagnostic d = error("run.failed", fmt::format("{}, {} inputs: {}", row.shape, inputs, row.problem));
    d.where.file = op.plan.spec.file;
    if (!is_usable) d.notes.push_back("the context is lost with this; what was still to be run was not");
    diagnostics_.add(std::move(d));
    return is_usable;
  }

  std::string launch_once(TrialLaunch &launch, const OperatorTrial &trial, std::vector<std::vector<uint8_t>> &first, int number) {
    ww_message_t message;
    if (!launch.poison(kPoisons[number % 2])) return device_.problem();
    if (launch.launch(device_.stream(), &message) != WW_STATUS_OK) return message.text;
    if (!device_.wait(options_.timeout_seconds)) return device_.problem();
    if (std::string damage = device_.damaged_guard(); !damage.empty()) return damage;
    for (size_t i = 0; i < trial.outputs.size(); ++i) {
      std::vector<uint8_t> output = launch.output(i);
      if (!device_.problem().empty()) return device_.problem();
      std::string wrong = number == 0 ? trial.outputs[i].judge(output)
                                      : difference(trial.outputs[i].tensor, output, first[i], "the same launch before");
      if (!wrong.empty()) return number == 0 ? wrong : fmt::format("launch {}: {}", number + 1, wrong);
      if (number == 0) first.push_back(std::move(output));
    }
    return {};
  }

  std::string compare_with_emulator(ww_operator_t *loaded, const Shape &shape, const OperatorTrial &trial,
                                    const std::vector<std::vector<uint8_t>> &outputs) {
    if (const std::string why = emulator_->configure("lazy", options_.jobs); !why.empty()) return why;
    TrialLaunch launch(*emulator_, loaded, trial, shape, options_.num_sms ? options_.num_sms : device_.about().num_sms);
    ww_message_t message;
    std::string problem = launch.prepare();
    if (problem.empty() && launch.launch(nullptr, &message) != WW_STATUS_OK) problem = message.text;
    if (const std::string report = emulator_->last_launch().report; problem.empty() || !report.empty())
      problem = report.empty() ? "" : "on the emulator: " + report;
    for (size_t i = 0; i < outputs.size() && problem.empty(); ++i)
      problem = difference(trial.outputs[i].tensor, outputs[i], launch.output(i), "the emulator's");
    emulator_->free_all();
    return problem;
  }

  const RunOptions &options_;
  GpuDevice &device_;
  EmulatedDevice *emulator_;
  Diagnostics &diagnostics_;
  std::vector<Row> rows_;
};

}  // namespace

int run_on_gpu(const RunOptions &options, const std::vector<LoweredOperator> &operators, Diagnostics &diagnostics) {
  const auto device = GpuDevice::open(options.device, false, diagnostics);
  if (!device) return finish(diagnostics, format_of(false));
  for (const LoweredOperator &op : operators)
    if (!device->runs(op.archs.front(), diagnostics)) return finish(diagnostics, format_of(false));
  std::unique_ptr<EmulatedDevice> emulator;
  if (options.on == "both") {
    // Grids are planned for the GPU's multiprocessors on both.
    ::setenv("WARPWRIGHT_EMULATOR_SMS", std::to_string(device->about().num_sms).c_str(), 1);
    emulator = EmulatedDevice::open(operators.front().archs.front(), !options.no_races, diagnostics);
    if (!emulator) return finish(diagnostics, format_of(false));
  }
  fmt::print("device {}: {}\n", options.device, device->about().words());
  GpuRunner runner(options, *device, emulator.get(), diagnostics);
  for (const LoweredOperator &op : operators) {
    diagnostics.add_source(op.plan.spec.file, op.plan.spec.source_text);
    if (!runner.run(op)) break;
  }
  runner.print();
  return leave(*device, finish(diagnostics, format_of(false)));
}

}  // namespace warpwright::cli
