// SPDX-License-Identifier: Apache-2.0
// Loading specs from text in tests.
#pragma once

#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/spec/family_spec.h"

#include <string>
#include <vector>

namespace warpwright::tests {

struct Loaded {
  std::optional<spec::KernelSpec> spec;
  support::Diagnostics found;

  /// "slug path" of every finding, in order.
  std::vector<std::string> findings() const {
    std::vector<std::string> out;
    for (const support::Diagnostic &d : found.all()) out.push_back(d.slug + " " + d.path);
    return out;
  }
  /// "line:column" of the first finding.
  std::string place() const {
    const support::SourceLocation &where = found.all().at(0).where;
    return std::to_string(where.line) + ":" + std::to_string(where.column);
  }
  const support::Diagnostic &first() const { return found.all().at(0); }
};

inline Loaded load(const std::string &text, const std::vector<std::string> &overrides = {}) {
  Loaded out;
  out.spec = spec::load_spec_text("t.json", text, overrides, {&w4a4_lora_gemm::family_spec()}, out.found);
  return out;
}

/// A legal spec with `members` ("…, \"tile\": {…}") added to it.
inline Loaded load_with(const std::string &members, const std::vector<std::string> &overrides = {}) {
  return load(R"({"edition": 1, "family": "w4a4_lora_gemm", "problem": {"n": 3072, "k": 3072})" +
                  (members.empty() ? "" : ", " + members) + "}",
              overrides);
}

}  // namespace warpwright::tests
