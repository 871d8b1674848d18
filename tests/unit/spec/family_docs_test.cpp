// SPDX-License-Identifier: Apache-2.0
// Tests of generator/spec/family_docs: schema, Markdown table, starter specs.
#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"

#include "generator/spec/json_tree.h"

using namespace warpwright;

TEST_CASE("family docs: starter specs load, with every field or without") {
  const spec::FamilySpec &family = w4a4_lora_gemm::family_spec();
  const auto brief = tests::load(spec::starter_spec(family, false));
  const auto full = tests::load(spec::starter_spec(family, true));
  INFO(brief.found.render() << full.found.render());
  REQUIRE(brief.spec);
  REQUIRE(full.spec);
  CHECK(brief.spec->canonical_json() == full.spec->canonical_json());
  for (const spec::Field &field : family.fields) {
    INFO(field.path);
    CHECK(full.spec->at(field.path).where.line > 3);
  }
}

TEST_CASE("family docs: the schema is JSON and describes every field") {
  const spec::FamilySpec &family = w4a4_lora_gemm::family_spec();
  support::Diagnostics found;
  const auto document = spec::parse_json("schema", spec::json_schema(family), "spec", found);
  REQUIRE(document);
  CHECK(found.all().empty());
  for (const spec::Field &field : family.fields) {
    INFO(field.path);
    const spec::JsonNode *node = &document->root;
    std::string rest = field.path;
    while (true) {
      node = node->find("properties");
      REQUIRE(node != nullptr);
      const size_t dot = rest.find('.');
      node = node->find(rest.substr(0, dot));
      REQUIRE(node != nullptr);
      if (dot == std::string::npos) break;
      rest = rest.substr(dot + 1);
    }
    REQUIRE(node->find("description") != nullptr);
    CHECK_THAT(node->find("description")->text, Catch::StartsWith(field.text));
    CHECK((node->find("default") == nullptr) == field.required);
  }
}

TEST_CASE("family docs: the Markdown table has one row a field") {
  const spec::FamilySpec &family = w4a4_lora_gemm::family_spec();
  const std::string table = spec::markdown_table(family);
  CHECK(static_cast<size_t>(std::count(table.begin(), table.end(), '\n')) == family.fields.size() + 2);
  CHECK_THAT(table, Catch::Contains("| `tile.n` | 64, 128, 192, 256, \"auto\" (columns) | `\"auto\"` | Columns of an output tile."));
  CHECK_THAT(table, Catch::Contains("| `problem.n` | a multiple of 64 from 64 to 1048576 (columns) | required |"));
}

TEST_CASE("family docs: the field table keeps its own promises") {
  for (const spec::Field &field : w4a4_lora_gemm::family_spec().fields) {
    INFO(field.path);
    CHECK_FALSE(field.text.empty());
    CHECK(field.text.back() == '.');
    CHECK((field.required || field.allows_auto));
    support::Diagnostics found;
    // A default is a legal value; planner-chosen fields are auto.
    if (!field.required && !field.default_value.is_auto()) {
      const auto loaded = tests::load_with("", {field.path + "=" + field.default_value.to_json()});
      CHECK(loaded.spec);
    }
  }
}
