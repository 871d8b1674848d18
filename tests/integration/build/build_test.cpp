// SPDX-License-Identifier: Apache-2.0
// The verb `build`: exit codes, what it writes, and what it leaves alone.
#include "generator/target/target.h"
#include "tests/catch.h"
#include "tests/integration/build/run_tool.h"
#include "tests/unit/compile/stub_cuda.h"
#include "tools/cli/build_lowered.h"
#include "tools/cli/interruption.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

using namespace warpwright;
using namespace warpwright::compile_test;
using warpwright::build_test::contains;
using warpwright::build_test::Run;
using warpwright::build_test::run_tool;

namespace {

namespace fs = std::filesystem;

const std::string kSource = WARPWRIGHT_SOURCE_DIR;
const std::string kSpec = kSource + "/configs/kernels/w4a4_lora_gemm/flux1_qkv.json";

/// A stub that "compiles" whatever kernel the file is named after.
const std::string kStub = std::string(kCompilingBody) +
                          "echo \"ptxas info    : Compiling entry function '$stem' for 'sm_100a'\"\n"
                          "echo 'ptxas info    : Used 100 registers, used 1 barriers'\n";

/// An operator around one planted kernel, with just enough plan for the build's second half.
cli::LoweredOperator planted(const std::string &name) {
  cli::LoweredOperator op;
  op.plan.name = name;
  op.plan.spec.file = name + ".json";
  op.plan.spec.family = "planted";
  op.plan.spec.arch = "sm_100a";
  plan::KernelPlan kernel;
  kernel.name = "planted_" + name;
  kernel.arch = "sm_100a";
  kernel.launch.threads = 128;
  op.plan.kernels = {kernel};
  op.archs = {"sm_100a"};
  emit::LoweredKernel lowered;
  lowered.name = kernel.name;
  lowered.source = read_text(kSource + "/tests/assemble/planted/" + name + ".cu");
  op.kernels = {lowered};
  return op;
}

cli::BuildOptions options_for(const std::string &folder) {
  cli::BuildOptions options;
  options.output_folder = folder + "/out";
  options.report = folder + "/report.json";
  options.no_cache = true;
  options.jobs = 2;
  return options;
}

}  // namespace

TEST_CASE("build: each planted fault exits 4, names its slug in the report and writes nothing else") {
  const cli::InterruptScope interrupts;
  struct Row {
    const char *name;
    const char *slug;
  };
  for (const Row &row :
       {Row{"spill", "compile.spill"}, Row{"local_array", "compile.local-memory"},
        Row{"setmaxnreg_dropped", "compile.setmaxnreg-dropped"}, Row{"static_smem", "compile.static-smem"}}) {
    INFO(row.name);
    const TestFolder folder;
    CHECK(cli::build_lowered({planted(row.name), planted("clean")}, options_for(folder.path())) == 4);
    CHECK(contains(read_text(folder.path() + "/report.json"), std::string("\"slug\": \"") + row.slug + "\""));
    CHECK_FALSE(fs::exists(folder.path() + "/out"));
  }
}

TEST_CASE("build: a clean kernel exits 0 and its files are there, whole") {
  const cli::InterruptScope interrupts;
  const TestFolder folder;
  CHECK(cli::build_lowered({planted("clean")}, options_for(folder.path())) == 0);
  const std::string stem = folder.path() + "/out/clean";
  CHECK(read_text(stem + ".cu") == read_text(kSource + "/tests/assemble/planted/clean.cu"));
  CHECK(contains(read_text(stem + ".ptx"), ".entry planted_clean("));
  CHECK(read_text(stem + ".cubin").substr(0, 4) == "\177ELF");
  CHECK(contains(read_text(stem + ".findings.json"), "\"registers_per_thread\": "));
  CHECK(contains(read_text(stem + ".plan.json"), "planted_clean"));
  CHECK(std::distance(fs::directory_iterator(folder.path() + "/out"), fs::directory_iterator()) == 5);
}

TEST_CASE("build: an archive or a report in the place of another result is refused, and nothing is written") {
  const cli::InterruptScope interrupts;
  for (const bool is_archive : {true, false}) {
    const TestFolder folder;
    cli::BuildOptions options = options_for(folder.path());
    (is_archive ? options.archive : options.report) = folder.path() + "/out/../out/clean.cu";
    CHECK(cli::build_lowered({planted("clean")}, options) == 1);
    CHECK_FALSE(fs::exists(folder.path() + "/out"));
  }
}

