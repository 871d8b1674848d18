// SPDX-License-Identifier: Apache-2.0
// Tests of tools/cli/explain: the examples of the spec stage really provoke what they explain.
#include "tools/cli/explain.h"
#include "tools/cli/families.h"

#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"

#include <algorithm>

using namespace warpwright;

TEST_CASE("explain: entries are sorted, unique and complete") {
  const auto &all = cli::explanations();
  REQUIRE(all.size() > 30);
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].slug);
    if (i > 0) CHECK(all[i - 1].slug < all[i].slug);
    CHECK_FALSE(all[i].what.empty());
    CHECK_FALSE(all[i].why.empty());
    CHECK_FALSE(all[i].fix.empty());
    CHECK(all[i].what.back() != '.');
  }
}

TEST_CASE("explain: the JSON examples are refused with the slug that they illustrate") {
  int checked = 0;
  for (const cli::Explanation &entry : cli::explanations()) {
    if (entry.slug.rfind("spec.", 0) != 0 || entry.example.empty()) continue;
    tests::Loaded loaded;
    const std::string &example = entry.example;
    if (example.rfind("--set ", 0) == 0) {
      loaded = tests::load_with("", {example.substr(6)});
    } else if (example.front() == '{' && example.find("\"family\"") == std::string::npos) {
      // Members to be added to a legal spec; a "problem" of theirs replaces its.
      const std::string members = example.substr(2, example.size() - 4);
      const bool has_problem = members.find("\"problem\"") != std::string::npos;
      const bool has_edition = members.find("\"edition\"") != std::string::npos;
      const auto as = [&](const char *family) {
        tests::Loaded out;
        out.spec = spec::load_spec_text("t.json", std::string("{\"family\": \"") + family + "\"" + (has_edition ? "" : ", \"edition\": 1") +
                                                      (has_problem ? "" : ", \"problem\": {\"n\": 3072, \"k\": 3072}") + ", " + members + "}",
                                        {}, cli::family_specs(), out.found);
        return out;
      };
      loaded = as("w4a4_lora_gemm");
      // A rule of the other family.
      if (!loaded.found.has_slug(entry.slug)) loaded = as("w4a8_gemm");
    } else if (example.front() == '{' || example.front() == '[') {
      loaded = tests::load(example);
    } else {
      continue;
    }
    INFO(entry.slug << "\n" << example << "\n" << loaded.found.render());
    CHECK(loaded.found.has_slug(entry.slug));
    ++checked;
  }
  CHECK(checked >= 18);
}
