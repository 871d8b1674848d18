// SPDX-License-Identifier: Apache-2.0
// Look-ups in a family's field table, and the check of a spec that was changed in memory.
#include "generator/spec/family_spec.h"

#include "generator/spec/field_check.h"

#include <fmt/format.h>

namespace warpwright::spec {

const Field *FamilySpec::find(const std::string &path) const {
  for (const Field &field : fields) {
    if (field.path == path) return &field;
  }
  return nullptr;
}

void check_spec(const KernelSpec &spec, const FamilySpec &family, support::Diagnostics &diagnostics) {
  spec.add_sources(diagnostics);
  // A planner checks every candidate, and a copy of a spec costs more than its check: only a faulty one is copied.
  std::optional<KernelSpec> faulty;
  for (const Field &field : family.fields) {
    // As in the loader, a rule sees a field that failed its own row as auto.
    if (!check_value(field, spec.at(field.path), diagnostics)) {
      if (!faulty) faulty = spec;
      FieldValue &value = faulty->values.at(field.path);
      value.kind = FieldValue::Kind::kAuto;
      value.is_invalid = true;
    }
  }
  if (family.check) family.check(faulty ? *faulty : spec, diagnostics);
}

}  // namespace warpwright::spec
