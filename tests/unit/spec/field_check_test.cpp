// SPDX-License-Identifier: Apache-2.0
// Tests of generator/spec/field_check: words for legal values and types.
#include "generator/spec/field_check.h"

#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"

using namespace warpwright;

namespace {

const spec::Field &field(const std::string &path) {
  const spec::Field *found = w4a4_lora_gemm::family_spec().find(path);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("field check: legal values read as one says them") {
  CHECK(spec::legal_values(field("tile.n")) == "64, 128, 192 or 256");
  CHECK(spec::legal_values(field("pipeline_depth")) == "2 to 16");
  CHECK(spec::legal_values(field("lora.rank")) == "a multiple of 16 from 0 to 256");
  CHECK(spec::legal_values(field("quant.scheme")) == "\"nvfp4\" or \"mxfp4\"");
  CHECK(spec::legal_values(field("epilogue.bias")) == "true or false");
  CHECK(spec::type_words(field("problem.m")) == "an integer or \"dynamic\" or \"auto\"");
  CHECK(spec::type_words(field("problem.n")) == "an integer");
  CHECK(spec::type_words(field("cluster")) == "a list of 2 integers or \"auto\"");
}

TEST_CASE("field check: every wrong type of every field is refused, with a way out") {
  for (const spec::Field &row : w4a4_lora_gemm::family_spec().fields) {
    const size_t dot = row.path.find('.');
    const auto spec_with = [&](const std::string &literal) {
      const std::string value = dot == std::string::npos
                                    ? "\"" + row.path + "\": " + literal
                                    : "\"" + row.path.substr(0, dot) + "\": {\"" + row.path.substr(dot + 1) + "\": " + literal + "}";
      return tests::load(R"({"edition": 1, "family": "w4a4_lora_gemm", )" + value + "}");
    };
    for (const std::string literal : {"null", "{}", "[[]]", "\"\\u0000?\"", "[\"x\", 1]", "1.5e0", "true"}) {
      if (literal == "true" && row.type == spec::FieldType::kBoolean) continue;
      if (literal == "1.5e0" && row.type == spec::FieldType::kNumber) continue;
      INFO(row.path << " = " << literal);
      const auto loaded = spec_with(literal);
      CHECK_FALSE(loaded.spec);
      const bool at_field = std::any_of(loaded.found.all().begin(), loaded.found.all().end(), [&](const auto &d) {
        return d.path == row.path && (d.slug == "spec.wrong-type" || d.slug == "spec.not-a-choice");
      });
      CHECK(at_field);
    }
  }
}
