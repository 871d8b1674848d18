// SPDX-License-Identifier: Apache-2.0
// Grids, edited specs, and the views and gates of the planning verbs.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/laws/closed_form.h"
#include "generator/support/files.h"
#include "tests/catch.h"
#include "tools/cli/families.h"
#include "tools/cli/plan_views.h"
#include "tools/cli/specs.h"
#include "tools/cli/verbs.h"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

using namespace warpwright;
using namespace warpwright::cli;

namespace {

constexpr const char *kSpec = R"({
  "edition": 1, "family": "w4a4_lora_gemm", "arch": "sm_100a",
  "problem": {"n": 3072, "k": 3072},
  "tile": {"m": 256, "n": 256, "k": 256},
  "pipeline_depth": 5,
  "epilogue": {"staging_cols": 64, "staging_buffers": 2}
}
)";

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("planning-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string &name) const { return (path_ / name).string(); }
  std::string write(const std::string &name, const std::string &text) const {
    std::string why;
    REQUIRE(support::write_file(file(name), text, why));
    return file(name);
  }
  std::string read(const std::string &name) const {
    std::string why;
    const auto text = support::read_file(file(name), why);
    return text ? *text : "";
  }

 private:
  std::filesystem::path path_;
};

spec::KernelSpec load(const std::string &file, const std::string &text, const std::vector<std::string> &set = {}) {
  support::Diagnostics diagnostics;
  auto spec = spec::load_spec_text(file, text, set, family_specs(), diagnostics);
  INFO(diagnostics.render());
  REQUIRE(spec.has_value());
  return *std::move(spec);
}

PlanningContext context_of(const std::string &file, const std::string &text, const std::vector<std::string> &set = {}) {
  support::Diagnostics diagnostics;
  auto context = make_context(load(file, text, set), {}, diagnostics);
  REQUIRE(context.has_value());
  return *std::move(context);
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("grid: ranges, lists, words without quotes and lists of lists") {
  support::Diagnostics diagnostics;
  const auto axes = parse_grid({"pipeline_depth=2..4", "lora.rank=32,64", "lora.placement=ring,\"dedicated\"",
                                "cluster=[1,1],[2,1]", "tile.n=auto"},
                               diagnostics);
  REQUIRE(axes.has_value());
  CHECK((*axes)[0].values_json == std::vector<std::string>{"2", "3", "4"});
  CHECK((*axes)[1].values_json == std::vector<std::string>{"32", "64"});
  CHECK((*axes)[2].values_json == std::vector<std::string>{"\"ring\"", "\"dedicated\""});
  CHECK((*axes)[3].values_json == std::vector<std::string>{"[1,1]", "[2,1]"});
  CHECK((*axes)[4].values_json == std::vector<std::string>{"\"auto\""});
}

TEST_CASE("grid: what is no axis, runs backwards or explodes is a usage error") {
  for (const char *item : {"", "=1", "pipeline_depth", "pipeline_depth=", "pipeline_depth=8..2", "a=1..9999999"}) {
    INFO(item);
    support::Diagnostics diagnostics;
    CHECK_FALSE(parse_grid({item}, diagnostics).has_value());
    CHECK(diagnostics.has_slug("cli.usage"));
  }
  support::Diagnostics diagnostics;
  CHECK_FALSE(parse_grid({"a=1..200", "b=1..200"}, diagnostics).has_value());
}

TEST_CASE("edit spec: a value is replaced where it stands, and the rest of the text is as it was written") {
  const std::string text = "{\n  \"tile\": {\"m\": 256,  \"n\":256}, // kept\n}";
  CHECK(edit_spec_text("{\"tile\": {\"m\": 256,  \"n\":256}}", "tile.n", "128") ==
        "{\"tile\": {\"m\": 256,  \"n\":128}}");
  CHECK(edit_spec_text("{\"a\": 1}", "tile.n", "128") == "{\"tile\": {\"n\": 128}, \"a\": 1}");
  CHECK(edit_spec_text("{\"tile\": {\"m\": 256}}", "tile.n", "128") == "{\"tile\": {\"n\": 128, \"m\": 256}}");
  CHECK(edit_spec_text("{}", "lora.placement", "\"ring\"") == "{\"lora\": {\"placement\": \"ring\"}}");
  CHECK(edit_spec_text("{\"lora\": {\"type\": \"bf16\"}}", "lora.type", "fp16") == "{\"lora\": {\"type\": \"fp16\"}}");
  CHECK(edit_spec_text("{\"problem\": {\"n\": 1, \"k\": 2}}", "problem", "{\"k\": 3, \"m\": 4}") ==
        "{\"problem\": {\"m\": 4, \"n\": 1, \"k\": 3}}");
  CHECK(edit_spec_text("{\"tile\": {\"n\": 256}}", "tile.n", " 128") == "{\"tile\": {\"n\":  128}}");
  CHECK_THROWS_AS(edit_spec_text(text, "tile.n", "128"), support::InternalError);
  CHECK_THROWS_AS(edit_spec_text("{\"tile\": 3}", "tile.n", "128"), support::InternalError);
}

TEST_CASE("shape: names of launch variables, and nothing that the spec fixes otherwise") {
  support::Diagnostics diagnostics;
  const auto context = make_context(load("a.json", kSpec), {{"m", 128}, {"n", 3072}}, diagnostics);
  REQUIRE(context.has_value());
  CHECK(context->shape == Shape{{"m", 128}, {"n", 3072}, {"k", 3072}});
  CHECK_FALSE(make_context(load("a.json", kSpec), {{"n", 4096}}, diagnostics).has_value());
  CHECK_FALSE(make_context(load("a.json", kSpec), {{"batch", 1}}, diagnostics).has_value());
  CHECK(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].message == "--shape: the spec fixes n to 3072, not 4096");
}

