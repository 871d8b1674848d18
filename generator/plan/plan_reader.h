// SPDX-License-Identifier: Apache-2.0
// Typed access to the members of a plan's JSON, for read_plan.cpp.
#pragma once

#include "generator/plan/read_plan.h"

#include <limits>

namespace warpwright::plan {

/// No count, byte or column of a plan is larger; products of two stay within int64_t.
constexpr int64_t kMostInteger = std::numeric_limits<int32_t>::max();

/// Typed access to members; the first member that is missing or wrong is reported and makes the result unusable.
class PlanReader {
 public:
  PlanReader(const spec::JsonDocument &document, support::Diagnostics &diagnostics, PlacedPlan &result)
      : document_(document), diagnostics_(diagnostics), result_(result) {}

  bool ok() const { return ok_; }

  const spec::JsonNode &member(const spec::JsonNode &object, const char *key, spec::JsonNode::Kind kind) {
    static const spec::JsonNode empty;
    const spec::JsonNode *found = object.kind == spec::JsonNode::Kind::kObject ? object.find(key) : nullptr;
    if (found != nullptr && found->kind == kind) return *found;
    if (object.kind != spec::JsonNode::Kind::kObject) {
      fail(object, std::string("a record with \"") + key + "\" is expected here");
    } else {
      fail(found != nullptr ? *found : object,
           std::string("\"") + key + (found != nullptr ? "\" has the wrong type" : "\" is missing"));
    }
    return empty;
  }
  int64_t integer(const spec::JsonNode &object, const char *key, int64_t least = 0) {
    const spec::JsonNode &found = member(object, key, spec::JsonNode::Kind::kInteger);
    return in_range(found, key, least);
  }
  bool boolean(const spec::JsonNode &object, const char *key) {
    return member(object, key, spec::JsonNode::Kind::kBoolean).boolean;
  }
  const std::string &text(const spec::JsonNode &object, const char *key) {
    return member(object, key, spec::JsonNode::Kind::kText).text;
  }
  template <typename Find>
  auto word(const spec::JsonNode &object, const char *key, Find find) {
    const auto found = find(text(object, key));
    if (!found && ok_) fail(*object.find(key), std::string("\"") + key + "\" is a word that plans do not have");
    return found.value_or(typename decltype(found)::value_type{});
  }
  std::vector<std::string> texts(const spec::JsonNode &object, const char *key) {
    std::vector<std::string> values;
    for (const spec::JsonNode &item : member(object, key, spec::JsonNode::Kind::kList).items)
      values.push_back(has_kind(item, key, spec::JsonNode::Kind::kText) ? item.text : "");
    return values;
  }
  std::vector<int64_t> integers(const spec::JsonNode &object, const char *key) {
    std::vector<int64_t> values;
    for (const spec::JsonNode &item : member(object, key, spec::JsonNode::Kind::kList).items)
      values.push_back(has_kind(item, key, spec::JsonNode::Kind::kInteger) ? in_range(item, key, 0) : 0);
    return values;
  }
  std::map<std::string, int64_t> integer_map(const spec::JsonNode &object, const char *key) {
    std::map<std::string, int64_t> values;
    for (const auto &entry : member(object, key, spec::JsonNode::Kind::kObject).members)
      if (has_kind(entry.value, entry.key, spec::JsonNode::Kind::kInteger))
        values[entry.key] = in_range(entry.value, entry.key, 0);
    return values;
  }
  std::map<std::string, std::string> text_map(const spec::JsonNode &object, const char *key) {
    std::map<std::string, std::string> values;
    for (const auto &entry : member(object, key, spec::JsonNode::Kind::kObject).members)
      if (has_kind(entry.value, entry.key, spec::JsonNode::Kind::kText)) values[entry.key] = entry.value.text;
    return values;
  }
  template <typename Record, typename Body>
  std::vector<Record> list(const spec::JsonNode &object, const char *key, Body body) {
    std::vector<Record> records;
    for (const spec::JsonNode &item : member(object, key, spec::JsonNode::Kind::kList).items) {
      if (!ok_) break;
      records.push_back(body(item));
    }
    return records;
  }
  void place(const std::string &name, const spec::JsonNode &node) { result_.places[name] = document_.locate(node); }

  /// Reports `node` unless an earlier one was.
  void fail(const spec::JsonNode &node, const std::string &message) {
    if (!ok_) return;
    ok_ = false;
    support::Diagnostic error;
    error.slug = "plan.bad-record";
    error.where = document_.locate(node);
    error.message = message;
    error.hints = {"warpwright plan SPEC --json"};
    diagnostics_.add(std::move(error));
  }

 private:
  bool has_kind(const spec::JsonNode &node, const std::string &key, spec::JsonNode::Kind kind) {
    if (node.kind == kind) return true;
    fail(node, "an entry of \"" + key + "\" has the wrong type");
    return false;
  }
  int64_t in_range(const spec::JsonNode &node, const std::string &key, int64_t least) {
    if (node.integer >= least && node.integer <= kMostInteger) return node.integer;
    fail(node, "\"" + key + "\" is " + std::to_string(node.integer) + "; it is " + std::to_string(least) + " to " +
                   std::to_string(kMostInteger));
    return 0;
  }

  const spec::JsonDocument &document_;
  support::Diagnostics &diagnostics_;
  PlacedPlan &result_;
  bool ok_ = true;
};

}  // namespace warpwright::plan
