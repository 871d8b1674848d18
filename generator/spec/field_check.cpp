// SPDX-License-Identifier: Apache-2.0
// Types, ranges and nearest legal values of single fields.
#include "generator/spec/field_check.h"

#include "generator/support/json_text.h"
#include "generator/support/similar.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpwright::spec {
namespace {

using support::Diagnostic;
using support::join_words;
using Kind = FieldValue::Kind;

/// Largest magnitude up to which every integer is a double.
constexpr double kExactIntegers = 9007199254740992.0;

Diagnostic finding(const Field &field, const std::string &slug, const support::SourceLocation &where,
                   std::string message) {
  Diagnostic d;
  d.slug = slug;
  d.where = where;
  d.path = field.path;
  d.message = std::move(message);
  if (!field.source.empty() && slug != "spec.wrong-type") d.notes.push_back("source: " + field.source);
  return d;
}

Kind kind_of(FieldType type) {
  switch (type) {
    case FieldType::kInteger: return Kind::kInteger;
    case FieldType::kNumber: return Kind::kNumber;
    case FieldType::kBoolean: return Kind::kBoolean;
    case FieldType::kChoice: return Kind::kText;
    case FieldType::kIntegerList: return Kind::kIntegerList;
  }
  return Kind::kAuto;
}

std::optional<int64_t> integer_from(const JsonNode &node) {
  if (node.kind == JsonNode::Kind::kInteger) return node.integer;
  // 256.0 and 1e3 are integers, as JSON Schema sees them.
  if (node.kind == JsonNode::Kind::kNumber && std::abs(node.number) <= kExactIntegers &&
      std::floor(node.number) == node.number) {
    return static_cast<int64_t>(node.number);
  }
  return std::nullopt;
}

/// Integers too large for int64_t are out of range rather than of the wrong type.
std::optional<int64_t> clamped_integer_from(const JsonNode &node) {
  if (node.kind == JsonNode::Kind::kNumber && std::abs(node.number) > kExactIntegers) {
    return node.number > 0 ? INT64_MAX : INT64_MIN;
  }
  return integer_from(node);
}

/// Words that say how a value of the wrong type could have been meant.
std::vector<std::string> type_hints(const Field &field, const JsonNode &node) {
  if (node.kind == JsonNode::Kind::kNull) {
    return {field.allows_auto ? "leave the key out, or write \"auto\"" : "leave the key out"};
  }
  if (node.kind == JsonNode::Kind::kText) {
    const bool is_digits = !node.text.empty() && node.text.find_first_not_of("0123456789") == std::string::npos;
    const bool is_number = field.type == FieldType::kInteger || field.type == FieldType::kNumber;
    const bool is_word = node.text == "true" || node.text == "false";
    if ((is_digits && is_number) || (is_word && field.type == FieldType::kBoolean)) {
      return {fmt::format("write {} without quotes", node.text)};
    }
  }
  if (field.type == FieldType::kBoolean && node.kind == JsonNode::Kind::kInteger) return {"write true or false"};
  return {};
}

std::vector<std::string> integer_words(const std::vector<int64_t> &values) {
  std::vector<std::string> out;
  for (const int64_t value : values) out.push_back(std::to_string(value));
  return out;
}

/// The one or two legal values around an illegal one, smaller first.
std::vector<int64_t> nearest_integers(const Field &field, int64_t value) {
  std::vector<int64_t> around;
  if (!field.integers.empty()) {
    std::vector<int64_t> sorted = field.integers;
    std::sort(sorted.begin(), sorted.end());
    const auto above = std::upper_bound(sorted.begin(), sorted.end(), value);
    if (above != sorted.begin()) around.push_back(*(above - 1));
    if (above != sorted.end()) around.push_back(*above);
    return around;
  }
  const int64_t step = std::max<int64_t>(1, field.multiple_of);
  const int64_t lowest = (field.min + step - 1) / step * step;
  const int64_t highest = field.max / step * step;
  if (value <= lowest) return {lowest};
  if (value >= highest) return {highest};
  return {value / step * step, value / step * step + step};
}

std::string nearest_words(const std::vector<int64_t> &values) {
  return fmt::format("nearest legal value{}: {}", values.size() == 1 ? "" : "s", join_words(integer_words(values)));
}

bool is_legal_integer(const Field &field, int64_t value) {
  if (!field.integers.empty()) {
    return std::find(field.integers.begin(), field.integers.end(), value) != field.integers.end();
  }
  return value >= field.min && value <= field.max && value % std::max<int64_t>(1, field.multiple_of) == 0;
}

std::string with_unit(int64_t value, const std::string &unit) {
  return unit.empty() ? std::to_string(value) : fmt::format("{} {}", value, unit);
}

/// Why an integer is refused: set, bounds or step.
std::string integer_refusal(const Field &field, int64_t value) {
  const std::string nearest = nearest_words(nearest_integers(field, value));
  const bool is_clamped = value == INT64_MAX || value == INT64_MIN;
  const bool is_plural = !is_clamped && !field.unit.empty() && value != 1;
  const std::string shown =
      (is_clamped ? "the value" : with_unit(value, field.unit)) + std::string(is_plural ? " are" : " is");
  if (!field.integers.empty()) return fmt::format("{} not {}; {}", shown, legal_values(field), nearest);
  if (value > field.max) return fmt::format("{} above the limit of {}; {}", shown, field.max, nearest);
  if (value < field.min) return fmt::format("{} below the limit of {}; {}", shown, field.min, nearest);
  return fmt::format("{} not a multiple of {}; {}", shown, field.multiple_of, nearest);
}

bool check_number(const Field &field, const FieldValue &value, support::Diagnostics &diagnostics) {
  const bool above_min = field.excludes_number_min ? value.number > field.number_min : value.number >= field.number_min;
  if (above_min && value.number <= field.number_max) return true;
  diagnostics.add(finding(field, "spec.out-of-range", value.where,
                          fmt::format("{} is not {}", support::json_number(value.number), legal_values(field))));
  return false;
}

bool check_choice(const Field &field, const FieldValue &value, support::Diagnostics &diagnostics) {
  if (std::find(field.choices.begin(), field.choices.end(), value.text) != field.choices.end()) return true;
  const auto meant = support::most_similar(value.text, field.choices);
  diagnostics.add(finding(field, "spec.not-a-choice", value.where,
                          fmt::format("{} is not {}{}", support::json_quote(value.text.substr(0, 48)), legal_values(field),
                                      meant ? "; did you mean \"" + *meant + "\"?" : "")));
  return false;
}

bool check_list(const Field &field, const FieldValue &value, support::Diagnostics &diagnostics) {
  if (static_cast<int64_t>(value.list.size()) != field.list_elems) {
    diagnostics.add(finding(field, "spec.out-of-range", value.where,
                            fmt::format("the list has {} values; it needs {}", value.list.size(), field.list_elems)));
    return false;
  }
  for (const int64_t item : value.list) {
    if (is_legal_integer(field, item)) continue;
    diagnostics.add(finding(field, "spec.out-of-range", value.where, integer_refusal(field, item)));
    return false;
  }
  return true;
}

}  // namespace