TEST_CASE("grid view: one row a point, refused points say why, unknown fields stop it") {
  support::Diagnostics diagnostics;
  const auto table =
      grid_view(context_of("a.json", kSpec), {}, {"pipeline_depth=4..6", "tile.n=256,100"}, Format::kText, diagnostics);
  REQUIRE(table.has_value());
  CHECK(std::count(table->begin(), table->end(), '\n') == 7);
  CHECK(table->find("plan.smem-over-budget") != std::string::npos);
  CHECK(table->find("spec.out-of-range") != std::string::npos);
  CHECK(table->find("227,428") != std::string::npos);
  const auto json =
      grid_view(context_of("a.json", kSpec), {"lora.rank=32"}, {"pipeline_depth=5"}, Format::kJson, diagnostics);
  REQUIRE(json.has_value());
  CHECK(json->find("\"depth_stages\": 5") != std::string::npos);
  CHECK(diagnostics.all().empty());
  CHECK_FALSE(grid_view(context_of("a.json", kSpec), {}, {"pipeline_dept=5"}, Format::kText, diagnostics).has_value());
  CHECK(diagnostics.has_slug("spec.unknown-key"));
}

TEST_CASE("candidates view: the chosen one leads, and only fields that vary have a column") {
  const std::string open = replaced(kSpec, "\"pipeline_depth\": 5", "\"accumulators\": \"single\"");
  const std::string view =
      candidates_view(context_of("a.json", replaced(open, ", \"staging_buffers\": 2", "")), Format::kText);
  CHECK(view.find("epilogue.staging_buffers") == 0);
  CHECK(view.find("tile.m") == std::string::npos);
  const std::string json = candidates_view(context_of("a.json", kSpec), Format::kJson);
  CHECK(json.find("\"planned\": true") != std::string::npos);
}

TEST_CASE("fix: writes a spec beside that plans and keeps the text, overrides included; never over a file") {
  const Folder folder;
  const std::string too_deep = replaced(kSpec, "\"pipeline_depth\": 5", "\"pipeline_depth\": 9");
  const std::string file = folder.write("deep.json", too_deep);
  support::Diagnostics diagnostics;
  const std::vector<std::string> set = {"lora.rank=32"};
  const auto context = context_of(file, too_deep, set);
  REQUIRE(fix_view(context, set, "", Format::kText, diagnostics).has_value());
  const std::string fixed = folder.read("deep.fixed.json");
  CHECK(fixed.find("\"pipeline_depth\": 5") != std::string::npos);
  CHECK(fixed.find("\"lora\": {\"rank\": 32}") != std::string::npos);
  CHECK(folder.read("deep.json") == too_deep);
  const auto planned = plan::best_candidate(load("fixed.json", fixed), w4a4_lora_gemm_plan(),
                                            *target::find_target("sm_100a"), laws::ClosedForm());
  CHECK(planned.plan.has_value());

  CHECK_FALSE(fix_view(context, set, "", Format::kText, diagnostics).has_value());
  CHECK(diagnostics.has_slug("cli.file-exists"));
  CHECK(fix_view(context, set, folder.file("other.json"), Format::kJson, diagnostics).has_value());
  CHECK(folder.read("other.json") == fixed);
  // To standard output as it would be written.
  CHECK(fix_view(context, set, "-", Format::kText, diagnostics) == fixed);
}

