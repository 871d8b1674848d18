// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the word of a list that a mistyped word resembles most.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpwright::support {

/// The nearest candidate by edit distance (a transposition counts one), or nothing if none is close enough to be a
/// plausible typing mistake. Ties go to the earlier candidate.
std::optional<std::string> most_similar(const std::string &word, const std::vector<std::string> &candidates);

/// Insertions, deletions, substitutions and transpositions of neighbours that turn `a` into `b`.
size_t edit_distance(const std::string &a, const std::string &b);

}  // namespace warpwright::support
