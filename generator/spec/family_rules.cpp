// SPDX-License-Identifier: Apache-2.0
// Values and refusals of the rules between fields.
#include "generator/spec/family_rules.h"

namespace warpwright::spec {

std::optional<int64_t> integer_of(const KernelSpec &spec, const std::string &path) {
  const FieldValue &value = spec.at(path);
  return value.kind == FieldValue::Kind::kInteger ? std::optional<int64_t>(value.integer) : std::nullopt;
}

std::string word_of(const KernelSpec &spec, const std::string &path) {
  const FieldValue &value = spec.at(path);
  return value.kind == FieldValue::Kind::kText ? value.text : "";
}

void refuse(const KernelSpec &spec, Refusal refusal, support::Diagnostics &diagnostics) {
  support::Diagnostic d;
  d.slug = std::move(refusal.slug);
  d.where = spec.at(refusal.path).where;
  d.path = std::move(refusal.path);
  d.message = std::move(refusal.message);
  d.notes.push_back("source: " + refusal.source);
  d.hints = std::move(refusal.hints);
  diagnostics.add(std::move(d));
}

}  // namespace warpwright::spec
