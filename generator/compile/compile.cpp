// SPDX-License-Identifier: Apache-2.0
// From source to a judged kernel, through the cache.
#include "generator/compile/compile.h"

#include "generator/compile/backend.h"
#include "generator/compile/cache.h"
#include "generator/compile/policy.h"
#include "generator/compile/ptxas_log.h"
#include "generator/compile/toolchain.h"
#include "generator/support/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

namespace warpwright::compile {
namespace {

/// The compiler in use, of either backend.
struct Compiler {
  std::optional<CudaToolchain> cuda;
  std::optional<NvrtcLibrary> nvrtc;
  std::string identity;  ///< what of it enters the cache key
};

std::optional<Compiler> find_compiler(Backend backend, support::Diagnostics &diagnostics) {
  Compiler compiler;
  if (backend == Backend::kNvcc) {
    compiler.cuda = find_cuda(diagnostics);
    if (!compiler.cuda) return std::nullopt;
    compiler.identity = "nvcc " + compiler.cuda->version;
    return compiler;
  }
  compiler.nvrtc = find_nvrtc(diagnostics);
  if (!compiler.nvrtc) return std::nullopt;
  // NVRTC tells no build number: patch releases differ in the library's size at least.
  std::error_code error;
  compiler.identity = fmt::format("nvrtc {} {} bytes", compiler.nvrtc->version,
                                  std::filesystem::file_size(compiler.nvrtc->path, error));
  return compiler;
}

/// File names in messages come from the kernel; a name that is no plain identifier, or too long for a file, does not.
std::string file_name_for(const std::string &kernel_name) {
  const bool is_plain = !kernel_name.empty() && kernel_name.size() <= 200 &&
                        std::all_of(kernel_name.begin(), kernel_name.end(), [](unsigned char c) {
                          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
                        });
  return (is_plain ? kernel_name : "kernel") + ".cu";
}

std::string cache_key(const CompileJob &job, const Compiler &compiler) {
  std::string text = fmt::format("warpwright compile 1\n{}\n{}\n{}\n{}\n{}\n", compiler.identity, job.target.gencode,
                                 job.options.line_info ? "lineinfo" : "", job.file_name, kLanguageFlag);
  for (const std::string &flag : ptxas_flags()) text += flag + "\n";
  text += job.source;
  return support::sha256_hex(text);
}

// A cache entry's content: each part as its length in decimal, a line end, and its bytes.

std::string pack(const CompilerOutput &output) {
  std::string packed;
  for (const std::string *part : {&output.ptx, &output.cubin, &output.log}) {
    packed += std::to_string(part->size());
    packed += '\n';
    packed += *part;
  }
  return packed;
}

std::optional<CompilerOutput> unpack(const std::string &packed) {
  CompilerOutput output;
  size_t at = 0;
  for (std::string *part : {&output.ptx, &output.cubin, &output.log}) {
    size_t length = 0;
    const auto parsed = std::from_chars(packed.data() + at, packed.data() + packed.size(), length);
    const size_t start = static_cast<size_t>(parsed.ptr - packed.data()) + 1;
    if (parsed.ec != std::errc() || start > packed.size() || length > packed.size() - start) return std::nullopt;
    *part = packed.substr(start, length);
    at = start + length;
  }
  output.is_made = at == packed.size() && !output.cubin.empty() && !output.ptx.empty();
  return output.is_made ? std::optional(std::move(output)) : std::nullopt;
}

/// The compiler's words, without what comes after the first dozen lines.
void report_rejection(const CompileJob &job, const std::string &log, support::Diagnostics &diagnostics) {
  constexpr size_t kShownLines = 12;
  support::Diagnostic d;
  d.slug = "compile.rejected";
  d.message = fmt::format("{}: the compiler rejects the source", job.file_name);
  size_t at = 0;
  while (at < log.size() && d.notes.size() < kShownLines) {
    const size_t end = std::min(log.find('\n', at), log.size());
    if (end > at) d.notes.push_back(log.substr(at, end - at));
    at = end + 1;
  }
  if (at < log.size()) d.notes.push_back("…");
  diagnostics.add(std::move(d));
}

void store(const Cache &cache, const std::string &key, const CompilerOutput &output,
           support::Diagnostics &diagnostics) {
  std::string why;
  if (cache.store(key, pack(output), why)) return;
  support::Diagnostic d;
  d.severity = support::Severity::kWarning;
  d.slug = "compile.cache-unwritable";
  d.message = fmt::format("the compiler cache cannot be written, so nothing is reused: {}", why);
  d.hints = {"WARPWRIGHT_CACHE may name another folder; `--no-cache` does without"};
  diagnostics.add(std::move(d));
}

/// "nvcc 13.0.88": NVRTC's build number stands in the PTX alone.
std::string tool_version(Backend backend, const Compiler &compiler, const std::string &ptx) {
  if (backend == Backend::kNvcc) return "nvcc " + compiler.cuda->version;
  const std::string version = cuda_version_in(ptx);
  return "nvrtc " + (version.empty() ? compiler.nvrtc->version : version);
}

/// The compiler's output, from the cache or fresh.
std::optional<CompilerOutput> obtain(const CompileJob &job, const Compiler &compiler, CompiledKernel &kernel,
                                     support::Diagnostics &diagnostics) {
  const bool has_cache = !job.options.cache_folder.empty();
  const Cache cache(job.options.cache_folder);
  const std::string key = has_cache ? cache_key(job, compiler) : "";
  if (has_cache) {
    const std::optional<std::string> packed = cache.load(key);
    std::optional<CompilerOutput> cached = packed ? unpack(*packed) : std::nullopt;
    kernel.from_cache = cached.has_value();
    if (cached) return cached;
  }
  CompilerOutput output;
  const bool is_done = job.options.backend == Backend::kNvcc
                           ? compile_with_nvcc(job, *compiler.cuda, output, diagnostics)
                           : compile_with_nvrtc(job, *compiler.nvrtc, output, diagnostics);
  if (!is_done) return std::nullopt;
  if (!output.is_made) {
    report_rejection(job, output.log, diagnostics);
    return std::nullopt;
  }
  if (has_cache) store(cache, key, output, diagnostics);
  return output;
}

}  // namespace

std::optional<CompiledKernel> compile_kernel(const std::string &source, const target::SmTarget &target,
                                             const CompilePolicy &policy, const CompileOptions &options,
                                             support::Diagnostics &diagnostics) {
  const auto started = std::chrono::steady_clock::now();
  const std::optional<Compiler> compiler = find_compiler(options.backend, diagnostics);
  if (!compiler) return std::nullopt;
  const CompileJob job{source, target, options, file_name_for(options.kernel_name)};
  CompiledKernel kernel;
  std::optional<CompilerOutput> output = obtain(job, *compiler, kernel, diagnostics);
  if (!output) return std::nullopt;

  const PtxasLog log = parse_ptxas_log(output->log, options.kernel_name);
  kernel.registers = log.registers;
  kernel.spill_store_bytes = log.spill_store_bytes;
  kernel.spill_load_bytes = log.spill_load_bytes;
  kernel.stack_bytes = log.stack_bytes;
  kernel.static_smem_bytes = log.static_smem_bytes;
  kernel.barriers = log.barriers;
  kernel.findings = judge(log, output->ptx, target, policy);
  kernel.tool_version = tool_version(options.backend, *compiler, output->ptx);
  kernel.cubin.assign(output->cubin.begin(), output->cubin.end());
  kernel.ptx = std::move(output->ptx);
  kernel.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  report_failures(kernel.findings, options.kernel_name, diagnostics);
  if (!log.has_kernel) {
    support::Diagnostic d;
    d.slug = "compile.rejected";
    d.message = fmt::format("the compiler says nothing about a kernel named \"{}\"", options.kernel_name);
    diagnostics.add(std::move(d));
  }
  return kernel;
}

}  // namespace warpwright::compile
