// SPDX-License-Identifier: Apache-2.0
// Tests of generator/spec/json_tree: exact places, and refusal of everything that is not JSON.
#include "generator/spec/json_tree.h"

#include "tests/catch.h"

using namespace warpwright;
using spec::JsonNode;

namespace {

struct Parsed {
  std::optional<spec::JsonDocument> document;
  support::Diagnostics found;
};

Parsed parse(const std::string &text) {
  Parsed out;
  out.document = spec::parse_json("t.json", text, "spec", out.found);
  return out;
}

std::string place(const support::SourceLocation &where) {
  return std::to_string(where.line) + ":" + std::to_string(where.column) + "+" + std::to_string(where.width_chars);
}

void check_refused(const std::string &text, const std::string &expected_place, const std::string &words) {
  const Parsed parsed = parse(text);
  INFO(text);
  CHECK_FALSE(parsed.document);
  REQUIRE(parsed.found.error_count() == 1);
  CHECK(parsed.found.all()[0].slug == "spec.not-json");
  CHECK(place(parsed.found.all()[0].where) == expected_place);
  CHECK_THAT(parsed.found.all()[0].message, Catch::Contains(words));
}

}  // namespace

TEST_CASE("json tree: every key and value knows its place") {
  const Parsed parsed = parse("{ \"a\" : 12,\n  \"ä\": [1, -2.5e3 , \"x\\\"]\"],\n\t\"c\":{\"d\":true,\"e\":null} }");
  REQUIRE(parsed.document);
  const spec::JsonDocument &d = *parsed.document;
  CHECK(place(d.locate(d.root)) == "1:1+1");
  REQUIRE(d.root.members.size() == 3);
  CHECK(place(d.locate_key(d.root.members[0])) == "1:3+3");
  CHECK(place(d.locate(d.root.members[0].value)) == "1:9+2");
  CHECK(place(d.locate_key(d.root.members[1])) == "2:3+3");
  const JsonNode &list = d.root.members[1].value;
  CHECK(place(d.locate(list)) == "2:8+20");
  REQUIRE(list.items.size() == 3);
  CHECK(place(d.locate(list.items[1])) == "2:12+6");
  CHECK(list.items[1].number == -2500);
  CHECK(list.items[2].text == "x\"]");
  CHECK(place(d.locate(list.items[2])) == "2:21+6");
  const JsonNode &c = *d.root.find("c");
  CHECK(place(d.locate(*c.find("d"))) == "3:11+4");
  CHECK(place(d.locate(*c.find("e"))) == "3:20+4");
  CHECK(c.find("e")->kind == JsonNode::Kind::kNull);
  CHECK(d.root.find("absent") == nullptr);
}

TEST_CASE("json tree: scalars, empty containers and a byte order mark are texts too") {
  CHECK(parse("7").document->root.integer == 7);
  CHECK(parse("  \"x\"\n").document->root.text == "x");
  CHECK(parse("[]").document->root.items.empty());
  const Parsed marked = parse("\xEF\xBB\xBF{\"a\": 1}");
  REQUIRE(marked.document);
  CHECK(marked.document->literal(*marked.document->root.find("a")) == "1");
}

TEST_CASE("json tree: integers keep their value, larger ones become numbers") {
  const Parsed parsed = parse("[9223372036854775807, -9223372036854775808, 9223372036854775808, 18446744073709551616, 1.0]");
  REQUIRE(parsed.document);
  const auto &items = parsed.document->root.items;
  CHECK(items[0].integer == INT64_MAX);
  CHECK(items[1].integer == INT64_MIN);
  for (size_t i = 2; i < 5; ++i) CHECK(items[i].kind == JsonNode::Kind::kNumber);
}

TEST_CASE("json tree: duplicate keys are seen at any depth; the first one holds") {
  const Parsed parsed = parse("{\"a\": {\"b\": 1, \"b\": 2}, \"\\u0061\": 3}");
  REQUIRE(parsed.document);
  REQUIRE(parsed.found.error_count() == 2);
  CHECK(parsed.found.all()[0].slug == "spec.duplicate-key");
  CHECK(parsed.found.all()[0].path == "a.b");
  CHECK(place(parsed.found.all()[0].where) == "1:16+3");
  CHECK(parsed.found.all()[1].path == "a");
  CHECK(parsed.document->root.find("a")->find("b")->integer == 1);
}

TEST_CASE("json tree: common mistakes are explained at their place") {
  check_refused("", "1:1+1", "empty");
  check_refused(" \n\t", "1:1+1", "empty");
  check_refused("{\"a\": 1 // one\n}", "1:9+1", "no comments");
  check_refused("{/* x */}", "1:2+1", "no comments");
  check_refused("{\"a\": 1,\n}", "1:8+1", "comma before the closing '}'");
  check_refused("[1, 2, ]", "1:6+1", "comma before the closing ']'");
  check_refused("{'a': 1}", "1:2+1", "double quotes");
  check_refused("{\"a\": True}", "1:7+1", "lower case");
  check_refused("{\"a\": NaN}", "1:7+1", "no NaN");
  check_refused("{\"a\": -Infinity}", "1:7+1", "no infinity");
  check_refused("{\"a\": 1e999}", "1:7+1", "too large");
  check_refused("{\"a\": [1, 2", "1:12+1", "the list that opens at line 1, column 7 is not closed");
  check_refused("{\"a\": 1", "1:8+1", "the object that opens at line 1, column 1 is not closed");
  check_refused("{\"a\": \"x", "1:9+1", "ends too early");
  check_refused("{\"a\" 1}", "1:6+1", "':'");
  check_refused("{} {}", "1:4+1", "end of input");
  check_refused(std::string("{}\0{}", 5), "1:3+1", "zero byte");
}

TEST_CASE("json tree: malformed UTF-8 and escapes are refused where they stand") {
  check_refused("{\"a\": \"\xff\"}", "1:8+1", "UTF-8");
  check_refused("{\"a\": \"\\ud800\"}", "1:14+1", "surrogate");
  check_refused("{\"a\": \"\\x\"}", "1:9+1", "forbidden character after backslash");
  check_refused("{\"a\": \"\n\"}", "1:8+1", "control character");
}

TEST_CASE("json tree: depth and length are bounded") {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  CHECK(parse(deep).document);
  check_refused("[" + deep + "]", "1:65+1", "more than 64 deep");
  check_refused(std::string(1000000, '['), "1:65+1", "more than 64 deep");
  const Parsed large = parse("\"" + std::string(spec::kJsonLimitBytes, 'x') + "\"");
  CHECK_FALSE(large.document);
  CHECK_THAT(large.found.all().at(0).message, Catch::Contains("bytes; at most"));
}

TEST_CASE("json tree: long literals are shortened for messages without cutting a character") {
  std::string text = "\"";
  for (int i = 0; i < 60; ++i) text += "ä";
  const Parsed parsed = parse("[" + text + "\", {\"a\": 1}]");
  const spec::JsonDocument &d = *parsed.document;
  const std::string literal = d.literal(d.root.items[0]);
  CHECK(literal.size() <= 52);
  CHECK(literal.substr(literal.size() - 5) == "ä…");
  CHECK(d.literal(d.root.items[1]) == "an object");
  CHECK(d.literal(d.root) == "a list");
}