TEST_CASE("fix: an object of --set is laid over the one of the file, and what is written loads and plans") {
  const Folder folder;
  const std::string file = folder.write("merged.json", replaced(kSpec, "\"pipeline_depth\": 5", "\"pipeline_depth\": 9"));
  const std::vector<std::string> set = {"problem={\"m\": 128}"};
  support::Diagnostics none;
  auto values = load_spec_values(file, set, none);
  REQUIRE(values.has_value());
  const auto context = make_context(*std::move(values), {}, none);
  REQUIRE(context.has_value());
  REQUIRE(fix_view(*context, set, "", Format::kText, none).has_value());
  const auto loaded = load_spec(folder.file("merged.fixed.json"), {}, none);
  REQUIRE(loaded.has_value());
  CHECK(loaded->integer("problem.m") == 128);
  CHECK(loaded->integer("problem.k") == 3072);
  CHECK(plan::can_plan(*loaded, *context->family, *context->target));

  std::filesystem::create_symlink("nowhere", folder.file("dangling.json"));
  CHECK_FALSE(fix_view(*context, set, folder.file("dangling.json"), Format::kText, none).has_value());
  CHECK(none.has_slug("cli.file-exists"));
}

TEST_CASE("fix: a spec that plans needs none, one that no single change helps says so") {
  const Folder folder;
  support::Diagnostics diagnostics;
  CHECK_FALSE(fix_view(context_of(folder.file("fine.json"), kSpec), {}, "", Format::kText, diagnostics).has_value());
  CHECK(diagnostics.all().empty());
  CHECK(folder.read("fine.fixed.json").empty());

  // A family that knows no changes, on a spec that fits at no depth.
  plan::FamilyPlan unhelpful = w4a4_lora_gemm_plan();
  unhelpful.changes = [](const spec::KernelSpec &) { return std::vector<plan::Change>(); };
  unhelpful.open_paths.clear();
  PlanningContext context = context_of(folder.file("none.json"), kSpec,
                                       {"tile.m=128", "cta_pairing=1", "lora.rank=256", "lora.placement=\"dedicated\"",
                                        "lora.stages=1", "pipeline_depth=\"auto\""});
  context.family = &unhelpful;
  CHECK_FALSE(fix_view(context, {}, "", Format::kText, diagnostics).has_value());
  CHECK(diagnostics.has_slug("plan.no-fix"));
  CHECK(diagnostics.has_slug("plan.smem-over-budget"));
}

TEST_CASE("fix: two faults at once, one of them behind a broken rule, take two changes that together plan") {
  const Folder folder;
  const std::string file = folder.write("two.json", kSpec);
  const std::vector<std::string> set = {"tile.n=128", "accumulators=\"overlapped\"", "pipeline_depth=16"};
  support::Diagnostics diagnostics;
  CHECK_FALSE(load_spec(file, set, diagnostics).has_value());
  CHECK(diagnostics.error_count() == 2);
  CHECK(diagnostics.has_slug("spec.overlap-needs-n256"));
  CHECK(diagnostics.has_slug("plan.also-in-the-way"));

  support::Diagnostics none;
  auto values = load_spec_values(file, set, none);
  REQUIRE(values.has_value());
  auto context = make_context(*std::move(values), {}, none);
  REQUIRE(context.has_value());
  const std::string fixed = folder.file("two.fixed.json");
  const auto said = fix_view(*context, set, "", Format::kText, none);
  REQUIRE(said.has_value());
  CHECK(said->find("pipeline_depth=\"auto\"") != std::string::npos);
  CHECK(said->find("accumulators=\"auto\"") != std::string::npos);
  const auto loaded = load_spec(fixed, {}, none);
  REQUIRE(loaded.has_value());
  CHECK(plan::can_plan(*loaded, *context->family, *context->target));
}

TEST_CASE("diff: exits 4 for what got worse of what was asked, 0 otherwise") {
  const Folder folder;
  const std::string five = folder.write("five.json", kSpec);
  const std::string four = folder.write("four.json", replaced(kSpec, "\"pipeline_depth\": 5", "\"pipeline_depth\": 4"));
  const std::string two = folder.write("two.json", replaced(kSpec, "\"pipeline_depth\": 5", "\"pipeline_depth\": 2"));
  const auto run = [](const std::string &before, const std::string &after, std::vector<std::string> fail_on,
                      int64_t min_slack_bytes = 0) {
    DiffOptions options;
    options.before = before;
    options.after = after;
    options.fail_on = std::move(fail_on);
    options.min_slack_bytes = min_slack_bytes;
    return run_diff(options);
  };
  CHECK(run(five, four, {}) == 0);
  CHECK(run(five, four, {"lost-stage"}) == 4);
  CHECK(run(four, five, {"lost-stage"}) == 0);
  CHECK(run(four, five, {"slack"}) == 4);
  CHECK(run(five, four, {"slack"}) == 0);
  CHECK(run(five, five, {}, 5020) == 0);
  CHECK(run(five, five, {}, 5021) == 4);
  CHECK(run(five, two, {"slower"}) == 4);
  CHECK(run(two, five, {"slower"}) == 0);
  CHECK(run(five, folder.file("missing.json"), {}) == 1);
}
