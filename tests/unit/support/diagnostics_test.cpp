// SPDX-License-Identifier: Apache-2.0
// Tests of generator/support/diagnostics.
#include "generator/support/diagnostics.h"
#include "tests/catch.h"

using namespace warpwright::support;

namespace {

Diagnostic sample() {
  Diagnostic d;
  d.slug = "spec.out-of-range";
  d.where = {"a.json", 2, 8, 3};
  d.path = "tile.n";
  d.message = "96 is not legal";
  return d;
}

}  // namespace

TEST_CASE("diagnostics: a finding shows its line with a caret, notes and hints") {
  Diagnostics diagnostics;
  diagnostics.add_source("a.json", "{\n  \"n\": 100\n}\n");
  Diagnostic d = sample();
  d.notes = {"source: a book\nsecond line"};
  d.hints = {"--set tile.n=64"};
  diagnostics.add(d);
  CHECK(diagnostics.render() ==
        "a.json:2:8: error[spec.out-of-range]: tile.n: 96 is not legal\n"
        "    2 |   \"n\": 100\n"
        "      |        ^~~\n"
        "  source: a book\n"
        "  second line\n"
        "  hint: --set tile.n=64\n");
}

TEST_CASE("diagnostics: without a known text or place only the message is printed") {
  Diagnostics diagnostics;
  diagnostics.add(sample());
  Diagnostic nowhere;
  nowhere.slug = "cli.usage";
  nowhere.severity = Severity::kWarning;
  nowhere.message = "no place";
  diagnostics.add(nowhere);
  CHECK(diagnostics.render() ==
        "a.json:2:8: error[spec.out-of-range]: tile.n: 96 is not legal\n"
        "warning[cli.usage]: no place\n");
}

TEST_CASE("diagnostics: the caret counts characters, not bytes, and survives tabs") {
  Diagnostics diagnostics;
  diagnostics.add_source("a.json", "\t\"ä\": 5\r\n");
  Diagnostic d = sample();
  d.where = {"a.json", 1, 7, 1};
  diagnostics.add(d);
  CHECK_THAT(diagnostics.render(), Catch::Contains("    1 |  \"ä\": 5\n      |       ^\n"));
}

TEST_CASE("diagnostics: a long line is cut around the caret") {
  Diagnostics diagnostics;
  diagnostics.add_source("a.json", std::string(5000, 'x') + "!" + std::string(5000, 'y'));
  Diagnostic d = sample();
  d.where = {"a.json", 1, 5001, 1};
  diagnostics.add(d);
  const std::string text = diagnostics.render();
  CHECK(text.size() < 400);
  CHECK_THAT(text, Catch::Contains("…xxx"));
  CHECK_THAT(text, Catch::Contains("x!y"));
  CHECK_THAT(text, Catch::Contains(std::string(61, ' ') + "^\n"));
}

TEST_CASE("diagnostics: a place past the end of the text does no harm") {
  Diagnostics diagnostics;
  diagnostics.add_source("a.json", "{}");
  Diagnostic d = sample();
  d.where = {"a.json", 99, 500, 700};
  diagnostics.add(d);
  CHECK_THAT(diagnostics.render(), Catch::Contains("   99 | \n      | ^\n"));
}

TEST_CASE("diagnostics: control characters of user text cannot reach the terminal") {
  Diagnostics diagnostics;
  diagnostics.add_source("a.json", "\x1b[31m red\n");
  Diagnostic d = sample();
  d.where = {"a.json", 1, 1, 1};
  d.message = "bad \x1b[2J \x7f \xc2\x9b \xff";
  diagnostics.add(d);
  const std::string text = diagnostics.render();
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK_THAT(text, Catch::Contains("bad \\u001b[2J \\u007f \\u009b \\xff"));
  CHECK_THAT(text, Catch::Contains("?[31m red"));
}

TEST_CASE("diagnostics: colour only where asked for") {
  Diagnostics diagnostics;
  diagnostics.add(sample());
  CHECK(diagnostics.render().find('\x1b') == std::string::npos);
  CHECK_THAT(diagnostics.render(Colour::kAlways), Catch::Contains("\x1b[1;31merror[spec.out-of-range]\x1b[0m"));
}

TEST_CASE("diagnostics: JSON carries every part, and an empty list is a list") {
  Diagnostics diagnostics;
  CHECK(diagnostics.render_json() == "[]\n");
  Diagnostic d = sample();
  d.hints = {"say \"hi\""};
  diagnostics.add(d);
  CHECK(diagnostics.render_json() ==
        "[\n  {\"severity\": \"error\", \"slug\": \"spec.out-of-range\", \"file\": \"a.json\", \"line\": 2, \"column\": 8, "
        "\"path\": \"tile.n\", \"message\": \"96 is not legal\", \"notes\": [], \"hints\": [\"say \\\"hi\\\"\"]}\n]\n");
}

TEST_CASE("diagnostics: warnings are not errors; append takes findings and texts over") {
  Diagnostics warnings;
  Diagnostic d = sample();
  d.severity = Severity::kWarning;
  warnings.add(d);
  warnings.add_source("a.json", "\n     345\n");
  CHECK_FALSE(warnings.has_errors());
  Diagnostics all;
  all.add(sample());
  all.append(warnings);
  CHECK(all.error_count() == 1);
  CHECK(all.all().size() == 2);
  CHECK(all.has_slug("spec.out-of-range"));
  CHECK_FALSE(all.has_slug("spec.unknown-key"));
  CHECK_THAT(all.render(), Catch::Contains("    2 |      345"));
}

TEST_CASE("diagnostics: a failed assertion names its place") {
  const auto fail = [] { WARPWRIGHT_ASSERT(1 + 1 == 3, "arithmetic"); };
  CHECK_THROWS_AS(fail(), InternalError);
  CHECK_THROWS_WITH(fail(), Catch::Contains("diagnostics_test.cpp") && Catch::Contains("arithmetic"));
}