TEST_CASE("build: a deadlock in the protocol exits 4 before any compiler runs") {
  const cli::InterruptScope interrupts;
  const TestFolder folder;
  const Variable no_cuda("WARPWRIGHT_CUDA", folder.path() + "/nothing");
  cli::LoweredOperator op = planted("clean");
  prove::Event wait;
  wait.kind = prove::Event::Kind::kWait;
  wait.barrier = 0;
  op.kernels[0].protocol.barriers.push_back({"full@cta0", 1, false, {}, 0});
  op.kernels[0].protocol.threads.push_back({"mma@cta0", {wait}, 0});
  CHECK(cli::build_lowered({op}, options_for(folder.path())) == 4);
  CHECK(contains(read_text(folder.path() + "/report.json"), "prove.deadlock"));
  CHECK_FALSE(fs::exists(folder.path() + "/out"));
}

TEST_CASE("build: a rejected source is our bug, exit 3") {
  const cli::InterruptScope interrupts;
  const TestFolder folder;
  CHECK(cli::build_lowered({planted("rejected")}, options_for(folder.path())) == 3);
}

TEST_CASE("build: two operators of one name are refused") {
  const cli::InterruptScope interrupts;
  const TestFolder folder;
  CHECK(cli::build_lowered({planted("clean"), planted("clean")}, options_for(folder.path())) == 1);
  CHECK_FALSE(fs::exists(folder.path() + "/out"));
}

TEST_CASE("build: without nvcc, and with an old one, exit 5 and no file") {
  const TestFolder folder;
  const Variable cuda("WARPWRIGHT_CUDA", folder.path() + "/cuda");
  const std::vector<std::string> arguments = {"build", kSpec, "-o", folder.path() + "/out", "--no-cache"};
  const Run without = run_tool(arguments, folder.path());
  CHECK(without.exit_code == 5);
  CHECK(contains(without.err, "error[environment.no-nvcc]"));
  write_stub_nvcc(folder.path() + "/cuda", "12.9.41", kStub);
  const Run old = run_tool(arguments, folder.path());
  CHECK(old.exit_code == 5);
  CHECK(contains(old.err, "error[environment.old-cuda]: CUDA 12.9.41 is too old"));
  CHECK_FALSE(fs::exists(folder.path() + "/out"));
}

TEST_CASE("build: a bad spec among good ones exits 1 before any compiler runs, with all problems") {
  const TestFolder folder;
  const Variable cuda("WARPWRIGHT_CUDA", folder.path() + "/nothing");
  write_text(folder.path() + "/specs/bad.json",
             "{\"edition\": 1, \"family\": \"w4a4_lora_gemm\", \"problem\": {\"n\": 100, \"k\": 100}}");
  write_text(folder.path() + "/specs/good.json", read_text(kSpec));
  write_text(folder.path() + "/specs/worse.json", "{");
  const Run run = run_tool({"build", folder.path() + "/specs", "-o", folder.path() + "/out"}, folder.path());
  CHECK(run.exit_code == 1);
  CHECK(contains(run.err, "bad.json:1:"));
  CHECK(contains(run.err, "worse.json:1:"));
  CHECK_FALSE(contains(run.err, "environment."));
  CHECK_FALSE(fs::exists(folder.path() + "/out"));
}

TEST_CASE("build: two folders, two copies of a spec, any number of jobs: byte-identical files and archive") {
  const TestFolder one, other;
  int jobs = 1;
  for (const std::string &folder : {one.path(), other.path()}) {
    write_text(folder + "/specs/flux1_qkv.json", read_text(kSpec));
    write_text(folder + "/specs/another.json",
               read_text(kSource + "/configs/kernels/w4a4_lora_gemm/qwen3_8b_qkv.json"));
    const Run run = run_tool({"build", folder + "/specs", "-o", folder + "/out", "--archive", folder + "/out/all.wwa",
                              "--report", folder + "/out/report.json", "--no-cache", "-j", std::to_string(jobs++)},
                             folder);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
  }
  const std::vector<std::string> files = listing(one.path() + "/out");
  CHECK(files.size() == 12);
  const bool is_equal = files == listing(other.path() + "/out");
  CHECK(is_equal);
  for (const std::string &file : files) CHECK_FALSE(contains(file, one.path()));
}

