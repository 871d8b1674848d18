// SPDX-License-Identifier: Apache-2.0
// Tests of generator/support/process.
#include "generator/support/process.h"

#include "tests/catch.h"
#include "tests/unit/support/temporary_folder.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace warpwright::support;
using warpwright::tests::TemporaryFolder;

namespace {

ProcessResult shell(const std::string &script, double limit_seconds = 20) {
  ProcessRequest request;
  request.argv = {"sh", "-c", script};
  request.limit_seconds = limit_seconds;
  return run_process(request);
}

}  // namespace

TEST_CASE("process: both streams and the exit code come back") {
  const ProcessResult result = shell("echo out; echo err >&2; exit 7");
  CHECK(result.started);
  CHECK(result.exit_code == 7);
  CHECK(result.out == "out\n");
  CHECK(result.err == "err\n");
  CHECK_FALSE(result.ok());
  CHECK(shell("true").ok());
}

TEST_CASE("process: arguments reach the program as they are, without a shell") {
  ProcessRequest request;
  request.argv = {"printf", "%s|", "a b", "$HOME", "", "*"};
  CHECK(run_process(request).out == "a b|$HOME||*|");
}

TEST_CASE("process: input, environment and folder are the request's") {
  const TemporaryFolder folder;
  ProcessRequest request;
  request.argv = {"sh", "-c", "cat; echo $WARPWRIGHT_TEST_VALUE; pwd -P"};
  request.input.assign(300000, 'x');  // more than a pipe holds
  request.input += '\n';
  request.environment = {{"WARPWRIGHT_TEST_VALUE", "seven"}};
  request.folder = folder.path();
  const ProcessResult result = run_process(request);
  CHECK(result.out == request.input + "seven\n" + std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST_CASE("process: a program that does not read its input is no error of ours") {
  ProcessRequest request;
  request.argv = {"true"};
  request.input = std::string(1 << 20, 'x');
  CHECK(run_process(request).ok());
}

TEST_CASE("process: a missing program and an empty request do not start") {
  ProcessRequest request;
  CHECK_FALSE(run_process(request).started);
  request.argv = {"warpwright-no-such-program"};
  const ProcessResult result = run_process(request);
  CHECK_FALSE(result.started);
  CHECK(result.why == "No such file or directory");
}

TEST_CASE("process: a time limit kills the program and its children") {
  const TemporaryFolder folder;
  const std::string alive = folder.file("alive");
  const ProcessResult result = shell("(sleep 1.5; touch " + alive + ") & sleep 20", 0.3);
  CHECK(result.timed_out);
  CHECK(result.signal == 9);
  CHECK(result.exit_code == 137);
  CHECK(result.seconds < 1.4);
  std::this_thread::sleep_for(std::chrono::milliseconds(1600));
  CHECK_FALSE(std::filesystem::exists(alive));
}

TEST_CASE("process: a child that holds the output open does not hold us") {
  const ProcessResult result = shell("sleep 20 & echo started");
  CHECK(result.exit_code == 0);
  CHECK(result.out == "started\n");
  CHECK(result.seconds < 5);
}

TEST_CASE("process: output beyond the limit is dropped, and said to be") {
  ProcessRequest request;
  request.argv = {"sh", "-c", "head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2; echo end >&2"};
  request.output_limit_bytes = 1000;
  const ProcessResult result = run_process(request);
  CHECK(result.exit_code == 0);
  CHECK(result.is_truncated);
  CHECK(result.out.size() == 1000);
  CHECK(result.err.size() == 1000);
}

TEST_CASE("process: a signal that ends the program is reported") {
  const ProcessResult result = shell("kill -TERM $$");
  CHECK(result.signal == 15);
  CHECK(result.exit_code == 143);
}

TEST_CASE("process: running groups can be killed from outside") {
  ProcessResult result;
  std::thread waiter([&] { result = shell("sleep 20"); });
  // Until the program has started there is nothing to kill.
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill_running_processes();
  }
  waiter.join();
  CHECK(result.signal == 9);
  CHECK(result.seconds < 5);
}

TEST_CASE("process: programs are found as the system finds them") {
  CHECK(find_program("sh"));
  CHECK(find_program("/bin/sh") == std::optional<std::string>("/bin/sh"));
  CHECK_FALSE(find_program("warpwright-no-such-program"));
  CHECK_FALSE(find_program("/no/such/program"));
}

TEST_CASE("process: a printed command can be pasted") {
  CHECK(shell_quoted({"nvcc", "-arch=sm_100a", "a b", "it's", ""}) == "nvcc -arch=sm_100a 'a b' 'it'\\''s' ''");
}
