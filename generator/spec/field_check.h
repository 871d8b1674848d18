// SPDX-License-Identifier: Apache-2.0
// One value against one row of a family's field table.
#pragma once

#include "generator/spec/family_spec.h"
#include "generator/spec/json_tree.h"

namespace warpwright::spec {

/// The node's value as the field's type, range not yet checked; or nothing with spec.wrong-type.
std::optional<FieldValue> value_from_json(const Field &field, const JsonNode &node, const JsonDocument &document,
                                          support::Diagnostics &diagnostics);

/// Whether the value is one that the row allows; if not, spec.wrong-type, spec.out-of-range or spec.not-a-choice with
/// the nearest legal values.
bool check_value(const Field &field, const FieldValue &value, support::Diagnostics &diagnostics);

/// "an integer", "a list of 2 integers" … with "auto" or "dynamic" where allowed.
std::string type_words(const Field &field);

}  // namespace warpwright::spec
