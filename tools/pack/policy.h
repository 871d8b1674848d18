// SPDX-License-Identifier: Apache-2.0
// What is asked of each layer: ignore patterns, overrides from a file, the default split by name.
#pragma once

#include "tools/pack/layers.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::pack {

struct Override {
  std::string match;
  std::optional<int64_t> group;
  std::optional<w4a8_gemm::Rounding> rounding;
  std::optional<Split> split;
  std::vector<int64_t> parts;
  bool ignore = false;
  support::SourceLocation where;
  mutable bool is_used = false;
};

class Policy {
 public:
  /// Errors    pack.overrides, pack.unreadable, pack.not-json, pack.duplicate-key.
  static std::optional<Policy> load(const Options &options, support::Diagnostics &diagnostics);

  bool ignores(const std::string &layer) const;
  /// Sets scheme, split and parts. False with pack.shape or pack.split.
  bool apply(Layer &layer, support::Diagnostics &diagnostics) const;
  /// pack.unmatched for every pattern of the user that matched nothing.
  void tell_unmatched(support::Diagnostics &diagnostics) const;

 private:
  const Override *find(const std::string &layer) const;
  bool check_split(const Layer &layer, support::Diagnostics &diagnostics) const;

  w4a8_gemm::Scheme scheme_;
  int64_t ranks_ = 1;
  std::vector<Override> overrides_;
  std::vector<std::string> ignored_;
  mutable std::vector<bool> ignored_used_;
};

}  // namespace warpwright::pack
