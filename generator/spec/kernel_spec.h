// SPDX-License-Identifier: Apache-2.0
// A kernel spec as the user wrote it: values by dotted path, each with its place in the JSON.
#pragma once

#include "generator/support/diagnostics.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::spec {

/// The value of one field. `kAuto` asks the planner to choose; `kDynamic` is bound at launch.
struct FieldValue {
  enum class Kind { kAuto, kDynamic, kInteger, kNumber, kBoolean, kText, kIntegerList };
  Kind kind = Kind::kAuto;
  int64_t integer = 0;
  double number = 0;
  bool boolean = false;
  std::string text;
  std::vector<int64_t> list;
  support::SourceLocation where;  ///< of the value; for a default, of the object that lacks it
  bool is_default = false;        ///< the user did not write it
  bool is_invalid = false;        ///< written but refused by its own row; only a family's cross-field check sees these

  bool is_auto() const { return kind == Kind::kAuto; }
  bool is_dynamic() const { return kind == Kind::kDynamic; }
  /// The value as a JSON literal: 256, true, "nvfp4", [2, 1], "auto", "dynamic".
  std::string to_json() const;
  bool same_value(const FieldValue &other) const;
};

/// What locations call the list of `--set` overrides.
inline constexpr char kOverridesFile[] = "--set";

/// A checked spec: every field of the family's table is present, written or by default.
///
/// Ensures   values obey the field table's ranges; cross-field rules were checked by the family.
struct KernelSpec {
  std::string file;         ///< as the user named it; "-" for standard input
  std::string source_text;  ///< the JSON itself, for carets
  std::string overrides_text;  ///< one `--set` a line: the file named kOverridesFile in locations
  std::string family;
  std::string arch;         ///< "sm_100a"
  int edition = 1;
  std::map<std::string, FieldValue, std::less<>> values;  ///< by dotted path, e.g. "lora.rank"

  /// Requires that the family's table has `path` (our bug otherwise, as are the wrong-kind accesses below).
  const FieldValue &at(std::string_view path) const;
  int64_t integer(std::string_view path) const;
  double number(std::string_view path) const;
  bool flag(std::string_view path) const;
  const std::string &text(std::string_view path) const;
  const std::vector<int64_t> &list(std::string_view path) const;
  bool is_auto(std::string_view path) const { return at(path).is_auto(); }

  /// A copy with one value replaced, as a planner's candidate; keeps the field's location.
  KernelSpec with(const std::string &path, FieldValue value) const;

  /// Gives `diagnostics` the texts that locations of this spec's values refer to.
  void add_sources(support::Diagnostics &diagnostics) const;

  /// Nested JSON with sorted keys, two-space indentation and a final newline; equal specs give equal bytes.
  std::string canonical_json() const;
};

FieldValue auto_value();
FieldValue dynamic_value();
FieldValue integer_value(int64_t value);
FieldValue number_value(double value);
FieldValue boolean_value(bool value);
FieldValue text_value(std::string value);
FieldValue list_value(std::vector<int64_t> value);

}  // namespace warpwright::spec
