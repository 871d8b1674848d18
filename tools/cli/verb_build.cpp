// SPDX-License-Identifier: Apache-2.0
// The verb `build`: specs to cubins, files and an archive.
#include "tools/cli/build_lowered.h"
#include "tools/cli/interruption.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace warpwright::cli {
namespace {

/// Each architecture once, in the order given.
std::vector<std::string> unique(const std::vector<std::string> &archs) {
  std::vector<std::string> result;
  for (const std::string &arch : archs) {
    if (std::find(result.begin(), result.end(), arch) == result.end()) result.push_back(arch);
  }
  return result;
}

}  // namespace

int run_build(const BuildOptions &options) {
  const InterruptScope interrupts;
  support::Diagnostics diagnostics;
  const std::vector<std::string> files = expand_specs(options.specs, diagnostics);
  for (const std::string &output : {options.archive, options.report}) {
    if (!spares_inputs(output, files, diagnostics)) return finish(diagnostics, format_of(options.json));
  }
  std::vector<std::optional<LoweredOperator>> lowered(files.size());
  std::vector<support::Diagnostics> found(files.size());
  // Everything that needs no compiler comes first: all of its problems are told before a second is spent.
  for_each_parallel(files.size(), options.jobs, [&](size_t i) {
    if (!InterruptScope::is_interrupted())
      lowered[i] = lower_spec(files[i], options.set, unique(options.archs), {}, found[i]);
  });
  for (const support::Diagnostics &each : found) diagnostics.append(each);
  if (InterruptScope::is_interrupted()) {
    constexpr std::string_view kText = "interrupted: nothing was written\n";
    std::fwrite(kText.data(), 1, kText.size(), stderr);
    return static_cast<int>(support::Exit::kInterrupted);
  }
  if (diagnostics.has_errors() || files.empty()) return finish(diagnostics, format_of(options.json));
  print_findings(diagnostics, format_of(options.json));
  std::vector<LoweredOperator> operators;
  for (auto &each : lowered) operators.push_back(std::move(*each));
  return build_lowered(std::move(operators), options);
}

}  // namespace warpwright::cli
