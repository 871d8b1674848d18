// SPDX-License-Identifier: Apache-2.0
// `run --launch`: a kernel from its PTX on the emulated device, its buffers against what is expected of them.
#include "generator/support/files.h"
#include "generator/support/similar.h"
#include "tools/cli/emulated_device.h"
#include "tools/cli/launch_description.h"
#include "tools/cli/profile_report.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"
#include "tools/emulator/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace warpwright::cli {
namespace {

using support::Diagnostics;

void fail(const char *slug, const support::SourceLocation &where, std::string message, Diagnostics &diagnostics,
          std::vector<std::string> hints = {}) {
  support::Diagnostic d = error(slug, message, std::move(hints));
  d.where = where;
  diagnostics.add(std::move(d));
}

/// The kernel that the description means, from a text that stays `ptx`.
struct FoundKernel {
  std::string ptx, entry;
  std::vector<uint64_t> parameter_bytes;
};

std::optional<FoundKernel> find_kernel(const LaunchDescription &description, const std::string &ptx_file, Diagnostics &diagnostics) {
  std::string why;
  auto text = support::read_file(ptx_file, why);
  if (!text) {
    fail("run.unreadable", description.ptx_where, fmt::format("cannot read {}: {}", ptx_file, why), diagnostics);
    return std::nullopt;
  }
  // The parser works on a text without zero bytes, as the driver's interface does.
  if (text->find('\0') != std::string::npos) {
    fail("run.bad-ptx", description.ptx_where, fmt::format("{} is no text", ptx_file), diagnostics, {"nvcc -ptx writes one"});
    return std::nullopt;
  }
  const emulator::ptx::ParseResult parsed = emulator::ptx::parse(*text);
  if (!parsed.module) {
    diagnostics.add_source(ptx_file, *text);
    fail("run.bad-ptx", {ptx_file, static_cast<int>(parsed.error.line), static_cast<int>(parsed.error.column)},
         fmt::format("{}: {}", parsed.error.slug, parsed.error.text), diagnostics);
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const emulator::ptx::Kernel &kernel : parsed.module->kernels) names.push_back(kernel.name);
  const std::string entry = description.entry.empty() && names.size() == 1 ? names.front() : description.entry;
  const emulator::ptx::Kernel *kernel = parsed.module->find_kernel(entry);
  if (!kernel) {
    constexpr size_t kMostListed = 8;
    const auto meant = support::most_similar(entry, names);
    std::vector<std::string> hints;
    for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i) hints.push_back("\"entry\": \"" + names[i] + "\"");
    fail("run.unknown-name", entry.empty() ? description.ptx_where : description.entry_where,
         entry.empty() ? fmt::format("{} has {} kernels; \"entry\" names one", ptx_file, names.size())
                       : fmt::format("{} has no kernel \"{}\"{}", ptx_file, entry, meant ? "; did you mean \"" + *meant + "\"?" : ""),
         diagnostics, std::move(hints));
    return std::nullopt;
  }
  FoundKernel found{std::move(*text), entry, {}};
  for (const emulator::ptx::Variable &parameter : kernel->parameters) found.parameter_bytes.push_back(parameter.bytes);
  return found;
}

bool check_arguments(const LaunchDescription &description, const FoundKernel &kernel, Diagnostics &diagnostics) {
  const std::vector<LaunchArgument> &arguments = description.arguments;
  if (arguments.size() != kernel.parameter_bytes.size()) {
    fail("run.bad-argument", description.arguments_where,
         fmt::format("{} arguments; {} takes {}", arguments.size(), kernel.entry, kernel.parameter_bytes.size()), diagnostics);
    return false;
  }
  bool is_right = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].bytes == kernel.parameter_bytes[i]) continue;
    fail("run.bad-argument", arguments[i].where,
         fmt::format("argument {} has {} bytes; the parameter of {} has {}", i, arguments[i].bytes, kernel.entry,
                     kernel.parameter_bytes[i]), diagnostics);
    is_right = false;
  }
  return is_right;
}

/// One row of the result.
struct Row {
  std::string schedule, problem;
  EmulatedLaunch launch;
  double seconds = 0;
};

class LaunchRunner {
 public:
  LaunchRunner(const LaunchDescription &description, EmulatedDevice &device, ProfileLog &profiles, Diagnostics &diagnostics)
      : description_(description), device_(device), profiles_(profiles), diagnostics_(diagnostics) {}

  bool load_contents() {
    for (const LaunchBuffer &buffer : description_.buffers) {
      auto contents = buffer.contents.kind == BufferContents::Kind::kUnset
                          ? std::optional(std::vector<uint8_t>())
                          : make_contents(buffer.contents, buffer.bytes, diagnostics_);
      auto expected = buffer.expected ? make_contents(*buffer.expected, buffer.bytes, diagnostics_) : std::nullopt;
      contents_.push_back(std::move(contents).value_or(std::vector<uint8_t>()));
      expected_.push_back(std::move(expected).value_or(std::vector<uint8_t>()));
    }
    return !diagnostics_.has_errors();
  }

  bool launch(const FoundKernel &kernel, const std::string &schedule) {
    Row row{schedule, "", {}, 0};
    if (!place_buffers()) return false;
    PtxLaunch wanted{kernel.ptx, kernel.entry, description_.grid, description_.block, description_.cluster,
                     description_.dynamic_shared_bytes, {}};
    for (const LaunchArgument &argument : description_.arguments) wanted.arguments.push_back(bytes_of(argument));
    const auto start = std::chrono::steady_clock::now();
    const std::string result = device_.launch(wanted);
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    row.launch = device_.last_launch();
    if (profiles_.is_wanted()) profiles_.add({kernel.entry, "", schedule, device_.last_profile(), {}});
    row.problem = row.launch.report.empty() ? result : row.launch.report;
    if (row.problem.empty() && !forces_branches(schedule)) row.problem = judge();
    else if (is_refusal(row.problem)) fail("run.refused-launch", description_.ptx_where, row.problem, diagnostics_);
    if (!row.problem.empty() && !is_refusal(row.problem))
      fail("run.failed", description_.ptx_where, fmt::format("schedule {}: {}", schedule, row.problem), diagnostics_);
    write_outputs();
    device_.free_all();
    rows_.push_back(std::move(row));
    return rows_.back().problem.empty();
  }

