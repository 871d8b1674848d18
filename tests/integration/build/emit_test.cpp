// SPDX-License-Identifier: Apache-2.0
// The verb `emit`: a file that stands alone, and the IR on the way there.
#include "generator/compile/compile.h"
#include "generator/support/process.h"
#include "tests/catch.h"
#include "tests/integration/build/run_tool.h"
#include "tests/unit/compile/stub_cuda.h"

#include <filesystem>

using namespace warpwright;
using namespace warpwright::compile_test;
using warpwright::build_test::contains;
using warpwright::build_test::Run;
using warpwright::build_test::run_tool;

namespace {

namespace fs = std::filesystem;

const std::string kSpec = WARPWRIGHT_SOURCE_DIR "/configs/kernels/w4a4_lora_gemm/flux1_qkv.json";

}  // namespace

TEST_CASE("emit: the file compiles alone in an empty folder, by the command in its banner") {
  const TestFolder folder, empty;
  for (const char *debug : {"", "--debug-waits", "--debug-lines"}) {
    INFO(debug);
    std::vector<std::string> arguments = {"emit", kSpec, "-o", empty.path() + "/k.cu"};
    if (*debug != '\0') arguments.push_back(debug);
    const Run run = run_tool(arguments, folder.path());
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.empty());
    CHECK(contains(read_text(empty.path() + "/k.cu"), "nvcc -gencode arch=compute_100a,code=sm_100a -cubin"));
    support::Diagnostics diagnostics;
    const auto cuda = compile::find_cuda(diagnostics);
    REQUIRE(cuda);
    support::ProcessRequest request;
    request.argv = {cuda->nvcc, "-gencode", "arch=compute_100a,code=sm_100a", "-cubin", "k.cu"};
    request.folder = empty.path();
    const support::ProcessResult result = support::run_process(request);
    INFO(result.err);
    CHECK(result.ok());
    CHECK(fs::file_size(empty.path() + "/k.cubin") > 1000);
  }
}

TEST_CASE("emit: standard output, file and JSON hold the same source, twice the same") {
  const TestFolder folder;
  const Run printed = run_tool({"emit", kSpec}, folder.path());
  const Run again = run_tool({"emit", kSpec}, folder.path());
  REQUIRE(printed.exit_code == 0);
  CHECK(printed.err.empty());
  CHECK(printed.out == again.out);
  REQUIRE(run_tool({"emit", kSpec, "-o", folder.path() + "/k.cu"}, folder.path()).exit_code == 0);
  CHECK(read_text(folder.path() + "/k.cu") == printed.out);
  const Run json = run_tool({"emit", kSpec, "--json"}, folder.path());
  CHECK(json.exit_code == 0);
  CHECK(contains(json.out, "\"operator\": \"flux1_qkv\""));
  CHECK(contains(json.out, "\"source\": \"// w4a4_lora_gemm__"));
}

TEST_CASE("emit: no path of the spec is in the source") {
  const TestFolder folder;
  write_text(folder.path() + "/deep/flux1_qkv.json", read_text(kSpec));
  const Run there = run_tool({"emit", folder.path() + "/deep/flux1_qkv.json"}, folder.path());
  const Run here = run_tool({"emit", kSpec}, folder.path());
  CHECK(there.out == here.out);
}

TEST_CASE("emit: --dump-after writes numbered IR, one pass or all") {
  const TestFolder folder;
  const std::string dumps = folder.path() + "/ir";
  REQUIRE(run_tool({"emit", kSpec, "-o", folder.path() + "/k.cu", "--dump-after", "all", "--dump-folder", dumps},
                   folder.path())
              .exit_code == 0);
  const std::vector<std::string> files = listing(dumps);
  REQUIRE(files.size() > 2);
  CHECK(files[0].rfind("00-build.mlir=// 00-build of w4a4_lora_gemm__", 0) == 0);
  CHECK(contains(files[0], "flow.kernel"));
  CHECK(contains(files.back(), "ptx."));
  const Run one = run_tool({"emit", kSpec, "-o", folder.path() + "/k.cu", "--dump-after", "build"}, folder.path());
  CHECK(contains(one.err, "flow.kernel"));
  CHECK(one.out.empty());
}

TEST_CASE("emit: a pass or field that does not exist is named, and nothing is written") {
  const TestFolder folder;
  const Run pass = run_tool({"emit", kSpec, "-o", folder.path() + "/k.cu", "--dump-after", "nonesuch"}, folder.path());
  CHECK(pass.exit_code != 0);
  CHECK(contains(pass.err, "nonesuch"));
  const Run field = run_tool({"emit", kSpec, "-o", folder.path() + "/k.cu", "--set", "lora.rang=32"}, folder.path());
  CHECK(field.exit_code == 1);
  CHECK(contains(field.err, "lora.rang"));
  CHECK_FALSE(fs::exists(folder.path() + "/k.cu"));
}
