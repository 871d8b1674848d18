// SPDX-License-Identifier: Apache-2.0
// What is printed from a family's field table: JSON Schema, Markdown table, a spec to start from.
#include "generator/spec/family_spec.h"
#include "generator/support/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpwright::spec {
namespace {

using support::json_number;
using support::json_quote;

std::string joined(const std::vector<std::string> &parts) {
  std::string out;
  for (const std::string &part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

/// An object whose members keep their order; printed over several lines.
struct Object {
  struct Member {
    std::string name;
    std::string literal;            ///< when `sections` has no entry of this name
    std::vector<Object> section;    ///< none or one
  };
  std::vector<Member> members;

  void put(std::string name, std::string literal) { members.push_back({std::move(name), std::move(literal), {}}); }

  Object &section(const std::string &name) {
    for (Member &member : members) {
      if (member.name == name && !member.section.empty()) return member.section.front();
    }
    members.push_back({name, "", {Object()}});
    return members.back().section.front();
  }

  std::string print(int indent_chars = 0) const {
    const std::string indent(static_cast<size_t>(indent_chars) + 2, ' ');
    std::string out = "{";
    for (const Member &member : members) {
      const std::string text =
          member.section.empty() ? member.literal : member.section.front().print(indent_chars + 2);
      out += fmt::format("{}\n{}{}: {}", &member == &members.front() ? "" : ",", indent, json_quote(member.name), text);
    }
    return out + "\n" + std::string(static_cast<size_t>(indent_chars), ' ') + "}";
  }
};

/// The legal values of one field as schema keywords, without "auto" and "dynamic".
std::string value_schema(const Field &field) {
  const std::string range = fmt::format(R"("type": "integer", "minimum": {}, "maximum": {}{})", field.min, field.max,
                                        field.multiple_of > 1 ? fmt::format(R"(, "multipleOf": {})", field.multiple_of)
                                                              : "");
  switch (field.type) {
    case FieldType::kInteger: return "{" + range + "}";
    case FieldType::kNumber:
      return fmt::format(R"({{"type": "number", "{}": {}, "maximum": {}}})",
                         field.excludes_number_min ? "exclusiveMinimum" : "minimum", json_number(field.number_min),
                         json_number(field.number_max));
    case FieldType::kIntegerList:
      return fmt::format(R"({{"type": "array", "items": {{{}}}, "minItems": {}, "maxItems": {}}})", range,
                         field.list_elems, field.list_elems);
    case FieldType::kBoolean:
    case FieldType::kChoice: break;
  }
  return "{}";
}

/// Legal values that can be listed one by one; empty for ranges.
std::vector<std::string> enumerated(const Field &field) {
  std::vector<std::string> out;
  for (const int64_t value : field.integers) out.push_back(std::to_string(value));
  for (const std::string &choice : field.choices) out.push_back(json_quote(choice));
  if (field.type == FieldType::kBoolean) out = {"true", "false"};
  return out;
}

std::vector<std::string> special_words(const Field &field) {
  std::vector<std::string> out;
  if (field.allows_dynamic) out.push_back("\"dynamic\"");
  if (field.allows_auto) out.push_back("\"auto\"");
  return out;
}

void put_field_schema(Object &properties, const std::string &name, const Field &field) {
  Object &out = properties.section(name);
  std::string text = field.text;
  if (!field.unit.empty()) text += " Unit: " + field.unit + ".";
  if (!field.source.empty()) text += " Source: " + field.source + ".";
  out.put("description", json_quote(text));
  if (!field.required) out.put("default", field.default_value.to_json());
  std::vector<std::string> values = enumerated(field);
  const std::vector<std::string> words = special_words(field);
  if (!values.empty()) {
    values.insert(values.end(), words.begin(), words.end());
    out.put("enum", "[" + joined(values) + "]");
  } else {
    std::vector<std::string> alternatives = {value_schema(field)};
    if (!words.empty()) alternatives.push_back("{\"enum\": [" + joined(words) + "]}");
    out.put("anyOf", "[" + joined(alternatives) + "]");
  }
}

/// Schema of the object at `section` ("" is the top level).
void fill_object_schema(Object &schema, const FamilySpec &family, const std::string &section) {
  const std::string prefix = section.empty() ? "" : section + ".";
  schema.put("type", "\"object\"");
  std::vector<std::string> required;
  Object properties;
  if (section.empty()) {
    required = {"\"edition\"", "\"family\""};
    properties.section("$schema").put("type", "\"string\"");
  }
  properties.put("$comment", "{}");
  if (section.empty()) {
    properties.put("edition", fmt::format("{{\"const\": {}}}", family.edition));
    properties.put("family", "{\"const\": " + json_quote(family.name) + "}");
    std::vector<std::string> archs;
    for (const std::string &arch : family.archs) archs.push_back(json_quote(arch));
    archs.push_back("\"auto\"");
    properties.section("arch").put("enum", "[" + joined(archs) + "]");
  }
  std::vector<std::string> done;
  for (const Field &field : family.fields) {
    if (field.path.rfind(prefix, 0) != 0) continue;
    const std::string rest = field.path.substr(prefix.size());
    const std::string key = rest.substr(0, rest.find('.'));
    if (field.required && std::find(required.begin(), required.end(), json_quote(key)) == required.end()) {
      required.push_back(json_quote(key));
    }
    if (std::find(done.begin(), done.end(), key) != done.end()) continue;
    done.push_back(key);
    if (key == rest) {
      put_field_schema(properties, key, field);
    } else {
      fill_object_schema(properties.section(key), family, prefix + key);
    }
  }
  schema.section("properties") = std::move(properties);
  if (!required.empty()) schema.put("required", "[" + joined(required) + "]");
  schema.put("additionalProperties", "false");
}

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

}  // namespace

std::string json_schema(const FamilySpec &family) {
  Object schema;
  schema.put("$schema", "\"http://json-schema.org/draft-07/schema#\"");
  schema.put("title", json_quote(family.name + ": " + family.title));
  fill_object_schema(schema, family, "");
  return schema.print() + "\n";
}

std::string markdown_table(const FamilySpec &family) {
  std::string out = "| Field | Values | Default | Meaning |\n|---|---|---|---|\n";
  for (const Field &field : family.fields) {
    std::string values;
    std::vector<std::string> listed = enumerated(field);
    const std::vector<std::string> words = special_words(field);
    if (listed.empty()) listed.push_back(legal_values(field));
    if (field.type == FieldType::kIntegerList) listed = {fmt::format("{} × ({})", field.list_elems, legal_values(field))};
    listed.insert(listed.end(), words.begin(), words.end());
    for (const std::string &value : listed) values += (values.empty() ? "" : ", ") + value;
    if (!field.unit.empty()) values += " (" + field.unit + ")";
    const std::string preset = field.required ? "required" : "`" + field.default_value.to_json() + "`";
    const std::string source = field.source.empty() ? "" : " Source: " + field.source + ".";
    out += fmt::format("| `{}` | {} | {} | {} |\n", field.path, cell(values), cell(preset), cell(field.text + source));
  }
  return out;
}

std::string starter_spec(const FamilySpec &family, bool all) {
  Object spec;
  spec.put("edition", std::to_string(family.edition));
  spec.put("family", json_quote(family.name));
  spec.put("arch", json_quote(family.archs.front()));
  const auto put = [&](const std::string &path, const std::string &literal) {
    Object *object = &spec;
    std::string rest = path;
    for (size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      object = &object->section(rest.substr(0, dot));
      rest = rest.substr(dot + 1);
    }
    object->put(rest, literal);
  };
  for (const Field &field : family.fields) {
    const auto given = std::find_if(family.starter.begin(), family.starter.end(),
                                    [&](const auto &item) { return item.first == field.path; });
    if (given != family.starter.end()) {
      put(field.path, given->second);
    } else if (all) {
      put(field.path, field.default_value.to_json());
    }
  }
  return spec.print() + "\n";
}

}  // namespace warpwright::spec