  void print() const {
    fmt::print("{:<16} {:>14} {:>8} {:>9}  {}\n", "schedule", "warp instr.", "MMAs", "seconds", "verdict");
    for (const Row &row : rows_)
      fmt::print("{:<16} {:>14} {:>8} {:>9.2f}  {}\n", row.schedule, row.launch.warp_instructions, row.launch.mmas, row.seconds,
                 row.problem.empty() ? "ok" : is_refusal(row.problem) ? "REFUSED" : "FAILED");
  }

 private:
  /// Faults of the launch itself, and PTX that the emulator does not run: nothing is known of the kernel then.
  static bool is_refusal(const std::string &problem) {
    const auto begins = [&](const char *stage) { return problem.rfind(stage, 0) == 0; };
    return begins("launch.") || begins("ptx.") || begins("module.") || begins("CUDA_ERROR_");
  }

  bool place_buffers() {
    addresses_.clear();
    for (size_t i = 0; i < description_.buffers.size(); ++i) {
      const LaunchBuffer &buffer = description_.buffers[i];
      addresses_.push_back(device_.allocate(buffer.name, contents_[i].empty() ? buffer.bytes : contents_[i].size()));
      if (addresses_.back() && (contents_[i].empty() || device_.write(addresses_.back(), contents_[i]))) continue;
      fail("environment.no-memory", buffer.where, fmt::format("there is no memory for {} bytes", buffer.bytes), diagnostics_);
      return false;
    }
    return true;
  }

  std::vector<uint8_t> bytes_of(const LaunchArgument &argument) const {
    std::vector<uint8_t> bytes(argument.bytes);
    for (const ArgumentPart &part : argument.parts) {
      uint8_t *to = bytes.data() + part.offset_bytes;
      if (part.buffer) {
        const uint64_t address = addresses_[*part.buffer] + part.buffer_offset_bytes;
        std::memcpy(to, &address, sizeof address);
      } else if (part.tensor_map) {
        const LaunchTensorMap &record = description_.tensor_maps[*part.tensor_map];
        emulator::tma::TensorMap map = record.map;
        map.address += addresses_[record.buffer];
        emulator::tma::encode(map, to);
      } else {
        std::copy(part.bytes.begin(), part.bytes.end(), to);
      }
    }
    return bytes;
  }

  std::string judge() const {
    std::string problem;
    for (size_t i = 0; i < description_.buffers.size(); ++i) {
      const LaunchBuffer &buffer = description_.buffers[i];
      if (!buffer.expected) continue;
      const std::string wrong = compare(buffer, expected_[i], device_.read(addresses_[i], buffer.bytes));
      if (!wrong.empty()) problem += (problem.empty() ? "" : "; ") + wrong;
    }
    return problem;
  }

  void write_outputs() {
    for (size_t i = 0; i < description_.buffers.size(); ++i) {
      const LaunchBuffer &buffer = description_.buffers[i];
      if (buffer.output.empty()) continue;
      const std::vector<uint8_t> bytes = device_.read(addresses_[i], buffer.bytes);
      write_result(buffer.output, {bytes.begin(), bytes.end()}, diagnostics_);
    }
  }

  const LaunchDescription &description_;
  EmulatedDevice &device_;
  ProfileLog &profiles_;
  Diagnostics &diagnostics_;
  std::vector<std::vector<uint8_t>> contents_, expected_;  ///< by buffer; empty: unset
  std::vector<uint64_t> addresses_;
  std::vector<Row> rows_;
};

}  // namespace

int run_launch(const RunOptions &options) {
  Diagnostics diagnostics;
  const auto description = read_launch(options.launch, diagnostics);
  if (!description) return finish(diagnostics, format_of(false));
  const std::string ptx_file = options.ptx.empty() ? description->ptx_file : options.ptx;
  if (!spares_inputs(options.profile_out, {options.launch, ptx_file}, diagnostics)) return finish(diagnostics, format_of(false));
  const auto kernel = find_kernel(*description, ptx_file, diagnostics);
  if (!kernel || !check_arguments(*description, *kernel, diagnostics)) return finish(diagnostics, format_of(false));
  const auto device = EmulatedDevice::open(description->arch, !options.no_races, diagnostics);
  if (!device) return finish(diagnostics, format_of(false));
  ProfileLog profiles(options);
  if (profiles.is_wanted()) device->record_profiles();
  LaunchRunner runner(*description, *device, profiles, diagnostics);
  if (!runner.load_contents()) return finish(diagnostics, format_of(false));
  device->judge_by(options.policy, options.waivers);
  for (const LaunchWaiver &waiver : description->waivers) device->waive(waiver.slug, waiver.text);
  for (const std::string &schedule :
       with_forced_branches(options.schedules.empty() ? description->schedules : options.schedules, options.force_branches)) {
    const std::string why = device->configure(schedule, options.jobs);
    if (why.empty()) runner.launch(*kernel, schedule);
    else diagnostics.add(error("cli.usage", why));
  }
  runner.print();
  profiles.print(diagnostics);
  return finish(diagnostics, format_of(false));
}

}  // namespace warpwright::cli
