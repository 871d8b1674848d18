// SPDX-License-Identifier: Apache-2.0
// Tests of generator/support/similar.
#include "generator/support/similar.h"
#include "tests/catch.h"

using namespace warpwright::support;

TEST_CASE("similar: the edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("rank", "rnak") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("plan", "plane") == 1);
}

TEST_CASE("similar: a typing mistake finds its word, a different word does not") {
  const std::vector<std::string> words = {"rank", "type", "placement", "stages"};
  CHECK(most_similar("rnak", words) == std::optional<std::string>("rank"));
  CHECK(most_similar("placment", words) == std::optional<std::string>("placement"));
  CHECK_FALSE(most_similar("cluster", words));
  CHECK_FALSE(most_similar("", words));
  CHECK_FALSE(most_similar(std::string(1000000, 'r'), words));
  CHECK_FALSE(most_similar("x", {"m", "n"}));
}
