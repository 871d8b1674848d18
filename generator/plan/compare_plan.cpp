// SPDX-License-Identifier: Apache-2.0
// Two plans as JSON trees, value by value, so that no record can be forgotten.
#include "generator/plan/compare_plan.h"

#include "generator/plan/report.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

namespace warpwright::plan {
namespace {

using spec::JsonNode;

/// More say nothing that these do not: one changed field of the spec moves dozens of records.
constexpr size_t kMostReported = 8;
/// Longer names would hide the rest of the path; kernels have them.
constexpr size_t kLongestName = 40;
constexpr size_t kLongestShownBytes = 200;

bool is_free(const std::string &key) {
  static const std::set<std::string> keys = {"text",       "offset_bytes",       "stride_bytes",    "used_bytes",
                                             "slack_bytes", "dynamic_smem_bytes", "smem_slack_bytes"};
  return keys.count(key) > 0;
}

class Comparer {
 public:
  Comparer(const spec::JsonDocument &edited, const spec::JsonDocument &derived, support::Diagnostics &diagnostics)
      : edited_(edited), derived_(derived), diagnostics_(diagnostics) {}

  void run(const JsonNode &edited, const JsonNode &derived) {
    compare(edited, derived, "");
    if (count_ <= kMostReported) return;
    support::Diagnostic more = last_;
    more.message = fmt::format("{} more records are not what the spec gives", count_ - kMostReported);
    more.path.clear();
    diagnostics_.add(std::move(more));
  }

 private:
  void report(const JsonNode &node, const std::string &path, std::string message) {
    support::Diagnostic error;
    error.slug = "plan.contradicts-spec";
    error.path = path;
    error.where = edited_.locate(node);
    error.message = std::move(message);
    error.hints = {"change \"spec\" and write the plan again: warpwright plan SPEC --json"};
    if (++count_ <= kMostReported) diagnostics_.add(error);
    last_ = std::move(error);
  }

  void compare(const JsonNode &edited, const JsonNode &derived, const std::string &path) {
    if (edited.kind != derived.kind) {
      differ(edited, derived, path);
    } else if (edited.kind == JsonNode::Kind::kObject) {
      compare_objects(edited, derived, path);
    } else if (edited.kind == JsonNode::Kind::kList) {
      compare_lists(edited, derived, path);
    } else if (edited.integer != derived.integer || edited.boolean != derived.boolean || edited.text != derived.text ||
               edited.number != derived.number) {
      differ(edited, derived, path);
    }
  }

  /// A value in full where a message holds it: expressions often differ at their ends.
  static std::string shown(const spec::JsonDocument &document, const JsonNode &node) {
    const bool is_scalar = node.kind != JsonNode::Kind::kObject && node.kind != JsonNode::Kind::kList;
    if (!is_scalar || node.end - node.begin > kLongestShownBytes) return document.literal(node);
    return document.text.substr(node.begin, node.end - node.begin);
  }

  void differ(const JsonNode &edited, const JsonNode &derived, const std::string &path) {
    report(edited, path, fmt::format("is {}; the spec gives {}", shown(edited_, edited), shown(derived_, derived)));
  }

  void compare_objects(const JsonNode &edited, const JsonNode &derived, const std::string &path) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const spec::JsonMember &member : derived.members) {
      const JsonNode *other = edited.find(member.key);
      if (other == nullptr) {
        report(edited, prefix + member.key, fmt::format("is missing; the spec gives {}", derived_.literal(member.value)));
      } else if (!is_free(member.key) && !(path.empty() && member.key == "name")) {
        compare(*other, member.value, prefix + member.key);
      }
    }
    for (const spec::JsonMember &member : edited.members)
      if (derived.find(member.key) == nullptr)
        report(member.value, prefix + member.key,
               fmt::format("is {}; the spec gives no such key", edited_.literal(member.value)));
  }

  static std::string name_of(const JsonNode &item, size_t index) {
    const JsonNode *name = item.kind == JsonNode::Kind::kObject ? item.find("name") : nullptr;
    return name != nullptr && name->text.size() <= kLongestName ? name->text : std::to_string(index);
  }

  void compare_lists(const JsonNode &edited, const JsonNode &derived, const std::string &path) {
    if (edited.items.size() != derived.items.size()) {
      report(edited, path, fmt::format("has {} entries; the spec gives {}", edited.items.size(), derived.items.size()));
      return;
    }
    // Regions lie in order of their offsets, which an edit may change; everywhere else the order counts.
    const bool by_name = path.size() >= 8 && path.compare(path.size() - 8, 8, ".regions") == 0;
    for (size_t i = 0; i < derived.items.size(); ++i) {
      const std::string name = name_of(derived.items[i], i);
      auto other = edited.items.begin() + static_cast<std::ptrdiff_t>(i);
      if (by_name && derived.items[i].kind == JsonNode::Kind::kObject) {
        other = std::find_if(edited.items.begin(), edited.items.end(),
                             [&](const JsonNode &item) { return name_of(item, edited.items.size()) == name; });
        if (other == edited.items.end()) {
          report(edited, path, fmt::format("has no {}; the spec gives one", name));
          continue;
        }
      }
      compare(*other, derived.items[i], fmt::format("{}[{}]", path, name));
    }
  }

  const spec::JsonDocument &edited_;
  const spec::JsonDocument &derived_;
  support::Diagnostics &diagnostics_;
  size_t count_ = 0;
  support::Diagnostic last_;
};

}  // namespace

void compare_plan(const PlacedPlan &edited, const OperatorPlan &derived, support::Diagnostics &diagnostics) {
  support::Diagnostics own_text;
  const auto document = spec::parse_json("derived", plan_json(derived), "plan", own_text);
  WARPWRIGHT_ASSERT(document.has_value(), "the plan's own JSON does not parse");
  const JsonNode *root = plan_root(edited.document.root);
  WARPWRIGHT_ASSERT(root != nullptr, "the edited plan was not read from JSON");
  Comparer(edited.document, *document, diagnostics).run(*root, document->root);
}

}  // namespace warpwright::plan
