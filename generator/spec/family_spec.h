// SPDX-License-Identifier: Apache-2.0
// The field table of a family: one table from which loader, JSON Schema, README table and `new` are made.
#pragma once

#include "generator/spec/kernel_spec.h"

#include <functional>
#include <string>
#include <vector>

namespace warpwright::spec {

enum class FieldType { kInteger, kNumber, kBoolean, kChoice, kIntegerList };

/// One row of a family's field table.
struct Field {
  std::string path;            ///< dotted: "tile.n"
  FieldType type = FieldType::kInteger;
  std::string unit;            ///< "elems", "rows", "stages", "" …
  std::string text;            ///< one sentence for the schema and the README
  FieldValue default_value;    ///< what an absent key means; kAuto where the planner chooses
  bool required = false;       ///< an absent key is an error
  bool allows_auto = true;
  bool allows_dynamic = false;
  int64_t min = 0;             ///< kInteger: inclusive range and step
  int64_t max = 0;
  int64_t multiple_of = 1;
  std::vector<int64_t> integers;     ///< kInteger: when not empty, the only legal values
  std::vector<std::string> choices;  ///< kChoice: the legal words
  double number_min = 0;             ///< kNumber: inclusive range
  double number_max = 0;
  bool excludes_number_min = false;  ///< kNumber: number_min itself is not legal
  int64_t list_elems = 0;            ///< kIntegerList: exact length
  std::string source;          ///< where a hardware limit comes from, as in "PTX ISA 9.0, tcgen05.mma, table …"
};

/// What a family gives to the spec stage.
struct FamilySpec {
  std::string name;   ///< as in a spec, and its folder
  std::string title;  ///< one line for `list families`
  int edition = 1;
  std::vector<std::string> archs;  ///< first one is the default
  std::vector<Field> fields;
  /// Cross-field rules: what no single row can say. Adds every problem at once; touches no planner resource.
  /// A field that failed its own row's check is passed as auto with is_invalid set: a rule looks at kinds first.
  std::function<void(const KernelSpec &, support::Diagnostics &)> check;
  /// Values that `new` writes out (dotted path → JSON literal), a spec that plans as it stands.
  std::vector<std::pair<std::string, std::string>> starter;

  const Field *find(const std::string &path) const;
};

/// Loads and checks a spec file ("-" reads standard input); `overrides` are `dotted.path=JSON` from `--set`, the last
/// one of a path holding. A bare word (`arch=sm_103a`) is taken for a JSON string.
///
/// Ensures   "auto" on a field whose default is a value means that value; only planner-chosen fields stay auto.
/// Errors    all of them in one pass: spec.unreadable, spec.not-json, spec.not-object, spec.duplicate-key,
///           spec.unknown-key (with "did you mean"), spec.missing-key, spec.wrong-type, spec.out-of-range,
///           spec.not-a-choice, spec.unknown-family, spec.unknown-arch, spec.unknown-edition, spec.bad-override, and
///           the family's own. Nothing is written. Returns nothing when there was an error.
/// Threads   pure but for reading the file.
std::optional<KernelSpec> load_spec(const std::string &file, const std::vector<std::string> &overrides,
                                    const std::vector<const FamilySpec *> &families,
                                    support::Diagnostics &diagnostics);

/// The same from text, `file` being only a name.
std::optional<KernelSpec> load_spec_text(const std::string &file, const std::string &text,
                                         const std::vector<std::string> &overrides,
                                         const std::vector<const FamilySpec *> &families,
                                         support::Diagnostics &diagnostics);

/// `values` as a person reads them: "64, 128, 192 or 256", "2 to 16", "a multiple of 16 from 0 to 256".
std::string legal_values(const Field &field);

/// Re-checks a spec whose values were changed in memory (`--set`, `--fix`, candidates).
void check_spec(const KernelSpec &spec, const FamilySpec &family, support::Diagnostics &diagnostics);

/// JSON Schema (draft-07) of a family, two-space indented, final newline.
std::string json_schema(const FamilySpec &family);
/// The family README's field table in Markdown.
std::string markdown_table(const FamilySpec &family);
/// A fresh spec file: what `new` prints. `all` writes every field with its default.
std::string starter_spec(const FamilySpec &family, bool all);

}  // namespace warpwright::spec
