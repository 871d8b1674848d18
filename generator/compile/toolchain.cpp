// SPDX-License-Identifier: Apache-2.0
// Finding a CUDA installation that is new enough.
#include "generator/compile/toolchain.h"

#include "generator/compile/nvrtc_library.h"
#include "generator/support/files.h"
#include "generator/support/process.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace warpwright::compile {
namespace {

namespace fs = std::filesystem;

constexpr double kVersionLimitSeconds = 10;

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folder above the folder of `program`, links followed: /usr/bin/nvcc may point into an installation.
std::string installation_of(const std::string &program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  return (error ? fs::path(program) : real).parent_path().parent_path().string();
}

/// The installations inside `folder`: itself, and what `pip install --target` of NVIDIA's wheels makes.
std::vector<std::string> installations_in(const std::string &folder) {
  std::vector<std::string> found = {folder};
  std::error_code error;
  std::vector<std::string> wheels;
  for (fs::directory_iterator item(folder + "/nvidia", error), end; !error && item != end; item.increment(error)) {
    if (item->path().filename().string().rfind("cu", 0) == 0) wheels.push_back(item->path().string());
  }
  std::sort(wheels.rbegin(), wheels.rend());
  found.insert(found.end(), wheels.begin(), wheels.end());
  return found;
}

void add_folders_above(const fs::path &start, std::vector<CudaPlace> &places) {
  fs::path place = start;
  for (int level = 0; level < 6 && place.has_relative_path(); ++level, place = place.parent_path()) {
    const std::string folder = (place / ".cuda").string();
    if (support::is_folder(folder)) places.push_back({folder, "the project's .cuda"});
  }
}

bool is_new_enough(const std::string &version) {
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) return false;
  return major > kOldestCudaMajor || (major == kOldestCudaMajor && minor >= kOldestCudaMinor);
}

std::string library_in(const std::string &installation) {
  for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    std::error_code error;
    std::vector<std::string> files;
    for (fs::directory_iterator item(installation + "/" + folder, error), end; !error && item != end;
         item.increment(error)) {
      const std::string name = item->path().filename().string();
      // libnvrtc.so.13 and not libnvrtc.so.13.0.88: the name that the builtins' library expects to sit beside.
      if (name.rfind("libnvrtc.so.", 0) == 0 && name.find('.', 12) == std::string::npos) files.push_back(name);
    }
    if (!files.empty()) return installation + "/" + folder + "/" + *std::max_element(files.begin(), files.end());
  }
  return "";
}

struct Searched {
  std::vector<std::string> lines;  ///< "PATH: /usr/bin/nvcc is CUDA 12.9"
  std::vector<std::string> old_versions;
};

/// Asks the nvcc of one installation; nothing if it has none that is new enough.
std::optional<CudaToolchain> ask_installation(const std::string &installation, const std::string &words,
                                              Searched &searched) {
  CudaToolchain toolchain;
  toolchain.nvcc = installation + "/bin/nvcc";
  if (::access(toolchain.nvcc.c_str(), X_OK) != 0) return std::nullopt;
  support::ProcessRequest request;
  request.argv = {toolchain.nvcc, "--version"};
  request.limit_seconds = kVersionLimitSeconds;
  const support::ProcessResult answer = support::run_process(request);
  toolchain.version = cuda_version_in(answer.out);
  if (!answer.ok() || toolchain.version.empty()) {
    searched.lines.push_back(
        fmt::format("{}: {} does not answer --version{}", words, toolchain.nvcc, answer.timed_out ? " in time" : ""));
    return std::nullopt;
  }
  if (!is_new_enough(toolchain.version)) {
    searched.lines.push_back(fmt::format("{}: {} is CUDA {}", words, toolchain.nvcc, toolchain.version));
    searched.old_versions.push_back(toolchain.version);
    return std::nullopt;
  }
  toolchain.ptxas = installation + "/bin/ptxas";
  toolchain.nvrtc = library_in(installation);
  return toolchain;
}

std::vector<std::string> install_hints() {
  return {"`tools/setup` puts nvcc into the project's folder .cuda",
          fmt::format("or point WARPWRIGHT_CUDA at a CUDA {}.{} (or later) installation", kOldestCudaMajor,
                      kOldestCudaMinor)};
}

}  // namespace

std::string cuda_version_in(const std::string &text) {
  // "Cuda compilation tools, release 13.0, V13.0.88", in `nvcc --version` and in every PTX file that it makes.
  const size_t release = text.find("Cuda compilation tools, release ");
  const size_t mark = release == std::string::npos ? release : text.find(", V", release);
  if (mark == std::string::npos || mark > text.find('\n', release)) return "";
  const size_t first = mark + 3;
  return text.substr(first, text.find_first_not_of("0123456789.", first) - first);
}

