// SPDX-License-Identifier: Apache-2.0
// Candidates, grid and fix.
#include "tools/cli/plan_views.h"

#include "generator/laws/closed_form.h"
#include "generator/plan/explain.h"
#include "generator/plan/json_writer.h"
#include "generator/plan/repair.h"
#include "generator/spec/family_spec.h"
#include "generator/support/files.h"
#include "generator/support/text_table.h"
#include "tools/cli/families.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <set>

namespace warpwright::cli {
namespace {

using support::Align;
using support::format_thousands;

/// A planned or refused point, as both tables show it.
struct Row {
  std::vector<std::string> values;  ///< of the varying fields, as JSON
  bool planned = false;
  int64_t depth = 0;
  int64_t used_bytes = 0, slack_bytes = 0, used_cols = 0;
  plan::Scorer::Score score;
  std::string slug, reason;
};

struct Rows {
  std::vector<std::string> paths;
  std::string depth_path;
  std::vector<Row> rows;
};

const support::Diagnostic *first_error(const support::Diagnostics &diagnostics) {
  for (const support::Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == support::Severity::kError) return &diagnostic;
  return nullptr;
}

void set_reason(Row &row, const support::Diagnostics &diagnostics) {
  const support::Diagnostic *first = first_error(diagnostics);
  WARPWRIGHT_ASSERT(first != nullptr, "a point was refused without a reason");
  row.slug = first->slug;
  row.reason = (first->path.empty() ? "" : first->path + ": ") + first->message;
}

Row make_row(const plan::Candidate &candidate, const PlanningContext &context) {
  Row row;
  row.planned = candidate.plan.has_value();
  if (!row.planned) {
    set_reason(row, candidate.diagnostics);
    return row;
  }
  const plan::KernelPlan &kernel = candidate.plan->kernels.front();
  row.depth = candidate.plan->spec.integer(context.family->depth_path);
  row.used_bytes = kernel.smem.used_bytes;
  row.slack_bytes = kernel.smem.slack_bytes();
  row.used_cols = kernel.tmem.used_cols;
  row.score = laws::ClosedForm().score(plan::work_of(*candidate.plan), *context.target, context.shape);
  return row;
}

std::string rows_text(const Rows &rows) {
  support::TextTable table;
  for (const std::string &path : rows.paths) table.add_column(path);
  for (const char *heading : {"stages", "smem B", "slack B", "tmem cols", "predicted us"})
    table.add_column(heading, Align::kRight);
  table.add_column("bound, or why not");
  for (const Row &row : rows.rows) {
    std::vector<std::string> cells = row.values;
    if (row.planned) {
      cells.insert(cells.end(),
                   {std::to_string(row.depth), format_thousands(row.used_bytes), format_thousands(row.slack_bytes),
                    std::to_string(row.used_cols), fmt::format("{:.1f}", row.score.us), row.score.bound});
    } else {
      cells.insert(cells.end(), {"-", "-", "-", "-", "-", row.slug + ": " + row.reason});
    }
    table.add_row(std::move(cells));
  }
  return table.render(0);
}

std::string rows_json(const Rows &rows) {
  plan::JsonWriter out;
  out.begin_list();
  for (const Row &row : rows.rows) {
    out.begin_object();
    out.begin_object("fields");
    for (size_t i = 0; i < rows.paths.size(); ++i) out.raw(rows.paths[i], row.values[i]);
    out.end_object();
    out.boolean("planned", row.planned);
    if (row.planned) {
      out.integer("depth_stages", row.depth);
      out.integer("used_bytes", row.used_bytes);
      out.integer("slack_bytes", row.slack_bytes);
      out.integer("used_cols", row.used_cols);
      out.number("predicted_us", row.score.us);
      out.number("predicted_low_us", row.score.low_us);
      out.number("predicted_high_us", row.score.high_us);
      out.number("clock_ghz", row.score.clock_ghz);
      out.text("bound", row.score.bound);
    } else {
      out.text("slug", row.slug);
      out.text("reason", row.reason);
    }
    out.end_object();
  }
  out.end_list();
  return out.take();
}

std::string render(const Rows &rows, Format format) {
  return format == Format::kJson ? rows_json(rows) : rows_text(rows);
}

/// Fields that were auto and of which the candidates differ.
std::vector<std::string> varying_paths(const spec::KernelSpec &spec, const std::vector<plan::Candidate> &candidates) {
  std::vector<std::string> paths;
  for (const auto &[path, value] : spec.values) {
    if (!value.is_auto()) continue;
    std::set<std::string> seen;
    for (const plan::Candidate &candidate : candidates) seen.insert(candidate.spec.at(path).to_json());
    if (seen.size() > 1) paths.push_back(path);
  }
  return paths;
}

}  // namespace

std::string candidates_view(const PlanningContext &context, Format format) {
  const auto candidates =
      plan::enumerate_candidates(context.spec, *context.family, *context.target, laws::ClosedForm(), context.shape);
  Rows rows;
  rows.depth_path = context.family->depth_path;
  rows.paths = varying_paths(context.spec, candidates);
  for (const plan::Candidate &candidate : candidates) {
    Row row = make_row(candidate, context);
    for (const std::string &path : rows.paths) row.values.push_back(candidate.spec.at(path).to_json());
    rows.rows.push_back(std::move(row));
  }
  return render(rows, format);
}

std::optional<std::string> grid_view(const PlanningContext &context, const std::vector<std::string> &set,
                                     const std::vector<std::string> &grid, Format format,
                                     support::Diagnostics &diagnostics) {
  const auto axes = parse_grid(grid, diagnostics);
  if (!axes) return std::nullopt;
  Rows rows;
  rows.depth_path = context.family->depth_path;
  for (const GridAxis &axis : *axes) rows.paths.push_back(axis.path);
  std::vector<size_t> at(axes->size(), 0);
  for (bool is_done = false; !is_done;) {
    std::vector<std::string> point_set = set;
    std::vector<std::string> values;
    for (size_t i = 0; i < axes->size(); ++i) {
      values.push_back((*axes)[i].values_json[at[i]]);
      point_set.push_back((*axes)[i].path + "=" + values.back());
    }
    support::Diagnostics point_diagnostics;
    const auto spec =
        spec::load_spec_text(context.spec.file, context.spec.source_text, point_set, family_specs(), point_diagnostics);
    if (point_diagnostics.has_slug("spec.unknown-key")) {
      for (const support::Diagnostic &diagnostic : point_diagnostics.all()) diagnostics.add(diagnostic);
      return std::nullopt;
    }
    Row row;
    if (spec) {
      row = make_row(plan::best_candidate(*spec, *context.family, *context.target, laws::ClosedForm(), context.shape),
                     context);
    } else {
      set_reason(row, point_diagnostics);
    }
    row.values = std::move(values);
    rows.rows.push_back(std::move(row));
    // The last axis turns fastest.
    is_done = true;
    for (size_t i = axes->size(); i-- > 0;) {
      if (++at[i] < (*axes)[i].values_json.size()) {
        is_done = false;
        break;
      }
      at[i] = 0;
    }
  }
  return render(rows, format);
}

namespace {

/// The first single change that the planner knows; where rules are broken or none helps, the smallest repair.
std::vector<plan::Change> changes_to_apply(const PlanningContext &context) {
  support::Diagnostics broken;
  context.family->check(context.spec, broken);
  if (!broken.has_errors()) {
    const laws::ClosedForm scorer;
    const auto closest = plan::best_candidate(context.spec, *context.family, *context.target, scorer, context.shape);
    const auto tried =
        plan::changes_that_plan(context.spec, closest.spec, *context.family, *context.target, scorer, context.shape);
    if (!tried.empty()) return {tried.front().change};
  }
  const auto repair = plan::find_repair(context.spec, *context.family, *context.target);
  return repair ? repair->changes : std::vector<plan::Change>{};
}

/// A text that was edited must load and plan before anybody is told that it does.
void check_fixed_text(const PlanningContext &context, const std::string &text) {
  support::Diagnostics found;
  const auto fixed = spec::load_spec_text(context.spec.file, text, {}, family_specs(), found);
  WARPWRIGHT_ASSERT(fixed.has_value(), "the repaired spec does not load:\n" + found.render());
  WARPWRIGHT_ASSERT(plan::can_plan(*fixed, *context.family, *context.target), "the repaired spec does not plan");
}

}  // namespace

std::optional<std::string> fix_view(const PlanningContext &context, const std::vector<std::string> &set,
                                    const std::string &output, Format format, support::Diagnostics &diagnostics) {
  if (plan::can_plan(context.spec, *context.family, *context.target)) {
    fmt::print(stderr, "{}: plans as it stands; nothing to fix\n", context.spec.file);
    return std::nullopt;
  }
  const std::vector<plan::Change> changes = changes_to_apply(context);
  if (changes.empty()) {
    plan::report_faults(context.spec, *context.family, *context.target, laws::ClosedForm(), diagnostics, context.shape);
    diagnostics.add(error("plan.no-fix", "no choice that is the planner's makes this spec plan",
                          {fmt::format("warpwright plan {} --candidates", context.spec.file)}));
    return std::nullopt;
  }

  std::string text = context.spec.source_text;
  for (const std::string &item : set) {
    const size_t equals = item.find('=');
    text = edit_spec_text(text, item.substr(0, equals), item.substr(equals + 1));
  }
  spec::KernelSpec fixed = context.spec;
  std::string flags;
  std::string effect;
  for (const plan::Change &change : changes) {
    for (const auto &[path, value] : change.sets) text = edit_spec_text(text, path, value.to_json());
    fixed = plan::apply_change(fixed, change);
    flags += (flags.empty() ? "" : " ") + change.flags();
    effect += (effect.empty() ? "" : "; ") + change.effect;
  }

  check_fixed_text(context, text);

  std::string file = output;
  if (file.empty() && context.spec.file != "-") {
    const std::string &name = context.spec.file;
    const bool has_ending = name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0;
    file = (has_ending ? name.substr(0, name.size() - 5) : name) + ".fixed.json";
  }
  if (file.empty() || file == "-") return text;
  std::string why;
  if (!support::write_file(file, text, why, support::IfExists::kRefuse)) {
    std::error_code ignored;
    const bool is_there = std::filesystem::symlink_status(file, ignored).type() != std::filesystem::file_type::not_found;
    support::Diagnostic failed = is_there && !support::is_folder(file)
                                     ? error("cli.file-exists", "the file exists and is left alone", {"-o OTHER.json"})
                                     : error("cli.unwritable", "cannot write the file: " + why);
    failed.where.file = file;
    diagnostics.add(std::move(failed));
    return std::nullopt;
  }
  if (format == Format::kText) return fmt::format("{}: {}: {}\n", file, flags, effect);
  const plan::Candidate best =
      plan::best_candidate(fixed, *context.family, *context.target, laws::ClosedForm(), context.shape);
  plan::JsonWriter out;
  out.begin_object();
  out.text("file", file);
  out.text("flags", flags);
  out.text("effect", effect);
  out.integer("depth_stages", best.spec.integer(context.family->depth_path));
  out.end_object();
  return out.take();
}

}  // namespace warpwright::cli
