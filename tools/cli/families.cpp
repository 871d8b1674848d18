// SPDX-License-Identifier: Apache-2.0
// The families' spec sides.
#include "tools/cli/families.h"

#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/families/w4a8_gemm/spec.h"
#include "generator/support/similar.h"
#include "generator/support/text_table.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

namespace warpwright::cli {

const std::vector<const spec::FamilySpec *> &family_specs() {
  static const std::vector<const spec::FamilySpec *> families = {&w4a4_lora_gemm::family_spec(), &w4a8_gemm::family_spec()};
  return families;
}

const spec::FamilySpec *find_family_spec(const std::string &name) {
  for (const spec::FamilySpec *family : family_specs()) {
    if (family->name == name) return family;
  }
  return nullptr;
}

const spec::FamilySpec *find_family_spec(const std::string &name, support::Diagnostics &diagnostics) {
  const spec::FamilySpec *found = find_family_spec(name);
  if (found != nullptr) return found;
  std::vector<std::string> names;
  for (const spec::FamilySpec *family : family_specs()) names.push_back(family->name);
  const auto meant = support::most_similar(name, names);
  diagnostics.add(error("cli.usage",
                        fmt::format("there is no family \"{}\"; {}", name,
                                    meant ? "did you mean \"" + *meant + "\"?" : "families are " + support::join_words(names)),
                        {"warpwright list families"}));
  return nullptr;
}

const spec::FamilySpec &family_spec(const std::string &name) {
  const spec::FamilySpec *family = find_family_spec(name);
  WARPWRIGHT_ASSERT(family != nullptr, "no family is named " + name);
  return *family;
}

}  // namespace warpwright::cli
