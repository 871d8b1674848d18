// SPDX-License-Identifier: Apache-2.0
// Kernels with one planted fault each, through the real compilers: each gives its slug, on both backends where it can.
#include "generator/compile/compile.h"
#include "generator/support/process.h"
#include "tests/catch.h"
#include "tests/unit/compile/stub_cuda.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

using namespace warpwright;
using namespace warpwright::compile;
using namespace warpwright::compile_test;

namespace {

namespace fs = std::filesystem;

std::string planted(const std::string &name) {
  return read_text(std::string(WARPWRIGHT_SOURCE_DIR "/tests/assemble/planted/") + name + ".cu");
}

std::optional<CompiledKernel> compile_planted(const std::string &name, Backend backend, const CompilePolicy &policy,
                                              support::Diagnostics &diagnostics, bool line_info = false) {
  CompileOptions options;
  options.backend = backend;
  options.kernel_name = "planted_" + name;
  options.line_info = line_info;
  const target::SmTarget *target = target::find_target(name == "wgmma_serialised" ? "sm_90a" : "sm_100a");
  return compile_kernel(planted(name), *target, policy, options, diagnostics);
}

/// The bytes of one section of a 64-bit little-endian ELF file.
std::string section(const std::vector<uint8_t> &elf, const std::string &wanted) {
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    if (at + bytes <= elf.size()) std::memcpy(&value, elf.data() + at, bytes);
    return value;
  };
  const uint64_t table = number(0x28, 8), entry_bytes = number(0x3A, 2), count = number(0x3C, 2);
  const uint64_t names = number(table + number(0x3E, 2) * entry_bytes + 0x18, 8);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t header = table + i * entry_bytes;
    const char *name = reinterpret_cast<const char *>(elf.data()) + names + number(header, 4);
    if (wanted == name) {
      const char *start = reinterpret_cast<const char *>(elf.data()) + number(header + 0x18, 8);
      return std::string(start, number(header + 0x20, 8));
    }
  }
  return "";
}

}  // namespace

TEST_CASE("planted: each fault gives its slug with nvcc and with NVRTC") {
  struct Row {
    const char *name;
    const char *slug;
  };
  for (const Row &row :
       {Row{"spill", "compile.spill"}, Row{"local_array", "compile.local-memory"},
        Row{"setmaxnreg_dropped", "compile.setmaxnreg-dropped"}, Row{"static_smem", "compile.static-smem"},
        Row{"wgmma_serialised", "compile.wgmma-serialised"}, Row{"too_many_registers", "compile.too-many-registers"}}) {
    for (const Backend backend : {Backend::kNvcc, Backend::kNvrtc}) {
      INFO(row.name << (backend == Backend::kNvcc ? " nvcc" : " nvrtc"));
      CompilePolicy policy;
      policy.max_registers = std::string(row.name) == "too_many_registers" ? 64 : 0;
      support::Diagnostics diagnostics;
      const auto kernel = compile_planted(row.name, backend, policy, diagnostics);
      INFO(diagnostics.render());
      REQUIRE(kernel);  // a failed policy still has a cubin to look at
      CHECK_FALSE(kernel->cubin.empty());
      CHECK(diagnostics.has_errors());
      CHECK(diagnostics.has_slug(row.slug));
      CHECK(std::any_of(kernel->findings.begin(), kernel->findings.end(),
                        [&](const Finding &finding) { return finding.slug == row.slug && finding.fails; }));
    }
  }
}

TEST_CASE("planted: a spill within the family's limit passes and stays a finding") {
  CompilePolicy policy;
  policy.spill_limit_bytes = 100'000;
  support::Diagnostics diagnostics;
  const auto kernel = compile_planted("spill", Backend::kNvcc, policy, diagnostics);
  REQUIRE(kernel);
  CHECK(diagnostics.all().empty());
  REQUIRE(kernel->findings.size() == 1);
  CHECK(kernel->findings[0].slug == "compile.spill");
  CHECK(kernel->spill_store_bytes > 0);
  CHECK(kernel->registers == 64);
}