std::vector<CudaPlace> cuda_places() {
  if (const std::string own = variable("WARPWRIGHT_CUDA"); !own.empty()) return {{own, "$WARPWRIGHT_CUDA"}};
  std::vector<CudaPlace> places;
  if (const std::optional<std::string> nvcc = support::find_program("nvcc")) {
    places.push_back({installation_of(*nvcc), "PATH"});
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = variable(name); !folder.empty()) places.push_back({folder, std::string("$") + name});
  }
  places.push_back({"/usr/local/cuda", "/usr/local/cuda"});
  std::error_code error;
  add_folders_above(fs::current_path(error), places);
  add_folders_above(fs::read_symlink("/proc/self/exe", error).parent_path(), places);
  return places;
}

std::optional<CudaToolchain> find_cuda_in(const std::vector<CudaPlace> &places, support::Diagnostics &diagnostics) {
  Searched searched;
  for (const CudaPlace &place : places) {
    const size_t lines_before = searched.lines.size();
    for (const std::string &installation : installations_in(place.folder)) {
      if (auto toolchain = ask_installation(installation, place.words, searched)) return toolchain;
    }
    if (searched.lines.size() == lines_before) {
      searched.lines.push_back(fmt::format("{}: no bin/nvcc in {}", place.words, place.folder));
    }
  }
  support::Diagnostic d;
  const bool is_old = !searched.old_versions.empty();
  d.slug = is_old ? "environment.old-cuda" : "environment.no-nvcc";
  d.message = is_old ? fmt::format("CUDA {} is too old: {}.{} or later is needed", searched.old_versions.front(),
                                   kOldestCudaMajor, kOldestCudaMinor)
                     : fmt::format("there is no nvcc of CUDA {}.{} or later", kOldestCudaMajor, kOldestCudaMinor);
  d.notes = searched.lines;
  d.hints = install_hints();
  diagnostics.add(std::move(d));
  return std::nullopt;
}

std::optional<NvrtcLibrary> find_nvrtc_in(const std::vector<CudaPlace> &places, support::Diagnostics &diagnostics) {
  std::vector<std::string> lines;
  std::string old_version;
  for (const CudaPlace &place : places) {
    for (const std::string &installation : installations_in(place.folder)) {
      const std::string file = library_in(installation);
      if (file.empty()) continue;
      std::string why;
      const Nvrtc *library = open_nvrtc(file, why);
      if (library != nullptr && is_new_enough(library->version)) return NvrtcLibrary{file, library->version};
      if (library != nullptr) old_version = library->version;
      lines.push_back(
          fmt::format("{}: {}: {}", place.words, file, library != nullptr ? "it is CUDA " + library->version : why));
    }
  }
  support::Diagnostic d;
  d.slug = old_version.empty() ? "environment.no-nvrtc" : "environment.old-cuda";
  d.message = old_version.empty()
                  ? fmt::format("there is no NVRTC of CUDA {}.{} or later", kOldestCudaMajor, kOldestCudaMinor)
                  : fmt::format("NVRTC {} is too old: {}.{} or later is needed", old_version, kOldestCudaMajor,
                                kOldestCudaMinor);
  d.notes = lines;
  d.hints = install_hints();
  d.hints.push_back("or build with `--backend nvcc`");
  diagnostics.add(std::move(d));
  return std::nullopt;
}

namespace {

/// What find_cuda() and find_nvrtc() depend on; a changed environment is a new question.
std::string question_of(const std::vector<CudaPlace> &places) {
  std::string question;
  for (const CudaPlace &place : places) question += place.words + "=" + place.folder + "\n";
  return question;
}

/// Answers are remembered, failures with their diagnostics too.
template <typename Answer, typename Find>
std::optional<Answer> remembered(Find find, support::Diagnostics &diagnostics) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<std::optional<Answer>, support::Diagnostics>> answers;
  const std::vector<CudaPlace> places = cuda_places();
  const std::string question = question_of(places);
  const std::lock_guard lock(mutex);
  auto known = answers.find(question);
  if (known == answers.end()) {
    support::Diagnostics found;
    std::optional<Answer> answer = find(places, found);
    known = answers.emplace(question, std::make_pair(std::move(answer), std::move(found))).first;
  }
  diagnostics.append(known->second.second);
  return known->second.first;
}

}  // namespace

std::optional<CudaToolchain> find_cuda(support::Diagnostics &diagnostics) {
  return remembered<CudaToolchain>(find_cuda_in, diagnostics);
}

std::optional<NvrtcLibrary> find_nvrtc(support::Diagnostics &diagnostics) {
  return remembered<NvrtcLibrary>(find_nvrtc_in, diagnostics);
}

}  // namespace warpwright::compile