TEST_CASE("build: an interrupt exits 130, leaves no temporary folder and writes nothing") {
  const TestFolder folder, scratch;
  write_stub_nvcc(folder.path() + "/cuda", "13.0.88", "touch " + folder.path() + "/started\nsleep 600\n");
  const Variable cuda("WARPWRIGHT_CUDA", folder.path() + "/cuda");
  const Variable temporary("TMPDIR", scratch.path());
  const auto started = std::chrono::steady_clock::now();
  const Run run =
      run_tool({"build", kSpec, "-o", folder.path() + "/out", "--no-cache"}, folder.path(), [&](pid_t child) {
        while (!fs::exists(folder.path() + "/started") &&
               std::chrono::steady_clock::now() - started < std::chrono::seconds(30)) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ::kill(child, SIGINT);
      });
  CHECK(run.exit_code == 130);
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(40));
  CHECK(contains(run.err, "interrupted"));
  CHECK(fs::is_empty(scratch.path()));
  CHECK_FALSE(fs::exists(folder.path() + "/out"));
}

TEST_CASE("build: an output folder that cannot be written exits without half of the files") {
  const TestFolder folder;
  write_stub_nvcc(folder.path() + "/cuda", "13.0.88", kStub);
  const Variable cuda("WARPWRIGHT_CUDA", folder.path() + "/cuda");
  write_text(folder.path() + "/file", "in the way");
  const Run run = run_tool({"build", kSpec, "-o", folder.path() + "/file/out", "--no-cache"}, folder.path());
  CHECK(run.exit_code != 0);
  CHECK(contains(run.err, "cli.unwritable"));
  CHECK(read_text(folder.path() + "/file") == "in the way");
}

TEST_CASE("build: a second run takes kernels from the cache and leaves equal files untouched") {
  const TestFolder folder;
  write_stub_nvcc(folder.path() + "/cuda", "13.0.88", "echo run >> " + folder.path() + "/runs\n" + kStub);
  const Variable cuda("WARPWRIGHT_CUDA", folder.path() + "/cuda");
  const std::vector<std::string> arguments = {
      "build", kSpec, "-o", folder.path() + "/out", "--cache-folder", folder.path() + "/cache"};
  REQUIRE(run_tool(arguments, folder.path()).exit_code == 0);
  const auto time = fs::last_write_time(folder.path() + "/out/flux1_qkv.cubin");
  REQUIRE(run_tool(arguments, folder.path()).exit_code == 0);
  CHECK(fs::file_size(folder.path() + "/runs") == 4);
  CHECK(fs::last_write_time(folder.path() + "/out/flux1_qkv.cubin") == time);
}

TEST_CASE("build: the first architecture named is planned for, the others get images of their own") {
  const TestFolder folder;
  write_stub_nvcc(folder.path() + "/cuda", "13.0.88", kStub);
  const Variable cuda("WARPWRIGHT_CUDA", folder.path() + "/cuda");
  const Run run = run_tool({"build", kSpec, "-o", folder.path() + "/out", "--no-cache", "--arch", "sm_103a", "--arch",
                            "sm_100f", "--arch", "sm_103a", "--archive", folder.path() + "/a.wwa"},
                           folder.path());
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(fs::exists(folder.path() + "/out/flux1_qkv.cubin"));
  CHECK(fs::exists(folder.path() + "/out/flux1_qkv.sm_100f.cubin"));
  CHECK(fs::file_size(folder.path() + "/a.wwa") > 0);
  CHECK(run_tool({"build", kSpec, "-o", folder.path() + "/out", "--arch", "sm_80"}, folder.path()).exit_code == 1);
}

TEST_CASE("for_each_parallel: every index once, and an exception comes through") {
  std::vector<std::atomic<int>> seen(100);
  cli::for_each_parallel(seen.size(), 4, [&](size_t i) { ++seen[i]; });
  for (const auto &count : seen) CHECK(count == 1);
  cli::for_each_parallel(0, 4, [](size_t) { FAIL("there is nothing to do"); });
  CHECK_THROWS_AS(cli::for_each_parallel(10, 3,
                                         [](size_t i) {
                                           if (i == 5) throw support::InternalError("five");
                                         }),
                  support::InternalError);
}
