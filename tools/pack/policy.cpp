// SPDX-License-Identifier: Apache-2.0
// Overrides and splits.
#include "tools/pack/policy.h"
#include "tools/pack/fail.h"

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/support/files.h"
#include "generator/support/similar.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpwright::pack {
namespace {

using Kind = spec::JsonNode::Kind;
using w4a8_gemm::Rounding;

// Layers whose outputs are small, or read as tables.
constexpr const char *kUsuallyIgnored[] = {"lm_head", "*.lm_head", "*embed*", "*.wte", "*.wpe", "*norm*", "*.router", "*.gate"};

struct NamedSplit {
  const char *pattern;
  Split split;
};
// Column: each rank computes some outputs. Row: each rank has some inputs, and the results are summed.
constexpr NamedSplit kUsualSplits[] = {
    {"*q_proj", Split::kColumn},  {"*k_proj", Split::kColumn},    {"*v_proj", Split::kColumn}, {"*gate_proj", Split::kColumn},
    {"*up_proj", Split::kColumn}, {"*o_proj", Split::kRow},       {"*down_proj", Split::kRow}, {"*.w1", Split::kColumn},
    {"*.w3", Split::kColumn},     {"*.w2", Split::kRow}};

/// One member of an override; an empty text if it is understood, else what it takes.
std::string read_member(const spec::JsonMember &member, Override &out) {
  const spec::JsonNode &value = member.value;
  if (member.key == "match") {
    out.match = value.text;
    return value.kind == Kind::kText ? "" : "takes a pattern";
  }
  if (member.key == "group") {
    out.group = w4a8_gemm::group_of(value.kind == Kind::kInteger ? std::to_string(value.integer) : value.text);
    return out.group ? "" : "takes 64, 128 or \"channel\"";
  }
  if (member.key == "rounding") {
    if (value.text == "nearest") out.rounding = Rounding::kNearest;
    if (value.text == "up") out.rounding = Rounding::kUp;
    return out.rounding ? "" : "takes \"nearest\" or \"up\"";
  }
  if (member.key == "split") {
    if (value.text == "column") out.split = Split::kColumn;
    if (value.text == "row") out.split = Split::kRow;
    if (value.text == "none") out.split = Split::kNone;
    return out.split ? "" : "takes \"column\", \"row\" or \"none\"";
  }
  if (member.key == "ignore") {
    out.ignore = value.boolean;
    return value.kind == Kind::kBoolean ? "" : "takes true or false";
  }
  if (member.key == "parts") {
    for (const spec::JsonNode &part : value.items) out.parts.push_back(part.kind == Kind::kInteger ? part.integer : 0);
    const bool is_good = !out.parts.empty() && std::all_of(out.parts.begin(), out.parts.end(), [](int64_t rows) { return rows > 0; });
    return is_good ? "" : "takes a list of row counts";
  }
  const auto meant = support::most_similar(member.key, {"match", "group", "rounding", "split", "parts", "ignore"});
  return meant ? "is unknown; did you mean \"" + *meant + "\"?" : "is unknown; there are match, group, rounding, split, parts, ignore";
}

bool read_overrides(const std::string &file, std::vector<Override> &out, support::Diagnostics &diagnostics) {
  std::string why;
  std::optional<std::string> text = support::read_file(file, why, spec::kJsonLimitBytes);
  if (!text) return fail({file}, "pack.unreadable", "", why, diagnostics);
  const auto document = spec::parse_json(file, std::move(*text), "pack", diagnostics);
  if (!document || diagnostics.has_errors()) return false;
  const spec::JsonNode *list = document->root.find("layers");
  if (list == nullptr || list->kind != Kind::kList || document->root.members.size() != 1)
    return fail(document->locate(document->root), "pack.overrides", "", "takes an object with one list, \"layers\"", diagnostics);
  for (const spec::JsonNode &item : list->items) {
    Override one;
    one.where = document->locate(item);
    for (const spec::JsonMember &member : item.members)
      if (const std::string wrong = read_member(member, one); !wrong.empty())
        return fail(document->locate_key(member), "pack.overrides", "layers." + member.key, wrong, diagnostics);
    if (one.match.empty()) return fail(one.where, "pack.overrides", "layers", "an override needs \"match\"", diagnostics);
    out.push_back(std::move(one));
  }
  return true;
}

}  // namespace

