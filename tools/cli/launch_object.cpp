// SPDX-License-Identifier: Apache-2.0
// Keys and types of a launch description's objects.
#include "tools/cli/launch_object.h"

#include "generator/support/json_text.h"
#include "generator/support/similar.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::cli {

using Kind = spec::JsonNode::Kind;

void LaunchText::fail(const std::string &slug, const support::SourceLocation &where, const std::string &path,
                      const std::string &message, std::vector<std::string> hints) const {
  support::Diagnostic d;
  d.slug = slug;
  d.where = where;
  d.path = path;
  d.message = message;
  d.hints = std::move(hints);
  found.add(std::move(d));
}

std::string quoted_choices(const std::vector<std::string> &words) {
  std::vector<std::string> quoted;
  for (const std::string &word : words) quoted.push_back(support::json_quote(word));
  return support::join_words(quoted, "or");
}

LaunchObject::LaunchObject(const LaunchText &text, const spec::JsonNode &node, std::string path, std::vector<std::string> keys)
    : text_(text), node_(node), path_(std::move(path)) {
  if (!is_object()) {
    text_.fail("run.wrong-type", node_, path_,
               fmt::format("expected an object with {}, found {}", support::join_words(keys, "or"), text_.document.literal(node_)));
    return;
  }
  for (const spec::JsonMember &member : node_.members) {
    if (member.key == "$comment" || std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    const auto meant = support::most_similar(member.key, keys);
    text_.fail("run.unknown-key", text_.document.locate_key(member), support::shortened(path_of(member.key), 80),
               meant ? fmt::format("unknown key; did you mean \"{}\"?", *meant) : "unknown key",
               {"known keys here: " + support::join_words(keys)});
  }
}

const spec::JsonNode *LaunchObject::find(const std::string &key, Presence presence) const {
  if (!is_object()) return nullptr;
  const spec::JsonNode *found = node_.find(key);
  if (!found && presence == Presence::kRequired) text_.fail("run.missing-key", node_, path_of(key), "missing");
  return found;
}

std::optional<int64_t> LaunchObject::integer_of(const LaunchText &text, const spec::JsonNode &node, const std::string &path,
                                                IntegerRange range) {
  if (node.kind == Kind::kInteger && node.integer >= range.min && node.integer <= range.max) return node.integer;
  const bool is_number = node.kind == Kind::kInteger || node.kind == Kind::kNumber;
  text.fail(is_number ? "run.out-of-range" : "run.wrong-type", node, path,
            fmt::format("expected an integer from {} to {}, found {}", range.min, range.max, text.document.literal(node)));
  return std::nullopt;
}

std::optional<double> LaunchObject::number_of(const LaunchText &text, const spec::JsonNode &node, const std::string &path) {
  if (node.kind == Kind::kInteger) return static_cast<double>(node.integer);
  if (node.kind == Kind::kNumber) return node.number;
  text.fail("run.wrong-type", node, path, fmt::format("expected a number, found {}", text.document.literal(node)));
  return std::nullopt;
}

std::optional<int64_t> LaunchObject::integer(const std::string &key, IntegerRange range, Presence presence) const {
  const spec::JsonNode *found = find(key, presence);
  return found ? integer_of(text_, *found, path_of(key), range) : std::nullopt;
}

std::optional<double> LaunchObject::number(const std::string &key, Presence presence) const {
  const spec::JsonNode *found = find(key, presence);
  return found ? number_of(text_, *found, path_of(key)) : std::nullopt;
}

std::optional<std::string> LaunchObject::word(const std::string &key, Presence presence) const {
  const spec::JsonNode *found = find(key, presence);
  if (!found) return std::nullopt;
  if (found->kind == Kind::kText && !found->text.empty()) return found->text;
  text_.fail("run.wrong-type", *found, path_of(key), fmt::format("expected a text, found {}", text_.document.literal(*found)));
  return std::nullopt;
}

std::optional<size_t> LaunchObject::choice(const std::string &key, const std::vector<std::string> &choices,
                                           Presence presence) const {
  const spec::JsonNode *found = find(key, presence);
  if (!found) return std::nullopt;
  const auto chosen = std::find(choices.begin(), choices.end(), found->text);
  if (found->kind == Kind::kText && chosen != choices.end()) return static_cast<size_t>(chosen - choices.begin());
  const auto meant = support::most_similar(found->text, choices);
  text_.fail(found->kind == Kind::kText ? "run.not-a-choice" : "run.wrong-type", *found, path_of(key),
             fmt::format("{} is not {}{}", text_.document.literal(*found), quoted_choices(choices),
                         meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
  return std::nullopt;
}

std::optional<std::vector<int64_t>> LaunchObject::integers(const std::string &key, size_t min_count, size_t max_count,
                                                           IntegerRange range, Presence presence) const {
  const spec::JsonNode *found = find(key, presence);
  if (!found) return std::nullopt;
  if (found->kind != Kind::kList || found->items.size() < min_count || found->items.size() > max_count) {
    const std::string count = min_count == max_count ? fmt::format("{}", min_count) : fmt::format("{} to {}", min_count, max_count);
    text_.fail("run.wrong-type", *found, path_of(key),
               fmt::format("expected a list of {} integers, found {}", count, text_.document.literal(*found)));
    return std::nullopt;
  }
  std::vector<int64_t> values;
  for (size_t i = 0; i < found->items.size(); ++i) {
    const auto value = integer_of(text_, found->items[i], fmt::format("{}[{}]", path_of(key), i), range);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace warpwright::cli
