// SPDX-License-Identifier: Apache-2.0
// One object of a launch description, read key by key; every fault is reported where it stands.
#pragma once

#include "generator/spec/json_tree.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::cli {

/// The document that is read, and where its faults go.
struct LaunchText {
  const spec::JsonDocument &document;
  support::Diagnostics &found;

  void fail(const std::string &slug, const support::SourceLocation &where, const std::string &path, const std::string &message,
            std::vector<std::string> hints = {}) const;
  void fail(const std::string &slug, const spec::JsonNode &node, const std::string &path, const std::string &message,
            std::vector<std::string> hints = {}) const {
    fail(slug, document.locate(node), path, message, std::move(hints));
  }
};

enum class Presence { kRequired, kOptional };

struct IntegerRange {
  int64_t min, max;
};

/// Errors    run.wrong-type, run.unknown-key, run.missing-key, run.out-of-range, run.not-a-choice. A getter returns nothing
///           where the key is absent or wrong.
class LaunchObject {
 public:
  /// `keys`: all that the object may have; "$comment" is always allowed.
  LaunchObject(const LaunchText &text, const spec::JsonNode &node, std::string path, std::vector<std::string> keys);

  bool is_object() const { return node_.kind == spec::JsonNode::Kind::kObject; }
  const spec::JsonNode &node() const { return node_; }
  const std::string &path() const { return path_; }
  std::string path_of(const std::string &key) const { return path_.empty() ? key : path_ + "." + key; }
  const LaunchText &text() const { return text_; }

  const spec::JsonNode *find(const std::string &key, Presence presence) const;
  std::optional<int64_t> integer(const std::string &key, IntegerRange range, Presence presence) const;
  std::optional<double> number(const std::string &key, Presence presence) const;
  std::optional<std::string> word(const std::string &key, Presence presence) const;
  /// The index of the word in `choices`.
  std::optional<size_t> choice(const std::string &key, const std::vector<std::string> &choices, Presence presence) const;
  /// A list of min_count to max_count integers.
  std::optional<std::vector<int64_t>> integers(const std::string &key, size_t min_count, size_t max_count, IntegerRange range,
                                               Presence presence) const;

  /// The same for a value that is no member.
  static std::optional<int64_t> integer_of(const LaunchText &text, const spec::JsonNode &node, const std::string &path,
                                           IntegerRange range);
  static std::optional<double> number_of(const LaunchText &text, const spec::JsonNode &node, const std::string &path);

 private:
  const LaunchText &text_;
  const spec::JsonNode &node_;
  std::string path_;
};

/// "a, b or c", each in quotes.
std::string quoted_choices(const std::vector<std::string> &words);

}  // namespace warpwright::cli