bool matches(const std::string &pattern, const std::string &name) {
  size_t p = 0, n = 0, star = std::string::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<Policy> Policy::load(const Options &options, support::Diagnostics &diagnostics) {
  Policy policy;
  policy.scheme_ = {*w4a8_gemm::group_of(options.group), options.rounding == "up" ? Rounding::kUp : Rounding::kNearest};
  policy.ranks_ = options.ranks;
  policy.ignored_ = options.ignore;
  policy.ignored_used_.resize(options.ignore.size());
  if (!options.layers.empty() && !read_overrides(options.layers, policy.overrides_, diagnostics)) return std::nullopt;
  return policy;
}

const Override *Policy::find(const std::string &layer) const {
  for (const Override &one : overrides_) {
    if (!matches(one.match, layer)) continue;
    one.is_used = true;
    return &one;
  }
  return nullptr;
}

bool Policy::ignores(const std::string &layer) const {
  for (size_t i = 0; i < ignored_.size(); ++i) {
    if (!matches(ignored_[i], layer)) continue;
    ignored_used_[i] = true;
    return true;
  }
  if (const Override *one = find(layer)) return one->ignore;
  return std::any_of(std::begin(kUsuallyIgnored), std::end(kUsuallyIgnored),
                     [&](const char *pattern) { return matches(pattern, layer); });
}

bool Policy::apply(Layer &layer, support::Diagnostics &diagnostics) const {
  const Override *one = find(layer.name);
  layer.scheme = scheme_;
  if (one != nullptr && one->group) layer.scheme.group = *one->group;
  if (one != nullptr && one->rounding) layer.scheme.rounding = *one->rounding;
  if (const std::string why = w4a8_gemm::misfit(layer.n, layer.k, layer.scheme.group); !why.empty()) {
    std::vector<std::string> hints = {"--ignore '" + layer.name + "' leaves it as it is"};
    if (w4a8_gemm::fits(layer.n, layer.k, 64)) hints.insert(hints.begin(), "group 64 fits: --group 64, or an override in --layers");
    return fail({}, "pack.shape", layer.name, why, diagnostics, std::move(hints));
  }
  layer.parts = {layer.n};
  if (ranks_ == 1) return true;
  bool is_known = one != nullptr && one->split.has_value();
  if (is_known) layer.split = *one->split;
  for (const NamedSplit &usual : kUsualSplits) {
    if (is_known || !matches(usual.pattern, layer.name)) continue;
    layer.split = usual.split;
    is_known = true;
  }
  if (one != nullptr && !one->parts.empty()) layer.parts = one->parts;
  const bool is_fused = matches("*qkv_proj", layer.name) || matches("*gate_up_proj", layer.name);
  if (!is_known || (is_fused && layer.split == Split::kColumn && layer.parts.size() == 1))
    return fail({}, "pack.split", layer.name,
                is_fused ? "the rows of a fused layer are split part by part" : "the name does not tell how to split it",
                diagnostics,
                {is_fused ? R"(--layers FILE with {"layers": [{"match": "…", "split": "column", "parts": [ROWS, …]}]})"
                          : R"(--layers FILE with {"layers": [{"match": "…", "split": "column"}]}; or row, or none)"});
  return check_split(layer, diagnostics);
}

bool Policy::check_split(const Layer &layer, support::Diagnostics &diagnostics) const {
  const auto refuse = [&](const std::string &message) { return fail({}, "pack.split", layer.name, message, diagnostics); };
  if (std::accumulate(layer.parts.begin(), layer.parts.end(), int64_t{0}) != layer.n)
    return refuse(fmt::format("the parts do not add up to N = {}", layer.n));
  if (layer.split == Split::kColumn)
    for (const int64_t part : layer.parts)
      if (part % (ranks_ * w4a8_gemm::kSlabRows) != 0)
        return refuse(fmt::format("{} rows do not split into {} ranks of whole 64 rows", part, ranks_));
  const int64_t unit = std::max(layer.scheme.group, w4a8_gemm::kHalfElems);
  if (layer.split == Split::kRow && layer.k % (ranks_ * unit) != 0)
    return refuse(fmt::format("K = {} does not split into {} ranks of whole groups of {}", layer.k, ranks_, unit));
  return true;
}

void Policy::tell_unmatched(support::Diagnostics &diagnostics) const {
  const auto warn = [&](const support::SourceLocation &where, const std::string &pattern) {
    support::Diagnostic d;
    d.severity = support::Severity::kWarning;
    d.slug = "pack.unmatched";
    d.where = where;
    d.message = fmt::format("\"{}\" matches no layer", pattern);
    diagnostics.add(std::move(d));
  };
  for (size_t i = 0; i < ignored_.size(); ++i)
    if (!ignored_used_[i]) warn({}, ignored_[i]);
  for (const Override &one : overrides_)
    if (!one.is_used) warn(one.where, one.match);
}

}  // namespace warpwright::pack
