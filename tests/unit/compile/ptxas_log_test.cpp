// SPDX-License-Identifier: Apache-2.0
// Compiler output, parsed and judged.
#include "generator/compile/policy.h"
#include "generator/compile/ptxas_log.h"
#include "tests/catch.h"

using namespace warpwright;
using namespace warpwright::compile;

namespace {

const char kSpillLog[] =
    "ptxas warning : Local memory used for function 'k', size of stack frame: 360 bytes\n"
    "ptxas warning : Registers are spilled to local memory in function 'k', 396 bytes spill stores, 400 bytes spill "
    "loads\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
    "ptxas info    : Function properties for k\n"
    "    360 bytes stack frame, 396 bytes spill stores, 400 bytes spill loads\n"
    "ptxas info    : Used 64 registers, used 2 barriers, 360 bytes cumulative stack size, 512 bytes smem\n"
    "ptxas info    : Compile time = 36.943 ms\n";

/// Figures of a kernel without anything to complain about.
std::string quiet_log() {
  return "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 40 registers, used 1 barriers\n";
}

target::SmTarget small_target() {
  target::SmTarget target;
  target.arch = "sm_100a";
  target.smem_optin_bytes = 1000;
  return target;
}

std::vector<Finding> judge_text(const std::string &log, const CompilePolicy &policy, const std::string &ptx = "") {
  return judge(parse_ptxas_log(log, "k"), ptx, small_target(), policy);
}

}  // namespace

TEST_CASE("ptxas log: figures of the kernel, and nothing else, from the usual lines") {
  const PtxasLog log = parse_ptxas_log(kSpillLog, "k");
  CHECK(log.has_kernel);
  CHECK(log.registers == 64);
  CHECK(log.stack_bytes == 360);
  CHECK(log.spill_store_bytes == 396);
  CHECK(log.spill_load_bytes == 400);
  CHECK(log.static_smem_bytes == 512);
  CHECK(log.barriers == 2);
  CHECK(log.remarks.empty());
}

TEST_CASE("ptxas log: NVRTC quotes continuation lines with a dot") {
  const PtxasLog log = parse_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
      "ptxas info    : Function properties for k\n"
      "ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 128 registers, used 16 barriers, 16 bytes cumulative stack size\n",
      "k");
  CHECK(log.stack_bytes == 16);
  CHECK(log.spill_store_bytes == 8);
  CHECK(log.spill_load_bytes == 12);
  CHECK(log.registers == 128);
  CHECK(log.barriers == 16);
  CHECK(log.remarks.empty());
}

TEST_CASE("ptxas log: another entry's figures are not the kernel's") {
  const std::string other =
      "ptxas info    : Compiling entry function 'other' for 'sm_100a'\n"
      "    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 9 barriers\n";
  const PtxasLog log = parse_ptxas_log(other + quiet_log() + other, "k");
  CHECK(log.registers == 40);
  CHECK(log.spill_store_bytes == 0);
  CHECK(log.barriers == 1);
  CHECK_FALSE(parse_ptxas_log(other, "k").has_kernel);
  CHECK(parse_ptxas_log(other + quiet_log(), "").registers == 255);
}

TEST_CASE("ptxas log: spills of the functions that the kernel calls count") {
  const PtxasLog log = parse_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
      "ptxas info    : Function properties for k\n"
      "    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Function properties for helper\n"
      "    32 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 64 registers, used 1 barriers\n",
      "k");
  CHECK(log.spill_store_bytes == 12);
  CHECK(log.stack_bytes == 32);
}

TEST_CASE("ptxas log: torn and hostile text gives no figures and no crash") {
  for (const char *text :
       {"", "\n\n", "ptxas", "ptxas ", "ptxas info", "ptxas info    :", "ptxas info    : (C", ": ",
        " bytes stack frame,", "ptxas info    : Used  registers", "ptxas info    : (C99999999999999999999) x",
        "99999999999999999999999 bytes stack frame, 1 bytes spill stores"}) {
    INFO(text);
    const PtxasLog log = parse_ptxas_log(text, "k");
    CHECK_FALSE(log.has_kernel);
    CHECK(log.registers == 0);
    CHECK(log.stack_bytes == 0);
  }
}

TEST_CASE("policy: a quiet kernel has no findings") { CHECK(judge_text(quiet_log(), {}).empty()); }

