// SPDX-License-Identifier: Apache-2.0
// Tests of generator/support/text_table.
#include "generator/support/text_table.h"

#include "generator/support/diagnostics.h"
#include "tests/catch.h"

#include <cstdint>

using namespace warpwright::support;

TEST_CASE("text table: columns align left and right, without trailing spaces") {
  TextTable table;
  table.add_column("region");
  table.add_column("bytes", Align::kRight);
  table.add_column("note");
  table.add_row({"a_tile", "114,688", ""});
  table.add_row({"ä", "64"});
  table.add_rule();
  table.add_row({"total", "114,752", "all"});
  CHECK(table.render() ==
        "  region    bytes  note\n"
        "  a_tile  114,688\n"
        "  ä            64\n"
        "  ---------------------\n"
        "  total   114,752  all\n");
}

TEST_CASE("text table: without headings there is no heading line; misuse is our bug") {
  TextTable table;
  table.add_column("");
  CHECK(table.empty());
  table.add_row({"x"});
  CHECK(table.render(0) == "x\n");
  CHECK_THROWS_AS(table.add_row({"a", "b"}), InternalError);
  CHECK_THROWS_AS(table.add_column("late"), InternalError);
}

TEST_CASE("text table: thousands are separated, the extremes included") {
  CHECK(format_thousands(0) == "0");
  CHECK(format_thousands(999) == "999");
  CHECK(format_thousands(1000) == "1,000");
  CHECK(format_thousands(-38912) == "-38,912");
  CHECK(format_thousands(INT64_MIN) == "-9,223,372,036,854,775,808");
  CHECK(format_thousands(INT64_MAX) == "9,223,372,036,854,775,807");
  CHECK(format_bytes(232448) == "232,448 B");
}

TEST_CASE("text table: words are joined as one says them") {
  CHECK(join_words({}) == "");
  CHECK(join_words({"a"}) == "a");
  CHECK(join_words({"a", "b"}) == "a and b");
  CHECK(join_words({"a", "b", "c"}, "or") == "a, b or c");
}
