// SPDX-License-Identifier: Apache-2.0
// The nvcc backend: one run that leaves both the PTX and the cubin.
#include "generator/compile/backend.h"
#include "generator/compile/scratch.h"
#include "generator/support/files.h"
#include "generator/support/process.h"

#include <fmt/format.h>

namespace warpwright::compile {
namespace {

void add_error(support::Diagnostics &diagnostics, const std::string &slug, std::string message,
               std::vector<std::string> hints = {}) {
  support::Diagnostic d;
  d.slug = slug;
  d.message = std::move(message);
  d.hints = std::move(hints);
  diagnostics.add(std::move(d));
}

std::string stem_of(const std::string &file_name) { return file_name.substr(0, file_name.rfind('.')); }

/// Runs a compiler in the scratch folder. Its own temporary files go there too, so that a kill leaves nothing
/// elsewhere; the user's flags from the environment are not part of the cache key and must not count.
bool run_compiler(const CompileJob &job, std::vector<std::string> argv, const ScratchFolder &scratch,
                  support::ProcessResult &result, support::Diagnostics &diagnostics) {
  if (job.options.on_command) job.options.on_command(support::shell_quoted(argv));
  support::ProcessRequest request;
  request.argv = std::move(argv);
  request.folder = scratch.path();
  request.environment = {
      {"TMPDIR", scratch.path()}, {"NVCC_PREPEND_FLAGS", ""}, {"NVCC_APPEND_FLAGS", ""}, {"LC_ALL", "C"}};
  request.limit_seconds = job.options.limit_seconds;
  result = support::run_process(request);
  if (!result.started) {
    add_error(diagnostics, "environment.no-nvcc", fmt::format("cannot run {}: {}", request.argv[0], result.why));
    return false;
  }
  if (result.timed_out) {
    add_error(
        diagnostics, "compile.time-limit",
        fmt::format("{}: the compiler was stopped after {:g} s", job.options.kernel_name, job.options.limit_seconds));
    return false;
  }
  return true;
}

bool write_source(const CompileJob &job, const ScratchFolder &scratch, support::Diagnostics &diagnostics) {
  std::string why = scratch.why();
  if (!scratch.path().empty() && support::write_file(scratch.path() + "/" + job.file_name, job.source, why))
    return true;
  add_error(diagnostics, "environment.no-scratch", why, {"TMPDIR may name another folder"});
  return false;
}

/// "arch=compute_100a,code=compute_100a": stop at PTX.
std::string ptx_gencode(const target::SmTarget &target) {
  const std::string arch = target.gencode.substr(0, target.gencode.find(','));
  return arch + ",code=" + arch.substr(arch.find('=') + 1);
}

/// nvcc preprocesses with the host's compiler even for a cubin.
bool lacks_host_compiler(const std::string &log) {
  return log.find("Failed to preprocess host compiler properties") != std::string::npos ||
         log.find("gcc: not found") != std::string::npos || log.find("gcc: No such file") != std::string::npos;
}

void collect(const CompileJob &job, const ScratchFolder &scratch, const support::ProcessResult &result,
             CompilerOutput &output) {
  std::string unused;
  output.log += result.out + result.err;
  output.ptx = support::read_file(scratch.path() + "/" + stem_of(job.file_name) + ".ptx", unused).value_or("");
  std::optional<std::string> cubin = support::read_file(scratch.path() + "/out.cubin", unused);
  output.is_made = result.ok() && cubin && !cubin->empty() && !output.ptx.empty();
  if (output.is_made) output.cubin = std::move(*cubin);
}

}  // namespace

std::vector<std::string> ptxas_flags() { return {"-v", "-warn-spills", "-warn-lmem-usage"}; }

bool compile_with_nvcc(const CompileJob &job, const CudaToolchain &toolchain, CompilerOutput &output,
                       support::Diagnostics &diagnostics) {
  const ScratchFolder scratch;
  if (!write_source(job, scratch, diagnostics)) return false;
  // --keep leaves the very PTX file that nvcc hands to ptxas; it costs nothing over a plain -cubin. The architecture is
  // explicit: -arch=sm_100a would also run a generic pass.
  std::vector<std::string> argv = {toolchain.nvcc, kLanguageFlag, "--keep", "--keep-dir", "."};
  if (job.options.line_info) {
    argv.insert(argv.end(),
                {"-gencode", ptx_gencode(job.target), "-lineinfo", "-ptx", "-o", stem_of(job.file_name) + ".ptx"});
  } else {
    argv.insert(argv.end(), {"-gencode", job.target.gencode});
    for (const std::string &flag : ptxas_flags()) argv.insert(argv.end(), {"-Xptxas", flag});
    argv.insert(argv.end(), {"-cubin", "-o", "out.cubin"});
  }
  argv.push_back(job.file_name);
  support::ProcessResult result;
  if (!run_compiler(job, argv, scratch, result, diagnostics)) return false;
  collect(job, scratch, result, output);
  if (!result.ok() && lacks_host_compiler(output.log)) {
    add_error(diagnostics, "environment.no-host-compiler", "nvcc needs a host compiler, and there is no gcc in PATH",
              {"install gcc, or build with `--backend nvrtc`"});
    return false;
  }
  if (!job.options.line_info || !result.ok()) return true;
  return assemble_with_lines(job, toolchain.ptxas, scratch.path(), output, diagnostics);
}

bool assemble_with_lines(const CompileJob &job, const std::string &ptxas, const std::string &folder,
                         CompilerOutput &output, support::Diagnostics &diagnostics) {
  const std::string named = ".file\t", opened = "\"" + folder + "/";
  for (size_t at = output.ptx.find(named); at != std::string::npos; at = output.ptx.find(named, at + 1)) {
    const size_t quote = output.ptx.find('"', at);
    if (quote != std::string::npos && output.ptx.compare(quote, opened.size(), opened) == 0) {
      output.ptx.replace(quote, opened.size(), "\"/warpwright/");
    }
  }
  const ScratchFolder scratch;
  std::string why = scratch.why();
  const std::string ptx_name = stem_of(job.file_name) + ".ptx";
  if (scratch.path().empty() || !support::write_file(scratch.path() + "/" + ptx_name, output.ptx, why)) {
    add_error(diagnostics, "environment.no-scratch", why, {"TMPDIR may name another folder"});
    return false;
  }
  const std::string code = job.target.gencode.substr(job.target.gencode.rfind('=') + 1);
  std::vector<std::string> argv = {ptxas, "-arch=" + code, "-lineinfo"};
  for (const std::string &flag : ptxas_flags()) argv.push_back(flag);
  argv.insert(argv.end(), {"-o", "out.cubin", ptx_name});
  support::ProcessResult result;
  if (!run_compiler(job, argv, scratch, result, diagnostics)) return false;
  collect(job, scratch, result, output);
  return true;
}

}  // namespace warpwright::compile
