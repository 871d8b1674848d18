// SPDX-License-Identifier: Apache-2.0
// The verb `time`: operators of specs and archives on a real GPU.
#include "generator/support/files.h"
#include "runtime/format/container.h"
#include "tools/cli/launch_shapes.h"
#include "tools/cli/lowering.h"
#include "tools/cli/operator_archive.h"
#include "tools/cli/read_kernel.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/time_report.h"
#include "tools/cli/verbs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>

namespace warpwright::cli {
namespace {

using support::Diagnostics;

bool is_archive(const std::string &file) {
  char first[sizeof format::kMagic] = {};
  std::ifstream(file, std::ios::binary).read(first, sizeof first);
  return std::memcmp(first, format::kMagic, sizeof first) == 0;
}

class TimeRunner {
 public:
  TimeRunner(const TimeOptions &options, GpuDevice &device, const GpuMonitor &monitor, TimeReport &report, Diagnostics &diagnostics)
      : options_(options), device_(device), monitor_(monitor), report_(report), diagnostics_(diagnostics) {}

  /// False: the device is lost.
  bool time_file(const std::string &file) {
    if (!is_archive(file)) return time_spec(file);
    ww_archive_t *archive = open_archive_file(file, diagnostics_);
    bool is_usable = true;
    ww_operator_t *op = nullptr;
    for (size_t i = 0; is_usable && i < wwArchiveCountOperators(archive); ++i)
      if (wwArchiveGetOperator(archive, i, &op, nullptr) == WW_STATUS_OK) is_usable = time_shapes(op, file);
    wwArchiveClose(archive);
    return is_usable;
  }

 private:
  bool time_spec(const std::string &file) {
    bool is_usable = true;
    for (const std::string &spec : expand_specs({file}, diagnostics_)) {
      const auto lowered = lower_spec(spec, options_.set, {}, {}, diagnostics_);
      if (!lowered) continue;
      diagnostics_.add_source(lowered->plan.spec.file, lowered->plan.spec.source_text);
      if (!device_.runs(lowered->archs.front(), diagnostics_)) continue;
      const auto opened = OpenedOperator::compile(*lowered, "", diagnostics_);
      if (opened && is_usable) is_usable = time_shapes(opened->op(), spec);
    }
    return is_usable;
  }

  bool time_shapes(ww_operator_t *op, const std::string &file) {
    const std::vector<Shape> none = {{}};
    for (const Shape &wanted : options_.shapes.empty() ? none : options_.shapes)
      if (!time_shape(op, file, wanted)) return false;
    return true;
  }

  bool time_shape(ww_operator_t *op, const std::string &file, const Shape &wanted) {
    ww_operator_info_t info{};
    info.struct_bytes = sizeof info;
    ww_message_t message{};
    TimedOperator timed;
    const bool is_described = wwOperatorDescribe(op, &info, &message) == WW_STATUS_OK;
    if (!is_described || !bind(op, info, wanted, &timed.shape, &message)) return fail("cli.usage", message.text, file);
    timed.name = info.name, timed.family = info.family, timed.arch = info.arch;
    if (!device_.runs(timed.arch, diagnostics_)) return true;
    TimingRequest request;
    request.op = op;
    for (const auto &[name, value] : timed.shape) request.variables.push_back({name.c_str(), value});
    request.wants_whole = options_.launches != "dependent";
    request.wants_dependent = options_.launches != "whole";
    request.runs = options_.runs, request.warm_up_ms = options_.warm_up_ms, request.timeout_seconds = options_.timeout_seconds;
    Diagnostics found;
    auto timing = time_operator(device_, monitor_, request, found);
    for (support::Diagnostic d : found.all()) {
      d.where.file = file;
      d.message = fmt::format("{}: {}", timed.name, d.message);
      diagnostics_.add(std::move(d));
    }
    if (!timing) return device_.problem().empty() || device_.recover();
    timed.timing = std::move(*timing);
    report_.operators.push_back(std::move(timed));
    fmt::print("\n{}", timed_text(report_.operators.back(), report_.ceiling));
    std::fflush(stdout);
    return true;
  }

  /// Every variable with its value; those that the operator does not have are left out where another operator may have them.
  bool bind(ww_operator_t *op, const ww_operator_info_t &info, const Shape &wanted, Shape *bound, ww_message_t *message) const {
    for (size_t i = 0; i < info.num_variables; ++i) {
      ww_variable_info_t variable{};
      variable.struct_bytes = sizeof variable;
      if (wwOperatorDescribeVariable(op, i, &variable, message) != WW_STATUS_OK) return false;
      const auto given = wanted.find(variable.name);
      if (variable.is_fixed) (*bound)[variable.name] = variable.value;
      else if (given != wanted.end()) (*bound)[variable.name] = given->second;
      else return say(message, fmt::format("{} needs --shape {}=…", info.name, variable.name));
    }
    for (const auto &[name, value] : wanted) {
      if (!bound->count(name)) return say(message, fmt::format("--shape names {}, which {} does not have", name, info.name));
      if (bound->at(name) != value) return say(message, fmt::format("{} fixes {} to {}", info.name, name, bound->at(name)));
    }
    return true;
  }

  static bool say(ww_message_t *message, const std::string &text) {
    std::snprintf(message->text, sizeof message->text, "%s", text.c_str());
    return false;
  }

  bool fail(const char *slug, const std::string &text, const std::string &file) {
    support::Diagnostic d = error(slug, text);
    d.where.file = file;
    diagnostics_.add(std::move(d));
    return true;
  }

  const TimeOptions &options_;
  GpuDevice &device_;
  const GpuMonitor &monitor_;
  TimeReport &report_;
  Diagnostics &diagnostics_;
};

int time_all(const TimeOptions &options) {
  Diagnostics diagnostics;
  const auto device = GpuDevice::open(options.device, true, diagnostics);
  if (!device) return finish(diagnostics, format_of(false));
  const GpuMonitor monitor(device->about().pci_bus_id);
  TimeReport report{options.device, device->about(), monitor.why(), {options.read_ceiling_tbps, false}, {}};
  if (options.read_ceiling_tbps == 0) {
    if (const auto measured = measure_read_ceiling(*device, options.timeout_seconds)) report.ceiling = {*measured / 1e12, true};
    else diagnostics.add(error("run.failed", fmt::format("measuring the read ceiling: {}", device->problem()), {"--read-ceiling-tbps N gives one"}));
  }
  if (diagnostics.has_errors()) return leave(*device, finish(diagnostics, format_of(false)));
  fmt::print("{}", conditions_text(report));
  TimeRunner runner(options, *device, monitor, report, diagnostics);
  for (const std::string &file : options.operators)
    if (!runner.time_file(file)) break;
  if (!options.json_file.empty() && !report.operators.empty())
    write_result(options.json_file, time_json(report, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))), diagnostics);
  return leave(*device, finish(diagnostics, format_of(false)));
}

}  // namespace

int run_time(const TimeOptions &options) {
  return guarded([&] { return time_all(options); });
}

}  // namespace warpwright::cli
