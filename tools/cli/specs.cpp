// SPDX-License-Identifier: Apache-2.0
// Finding and loading specs.
#include "tools/cli/specs.h"

#include "generator/plan/repair.h"
#include "generator/spec/family_spec.h"
#include "generator/support/digest.h"
#include "generator/support/files.h"
#include "tools/cli/families.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

thread_local std::string current_text;

bool is_spec_name(const std::string &name) {
  const auto ends_with = [&](const std::string &end) {
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  // What `build` writes beside the specs is none.
  return ends_with(".json") && !ends_with(".schema.json") && !ends_with(".plan.json") && !ends_with(".findings.json") &&
         name.front() != '.';
}

std::vector<std::string> specs_below(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    if (item->is_regular_file(error) && is_spec_name(item->path().filename().string())) {
      files.push_back(item->path().lexically_normal().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> expand_specs(const std::vector<std::string> &arguments, support::Diagnostics &diagnostics) {
  std::vector<std::string> files;
  for (const std::string &argument : arguments) {
    if (argument == "-" || !support::is_folder(argument)) {
      files.push_back(argument);
      continue;
    }
    const std::vector<std::string> below = specs_below(argument);
    files.insert(files.end(), below.begin(), below.end());
    if (below.empty()) {
      support::Diagnostic d = error("cli.no-specs", "the folder holds no spec (*.json)", {"`warpwright list specs`"});
      d.where.file = argument;
      diagnostics.add(std::move(d));
    }
  }
  return files;
}

std::optional<spec::KernelSpec> load_spec(const std::string &file, const std::vector<std::string> &set,
                                          support::Diagnostics &diagnostics) {
  support::Diagnostics found;
  std::optional<spec::KernelSpec> spec = spec::load_spec(file, set, family_specs(), found);
  current_text = spec ? spec->source_text : "";
  // Broken rules may hide that the memories are exceeded too; standard input cannot be read twice.
  if (!spec && file != "-") {
    support::Diagnostics ignored;
    if (const auto values = load_spec_values(file, set, ignored))
      plan::report_hidden_faults(*values, family_plan(values->family), *target::find_target(values->arch), found, found);
  }
  diagnostics.append(found);
  return spec;
}

std::optional<spec::KernelSpec> load_spec_values(const std::string &file, const std::vector<std::string> &set,
                                                 support::Diagnostics &diagnostics) {
  std::deque<spec::FamilySpec> rows_only;
  std::vector<const spec::FamilySpec *> families;
  for (const spec::FamilySpec *family : family_specs()) {
    rows_only.push_back(*family);
    rows_only.back().check = nullptr;
    families.push_back(&rows_only.back());
  }
  return spec::load_spec(file, set, families, diagnostics);
}

std::string current_spec_digest() { return current_text.empty() ? "" : support::sha256_hex(current_text); }

std::string shipped_specs_folder() {
  if (support::is_folder("configs/kernels")) return "configs/kernels";
  std::error_code error;
  fs::path place = fs::read_symlink("/proc/self/exe", error).parent_path();
  // build/<preset>/bin in a checkout; bin beside share in a package.
  for (int level = 0; level < 4 && place.has_relative_path(); ++level, place = place.parent_path()) {
    for (const char *folder : {"share/warpwright/kernels", "configs/kernels"}) {
      if (fs::is_directory(place / folder, error)) return (place / folder).string();
    }
  }
  return "";
}

}  // namespace warpwright::cli
