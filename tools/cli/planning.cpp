// SPDX-License-Identifier: Apache-2.0
// Contexts, grids and edited specs for the planning verbs.
#include "tools/cli/planning.h"

#include "generator/spec/family_spec.h"
#include "generator/spec/json_tree.h"
#include "generator/support/json_text.h"
#include "tools/cli/families.h"
#include "tools/cli/report.h"

#include <fmt/format.h>
#include <cctype>

namespace warpwright::cli {
namespace {

constexpr size_t kMostGridPoints = 10000;

/// `a,b,c` at the top level: commas inside brackets and quotes belong to a value.
std::vector<std::string> split_values(const std::string &text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool in_quotes = false;
  for (const char c : text) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes && c == '[') ++depth;
    if (!in_quotes && c == ']') --depth;
    if (c == ',' && depth == 0 && !in_quotes) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

bool looks_like_json(const std::string &value) {
  const char first = value.front();
  return first == '"' || first == '[' || first == '{' || first == '-' ||
         std::isdigit(static_cast<unsigned char>(first)) != 0 || value == "true" || value == "false" || value == "null";
}

bool parse_range(const std::string &text, int64_t &first, int64_t &last) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || dots > 9 || text.size() - dots - 2 > 9 || text.size() == dots + 2)
    return false;
  for (size_t i = 0; i < text.size(); ++i)
    if (i != dots && i != dots + 1 && std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  first = std::stoll(text.substr(0, dots));
  last = std::stoll(text.substr(dots + 2));
  return true;
}

std::optional<GridAxis> parse_axis(const std::string &item, support::Diagnostics &diagnostics) {
  const size_t equals = item.find('=');
  GridAxis axis;
  if (equals != std::string::npos && equals > 0) axis.path = item.substr(0, equals);
  const std::string values = axis.path.empty() ? "" : item.substr(equals + 1);
  int64_t first = 0;
  int64_t last = -1;
  if (parse_range(values, first, last)) {
    for (int64_t value = first; value <= last && axis.values_json.size() <= kMostGridPoints; ++value)
      axis.values_json.push_back(std::to_string(value));
  } else if (values.find("..") == std::string::npos) {
    for (const std::string &value : split_values(values)) {
      if (value.empty()) continue;
      axis.values_json.push_back(looks_like_json(value) ? value : support::json_quote(value));
    }
  }
  if (!axis.values_json.empty()) return axis;
  diagnostics.add(error("cli.usage", fmt::format("--grid takes path=a..b or path=a,b,c; found \"{}\"", item),
                        {"--grid pipeline_depth=2..8 lora.rank=32,64,128"}));
  return std::nullopt;
}

}  // namespace

std::optional<PlanningContext> make_context(spec::KernelSpec spec, const Shape &shape,
                                            support::Diagnostics &diagnostics) {
  PlanningContext context;
  context.family = &family_plan(spec.family);
  context.target = target::find_target(spec.arch);
  WARPWRIGHT_ASSERT(context.target != nullptr, "no target " + spec.arch);
  context.shape = context.family->typical_shape(spec);
  for (const auto &[name, value] : shape) {
    const auto known = context.shape.find(name);
    if (known == context.shape.end()) {
      std::vector<std::string> names;
      for (const auto &entry : context.shape) names.push_back(entry.first);
      diagnostics.add(error("cli.usage", fmt::format("--shape: {} has no launch variable \"{}\"; there are {}",
                                                     spec.family, name, fmt::join(names, ", "))));
      return std::nullopt;
    }
    for (const spec::Field &row : family_spec(spec.family).fields) {
      if (row.path != "problem." + name || (value >= row.min && value <= row.max)) continue;
      diagnostics.add(error("cli.usage", fmt::format("--shape: {} is {} to {}, not {}", name, row.min, row.max, value)));
      return std::nullopt;
    }
    const auto field = spec.values.find("problem." + name);
    const bool is_fixed = field != spec.values.end() && field->second.kind == spec::FieldValue::Kind::kInteger;
    if (is_fixed && field->second.integer != value) {
      diagnostics.add(error("cli.usage",
                            fmt::format("--shape: the spec fixes {} to {}, not {}", name, field->second.integer, value),
                            {fmt::format("--set problem.{}={}", name, value)}));
      return std::nullopt;
    }
    known->second = value;
  }
  context.spec = std::move(spec);
  return context;
}

std::optional<std::vector<GridAxis>> parse_grid(const std::vector<std::string> &items,
                                                support::Diagnostics &diagnostics) {
  std::vector<GridAxis> axes;
  size_t points = 1;
  for (const std::string &item : items) {
    auto axis = parse_axis(item, diagnostics);
    if (!axis) return std::nullopt;
    points *= axis->values_json.size();
    if (points > kMostGridPoints) {
      diagnostics.add(error("cli.usage", fmt::format("--grid has more than {} points", kMostGridPoints)));
      return std::nullopt;
    }
    axes.push_back(*std::move(axis));
  }
  return axes;
}

std::string edit_spec_text(const std::string &text, const std::string &path, const std::string &value) {
  support::Diagnostics ignored;
  // --set takes words without quotes, and lays an object over the one that is there.
  const auto parsed = spec::parse_json("value", value, "spec", ignored);
  const std::string json = parsed ? value : support::json_quote(value);
  const auto document = spec::parse_json("spec", text, "spec", ignored);
  WARPWRIGHT_ASSERT(document.has_value() && document->root.kind == spec::JsonNode::Kind::kObject,
                    "a spec to edit does not parse");
  const spec::JsonNode *node = &document->root;
  std::string rest = path;
  std::string addition = json;
  while (true) {
    const size_t dot = rest.find('.');
    const std::string key = rest.substr(0, dot);
    const spec::JsonNode *child = node->find(key);
    if (child != nullptr && dot == std::string::npos && parsed && parsed->root.kind == spec::JsonNode::Kind::kObject &&
        child->kind == spec::JsonNode::Kind::kObject) {
      std::string merged = text;
      for (const spec::JsonMember &member : parsed->root.members)
        merged = edit_spec_text(merged, path + "." + member.key,
                                value.substr(member.value.begin, member.value.end - member.value.begin));
      return merged;
    }
    if (child != nullptr && dot == std::string::npos)
      return text.substr(0, child->begin) + json + text.substr(child->end);
    if (child == nullptr) {
      // The remaining path becomes nested objects, written first in the innermost object that exists.
      for (std::string tail = rest; !tail.empty();) {
        const size_t last = tail.rfind('.');
        addition = support::json_quote(tail.substr(last == std::string::npos ? 0 : last + 1)) + ": " + addition;
        if (last == std::string::npos) break;
        addition = "{" + addition + "}";
        tail = tail.substr(0, last);
      }
      const std::string separator = node->members.empty() ? "" : ", ";
      return text.substr(0, node->begin + 1) + addition + separator + text.substr(node->begin + 1);
    }
    WARPWRIGHT_ASSERT(child->kind == spec::JsonNode::Kind::kObject, "the parent of " + path + " is not an object");
    node = child;
    rest = rest.substr(dot + 1);
  }
}

}  // namespace warpwright::cli
