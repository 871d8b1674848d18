// SPDX-License-Identifier: Apache-2.0
// Typed access to a spec's values, and its canonical text.
#include "generator/spec/kernel_spec.h"

#include "generator/support/json_text.h"

#include <fmt/format.h>

namespace warpwright::spec {
namespace {

std::string name_of(FieldValue::Kind kind) {
  switch (kind) {
    case FieldValue::Kind::kAuto: return "auto";
    case FieldValue::Kind::kDynamic: return "dynamic";
    case FieldValue::Kind::kInteger: return "an integer";
    case FieldValue::Kind::kNumber: return "a number";
    case FieldValue::Kind::kBoolean: return "a boolean";
    case FieldValue::Kind::kText: return "a word";
    case FieldValue::Kind::kIntegerList: return "a list";
  }
  return "?";
}

const FieldValue &expect(const FieldValue &value, std::string_view path, FieldValue::Kind kind) {
  WARPWRIGHT_ASSERT(value.kind == kind,
                    fmt::format("{} is {}, read as {}", path, name_of(value.kind), name_of(kind)));
  return value;
}

/// Members of one object of the canonical text; a name is either a value or an object.
struct Section {
  std::map<std::string, std::string> literals;
  std::map<std::string, Section> sections;

  void put(const std::string &path, std::string literal) {
    const size_t dot = path.find('.');
    if (dot == std::string::npos) {
      literals[path] = std::move(literal);
    } else {
      sections[path.substr(0, dot)].put(path.substr(dot + 1), std::move(literal));
    }
  }

  std::string print(size_t indent_chars) const {
    std::map<std::string, std::string> members = literals;
    for (const auto &[name, section] : sections) members[name] = section.print(indent_chars + 2);
    const std::string indent(indent_chars + 2, ' ');
    std::string out;
    for (const auto &[name, text] : members) {
      out += fmt::format("{}{}{}: {}", out.empty() ? "{\n" : ",\n", indent, support::json_quote(name), text);
    }
    return out + "\n" + std::string(indent_chars, ' ') + "}";
  }
};

}  // namespace

std::string FieldValue::to_json() const {
  switch (kind) {
    case Kind::kAuto: return "\"auto\"";
    case Kind::kDynamic: return "\"dynamic\"";
    case Kind::kInteger: return std::to_string(integer);
    case Kind::kNumber: return support::json_number(number);
    case Kind::kBoolean: return boolean ? "true" : "false";
    case Kind::kText: return support::json_quote(text);
    case Kind::kIntegerList: break;
  }
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(list[i]);
  return out + "]";
}

bool FieldValue::same_value(const FieldValue &other) const {
  return kind == other.kind && to_json() == other.to_json();
}

const FieldValue &KernelSpec::at(std::string_view path) const {
  const auto found = values.find(path);
  WARPWRIGHT_ASSERT(found != values.end(), fmt::format("family {} has no field {}", family, path));
  return found->second;
}

int64_t KernelSpec::integer(std::string_view path) const {
  return expect(at(path), path, FieldValue::Kind::kInteger).integer;
}

double KernelSpec::number(std::string_view path) const {
  return expect(at(path), path, FieldValue::Kind::kNumber).number;
}

bool KernelSpec::flag(std::string_view path) const {
  return expect(at(path), path, FieldValue::Kind::kBoolean).boolean;
}

const std::string &KernelSpec::text(std::string_view path) const {
  return expect(at(path), path, FieldValue::Kind::kText).text;
}

const std::vector<int64_t> &KernelSpec::list(std::string_view path) const {
  return expect(at(path), path, FieldValue::Kind::kIntegerList).list;
}

KernelSpec KernelSpec::with(const std::string &path, FieldValue value) const {
  KernelSpec copy = *this;
  const FieldValue &old = copy.at(path);
  value.where = old.where;
  value.is_default = old.is_default;
  copy.values[path] = std::move(value);
  return copy;
}

std::string KernelSpec::canonical_json() const {
  Section root;
  for (const auto &[path, value] : values) root.put(path, value.to_json());
  root.put("arch", support::json_quote(arch));
  root.put("edition", std::to_string(edition));
  root.put("family", support::json_quote(family));
  return root.print(0) + "\n";
}

void KernelSpec::add_sources(support::Diagnostics &diagnostics) const {
  diagnostics.add_source(file, source_text);
  if (!overrides_text.empty()) diagnostics.add_source(kOverridesFile, overrides_text);
}

FieldValue auto_value() { return FieldValue(); }

FieldValue dynamic_value() {
  FieldValue out;
  out.kind = FieldValue::Kind::kDynamic;
  return out;
}

FieldValue integer_value(int64_t value) {
  FieldValue out;
  out.kind = FieldValue::Kind::kInteger;
  out.integer = value;
  return out;
}

FieldValue number_value(double value) {
  FieldValue out;
  out.kind = FieldValue::Kind::kNumber;
  out.number = value;
  return out;
}

FieldValue boolean_value(bool value) {
  FieldValue out;
  out.kind = FieldValue::Kind::kBoolean;
  out.boolean = value;
  return out;
}

FieldValue text_value(std::string value) {
  FieldValue out;
  out.kind = FieldValue::Kind::kText;
  out.text = std::move(value);
  return out;
}

FieldValue list_value(std::vector<int64_t> value) {
  FieldValue out;
  out.kind = FieldValue::Kind::kIntegerList;
  out.list = std::move(value);
  return out;
}

}  // namespace warpwright::spec
