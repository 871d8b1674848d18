// SPDX-License-Identifier: Apache-2.0
// Tests of generator/support/json_text.
#include "generator/support/json_text.h"
#include "tests/catch.h"

using namespace warpwright::support;

TEST_CASE("json text: quotes, backslashes and control characters are escaped") {
  CHECK(json_quote("") == "\"\"");
  CHECK(json_quote("a\"b\\c\n\t\x01") == "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  CHECK(json_quote("ä€😀") == "\"ä€😀\"");
}

TEST_CASE("json text: malformed UTF-8 becomes the replacement character") {
  const std::string replacement = "\xEF\xBF\xBD";
  CHECK(json_quote("a\xff") == "\"a" + replacement + "\"");
  CHECK(json_quote("\xc3") == "\"" + replacement + "\"");                                      // cut off
  CHECK(json_quote("\xc0\xaf") == "\"" + replacement + replacement + "\"");                    // overlong
  CHECK(json_quote("\xed\xa0\x80") == "\"" + replacement + replacement + replacement + "\"");  // surrogate
  CHECK(utf8_sequence_bytes("\xf4\x90\x80\x80", 0) == 0);                                      // above U+10FFFF
  CHECK(utf8_sequence_bytes("\xf4\x8f\xbf\xbf", 0) == 4);
  CHECK(utf8_sequence_bytes("\xe0\x9f\xbf", 0) == 0);
  CHECK(utf8_sequence_bytes("\xf0\x8f\xbf\xbf", 0) == 0);
}

TEST_CASE("json text: characters are code points") {
  CHECK(utf8_chars("") == 0);
  CHECK(utf8_chars("aä€😀") == 4);
  CHECK(utf8_chars("\xff\xff") == 2);
}

TEST_CASE("json text: numbers read back as they were") {
  for (const double value : {0.0, 1.0, 0.1, 65504.0, 3.3895313892515355e38, 1e-300}) {
    CHECK(std::stod(json_number(value)) == value);
  }
}
