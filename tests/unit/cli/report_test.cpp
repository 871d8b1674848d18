// SPDX-License-Identifier: Apache-2.0
// Tests of tools/cli/report: exit codes, results, bugs.
#include "tools/cli/report.h"

#include "generator/support/files.h"
#include "tests/catch.h"
#include "tests/unit/support/temporary_folder.h"
#include "tools/cli/specs.h"

#include <unistd.h>

#include <cstdio>

using namespace warpwright;
using support::Exit;

namespace {

Exit exit_of_slug(const std::string &slug, support::Severity severity = support::Severity::kError) {
  support::Diagnostics diagnostics;
  support::Diagnostic d = cli::error(slug, "x");
  d.severity = severity;
  diagnostics.add(std::move(d));
  return cli::exit_of(diagnostics);
}

/// What `body` prints to standard error.
std::string captured_errors(const tests::TemporaryFolder &folder, const std::function<void()> &body) {
  const std::string file = folder.file("stderr");
  std::fflush(stderr);
  const int saved = ::dup(STDERR_FILENO);
  REQUIRE(std::freopen(file.c_str(), "w", stderr) != nullptr);
  body();
  std::fflush(stderr);
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  std::string why;
  return support::read_file(file, why).value_or("");
}

}  // namespace

TEST_CASE("report: the first error decides the exit code") {
  CHECK(cli::exit_of(support::Diagnostics()) == Exit::kOk);
  CHECK(exit_of_slug("spec.unknown-key") == Exit::kBadInput);
  CHECK(exit_of_slug("plan.smem-over-budget") == Exit::kBadInput);
  CHECK(exit_of_slug("archive.corrupt") == Exit::kBadInput);
  CHECK(exit_of_slug("cli.usage") == Exit::kUsage);
  CHECK(exit_of_slug("lower.unknown-pass") == Exit::kUsage);
  CHECK(exit_of_slug("lower.rejected") == Exit::kOurBug);
  CHECK(exit_of_slug("compile.rejected") == Exit::kOurBug);
  CHECK(exit_of_slug("compile.spill") == Exit::kCheckFailed);
  CHECK(exit_of_slug("prove.deadlock") == Exit::kCheckFailed);
  CHECK(exit_of_slug("environment.no-nvcc") == Exit::kEnvironment);
  CHECK(exit_of_slug("cli.unwritable") == Exit::kEnvironment);
  CHECK(exit_of_slug("spec.unknown-key", support::Severity::kWarning) == Exit::kOk);
  support::Diagnostics both;
  both.add(cli::error("prove.lag", "x"));
  both.add(cli::error("cli.usage", "x"));
  CHECK(cli::exit_of(both) == Exit::kCheckFailed);
}

TEST_CASE("report: a bug is exit 3 and names the spec that was being worked on") {
  const tests::TemporaryFolder folder;
  std::string why;
  REQUIRE(support::write_file(folder.file("s.json"),
                              R"({"edition": 1, "family": "w4a4_lora_gemm", "problem": {"n": 64, "k": 64}})", why));
  support::Diagnostics diagnostics;
  REQUIRE(cli::load_spec(folder.file("s.json"), {}, diagnostics));
  int code = 0;
  const std::string text = captured_errors(folder, [&] {
    code = cli::guarded([]() -> int { throw support::InternalError("two and two are five"); });
  });
  CHECK(code == 3);
  CHECK_THAT(text, Catch::Contains("error[internal]: this is a bug in warpwright: two and two are five\n") &&
                       Catch::Contains("  spec sha256:" + cli::current_spec_digest() + "\n"));
  CHECK(cli::current_spec_digest().size() == 64);
  captured_errors(folder, [&] { code = cli::guarded([]() -> int { throw 7; }); });
  CHECK(code == 3);
  CHECK(cli::guarded([] { return 4; }) == 4);
}

TEST_CASE("report: results that cannot be written are errors of the environment") {
  const tests::TemporaryFolder folder;
  support::Diagnostics diagnostics;
  CHECK(cli::write_result(folder.file("x"), "text", diagnostics));
  CHECK_FALSE(diagnostics.has_errors());
  CHECK_FALSE(cli::write_result(folder.file("no/x"), "text", diagnostics));
  CHECK(diagnostics.all().at(0).slug == "cli.unwritable");
  CHECK(diagnostics.all().at(0).where.file == folder.file("no/x"));
  CHECK(folder.count() == 1);
}

TEST_CASE("report: findings print as text or JSON, and not at all when there are none") {
  const tests::TemporaryFolder folder;
  support::Diagnostics diagnostics;
  CHECK(captured_errors(folder, [&] { cli::print_findings(diagnostics, cli::Format::kJson); }).empty());
  diagnostics.add(cli::error("cli.usage", "wrong", {"do this"}));
  CHECK(captured_errors(folder, [&] { cli::finish(diagnostics); }) == "error[cli.usage]: wrong\n  hint: do this\n");
  CHECK_THAT(captured_errors(folder, [&] { cli::finish(diagnostics, cli::Format::kJson); }),
             Catch::StartsWith("[\n  {\"severity\": \"error\", \"slug\": \"cli.usage\""));
}
