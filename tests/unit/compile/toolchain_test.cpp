// SPDX-License-Identifier: Apache-2.0
// Which CUDA is taken, and what is said when there is none.
#include "generator/compile/toolchain.h"
#include "generator/target/target.h"
#include "tests/catch.h"
#include "tests/unit/compile/stub_cuda.h"

#include <chrono>
#include <filesystem>

using namespace warpwright;
using namespace warpwright::compile;
using namespace warpwright::compile_test;

namespace {

namespace fs = std::filesystem;

std::optional<CompiledKernel> compile_stub(support::Diagnostics &diagnostics, double limit_seconds = 10) {
  CompileOptions options;
  options.kernel_name = "k";
  options.limit_seconds = limit_seconds;
  return compile_kernel("source\n", *target::find_target("sm_100a"), {}, options, diagnostics);
}

}  // namespace

TEST_CASE("toolchain: the version stands in nvcc's answer and in PTX") {
  CHECK(cuda_version_in(
            "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n") ==
        "13.0.88");
  CHECK(cuda_version_in("//\n// Cuda compilation tools, release 13.2, V13.2.5\n// Based on NVVM 20.0.0\n") == "13.2.5");
  CHECK(cuda_version_in("nvcc 13").empty());
  CHECK(cuda_version_in("Cuda compilation tools, release 13.0\n, V1").empty());
}

TEST_CASE("toolchain: the first installation that is new enough is taken") {
  const TestFolder folder;
  write_stub_nvcc(folder.path() + "/old", "12.9.41", "exit 1\n");
  write_stub_nvcc(folder.path() + "/wheels/nvidia/cu13", "13.0.88", "exit 1\n");
  write_stub_nvcc(folder.path() + "/newest", "14.1.2", "exit 1\n");
  support::Diagnostics diagnostics;
  const auto found = find_cuda_in({{folder.path() + "/nothing", "PATH"},
                                   {folder.path() + "/old", "$CUDA_HOME"},
                                   {folder.path() + "/wheels", "the project's .cuda"},
                                   {folder.path() + "/newest", "/usr/local/cuda"}},
                                  diagnostics);
  REQUIRE(found);
  CHECK(found->nvcc == folder.path() + "/wheels/nvidia/cu13/bin/nvcc");
  CHECK(found->version == "13.0.88");
  CHECK(diagnostics.all().empty());
}

TEST_CASE("toolchain: an older CUDA is refused by name") {
  const TestFolder folder;
  write_stub_nvcc(folder.path(), "12.9.41", kCompilingBody);
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  support::Diagnostics diagnostics;
  CHECK_FALSE(compile_stub(diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].slug == "environment.old-cuda");
  CHECK(diagnostics.all()[0].message == "CUDA 12.9.41 is too old: 13.0 or later is needed");
  CHECK(diagnostics.all()[0].notes ==
        std::vector<std::string>{"$WARPWRIGHT_CUDA: " + folder.path() + "/bin/nvcc is CUDA 12.9.41"});
}

TEST_CASE("toolchain: no nvcc, or one that does not answer, is named with the places searched") {
  const TestFolder folder;
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  {
    support::Diagnostics diagnostics;
    CHECK_FALSE(compile_stub(diagnostics));
    REQUIRE(diagnostics.has_slug("environment.no-nvcc"));
    CHECK(diagnostics.all()[0].notes[0] == "$WARPWRIGHT_CUDA: no bin/nvcc in " + folder.path());
    CHECK_FALSE(diagnostics.all()[0].hints.empty());
  }
  write_text(folder.path() + "/sub/bin/nvcc", "#!/bin/sh\nexit 3\n");
  fs::permissions(folder.path() + "/sub/bin/nvcc", fs::perms::owner_all);
  support::Diagnostics diagnostics;
  CHECK_FALSE(find_cuda_in({{folder.path() + "/sub", "PATH"}}, diagnostics));
  REQUIRE(diagnostics.has_slug("environment.no-nvcc"));
  CHECK(diagnostics.all()[0].notes[0].find("does not answer --version") != std::string::npos);
}

TEST_CASE("toolchain: a library that is no NVRTC is refused") {
  const TestFolder folder;
  write_text(folder.path() + "/lib/libnvrtc.so.13", "not a library");
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  support::Diagnostics diagnostics;
  CHECK_FALSE(find_nvrtc(diagnostics));
  CHECK(diagnostics.has_slug("environment.no-nvrtc"));
}

TEST_CASE("toolchain: a compiler that hangs is stopped, its children too, and leaves no folder") {
  const TestFolder folder, temporary;
  write_stub_nvcc(folder.path(), "13.0.88", "sleep 600 & sleep 600\n");
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  const Variable scratch("TMPDIR", temporary.path());
  support::Diagnostics diagnostics;
  const auto started = std::chrono::steady_clock::now();
  CHECK_FALSE(compile_stub(diagnostics, 0.3));
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(5));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].slug == "compile.time-limit");
  CHECK(fs::is_empty(temporary.path()));
}

TEST_CASE("toolchain: a missing host compiler is the environment's fault, not the source's") {
  const TestFolder folder;
  write_stub_nvcc(folder.path(), "13.0.88",
                  "echo 'nvcc fatal : Failed to preprocess host compiler properties.' >&2\nexit 1\n");
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  support::Diagnostics diagnostics;
  CHECK_FALSE(compile_stub(diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].slug == "environment.no-host-compiler");
}

TEST_CASE("toolchain: a scratch folder that cannot be made is the environment's fault") {
  const TestFolder folder;
  write_stub_nvcc(folder.path(), "13.0.88", kCompilingBody);
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  const Variable scratch("TMPDIR", folder.path() + "/nowhere");
  support::Diagnostics diagnostics;
  CHECK_FALSE(compile_stub(diagnostics));
  CHECK(diagnostics.has_slug("environment.no-scratch"));
}

TEST_CASE("toolchain: flags from the environment do not reach the compiler") {
  const TestFolder folder;
  write_stub_nvcc(folder.path(), "13.0.88",
                  std::string("echo \"k.cu(1): warning: [$NVCC_APPEND_FLAGS$NVCC_PREPEND_FLAGS]\"\n") + kCompilingBody);
  const Variable cuda("WARPWRIGHT_CUDA", folder.path());
  const Variable before("NVCC_PREPEND_FLAGS", "-O0"), after("NVCC_APPEND_FLAGS", "-G");
  support::Diagnostics diagnostics;
  const auto kernel = compile_stub(diagnostics);
  REQUIRE(kernel);
  REQUIRE(kernel->findings.size() == 1);
  CHECK(kernel->findings[0].text == "k.cu(1): warning: []");
}
