// SPDX-License-Identifier: Apache-2.0
// Staging a build's files.
#include "tools/cli/build_files.h"

#include "generator/compile/scratch.h"
#include "generator/support/files.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kStagedPrefix[] = ".warpwright-staged-";

bool unwritable(const std::string &file, const std::string &why, support::Diagnostics &diagnostics) {
  support::Diagnostic d = error("cli.unwritable", fmt::format("cannot write the file: {}", why));
  d.where.file = file;
  diagnostics.add(std::move(d));
  return false;
}

void remove_abandoned(const std::string &folder) {
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    const std::string path = item->path().string();
    std::error_code ignored;
    if (compile::is_abandoned(path, item->path().filename().string(), kStagedPrefix)) fs::remove_all(path, ignored);
  }
}

/// Gone on every way out.
struct StagingFolder {
  std::string path;
  ~StagingFolder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

bool holds(const std::string &file, const std::string &bytes) {
  std::string unused;
  const std::optional<std::string> old = support::read_file(file, unused);
  return old && *old == bytes;
}

}  // namespace

bool write_files(const std::string &folder, const std::vector<std::pair<std::string, std::string>> &files,
                 support::Diagnostics &diagnostics) {
  std::string why;
  if (!support::make_folders(folder, why)) return unwritable(folder, why, diagnostics);
  remove_abandoned(folder);
  StagingFolder staging{folder + "/" + kStagedPrefix + compile::owner_tag()};
  if (!support::make_folders(staging.path, why)) return unwritable(folder, why, diagnostics);
  std::vector<const std::string *> changed;
  for (const auto &[name, bytes] : files) {
    if (holds(folder + "/" + name, bytes)) continue;
    if (!support::write_file(staging.path + "/" + name, bytes, why))
      return unwritable(folder + "/" + name, why, diagnostics);
    changed.push_back(&name);
  }
  for (const std::string *name : changed) {
    const std::string target = folder + "/" + *name;
    if (std::rename((staging.path + "/" + *name).c_str(), target.c_str()) != 0) {
      return unwritable(target, std::strerror(errno), diagnostics);
    }
  }
  return true;
}

}  // namespace warpwright::cli