std::string legal_values(const Field &field) {
  const auto quoted = [](const std::vector<std::string> &words) {
    std::vector<std::string> out;
    for (const std::string &word : words) out.push_back("\"" + word + "\"");
    return out;
  };
  switch (field.type) {
    case FieldType::kBoolean: return "true or false";
    case FieldType::kChoice: return join_words(quoted(field.choices), "or");
    case FieldType::kNumber: {
      const std::string low = field.excludes_number_min ? fmt::format("above {}", support::json_number(field.number_min))
                                                        : fmt::format("from {}", support::json_number(field.number_min));
      return fmt::format("{} to {}", low, support::json_number(field.number_max));
    }
    case FieldType::kInteger:
    case FieldType::kIntegerList: break;
  }
  if (!field.integers.empty()) return join_words(integer_words(field.integers), "or");
  if (field.multiple_of > 1) return fmt::format("a multiple of {} from {} to {}", field.multiple_of, field.min, field.max);
  return fmt::format("{} to {}", field.min, field.max);
}

std::string type_words(const Field &field) {
  std::string out;
  switch (field.type) {
    case FieldType::kInteger: out = "an integer"; break;
    case FieldType::kNumber: out = "a number"; break;
    case FieldType::kBoolean: out = "true or false"; break;
    case FieldType::kChoice: out = legal_values(field); break;
    case FieldType::kIntegerList: out = fmt::format("a list of {} integers", field.list_elems); break;
  }
  if (field.allows_dynamic) out += " or \"dynamic\"";
  if (field.allows_auto) out += " or \"auto\"";
  return out;
}

