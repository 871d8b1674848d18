// SPDX-License-Identifier: Apache-2.0
// Tests of tools/cli/specs: folders, files, digests.
#include "tools/cli/specs.h"

#include "generator/support/files.h"
#include "tests/catch.h"
#include "tests/unit/support/temporary_folder.h"

using namespace warpwright;

TEST_CASE("specs: a folder stands for the specs below it, in order") {
  const tests::TemporaryFolder folder;
  std::string why;
  REQUIRE(support::make_folders(folder.file("sub"), why));
  for (const char *name : {"b.json", "a.json", "sub/c.json", "x.schema.json", "a.plan.json", "a.findings.json", ".hidden.json", "notes.txt"}) {
    REQUIRE(support::write_file(folder.file(name), "{}", why));
  }
  support::Diagnostics diagnostics;
  CHECK(cli::expand_specs({"-", folder.path(), "absent.json"}, diagnostics) ==
        std::vector<std::string>{"-", folder.file("a.json"), folder.file("b.json"), folder.file("sub/c.json"),
                                 "absent.json"});
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("specs: an empty folder is an error") {
  const tests::TemporaryFolder folder;
  support::Diagnostics diagnostics;
  CHECK(cli::expand_specs({folder.path()}, diagnostics).empty());
  REQUIRE(diagnostics.has_slug("cli.no-specs"));
  CHECK(diagnostics.all()[0].where.file == folder.path());
}

TEST_CASE("specs: every shipped spec loads") {
  support::Diagnostics diagnostics;
  const std::string folder = cli::shipped_specs_folder();
  REQUIRE_FALSE(folder.empty());
  const std::vector<std::string> files = cli::expand_specs({folder}, diagnostics);
  CHECK(files.size() >= 24);
  for (const std::string &file : files) {
    support::Diagnostics found;
    INFO(file << "\n" << found.render());
    CHECK(cli::load_spec(file, {}, found));
  }
}

TEST_CASE("specs: no digest is remembered of a spec that does not load") {
  const tests::TemporaryFolder folder;
  support::Diagnostics diagnostics;
  CHECK_FALSE(cli::load_spec(folder.file("absent.json"), {}, diagnostics));
  CHECK(cli::current_spec_digest().empty());
}