TEST_CASE("planted: a clean kernel has no findings") {
  for (const Backend backend : {Backend::kNvcc, Backend::kNvrtc}) {
    support::Diagnostics diagnostics;
    const auto kernel = compile_planted("clean", backend, {}, diagnostics);
    REQUIRE(kernel);
    CHECK(diagnostics.all().empty());
    CHECK(kernel->findings.empty());
    CHECK(kernel->registers > 0);
    CHECK(kernel->barriers == 1);
    CHECK(kernel->static_smem_bytes == 0);
  }
}

TEST_CASE("planted: a rejected source gives the compiler's words with line and no path") {
  for (const Backend backend : {Backend::kNvcc, Backend::kNvrtc}) {
    support::Diagnostics diagnostics;
    CHECK_FALSE(compile_planted("rejected", backend, {}, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].slug == "compile.rejected");
    CHECK(diagnostics.all()[0].notes[0] == "planted_rejected.cu(3): error: expected an expression");
  }
}

TEST_CASE("planted: every target's cubin is made, and is for that target") {
  for (const target::SmTarget *target : target::all_targets()) {
    CompileOptions options;
    options.kernel_name = "planted_clean";
    support::Diagnostics diagnostics;
    const auto kernel = compile_kernel(planted("clean"), *target, {}, options, diagnostics);
    INFO(target->arch << "\n" << diagnostics.render());
    REQUIRE(kernel);
    CHECK(kernel->ptx.find(".target " + target->arch) != std::string::npos);
  }
}

TEST_CASE("planted: two folders, two processes' worth of scratch names, the same bytes") {
  const TestFolder one, other;
  std::optional<CompiledKernel> first, second;
  for (const bool line_info : {false, true}) {
    for (const Backend backend : {Backend::kNvcc, Backend::kNvrtc}) {
      INFO("line information " << line_info << ", backend " << static_cast<int>(backend));
      support::Diagnostics diagnostics;
      const fs::path home = fs::current_path();
      {
        const Variable scratch("TMPDIR", one.path());
        fs::current_path(one.path());
        first = compile_planted("clean", backend, {}, diagnostics, line_info);
      }
      {
        const Variable scratch("TMPDIR", other.path());
        fs::current_path(other.path());
        second = compile_planted("clean", backend, {}, diagnostics, line_info);
      }
      fs::current_path(home);
      INFO(diagnostics.render());
      REQUIRE(first);
      REQUIRE(second);
      CHECK(first->ptx == second->ptx);
      CHECK(first->cubin == second->cubin);
      CHECK((first->ptx.find(".file\t1 \"/warpwright/planted_clean.cu\"") != std::string::npos) == line_info);
      CHECK(first->ptx.find(one.path()) == std::string::npos);
      const std::string bytes(first->cubin.begin(), first->cubin.end());
      CHECK(bytes.find("warpwright-test-") == std::string::npos);
    }
  }
  CHECK(fs::is_empty(one.path()));
  CHECK(fs::is_empty(other.path()));
}

TEST_CASE("planted: the PTX in the result is what ptxas read") {
  support::Diagnostics diagnostics;
  const auto cuda = find_cuda(diagnostics);
  REQUIRE(cuda);
  for (const Backend backend : {Backend::kNvcc, Backend::kNvrtc}) {
    const auto kernel = compile_planted("spill", backend, {}, diagnostics);
    REQUIRE(kernel);
    const TestFolder folder;
    write_text(folder.path() + "/k.ptx", kernel->ptx);
    support::ProcessRequest request;
    request.argv = {cuda->ptxas, "-arch=sm_100a", "-o", "k.cubin", "k.ptx"};
    request.folder = folder.path();
    REQUIRE(support::run_process(request).ok());
    const std::string bytes = read_text(folder.path() + "/k.cubin");
    const std::string text = section(kernel->cubin, ".text.planted_spill");
    CHECK(text.size() > 1000);
    CHECK(text == section({bytes.begin(), bytes.end()}, ".text.planted_spill"));
  }
}