TEST_CASE("policy: spills within the limit are told, beyond it they fail") {
  const std::string log =
      "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
      "    12 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 64 registers, used 1 barriers\n";
  CompilePolicy policy;
  policy.spill_limit_bytes = 32;
  std::vector<Finding> findings = judge_text(log, policy);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].slug == "compile.spill");
  CHECK_FALSE(findings[0].fails);
  CHECK(findings[0].text == "12 B spill stores, 20 B spill loads; the limit is 32 B");
  policy.spill_limit_bytes = 31;
  findings = judge_text(log, policy);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].fails);
}

TEST_CASE("policy: an array in local memory fails, beside spills too") {
  const std::string frame =
      "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
      "    1024 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 64 registers, used 1 barriers\n";
  REQUIRE(judge_text(frame, {}).size() == 1);
  CHECK(judge_text(frame, {})[0].slug == "compile.local-memory");
  CHECK(judge_text(frame, {})[0].fails);
  CompilePolicy allowing;
  allowing.allow_local_memory = true;
  CHECK_FALSE(judge_text(frame, allowing)[0].fails);

  // The frame is no larger than the spills, but the PTX declares an array.
  allowing.allow_local_memory = false;
  allowing.spill_limit_bytes = 10'000;
  const std::string ptx = ".visible .entry k()\n{\n\t.local .align 16 .b8 \t__local_depot0[64];\n";
  const std::vector<Finding> both = judge_text(kSpillLog, allowing, ptx);
  REQUIRE(both.size() == 3);
  CHECK(both[1].slug == "compile.local-memory");
  CHECK(judge_text(kSpillLog, allowing, "\tld.local.u32 %r1, [%r2];\n").size() == 2);
}

TEST_CASE("policy: registers, static and dynamic shared memory against their limits") {
  CompilePolicy policy;
  policy.max_registers = 40;
  CHECK(judge_text(quiet_log(), policy).empty());
  policy.max_registers = 39;
  REQUIRE(judge_text(quiet_log(), policy).size() == 1);
  CHECK(judge_text(quiet_log(), policy)[0].slug == "compile.too-many-registers");
  CHECK(judge_text(quiet_log(), policy)[0].text == "40 registers a thread; the plan allows 39");

  policy.max_registers = 0;
  policy.dynamic_smem_bytes = 1000;
  CHECK(judge_text(quiet_log(), policy).empty());
  policy.dynamic_smem_bytes = 1001;
  REQUIRE(judge_text(quiet_log(), policy).size() == 1);
  CHECK(judge_text(quiet_log(), policy)[0].slug == "compile.dynamic-smem");

  policy.dynamic_smem_bytes = 0;
  const std::string smem =
      "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
      "ptxas info    : Used 14 registers, used 1 barriers, 512 bytes smem\n";
  REQUIRE(judge_text(smem, policy).size() == 1);
  CHECK(judge_text(smem, policy)[0].slug == "compile.static-smem");
}

TEST_CASE("policy: each code of ptxas has its slug") {
  const auto slug_of = [](const std::string &line) {
    const std::vector<Finding> findings = judge_text(line + "\n" + quiet_log(), {});
    REQUIRE(findings.size() == 1);
    return findings[0].slug + (findings[0].fails ? " fails" : "");
  };
  CHECK(
      slug_of("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register "
              "count at entry.") == "compile.setmaxnreg-dropped fails");
  for (const int code : {7510, 7511, 7512, 7513, 7514, 7515, 7602}) {
    CHECK(slug_of("ptxas info    : (C" + std::to_string(code) + ") words") == "compile.wgmma-serialised fails");
  }
  for (const int code : {7517, 7519}) {
    CHECK(slug_of("ptxas info    : (C" + std::to_string(code) + ") words") == "compile.wgmma-repaired");
  }
  CHECK(slug_of("ptxas info    : (C7999) Potential Performance Loss: something new") ==
        "compile.performance-loss fails");
  // The words count where a release gives another code or none.
  CHECK(slug_of("ptxas info    : Potential Performance Loss: wgmma.mma_async instructions are serialized due to ill "
                "formed pipeline stage in the function 'k'") == "compile.wgmma-serialised fails");
  CHECK(slug_of("ptxas warning : a warning that nobody has seen yet") == "compile.remark");
  CHECK(slug_of("ptxas info    : some advice") == "compile.remark");
  CHECK(slug_of("k.cu(3): warning #177-D: variable \"x\" was declared but never referenced") ==
        "compile.frontend-warning");
}

TEST_CASE("policy: findings hold no time and no path") {
  for (const Finding &finding : judge_text(kSpillLog, {})) {
    CHECK(finding.text.find("ms") == std::string::npos);
    CHECK(finding.text.find('/') == std::string::npos);
  }
}
