// SPDX-License-Identifier: Apache-2.0
// The NVRTC backend: the same source, compiled in this process.
#include "generator/compile/backend.h"
#include "generator/compile/nvrtc_library.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

namespace warpwright::compile {
namespace {

template <typename Function>
bool resolve(void *library, const char *name, Function &function, std::string &why) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) why = std::string("it lacks ") + name;
  return function != nullptr;
}

std::unique_ptr<Nvrtc> load(const std::string &file, std::string &why) {
  void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *reason = ::dlerror();
    why = reason == nullptr ? "cannot be opened" : reason;
    return nullptr;
  }
  auto api = std::make_unique<Nvrtc>();
  const bool is_complete = resolve(library, "nvrtcVersion", api->version_of, why) &&
                           resolve(library, "nvrtcGetErrorString", api->error_string, why) &&
                           resolve(library, "nvrtcCreateProgram", api->create, why) &&
                           resolve(library, "nvrtcDestroyProgram", api->destroy, why) &&
                           resolve(library, "nvrtcCompileProgram", api->compile, why) &&
                           resolve(library, "nvrtcGetProgramLogSize", api->log_bytes, why) &&
                           resolve(library, "nvrtcGetProgramLog", api->log, why) &&
                           resolve(library, "nvrtcGetPTXSize", api->ptx_bytes, why) &&
                           resolve(library, "nvrtcGetPTX", api->ptx, why) &&
                           resolve(library, "nvrtcGetCUBINSize", api->cubin_bytes, why) &&
                           resolve(library, "nvrtcGetCUBIN", api->cubin, why);
  int major = 0, minor = 0;
  if (!is_complete || api->version_of(&major, &minor) != 0) return nullptr;
  api->version = fmt::format("{}.{}", major, minor);
  return api;
}

/// Destroys the program on every way out.
struct ProgramHolder {
  const Nvrtc &api;
  Nvrtc::Program program = nullptr;
  ~ProgramHolder() {
    if (program != nullptr) api.destroy(&program);
  }
};

/// Texts that NVRTC returns end with a zero byte, which is not part of them.
std::string fetch(Nvrtc::Program program, int (*bytes)(Nvrtc::Program, size_t *), int (*get)(Nvrtc::Program, char *),
                  bool is_text) {
  size_t length = 0;
  if (bytes(program, &length) != 0 || length == 0) return "";
  std::string out(length, '\0');
  if (get(program, out.data()) != 0) return "";
  if (is_text) out.resize(std::char_traits<char>::length(out.c_str()));
  return out;
}

void add_error(support::Diagnostics &diagnostics, const std::string &slug, std::string message) {
  support::Diagnostic d;
  d.slug = slug;
  d.message = std::move(message);
  diagnostics.add(std::move(d));
}

}  // namespace

const Nvrtc *open_nvrtc(const std::string &file, std::string &why) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<std::unique_ptr<Nvrtc>, std::string>> opened;
  const std::lock_guard lock(mutex);
  auto known = opened.find(file);
  if (known == opened.end()) {
    std::string reason;
    std::unique_ptr<Nvrtc> api = load(file, reason);
    known = opened.emplace(file, std::make_pair(std::move(api), reason)).first;
  }
  why = known->second.second;
  return known->second.first.get();
}

bool compile_with_nvrtc(const CompileJob &job, const NvrtcLibrary &library, CompilerOutput &output,
                        support::Diagnostics &diagnostics) {
  std::string why;
  const Nvrtc *api = open_nvrtc(library.path, why);
  ProgramHolder holder{*api};
  int status = api->create(&holder.program, job.source.c_str(), job.file_name.c_str(), 0, nullptr, nullptr);
  if (status != 0) {
    add_error(diagnostics, "environment.no-nvrtc", fmt::format("NVRTC: {}", api->error_string(status)));
    return false;
  }
  std::vector<std::string> options = {kLanguageFlag};
  if (job.options.line_info) {
    options.push_back("-lineinfo");
    options.push_back("--gpu-architecture=compute_" + job.target.nvrtc_arch.substr(3));
  } else {
    options.push_back("--gpu-architecture=" + job.target.nvrtc_arch);
    for (const std::string &flag : ptxas_flags()) options.push_back("--ptxas-options=" + flag);
  }
  std::vector<const char *> pointers;
  for (const std::string &option : options) pointers.push_back(option.c_str());
  status = api->compile(holder.program, static_cast<int>(pointers.size()), pointers.data());
  output.log = fetch(holder.program, api->log_bytes, api->log, true);
  output.ptx = fetch(holder.program, api->ptx_bytes, api->ptx, true);
  if (status != 0 && output.log.empty()) output.log = fmt::format("NVRTC: error: {}\n", api->error_string(status));
  if (job.options.line_info && status == 0) {
    const std::optional<CudaToolchain> toolchain = find_cuda(diagnostics);
    std::error_code error;
    return toolchain && assemble_with_lines(job, toolchain->ptxas, std::filesystem::current_path(error).string(),
                                            output, diagnostics);
  }
  output.cubin = fetch(holder.program, api->cubin_bytes, api->cubin, false);
  output.is_made = status == 0 && !output.cubin.empty();
  return true;
}

}  // namespace warpwright::compile