std::optional<FieldValue> value_from_json(const Field &field, const JsonNode &node, const JsonDocument &document,
                                          support::Diagnostics &diagnostics) {
  FieldValue value;
  value.where = document.locate(node);
  const auto wrong_type = [&]() -> std::optional<FieldValue> {
    Diagnostic d = finding(field, "spec.wrong-type", value.where,
                           fmt::format("expected {}, found {}", type_words(field), document.literal(node)));
    d.hints = type_hints(field, node);
    diagnostics.add(std::move(d));
    return std::nullopt;
  };
  if (node.kind == JsonNode::Kind::kText && node.text == "auto" && field.allows_auto) return value;
  if (node.kind == JsonNode::Kind::kText && node.text == "dynamic" && field.allows_dynamic) {
    value.kind = Kind::kDynamic;
    return value;
  }
  value.kind = kind_of(field.type);
  switch (field.type) {
    case FieldType::kInteger: {
      const std::optional<int64_t> integer = clamped_integer_from(node);
      if (!integer) return wrong_type();
      value.integer = *integer;
      return value;
    }
    case FieldType::kNumber:
      if (node.kind == JsonNode::Kind::kInteger) {
        value.number = static_cast<double>(node.integer);
      } else if (node.kind == JsonNode::Kind::kNumber) {
        value.number = node.number;
      } else {
        return wrong_type();
      }
      return value;
    case FieldType::kBoolean:
      if (node.kind != JsonNode::Kind::kBoolean) return wrong_type();
      value.boolean = node.boolean;
      return value;
    case FieldType::kChoice:
      if (node.kind != JsonNode::Kind::kText) return wrong_type();
      value.text = node.text;
      return value;
    case FieldType::kIntegerList:
      if (node.kind != JsonNode::Kind::kList) return wrong_type();
      for (const JsonNode &item : node.items) {
        const std::optional<int64_t> integer = clamped_integer_from(item);
        if (!integer) return wrong_type();
        value.list.push_back(*integer);
      }
      return value;
  }
  return wrong_type();
}

bool check_value(const Field &field, const FieldValue &value, support::Diagnostics &diagnostics) {
  // Planner-chosen fields stay auto; elsewhere the loader has put the default in its place.
  if (value.is_auto() && field.allows_auto) return true;
  if (value.is_dynamic() && field.allows_dynamic) return true;
  if (value.kind != kind_of(field.type)) {
    diagnostics.add(finding(field, "spec.wrong-type", value.where,
                            fmt::format("expected {}, found {}", type_words(field), value.to_json())));
    return false;
  }
  switch (field.type) {
    case FieldType::kBoolean: return true;
    case FieldType::kNumber: return check_number(field, value, diagnostics);
    case FieldType::kChoice: return check_choice(field, value, diagnostics);
    case FieldType::kIntegerList: return check_list(field, value, diagnostics);
    case FieldType::kInteger: break;
  }
  if (is_legal_integer(field, value.integer)) return true;
  diagnostics.add(finding(field, "spec.out-of-range", value.where, integer_refusal(field, value.integer)));
  return false;
}

}  // namespace warpwright::spec
