// SPDX-License-Identifier: Apache-2.0
// The verb `new`: a spec to start from.
#include "generator/spec/family_spec.h"
#include "generator/support/files.h"
#include "tools/cli/families.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

namespace warpwright::cli {

int run_new(const NewOptions &options) {
  support::Diagnostics diagnostics;
  const spec::FamilySpec *family = find_family_spec(options.family, diagnostics);
  if (family == nullptr) return finish(diagnostics);
  const std::string text = spec::starter_spec(*family, options.all);
  if (options.output.empty() || options.output == "-") {
    write_result("", text, diagnostics);
    return finish(diagnostics);
  }
  std::string why;
  if (!support::write_file(options.output, text, why, support::IfExists::kRefuse)) {
    const bool exists = support::is_file(options.output);
    support::Diagnostic d = exists ? error("cli.file-exists", "the file exists and is left alone",
                                           {"give another name, or remove the file first"})
                                   : error("cli.unwritable", fmt::format("cannot write the file: {}", why));
    d.where.file = options.output;
    diagnostics.add(std::move(d));
  } else {
    fmt::print(stderr, "wrote {}\n", options.output);
  }
  return finish(diagnostics);
}

}  // namespace warpwright::cli
