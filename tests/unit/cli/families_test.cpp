// SPDX-License-Identifier: Apache-2.0
// Tests of tools/cli/families: the list and its look-ups.
#include "tools/cli/families.h"

#include "generator/plan/family_plan.h"
#include "generator/spec/family_spec.h"
#include "tests/catch.h"

using namespace warpwright;

TEST_CASE("families: every family has all its sides under one name") {
  REQUIRE_FALSE(cli::family_specs().empty());
  for (const spec::FamilySpec *family : cli::family_specs()) {
    CHECK(cli::find_family_spec(family->name) == family);
    CHECK(&cli::family_spec(family->name) == family);
    CHECK(cli::family_plan(family->name).name == family->name);
    CHECK_NOTHROW(cli::family_ir(family->name));
    CHECK_FALSE(family->title.empty());
    CHECK_FALSE(family->archs.empty());
  }
}

TEST_CASE("families: an unknown name is a usage error on the command line and our bug elsewhere") {
  CHECK(cli::find_family_spec("gemm") == nullptr);
  CHECK_THROWS_AS(cli::family_spec("gemm"), support::InternalError);
  support::Diagnostics diagnostics;
  CHECK(cli::find_family_spec("w4a4_lora_gem", diagnostics) == nullptr);
  REQUIRE(diagnostics.has_slug("cli.usage"));
  CHECK_THAT(diagnostics.all()[0].message, Catch::Contains("did you mean \"w4a4_lora_gemm\"?"));
}
