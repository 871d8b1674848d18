// SPDX-License-Identifier: Apache-2.0
// The verb `schema`: what a family's specs look like, for editors and for people.
#include "generator/spec/family_spec.h"
#include "tools/cli/families.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"

namespace warpwright::cli {

int run_schema(const SchemaOptions &options) {
  support::Diagnostics diagnostics;
  const spec::FamilySpec *family = find_family_spec(options.family, diagnostics);
  if (family != nullptr) {
    write_result(options.output, options.table ? spec::markdown_table(*family) : spec::json_schema(*family), diagnostics);
  }
  return finish(diagnostics);
}

}  // namespace warpwright::cli
