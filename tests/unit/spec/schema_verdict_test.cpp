// SPDX-License-Identifier: Apache-2.0
// The published JSON Schema, read by an independent validator, accepts exactly what the loader finds well formed.
#include "tests/catch.h"
#include "tests/unit/spec/spec_fixture.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <random>
#include <set>

using namespace warpwright;
using nlohmann::json;

namespace {

/// Findings about single values and keys, which a schema can express; rules between fields it cannot.
bool is_structural(const std::string &slug) {
  static const std::set<std::string> slugs = {
      "spec.not-object",   "spec.unknown-key",   "spec.missing-key",  "spec.wrong-type",     "spec.out-of-range",
      "spec.not-a-choice", "spec.unknown-family", "spec.unknown-arch", "spec.unknown-edition"};
  return slugs.count(slug) != 0;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  json mutated(json spec) {
    for (size_t steps = 1 + pick(3); steps > 0; --steps) mutate_once(spec);
    return spec;
  }

 private:
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  /// Integral numbers with a point are left out: draft-07 and the loader take 128.0 for an integer, this validator does not.
  json any_value() {
    static const std::vector<json> values = {
        0,     1,        2,           4,       8,           16,        17,     32,      64,      96,     128,
        192,   256,      300,         -1,      -64,         1048576,   1048577, 65504,  true,    false,  nullptr,
        1.5,   -0.25,    "auto",      "dynamic", "nvfp4",   "mxfp4",   "bf16", "fp16",  "fp32",  "ring", "dedicated",
        "m",   "n",      "single",    "double", "overlapped", "static", "pipe", "strict", "none", "gelu", "sm_100a",
        "sm_103a", "sm_90a", "",      "x",     json::array(), json::object(), json::array({2, 1}), json::array({1, 1}),
        json::array({0, 1}), json::array({2, 1, 1}), json::array({"a", 1}), json::array({17, 1}), "w4a4_lora_gemm"};
    return values[pick(values.size())];
  }

  void mutate_once(json &spec) {
    const std::vector<spec::Field> &fields = w4a4_lora_gemm::family_spec().fields;
    const std::string &path = fields[pick(fields.size())].path;
    const size_t dot = path.find('.');
    const std::string section = dot == std::string::npos ? "" : path.substr(0, dot);
    const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
    json *object = &spec;
    if (!section.empty()) {
      if (!spec.contains(section) || !spec[section].is_object()) spec[section] = json::object();
      object = &spec[section];
    }
    switch (pick(12)) {
      case 0: object->erase(key); break;
      case 1: (*object)[key + "x"] = any_value(); break;
      case 2: (*object)["$comment"] = any_value(); break;
      case 3: spec[std::vector<std::string>{"edition", "family", "arch", "$schema"}[pick(4)]] = any_value(); break;
      case 4: spec.erase(std::vector<std::string>{"edition", "family", "arch", "problem"}[pick(4)]); break;
      case 5: if (!section.empty()) spec[section] = any_value(); break;
      default: (*object)[key] = any_value(); break;
    }
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("schema: same verdict as the loader on 8,000 mutated specs") {
  const json schema_text = json::parse(spec::json_schema(w4a4_lora_gemm::family_spec()));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text), schema);
  const json starter = json::parse(spec::starter_spec(w4a4_lora_gemm::family_spec(), true));
  const unsigned seed = 20240229;
  Mutator mutator(seed);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 8000; ++i) {
    const json mutated = mutator.mutated(starter);
    const auto loaded = tests::load(mutated.dump());
    bool is_well_formed = true;
    for (const support::Diagnostic &d : loaded.found.all()) is_well_formed = is_well_formed && !is_structural(d.slug);
    valijson::Validator validator;
    const bool schema_accepts = validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(mutated), nullptr);
    INFO("seed " << seed << ", spec " << i << ": " << mutated.dump() << "\n" << loaded.found.render());
    REQUIRE(schema_accepts == is_well_formed);
    ++(schema_accepts ? accepted : refused);
  }
  CHECK(accepted > 500);
  CHECK(refused > 500);
}
