// SPDX-License-Identifier: Apache-2.0
// compile_kernel through the cache, with a stub compiler; the real ones are in tests/assemble/planted.
#include "generator/compile/cache.h"
#include "generator/compile/compile.h"
#include "tests/catch.h"
#include "tests/unit/compile/stub_cuda.h"

#include <filesystem>

using namespace warpwright;
using namespace warpwright::compile;
using namespace warpwright::compile_test;

namespace {

namespace fs = std::filesystem;

/// A stub installation that counts its runs, a cache and a scratch place.
struct Bench {
  TestFolder cuda, cache, scratch;
  Variable cuda_variable{"WARPWRIGHT_CUDA", cuda.path()};
  Variable scratch_variable{"TMPDIR", scratch.path()};

  Bench() { write_stub_nvcc(cuda.path(), "13.0.88", "echo run >> " + cuda.path() + "/runs\n" + kCompilingBody); }

  int runs() const {
    const std::string file = cuda.path() + "/runs";
    return fs::exists(file) ? static_cast<int>(fs::file_size(file) / 4) : 0;
  }

  std::optional<CompiledKernel> compile(const std::string &source, support::Diagnostics &diagnostics,
                                        const std::string &kernel_name = "k", bool line_info = false) const {
    CompileOptions options;
    options.cache_folder = cache.path();
    options.kernel_name = kernel_name;
    options.line_info = line_info;
    return compile_kernel(source, *target::find_target("sm_100a"), {}, options, diagnostics);
  }
};

/// The one entry of a cache, or empty.
std::string entry_of(const std::string &cache) {
  if (!fs::exists(cache + "/entries")) return "";
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(cache + "/entries")) {
    if (entry.is_regular_file()) return entry.path().string();
  }
  return "";
}

}  // namespace

TEST_CASE("compile: the second time comes from the cache and is the same kernel") {
  const Bench bench;
  support::Diagnostics diagnostics;
  const auto first = bench.compile("source\n", diagnostics);
  const auto second = bench.compile("source\n", diagnostics);
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(first->from_cache);
  CHECK(second->from_cache);
  CHECK(bench.runs() == 1);
  CHECK(first->ptx == "// ptx of\nsource\n");
  CHECK(std::string(first->cubin.begin(), first->cubin.end()) == "source\n// cubin\nsource\n");
  CHECK(second->ptx == first->ptx);
  CHECK(second->cubin == first->cubin);
  CHECK(second->registers == 10);
  CHECK(second->tool_version == "nvcc 13.0.88");
  CHECK(diagnostics.all().empty());
  CHECK(fs::is_empty(bench.scratch.path()));
}

TEST_CASE("compile: source, target, flags and tool version are the key; the policy is not") {
  const Bench bench;
  support::Diagnostics diagnostics;
  REQUIRE(bench.compile("source\n", diagnostics));
  REQUIRE(bench.compile("source \n", diagnostics));
  CHECK(bench.runs() == 2);
  CompileOptions options;
  options.cache_folder = bench.cache.path();
  options.kernel_name = "k";
  REQUIRE(compile_kernel("source\n", *target::find_target("sm_103a"), {}, options, diagnostics));
  CHECK(bench.runs() == 3);
  CompilePolicy strict;
  strict.max_registers = 5;
  support::Diagnostics judged;
  const auto cached = compile_kernel("source\n", *target::find_target("sm_100a"), strict, options, judged);
  REQUIRE(cached);
  CHECK(cached->from_cache);
  CHECK(judged.has_slug("compile.too-many-registers"));
  CHECK(bench.runs() == 3);

  const TestFolder newer;
  write_stub_nvcc(newer.path(), "13.1.5", kCompilingBody);
  const Variable cuda("WARPWRIGHT_CUDA", newer.path());
  const auto other = bench.compile("source\n", diagnostics);
  REQUIRE(other);
  CHECK_FALSE(other->from_cache);
  CHECK(other->tool_version == "nvcc 13.1.5");
}

TEST_CASE("compile: a rotten or torn entry is compiled again and replaced") {
  const Bench bench;
  support::Diagnostics diagnostics;
  const auto first = bench.compile("source\n", diagnostics);
  REQUIRE(first);
  const std::string entry = entry_of(bench.cache.path());
  const std::string good = read_text(entry);
  std::string flipped = good;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 4);
  int runs = 1;
  for (const std::string &bad : {flipped, good.substr(0, good.size() - 9), std::string(), std::string("noise")}) {
    write_text(entry, bad);
    const auto again = bench.compile("source\n", diagnostics);
    REQUIRE(again);
    CHECK_FALSE(again->from_cache);
    CHECK(again->cubin == first->cubin);
    CHECK(read_text(entry) == good);
    CHECK(bench.runs() == ++runs);
    CHECK(bench.compile("source\n", diagnostics)->from_cache);
  }
  CHECK(diagnostics.all().empty());
}

TEST_CASE("compile: a cache that cannot be written is a warning and no more") {
  const Bench bench;
  write_text(bench.cache.path() + "/entries", "a file in the way");
  support::Diagnostics diagnostics;
  const auto kernel = bench.compile("source\n", diagnostics);
  REQUIRE(kernel);
  CHECK_FALSE(kernel->from_cache);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].slug == "compile.cache-unwritable");
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("compile: a rejected source gives the compiler's words, no kernel and no cache entry") {
  const Bench bench;
  write_stub_nvcc(bench.cuda.path(), "13.0.88", "echo 'k.cu(1): error: expected an expression' >&2\nexit 1\n");
  support::Diagnostics diagnostics;
  CHECK_FALSE(bench.compile("source\n", diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].slug == "compile.rejected");
  CHECK(diagnostics.all()[0].notes == std::vector<std::string>{"k.cu(1): error: expected an expression"});
  CHECK(entry_of(bench.cache.path()).empty());
}

TEST_CASE("compile: a compiler that dies without a cubin is a rejection, not a kernel") {
  const Bench bench;
  for (const char *body : {"exit 0\n", "echo x > out.cubin\nexit 1\n", "echo x > out.cubin\nkill -9 $$\n"}) {
    write_stub_nvcc(bench.cuda.path(), "13.0.88", body);
    support::Diagnostics diagnostics;
    CHECK_FALSE(bench.compile(std::string("source ") + body, diagnostics));
    CHECK(diagnostics.has_slug("compile.rejected"));
  }
}

TEST_CASE("compile: a source without the kernel is rejected") {
  const Bench bench;
  support::Diagnostics diagnostics;
  bench.compile("source\n", diagnostics, "another");
  CHECK(diagnostics.has_slug("compile.rejected"));
}
