// SPDX-License-Identifier: Apache-2.0
// Every structural edit and every number of a shipped plan's JSON: refused at its place, or free to change, never a crash.
#include "generator/laws/closed_form.h"
#include "generator/plan/family_plan.h"
#include "generator/plan/read_plan.h"
#include "generator/plan/report.h"
#include "generator/spec/json_tree.h"
#include "tests/catch.h"
#include "tools/cli/edited_plan.h"
#include "tools/cli/families.h"
#include "tools/cli/specs.h"

#include <set>

using namespace warpwright;
using spec::JsonNode;

namespace {

std::string shipped_plan(const std::string &name) {
  support::Diagnostics diagnostics;
  const auto spec = cli::load_spec(std::string(WARPWRIGHT_SPECS) + "/" + name + ".json", {}, diagnostics);
  REQUIRE(spec.has_value());
  const auto plan = plan::choose_plan(*spec, cli::family_plan(spec->family), *target::find_target(spec->arch),
                                      laws::ClosedForm(), diagnostics);
  REQUIRE(plan.has_value());
  return plan::plan_json(*plan);
}

/// A value of the plan with its key, or the key of the list that holds it.
struct Place {
  const JsonNode *node;
  std::string key;
  size_t begin;  ///< with the key, where it has one
  bool at_root = false;
};

void collect(const JsonNode &node, const std::string &key, int depth, std::vector<Place> &places) {
  for (const spec::JsonMember &member : node.members) {
    places.push_back({&member.value, member.key, member.key_begin, depth == 0});
    collect(member.value, member.key, depth + 1, places);
  }
  for (const JsonNode &item : node.items) {
    places.push_back({&item, key, item.begin});
    collect(item, key, depth + 1, places);
  }
}

std::string without(const std::string &text, const Place &place) {
  size_t begin = place.begin;
  size_t end = text.find_first_not_of(" \n", place.node->end);
  if (text[end] == ',') return text.substr(0, begin) + text.substr(end + 1);
  begin = text.find_last_not_of(" \n", begin - 1);
  return text.substr(0, text[begin] == ',' ? begin : place.begin) + text.substr(place.node->end);
}

/// Tries one edit: a crash throws out of the test; an error has a place.
bool is_accepted(const std::string &text) {
  support::Diagnostics diagnostics;
  if (!plan::looks_like_plan(text)) return false;
  const auto plan = cli::load_edited_plan("edited.json", text, diagnostics);
  if (plan) return true;
  INFO(diagnostics.render());
  REQUIRE(diagnostics.has_errors());
  CHECK(diagnostics.all()[0].where.line > 0);
  CHECK(diagnostics.all()[0].where.file == "edited.json");
  return false;
}

void check_refused(const std::string &text, const Place &place, const std::string &what) {
  INFO(place.key + " at byte " + std::to_string(place.node->begin) + ": " + what);
  CHECK_FALSE(is_accepted(text));
}

std::string with(const std::string &text, const Place &place, const std::string &value) {
  return text.substr(0, place.node->begin) + value + text.substr(place.node->end);
}

std::vector<Place> places_of(const spec::JsonDocument &document) {
  std::vector<Place> places;
  collect(document.root, "", 0, places);
  REQUIRE(places.size() > 500);
  return places;
}

}  // namespace

TEST_CASE("plan edits: every value removed or of another kind is refused at a place") {
  const std::string text = shipped_plan("flux1_qkv");
  support::Diagnostics diagnostics;
  const auto document = spec::parse_json("plan", text, "plan", diagnostics);
  REQUIRE(is_accepted(text));
  for (const Place &place : places_of(*document)) {
    check_refused(without(text, place), place, "removed");
    for (const char *value : {"null", "[]", "{}", "\"zzz\"", "true"}) {
      // Free to change: what a text says, an operator's name.
      const bool is_text = place.node->kind == JsonNode::Kind::kText && value[0] == '"';
      if (is_text && (place.key == "text" || (place.at_root && place.key == "name"))) continue;
      if (text.compare(place.node->begin, place.node->end - place.node->begin, value) == 0) continue;
      check_refused(with(text, place, value), place, value);
    }
  }
}

TEST_CASE("plan edits: every number changed is refused at a place, alone") {
  const std::string text = shipped_plan("flux1_mlp_up");
  support::Diagnostics diagnostics;
  const auto document = spec::parse_json("plan", text, "plan", diagnostics);
  size_t accepted = 0;
  for (const Place &place : places_of(*document)) {
    if (place.node->kind != JsonNode::Kind::kInteger) continue;
    for (const std::string &value :
         {std::to_string(place.node->integer + 1), std::to_string(place.node->integer - 1), std::string("-1"),
          std::string("0"), std::string("9223372036854775807"), std::string("99999999999999999999"),
          std::string("1.5"), std::string("1e300"), std::string("\"x\"")}) {
      if (value == std::to_string(place.node->integer)) continue;
      INFO(place.key + " at byte " + std::to_string(place.node->begin) + ": " + value);
      const bool is_place = place.key == "offset_bytes" || place.key == "stride_bytes";
      if (is_accepted(with(text, place, value))) {
        // A stage of a region with one stage may be followed by padding where nothing else lies.
        CHECK(is_place);
        ++accepted;
      }
    }
  }
  CHECK(accepted <= 4);
}

TEST_CASE("plan edits: a number inside an expression is held to what the spec gives") {
  const std::string text = shipped_plan("flux1_qkv");
  for (const auto &[from, to] : {std::pair<std::string, std::string>{"ceil_div(m, 128) * 128", "ceil_div(m, 128) * 64"},
                                 {"m * k / 2", "m * k / 4"},
                                 {"m >= 1", "m >= 0"}}) {
    std::string copy = text;
    const size_t at = copy.find(from);
    REQUIRE(at != std::string::npos);
    support::Diagnostics diagnostics;
    CHECK_FALSE(cli::load_edited_plan("edited.json", copy.replace(at, from.size(), to), diagnostics).has_value());
    REQUIRE_FALSE(diagnostics.all().empty());
    CHECK(diagnostics.all()[0].slug == "plan.contradicts-spec");
    CHECK_THAT(diagnostics.all()[0].message, Catch::Contains(to) && Catch::Contains(from));
  }
}
