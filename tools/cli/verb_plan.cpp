// SPDX-License-Identifier: Apache-2.0
// The verb `plan`: the budget of a spec and what one more stage takes; other views are in plan_views.cpp.
#include "generator/laws/prediction.h"
#include "generator/plan/json_writer.h"
#include "generator/plan/read_plan.h"
#include "generator/plan/report.h"
#include "generator/support/files.h"
#include "tools/cli/edited_plan.h"
#include "tools/cli/plan_views.h"
#include "tools/cli/report.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

/// One spec's plan as text or JSON; nothing with diagnostics where there is none.
std::optional<std::string> budget_view(const PlanningContext &context, Format format,
                                       support::Diagnostics &diagnostics) {
  const laws::ClosedForm scorer;
  const auto plan =
      plan::choose_plan(context.spec, *context.family, *context.target, scorer, diagnostics, context.shape);
  if (!plan) return std::nullopt;
  const plan::Marginal marginal = plan::explain_depth(*plan, *context.family, *context.target, scorer, context.shape);
  const laws::Prediction prediction = laws::predict(*plan, *context.target, scorer, context.shape);
  if (format == Format::kText)
    return plan::plan_text(*plan, *context.target) + "\n" + plan::marginal_text(marginal, context.family->depth_path) +
           "\n" + laws::prediction_text(prediction);
  plan::JsonWriter out;
  out.begin_object();
  out.raw("plan", plan::plan_json(*plan));
  out.raw("marginal", plan::marginal_json(marginal));
  out.raw("prediction", laws::prediction_json(prediction));
  out.end_object();
  return out.take();
}

/// A plan that a person may have edited: its records are checked as computed ones would be.
std::optional<std::string> edited_view(const std::string &file, const std::string &text, Format format,
                                       support::Diagnostics &diagnostics) {
  const auto plan = load_edited_plan(file, text, diagnostics);
  if (!plan) return std::nullopt;
  if (format == Format::kJson) return plan::plan_json(*plan);
  return plan::plan_text(*plan, *target::find_target(plan->spec.arch));
}

std::optional<std::string> view_of(const std::string &file, const PlanOptions &options,
                                   support::Diagnostics &diagnostics) {
  const Format format = format_of(options.json);
  std::string why;
  const auto text = file == "-" ? std::nullopt : support::read_file(file, why);
  if (text && plan::looks_like_plan(*text)) return edited_view(file, *text, format, diagnostics);
  auto spec = options.fix ? load_spec_values(file, options.set, diagnostics) : load_spec(file, options.set, diagnostics);
  if (!spec) return std::nullopt;
  const auto context = make_context(*std::move(spec), options.shape, diagnostics);
  if (!context) return std::nullopt;
  if (!options.grid.empty()) return grid_view(*context, options.set, options.grid, format, diagnostics);
  if (options.candidates) return candidates_view(*context, format);
  if (options.fix) return fix_view(*context, options.set, options.output, format, diagnostics);
  return budget_view(*context, format, diagnostics);
}

}  // namespace

int run_plan(const PlanOptions &options) {
  support::Diagnostics diagnostics;
  std::vector<std::string> views;
  const std::vector<std::string> files = expand_specs(options.specs, diagnostics);
  if (options.fix && !options.output.empty() && files.size() > 1) {
    diagnostics.add(error("cli.usage", "--output names one file; there are several specs"));
    return finish(diagnostics, format_of(options.json));
  }
  for (const std::string &file : files)
    if (auto view = view_of(file, options, diagnostics)) views.push_back(*std::move(view));
  if (options.json && files.size() > 1) {
    plan::JsonWriter out;
    out.begin_list();
    for (const std::string &view : views) out.raw({}, view);
    out.end_list();
    views = {out.take()};
  }
  std::string text;
  for (const std::string &view : views) text += (text.empty() ? "" : "\n") + view;
  if (!text.empty()) write_result("", text, diagnostics);
  return finish(diagnostics, format_of(options.json));
}

}  // namespace warpwright::cli
