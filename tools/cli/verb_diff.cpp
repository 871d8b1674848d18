// SPDX-License-Identifier: Apache-2.0
// The verb `diff`: two plans side by side, and the gate on what got worse.
#include "generator/laws/prediction.h"
#include "generator/plan/diff.h"
#include "generator/plan/json_writer.h"
#include "generator/plan/read_plan.h"
#include "generator/support/files.h"
#include "generator/support/text_table.h"
#include "tools/cli/edited_plan.h"
#include "tools/cli/families.h"
#include "tools/cli/planning.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::cli {
namespace {

using support::format_bytes;
using support::format_thousands;

/// Predictions that differ by less say nothing.
constexpr double kSlowerShare = 0.01;

/// One side of the comparison.
struct Side {
  plan::OperatorPlan plan;
  int64_t depth = 0;
  int64_t slack_bytes = 0;
  laws::Prediction prediction;
};

std::optional<plan::OperatorPlan> plan_of(const std::string &file, const Shape &shape, Shape &full_shape,
                                          support::Diagnostics &diagnostics) {
  std::string why;
  std::optional<std::string> text;
  if (file != "-") text = support::read_file(file, why);
  if (text && plan::looks_like_plan(*text)) {
    auto plan = load_edited_plan(file, *text, diagnostics);
    if (!plan) return std::nullopt;
    const auto context = make_context(plan->spec, shape, diagnostics);
    if (!context) return std::nullopt;
    full_shape = context->shape;
    return plan;
  }
  auto spec = load_spec(file, {}, diagnostics);
  if (!spec) return std::nullopt;
  const auto context = make_context(*std::move(spec), shape, diagnostics);
  if (!context) return std::nullopt;
  full_shape = context->shape;
  return plan::choose_plan(context->spec, *context->family, *context->target, laws::ClosedForm(), diagnostics,
                           context->shape);
}

std::optional<Side> make_side(const std::string &file, const Shape &shape, support::Diagnostics &diagnostics) {
  Side side;
  Shape full_shape;
  auto plan = plan_of(file, shape, full_shape, diagnostics);
  if (!plan) return std::nullopt;
  side.plan = *std::move(plan);
  side.depth = side.plan.spec.integer(family_plan(side.plan.spec.family).depth_path);
  side.slack_bytes = side.plan.kernels.front().smem.slack_bytes();
  side.prediction = laws::predict(side.plan, *target::find_target(side.plan.spec.arch), laws::ClosedForm(), full_shape);
  return side;
}

bool asks_for(const DiffOptions &options, const std::string &what) {
  return std::find(options.fail_on.begin(), options.fail_on.end(), what) != options.fail_on.end();
}

/// The gate: what got worse of what the user asked about.
void check_gate(const Side &before, const Side &after, const DiffOptions &options, support::Diagnostics &diagnostics) {
  if (asks_for(options, "lost-stage") && after.depth < before.depth)
    diagnostics.add(error("diff.lost-stage", fmt::format("{} stages became {}", before.depth, after.depth),
                          {fmt::format("warpwright plan {}", options.after)}));
  const double before_us = before.prediction.score.us;
  const double after_us = after.prediction.score.us;
  if (asks_for(options, "slower") && after_us > before_us * (1 + kSlowerShare))
    diagnostics.add(error("diff.slower", fmt::format("predicted {:.1f} us became {:.1f} us at {:.2f} GHz", before_us,
                                                     after_us, after.prediction.score.clock_ghz)));
  if (!asks_for(options, "slack") && options.min_slack_bytes == 0) return;
  const int64_t least_bytes = options.min_slack_bytes > 0 ? options.min_slack_bytes : before.slack_bytes;
  if (after.slack_bytes < least_bytes)
    diagnostics.add(error("diff.slack", fmt::format("{} of shared memory stay free; {} are asked for",
                                                    format_bytes(after.slack_bytes), format_bytes(least_bytes))));
}

std::string figure_text(const std::optional<int64_t> &value) { return value ? format_thousands(*value) : "-"; }

std::string diff_text(const Side &before, const Side &after) {
  support::TextTable table;
  table.add_column("");
  table.add_column("before", support::Align::kRight);
  table.add_column("after", support::Align::kRight);
  for (const plan::FieldChange &change : plan::diff_fields(before.plan.spec, after.plan.spec))
    table.add_row({change.path, change.before_json, change.after_json});
  for (const plan::FigureChange &change : plan::diff_figures(before.plan, after.plan))
    table.add_row({change.what, figure_text(change.before), figure_text(change.after)});
  const auto &old_score = before.prediction.score;
  const auto &new_score = after.prediction.score;
  if (table.empty() && old_score.us == new_score.us) return "the plans are the same\n";
  table.add_row({fmt::format("predicted us at {:.2f} GHz", new_score.clock_ghz), fmt::format("{:.1f}", old_score.us),
                 fmt::format("{:.1f}", new_score.us)});
  return table.render(0);
}

std::string diff_json(const Side &before, const Side &after) {
  plan::JsonWriter out;
  out.begin_object();
  out.begin_list("fields");
  for (const plan::FieldChange &change : plan::diff_fields(before.plan.spec, after.plan.spec)) {
    out.begin_object();
    out.text("path", change.path);
    out.text("before", change.before_json);
    out.text("after", change.after_json);
    out.end_object();
  }
  out.end_list();
  out.begin_list("figures");
  for (const plan::FigureChange &change : plan::diff_figures(before.plan, after.plan)) {
    out.begin_object();
    out.text("what", change.what);
    if (change.before) out.integer("before", *change.before);
    if (change.after) out.integer("after", *change.after);
    out.end_object();
  }
  out.end_list();
  const auto write_side = [&](const char *key, const Side &side) {
    out.begin_object(key);
    out.integer("depth_stages", side.depth);
    out.integer("slack_bytes", side.slack_bytes);
    out.raw("prediction", laws::prediction_json(side.prediction));
    out.end_object();
  };
  write_side("before", before);
  write_side("after", after);
  out.end_object();
  return out.take();
}

}  // namespace

int run_diff(const DiffOptions &options) {
  support::Diagnostics diagnostics;
  const Format format = format_of(options.json);
  const auto before = make_side(options.before, options.shape, diagnostics);
  const auto after = make_side(options.after, options.shape, diagnostics);
  if (before && after) {
    write_result("", format == Format::kJson ? diff_json(*before, *after) : diff_text(*before, *after), diagnostics);
    check_gate(*before, *after, options, diagnostics);
  }
  return finish(diagnostics, format);
}

}  // namespace warpwright::cli
