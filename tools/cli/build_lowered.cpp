// SPDX-License-Identifier: Apache-2.0
// Protocol check, compilation in parallel, policy, files.
#include "tools/cli/build_lowered.h"

#include "generator/archive/archive.h"
#include "generator/compile/compile.h"
#include "generator/plan/report.h"
#include "generator/prove/protocol.h"
#include "generator/support/files.h"
#include "tools/cli/build_files.h"
#include "tools/cli/build_report.h"
#include "tools/cli/interruption.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

namespace warpwright::cli {
namespace {

/// One compilation: kernel `kernel` of operator `op` for its architecture `arch`.
struct Unit {
  size_t op = 0, kernel = 0, arch = 0;
  support::Diagnostics diagnostics;
};

/// What the launch bound leaves to a thread: registers are given to warps in units of 256, eight to a thread.
/// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
int64_t register_share(const target::SmTarget &target, int64_t threads) {
  constexpr int64_t kUnitPerThread = 8;
  if (threads <= 0) return 0;
  const int64_t warps = (threads + 31) / 32;
  const int64_t share = target.registers_per_sm / (warps * 32) / kUnitPerThread * kUnitPerThread;
  return std::min(share, target.max_registers_per_thread);
}

compile::CompilePolicy policy_of(const plan::KernelPlan &kernel, const target::SmTarget &target) {
  compile::CompilePolicy policy;
  policy.spill_limit_bytes = kernel.spill_limit_bytes;
  policy.max_registers = register_share(target, kernel.launch.threads);
  policy.dynamic_smem_bytes = kernel.launch.dynamic_smem_bytes;
  return policy;
}

/// A line on the terminal that counts; nothing elsewhere.
class Progress {
 public:
  explicit Progress(size_t count) : count_(count), is_shown_(count > 1 && ::isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void step(const std::string &name) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (is_shown_) fmt::print(stderr, "\r\033[K{} of {}: {}", done_, count_, name);
  }

 private:
  const size_t count_;
  const bool is_shown_;
  size_t done_ = 0;
  std::mutex mutex_;
};

class Builder {
 public:
  Builder(std::vector<LoweredOperator> operators, const BuildOptions &options)
      : operators_(std::move(operators)), options_(options) {
    for (const LoweredOperator &op : operators_) {
      BuiltOperator built;
      built.plan = op.plan;
      for (const emit::LoweredKernel &kernel : op.kernels) built.sources.push_back(kernel.source);
      built.images.resize(op.kernels.size());
      for (auto &images : built.images) {
        for (const std::string &arch : op.archs) images.push_back({arch, std::nullopt});
      }
      built_.push_back(std::move(built));
    }
  }

  int run() {
    check_names();
    check_protocols();
    if (!diagnostics_.has_errors()) compile_all();
    if (InterruptScope::is_interrupted()) return interrupted();
    if (!diagnostics_.has_errors()) write_all();
    if (!options_.report.empty() && !is_colliding_ && make_parent(options_.report)) {
      write_result(options_.report, report_json(built_), diagnostics_);
    }
    const std::string result = options_.json ? report_json(built_) : report_text(built_);
    std::fwrite(result.data(), 1, result.size(), stdout);
    return finish(diagnostics_, format_of(options_.json));
  }

 private:
  int interrupted() const {
    fmt::print(stderr, "interrupted: nothing was written\n");
    return static_cast<int>(support::Exit::kInterrupted);
  }

  /// Output files are named after operators.
  void check_names() {
    std::set<std::string> names;
    for (const LoweredOperator &op : operators_) {
      if (names.insert(op.plan.name).second) continue;
      support::Diagnostic d =
          error("cli.duplicate-name", fmt::format("two specs make an operator named \"{}\"", op.plan.name),
                {"rename one of the files, or build them into different folders"});
      d.where.file = op.plan.spec.file;
      diagnostics_.add(std::move(d));
    }
  }

  /// Every kernel of every build: it costs milliseconds, and a deadlock is cheaper here than on the device.
  void check_protocols() {
    std::vector<support::Diagnostics> found(operators_.size());
    for_each_parallel(operators_.size(), options_.jobs, [&](size_t i) {
      found[i].add_source(operators_[i].plan.spec.file, operators_[i].plan.spec.source_text);
      for (const emit::LoweredKernel &kernel : operators_[i].kernels)
        prove::check_protocol(kernel.protocol, {}, found[i]);
    });
    for (size_t i = 0; i < found.size(); ++i) take(i, found[i]);
  }

  void compile_all() {
    std::vector<Unit> units;
    for (size_t op = 0; op < operators_.size(); ++op) {
      for (size_t kernel = 0; kernel < operators_[op].kernels.size(); ++kernel) {
        for (size_t arch = 0; arch < operators_[op].archs.size(); ++arch) units.push_back({op, kernel, arch, {}});
      }
    }
    Progress progress(units.size());
    for_each_parallel(units.size(), options_.jobs, [&](size_t i) {
      if (InterruptScope::is_interrupted()) return;
      compile_unit(units[i]);
      progress.step(operators_[units[i].op].plan.name);
    });
    for (const Unit &unit : units) take(unit.op, unit.diagnostics);
  }

