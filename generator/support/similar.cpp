// SPDX-License-Identifier: Apache-2.0
// Restricted Damerau-Levenshtein distance.
#include "generator/support/similar.h"

#include <algorithm>

namespace warpwright::support {

size_t edit_distance(const std::string &a, const std::string &b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

std::optional<std::string> most_similar(const std::string &word, const std::vector<std::string> &candidates) {
  // Longer than any name we know by a wide margin: not a typing mistake, and not worth a quadratic search.
  constexpr size_t kLongestWord = 80;
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  size_t best_distance = 0;
  for (const std::string &candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    const size_t allowed = std::max<size_t>(1, std::min(word.size(), candidate.size()) / 3);
    if (distance <= allowed && distance < candidate.size() && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace warpwright::support
