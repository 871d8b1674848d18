// SPDX-License-Identifier: Apache-2.0
// The tool as a process: help, exit codes, streams, signals, completion.
#include "generator/spec/json_tree.h"
#include "generator/support/files.h"
#include "generator/support/process.h"
#include "tests/catch.h"
#include "tests/unit/support/temporary_folder.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

using namespace warpwright;
using support::ProcessResult;

extern char **environ;

namespace {

ProcessResult tool(const std::vector<std::string> &arguments, const std::string &input = "") {
  support::ProcessRequest request;
  request.argv = {WARPWRIGHT_TOOL};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.input = input;
  request.limit_seconds = 60;
  return support::run_process(request);
}

std::vector<std::string> verbs() {
  std::vector<std::string> out;
  const std::string help = tool({"--help"}).out;
  size_t at = help.find("Subcommands:\n");
  REQUIRE(at != std::string::npos);
  for (at = help.find('\n', at) + 1; help.compare(at, 2, "  ") == 0; at = help.find('\n', at) + 1) {
    const size_t end = help.find(' ', at + 2);
    if (help[at + 2] != ' ') out.push_back(help.substr(at + 2, end - at - 2));
  }
  return out;
}

bool is_json(const std::string &text) {
  support::Diagnostics found;
  return spec::parse_json("out", text, "spec", found).has_value() && found.all().empty();
}

}  // namespace