  void compile_unit(Unit &unit) {
    const LoweredOperator &op = operators_[unit.op];
    const plan::KernelPlan &kernel = op.plan.kernels[unit.kernel];
    const target::SmTarget *target = target::find_target(op.archs[unit.arch]);
    WARPWRIGHT_ASSERT(target != nullptr, "no target is named " + op.archs[unit.arch]);
    compile::CompileOptions options;
    options.backend = options_.backend == BuildBackend::kNvrtc ? compile::Backend::kNvrtc : compile::Backend::kNvcc;
    options.line_info = options_.line_info;
    options.kernel_name = kernel.name;
    if (!options_.no_cache) {
      options.cache_folder = options_.cache_folder.empty() ? compile::default_cache_folder() : options_.cache_folder;
    }
    if (options_.verbose) {
      options.on_command = [this](const std::string &command) {
        const std::lock_guard lock(print_mutex_);
        fmt::print(stderr, "{}\n", command);
      };
    }
    built_[unit.op].images[unit.kernel][unit.arch].second = compile::compile_kernel(
        op.kernels[unit.kernel].source, *target, policy_of(kernel, *target), options, unit.diagnostics);
  }

  /// Findings of one operator: located at its spec, and what is wrong with the machine is said once.
  void take(size_t op, const support::Diagnostics &found) {
    diagnostics_.add_source(operators_[op].plan.spec.file, operators_[op].plan.spec.source_text);
    for (support::Diagnostic d : found.all()) {
      if (d.severity == support::Severity::kError) built_[op].failures.push_back(d.slug);
      const bool is_about_machine = d.slug.rfind("environment.", 0) == 0 || d.slug == "compile.cache-unwritable";
      if (is_about_machine && !said_.insert(d.slug + d.message).second) continue;
      if (!is_about_machine && d.where.file.empty()) d.where.file = operators_[op].plan.spec.file;
      diagnostics_.add(std::move(d));
    }
  }

  void write_all() {
    std::vector<std::pair<std::string, std::string>> files;
    for (const BuiltOperator &built : built_) {
      for (size_t i = 0; i < built.images.size(); ++i) {
        const std::string stem =
            built.images.size() == 1 ? built.plan.name : built.plan.name + "." + built.plan.kernels[i].name;
        files.push_back({stem + ".cu", built.sources[i]});
        for (size_t a = 0; a < built.images[i].size(); ++a) {
          const auto &[arch, kernel] = built.images[i][a];
          const std::string image = a == 0 ? stem : stem + "." + arch;
          files.push_back({image + ".ptx", kernel->ptx});
          files.push_back({image + ".cubin", std::string(kernel->cubin.begin(), kernel->cubin.end())});
        }
      }
      files.push_back({built.plan.name + ".plan.json", plan::plan_json(built.plan)});
      files.push_back({built.plan.name + ".findings.json", findings_json(built)});
    }
    if (!outputs_are_apart(files)) return;
    if (!write_files(options_.output_folder, files, diagnostics_) || options_.archive.empty()) return;
    if (make_parent(options_.archive)) archive::write_archive(options_.archive, packed(), diagnostics_);
  }

  /// Neither archive nor report may take the place of a file that the build writes, or of each other.
  bool outputs_are_apart(const std::vector<std::pair<std::string, std::string>> &files) {
    std::error_code ignored;
    const auto place = [&](const std::string &file) { return std::filesystem::weakly_canonical(file, ignored); };
    std::set<std::filesystem::path> taken;
    for (const auto &[name, bytes] : files) taken.insert(place(options_.output_folder + "/" + name));
    for (const std::string &file : {options_.archive, options_.report}) {
      if (file.empty() || taken.insert(place(file)).second) continue;
      support::Diagnostic d = error("cli.file-exists", "the build writes another result to the same place",
                                    {"give the archive and the report names of their own"});
      d.where.file = file;
      diagnostics_.add(std::move(d));
      is_colliding_ = true;
    }
    return !is_colliding_;
  }

  bool make_parent(const std::string &file) {
    const size_t slash = file.rfind('/');
    std::string why;
    if (slash == std::string::npos || slash == 0 || support::make_folders(file.substr(0, slash), why)) return true;
    support::Diagnostic d = error("cli.unwritable", fmt::format("cannot make the folder: {}", why));
    d.where.file = file.substr(0, slash);
    diagnostics_.add(std::move(d));
    return false;
  }

  std::vector<archive::PackedOperator> packed() const {
    std::vector<archive::PackedOperator> all;
    for (const BuiltOperator &built : built_) {
      archive::PackedOperator op;
      op.plan = built.plan;
      op.plan_json = plan::plan_json(built.plan);
      op.spec_json = built.plan.spec.canonical_json();
      op.sources = built.sources;
      for (const std::vector<Image> &images : built.images) {
        op.images.emplace_back();
        for (const auto &[arch, kernel] : images) op.images.back().push_back({arch, *kernel});
      }
      all.push_back(std::move(op));
    }
    return all;
  }

  const std::vector<LoweredOperator> operators_;
  const BuildOptions &options_;
  std::vector<BuiltOperator> built_;
  support::Diagnostics diagnostics_;
  std::set<std::string> said_;
  bool is_colliding_ = false;
  std::mutex print_mutex_;
};

}  // namespace

int build_lowered(std::vector<LoweredOperator> operators, const BuildOptions &options) {
  return Builder(std::move(operators), options).run();
}

void for_each_parallel(size_t count, int jobs, const std::function<void(size_t)> &body) {
  const size_t wanted = jobs > 0 ? static_cast<size_t>(jobs) : std::max(1U, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(wanted, count); ++i) threads.emplace_back(work);
  work();
  for (std::thread &thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace warpwright::cli
