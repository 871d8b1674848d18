// SPDX-License-Identifier: Apache-2.0
// Shapes from the command line, and shapes at a plan's edges.
#include "tools/cli/launch_shapes.h"

#include "generator/support/text_table.h"
#include "runtime/format/expression.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpwright::cli {
namespace {

/// Larger edges make trials whose reference takes minutes.
constexpr int64_t kLargestEdge = 1024;

/// What a value changes: the row of the dispatch table, and the output tiles of its kernels.
struct Choice {
  size_t row = 0;  ///< as many as there are rows: none holds
  int64_t tiles = 0;
};

class Chooser {
 public:
  explicit Chooser(const plan::OperatorPlan &op) : op_(op) {}

  Choice choose(const Shape &shape, int64_t num_sms) const {
    std::map<std::string, int64_t> values = shape;
    values["num_sms"] = num_sms;
    Choice choice;
    while (choice.row < op_.dispatch.size() && value(op_.dispatch[choice.row].condition, values) == 0) ++choice.row;
    if (choice.row == op_.dispatch.size()) return choice;
    for (const int kernel : op_.dispatch[choice.row].kernels)
      choice.tiles += value(op_.kernels[static_cast<size_t>(kernel)].output_tiles, values);
    return choice;
  }

 private:
  static int64_t value(const std::string &text, const std::map<std::string, int64_t> &values) {
    std::string why;
    return format::evaluate_expression(text, values, &why).value_or(0);
  }

  const plan::OperatorPlan &op_;
};

std::vector<std::string> missing_of(const plan::OperatorPlan &op, const Shape &bound) {
  std::vector<std::string> missing;
  for (const std::string &name : op.variables)
    if (!bound.count(name)) missing.push_back(name);
  return missing;
}

}  // namespace

std::optional<Shape> bind_shape(const plan::OperatorPlan &op, const Shape &shape, support::Diagnostics &diagnostics) {
  Shape bound = op.fixed_variables;
  const auto fail = [&](const char *slug, const std::string &text) {
    support::Diagnostic d = error(slug, text);
    d.where.file = op.spec.file;
    diagnostics.add(std::move(d));
    return std::nullopt;
  };
  for (const auto &[name, value] : shape) {
    if (std::find(op.variables.begin(), op.variables.end(), name) == op.variables.end() && !op.fixed_variables.count(name))
      return fail("cli.usage", fmt::format("--shape names {}; the operator's variables are {}", name, support::join_words(op.variables)));
    const auto [known, is_new] = bound.emplace(name, value);
    if (!is_new && known->second != value)
      return fail("run.fixed-variable", fmt::format("the spec fixes {} to {}", name, known->second));
  }
  return bound;
}

Shape one_row_more(const plan::OperatorPlan &op, Shape bound, int64_t num_sms) {
  const Chooser chooser(op);
  const std::vector<std::string> missing = missing_of(op, bound);
  for (const std::string &name : missing) bound[name] = 1;
  for (const std::string &name : missing) {
    const int64_t tiles = chooser.choose(bound, num_sms).tiles;
    while (bound[name] < kLargestEdge && chooser.choose(bound, num_sms).tiles == tiles) ++bound[name];
  }
  return bound;
}

std::vector<Shape> edge_shapes(const plan::OperatorPlan &op, const Shape &bound, int64_t num_sms) {
  const std::vector<std::string> missing = missing_of(op, bound);
  if (missing.empty()) return {bound};
  if (missing.size() > 1) return {one_row_more(op, bound, num_sms)};
  const Chooser chooser(op);
  Shape shape = bound;
  std::set<int64_t> edges = {1};
  std::set<size_t> stepped;  ///< rows whose first step in tiles is known
  shape[missing.front()] = 1;
  Choice before = chooser.choose(shape, num_sms);
  for (int64_t value = 2; value <= kLargestEdge; ++value) {
    shape[missing.front()] = value;
    const Choice now = chooser.choose(shape, num_sms);
    const bool is_border = now.row != before.row;
    if (is_border || (now.tiles != before.tiles && stepped.insert(now.row).second)) edges.insert({value - 1, value});
    before = now;
  }
  std::vector<Shape> shapes;
  for (const int64_t edge : edges) {
    shape[missing.front()] = edge;
    if (chooser.choose(shape, num_sms).row < op.dispatch.size()) shapes.push_back(shape);
  }
  return shapes;
}

std::string shape_words(const plan::OperatorPlan &op, const Shape &shape) {
  std::vector<std::string> words;
  for (const std::string &name : op.variables) words.push_back(fmt::format("{} = {}", name, shape.at(name)));
  return words.empty() ? "fixed" : support::join_words(words);
}

}  // namespace warpwright::cli