TEST_CASE("cli: help goes to standard output, shows exit codes, and every verb's ends with an example") {
  const ProcessResult help = tool({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (const char *line : {"  0    ok", "  2    usage", "  3    a bug in warpwright", "  130  interrupted"}) {
    CHECK_THAT(help.out, Catch::Contains(line));
  }
  const std::vector<std::string> names = verbs();
  REQUIRE(names.size() >= 6);
  for (const std::string &verb : names) {
    const ProcessResult result = tool({verb, "--help"});
    INFO(verb << "\n" << result.out);
    CHECK(result.exit_code == 0);
    const size_t example = result.out.rfind("Example:\n  ");
    REQUIRE(example != std::string::npos);
    CHECK_THAT(result.out.substr(example), Catch::Contains("warpwright " + verb));
    CHECK(std::count(result.out.begin() + static_cast<std::ptrdiff_t>(example), result.out.end(), '\n') <= 3);
  }
}

TEST_CASE("cli: the version is one line") {
  const ProcessResult result = tool({"--version"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("warpwright 0.") && Catch::EndsWith(")\n"));
}

TEST_CASE("cli: usage errors exit 2, print nothing to standard output, and name the help") {
  for (const std::vector<std::string> &arguments : std::vector<std::vector<std::string>>{
           {"nonsense"}, {"--nonsense"}, {"list"}, {"list", "nonsense"}, {"list", "slugs", "--nonsense"}, {"new"},
           {"new", "w4a4_lora_gemm", "-o"}, {"explain", "no.such-slug"}, {"schema", "nonsense"}, {"completion", "tcsh"}, {""},
           {"new", "w4a4_lora_gemm", "surplus"}}) {
    const ProcessResult result = tool(arguments);
    INFO(support::shell_quoted(arguments) << "\n" << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::StartsWith("error[cli.usage]: ") && Catch::Contains("hint: warpwright "));
  }
  CHECK(tool({}).exit_code == 2);
  CHECK_THAT(tool({}).err, Catch::Contains("Usage: warpwright"));
}

TEST_CASE("cli: new prints a spec, writes a file once, and never overwrites") {
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("x.json");
  std::string why;
  const ProcessResult printed = tool({"new", "w4a4_lora_gemm"});
  CHECK(printed.exit_code == 0);
  CHECK(tool({"new", "w4a4_lora_gemm", "-o", file}).exit_code == 0);
  CHECK(support::read_file(file, why) == std::optional<std::string>(printed.out));
  CHECK(tool({"new", "w4a4_lora_gemm", "--all", "-o", file}).exit_code == 1);
  CHECK(support::read_file(file, why) == std::optional<std::string>(printed.out));
  CHECK(tool({"list", "specs", file}).exit_code == 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("cli: a spec may come through standard input") {
  const std::string text = tool({"new", "w4a4_lora_gemm", "--all"}).out;
  const ProcessResult good = tool({"list", "specs", "-"}, text);
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, Catch::Contains("problem.n=12288"));
  const ProcessResult bad = tool({"list", "specs", "-"}, "{\n 'x'");
  CHECK(bad.exit_code == 1);
  CHECK_THAT(bad.err, Catch::StartsWith("-:2:2: error[spec.not-json]: "));
}

TEST_CASE("cli: --json makes results and findings JSON, on their own streams") {
  for (const char *what : {"families", "specs", "slugs", "instructions"}) {
    const ProcessResult result = tool({"list", what, "--json"});
    INFO(what << result.err);
    CHECK(result.exit_code == 0);
    CHECK(is_json(result.out));
    CHECK(result.err.empty());
  }
  CHECK(is_json(tool({"explain", "spec.unknown-key", "--json"}).out));
  CHECK(is_json(tool({"schema", "w4a4_lora_gemm"}).out));
  const ProcessResult bad = tool({"list", "specs", "no_such_file.json", "--json"});
  CHECK(bad.exit_code == 1);
  CHECK(is_json(bad.err));
}

TEST_CASE("cli: results that standard output does not take are an error") {
  support::ProcessRequest request;
  request.argv = {"sh", "-c", "exec \"$0\" list slugs >/dev/full", WARPWRIGHT_TOOL};
  const ProcessResult result = support::run_process(request);
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.err, Catch::Contains("error[cli.unwritable]"));
}

TEST_CASE("cli: an interrupt exits 130, whatever it was doing") {
  for (const int number : {SIGINT, SIGTERM}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    std::vector<std::string> words = {WARPWRIGHT_TOOL, "list", "specs", "-"};
    char *argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    pid_t pid = 0;
    REQUIRE(::posix_spawn(&pid, WARPWRIGHT_TOOL, &actions, nullptr, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    // It waits for its input, which stays open.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    REQUIRE(::kill(pid, number) == 0);
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

TEST_CASE("cli: a crash is called a bug of ours") {
  support::ProcessRequest request;
  // A pipe that stays open keeps it waiting for its spec.
  request.argv = {"sh", "-c", "sleep 2 | \"$0\" list specs - & sleep 0.3; kill -SEGV $!; wait $!; echo $?", WARPWRIGHT_TOOL};
  const ProcessResult result = support::run_process(request);
  CHECK(result.out == "3\n");
  CHECK_THAT(result.err, Catch::Contains("this is a bug in warpwright: it crashed"));
}

TEST_CASE("cli: colours need a terminal") {
  CHECK(tool({"list", "specs", "no_such_file.json"}).err.find('\x1b') == std::string::npos);
}

TEST_CASE("cli: completion scripts are scripts of their shells and know every verb") {
  const tests::TemporaryFolder folder;
  const ProcessResult bash = tool({"completion", "bash"});
  std::string why;
  REQUIRE(support::write_file(folder.file("c.bash"), bash.out, why));
  support::ProcessRequest request;
  const std::string prologue = "source \"$1\"; COMP_CWORD=$2; shift 2; COMP_WORDS=(\"$@\"); _warpwright; echo \"${COMPREPLY[*]}\"";
  request.argv = {"bash", "-c", prologue, "bash", folder.file("c.bash"), "1", "warpwright", ""};
  const std::string all = support::run_process(request).out;
  for (const std::string &verb : verbs()) CHECK_THAT(" " + all, Catch::Contains(" " + verb + " "));
  request.argv = {"bash", "-c", prologue, "bash", folder.file("c.bash"), "2", "warpwright", "list", "sl"};
  CHECK(support::run_process(request).out == "slugs\n");
  request.argv = {"bash", "-c", prologue, "bash", folder.file("c.bash"), "2", "warpwright", "schema", "--ta"};
  CHECK(support::run_process(request).out == "--table\n");
  const std::string fish = tool({"completion", "fish"}).out;
  for (const std::string &verb : verbs()) CHECK_THAT(fish, Catch::Contains("-a " + verb + " -d "));
  CHECK_THAT(tool({"completion", "zsh"}).out, Catch::StartsWith("autoload -U +X bashcompinit"));
}
