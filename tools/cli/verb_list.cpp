// SPDX-License-Identifier: Apache-2.0
// The verb `list`: families, specs, slugs, passes, instructions.
#include "generator/isa/isa.h"
#include "generator/spec/family_spec.h"
#include "generator/support/json_text.h"
#include "generator/support/text_table.h"
#include "tools/cli/explain.h"
#include "tools/cli/families.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#ifdef WARPWRIGHT_VERB_EMIT
#include "generator/emit/pipeline.h"
#endif

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

using support::json_quote;

/// A list of rows that prints as a table or as a JSON array of objects.
class Listing {
 public:
  explicit Listing(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string render(Format format) const { return format == Format::kJson ? as_json() : as_table(); }

 private:
  std::string as_table() const {
    support::TextTable table;
    for (const std::string &column : columns_) table.add_column(column);
    for (const auto &row : rows_) table.add_row(row);
    return table.render(0);
  }

  std::string as_json() const {
    std::string out = "[";
    for (size_t i = 0; i < rows_.size(); ++i) {
      out += i == 0 ? "\n  {" : ",\n  {";
      for (size_t j = 0; j < columns_.size(); ++j) {
        out += fmt::format("{}{}: {}", j == 0 ? "" : ", ", json_quote(columns_[j]), json_quote(rows_[i][j]));
      }
      out += "}";
    }
    return out + "\n]\n";
  }

  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

Listing families() {
  Listing out({"family", "edition", "archs", "text"});
  for (const spec::FamilySpec *family : family_specs()) {
    out.add({family->name, std::to_string(family->edition), support::join_words(family->archs, "or"), family->title});
  }
  return out;
}

/// What the spec's author wrote, but for the problem's extents that have a column.
std::string written_values(const spec::KernelSpec &spec) {
  std::string out;
  for (const spec::Field &field : family_spec(spec.family).fields) {
    const spec::FieldValue &value = spec.at(field.path);
    if (value.is_default || value.same_value(field.default_value)) continue;
    const std::string literal = value.kind == spec::FieldValue::Kind::kText ? value.text : value.to_json();
    out += (out.empty() ? "" : " ") + field.path + "=" + literal;
  }
  return out;
}

Listing specs(const std::string &folder, support::Diagnostics &diagnostics) {
  Listing out({"spec", "family", "arch", "fields"});
  for (const std::string &file : expand_specs({folder}, diagnostics)) {
    if (const auto spec = load_spec(file, {}, diagnostics)) {
      out.add({file, spec->family, spec->arch, written_values(*spec)});
    }
  }
  return out;
}

Listing slugs() {
  Listing out({"slug", "text"});
  for (const Explanation &entry : explanations()) out.add({entry.slug, entry.what});
  return out;
}

#ifdef WARPWRIGHT_VERB_EMIT
Listing passes() {
  Listing out({"pass", "text"});
  for (const emit::PassName &pass : emit::list_passes()) out.add({pass.name, pass.text});
  return out;
}
#endif

Listing instructions() {
  Listing out({"instruction", "form", "section"});
  for (const isa::Instruction &row : isa::all_instructions()) out.add({row.name, row.form, row.section});
  return out;
}

}  // namespace

std::vector<std::string> list_subjects() {
#ifdef WARPWRIGHT_VERB_EMIT
  return {"families", "specs", "slugs", "passes", "instructions"};
#else
  return {"families", "specs", "slugs", "instructions"};
#endif
}

int run_list(const ListOptions &options) {
  support::Diagnostics diagnostics;
  const Format format = format_of(options.json);
  if (options.what == "families") {
    write_result("", families().render(format), diagnostics);
  } else if (options.what == "slugs") {
    write_result("", slugs().render(format), diagnostics);
  } else if (options.what == "instructions") {
    write_result("", instructions().render(format), diagnostics);
#ifdef WARPWRIGHT_VERB_EMIT
  } else if (options.what == "passes") {
    write_result("", passes().render(format), diagnostics);
#endif
  } else {
    const std::string folder = options.folder.empty() ? shipped_specs_folder() : options.folder;
    if (folder.empty()) {
      diagnostics.add(error("cli.no-specs", "no shipped specs are found from here; give a folder"));
    } else {
      write_result("", specs(folder, diagnostics).render(format), diagnostics);
    }
  }
  return finish(diagnostics, format);
}

}  // namespace warpwright::cli
