// SPDX-License-Identifier: Apache-2.0
// Rows of field tables.
#include "generator/spec/field_rows.h"

namespace warpwright::spec {

Field planned(std::string path, FieldType type, std::string unit, std::string text) {
  Field field;
  field.path = std::move(path);
  field.type = type;
  field.unit = std::move(unit);
  field.text = std::move(text);
  return field;
}

Field choice(std::string path, std::vector<std::string> choices, std::string text) {
  Field field = planned(std::move(path), FieldType::kChoice, "", std::move(text));
  field.default_value = text_value(choices.front());
  field.choices = std::move(choices);
  return field;
}

Field boolean(std::string path, bool preset, std::string text) {
  Field field = planned(std::move(path), FieldType::kBoolean, "", std::move(text));
  field.default_value = boolean_value(preset);
  return field;
}

Field one_of(std::string path, std::vector<int64_t> integers, std::string unit, std::string text) {
  Field field = planned(std::move(path), FieldType::kInteger, std::move(unit), std::move(text));
  field.min = integers.front();
  field.max = integers.back();
  field.integers = std::move(integers);
  return field;
}

Field range(std::string path, int64_t min, int64_t max, int64_t multiple_of, std::string unit, std::string text) {
  Field field = planned(std::move(path), FieldType::kInteger, std::move(unit), std::move(text));
  field.min = min;
  field.max = max;
  field.multiple_of = multiple_of;
  return field;
}

Field with_source(Field field, std::string source) {
  field.source = std::move(source);
  return field;
}

}  // namespace warpwright::spec
