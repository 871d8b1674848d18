// SPDX-License-Identifier: Apache-2.0
// Findings in the names and lines of the source; deadlocks with what every waiter lacks.
#include "tests/emulator/machine/machine_fixture.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// Warp 0 makes an mbarrier for two arrivals and arrives once; warps 1 and 2 wait for its phase.
const std::string kHalfArrived = R"(
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra WAIT;
mbarrier.init.shared.b64 [%r2+8], 2;
mbarrier.arrive.expect_tx.shared.b64 _, [%r2+8], 48;
WAIT:
bar.sync 0;
setp.lt.u32 %p2, %r1, 32;
@%p2 bra DONE;
.loc 1 70 2
.loc 1 20 3, function_name $L__info_string0, inlined_at 1 70 2
.loc 1 12 5, function_name $L__info_string1, inlined_at 1 20 3
AGAIN:
mbarrier.try_wait.parity.shared.b64 %p3, [%r2+8], 0;
@!%p3 bra AGAIN;
DONE:
ret;
)";

Names names() {
  return *parse_names("mbarrier ab_full 1024 2 load 1, mma 1\nshared rest 1024 512 0 1\nrole load 0 1\nrole mma 1 2\n");
}

}  // namespace

TEST_CASE("machine: a deadlock names waiters, barriers, stages, what is missing and who should arrive") {
  Machine machine(kHalfArrived, 4, ".file 1 \"/folder/gemm.cu\"");
  REQUIRE(machine.error.empty());
  machine.launch.block = {96, 1, 1};
  machine.launch.names = names();
  // The names count from the dynamic shared memory, which follows the static.
  for (SharedName &name : machine.launch.names.shared) name.offset = 0;
  machine.launch.dynamic_shared_bytes = 1024;
  SECTION("static memory has no names") {
    const Report report = machine.run();
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].slug == "run.deadlock");
    CHECK(has(report.findings[0].text, "mbarrier at offset -1016 of dynamic shared memory, parity 0"));
  }
  SECTION("dynamic memory has") {
    std::string body = kHalfArrived;
    body.replace(body.find("mov.u32 %r2, s;"), 15, "mov.u32 %r2, s; add.u32 %r2, %r2, 1024;");
    Machine moved(body, 4, ".file 1 \"/folder/gemm.cu\"");
    moved.launch.block = {96, 1, 1};
    moved.launch.dynamic_shared_bytes = 1024;
    moved.launch.names = machine.launch.names;
    const Report report = moved.run();
    REQUIRE(report.findings.size() == 1);
    CHECK(has(report.findings[0].text,
              "role mma, CTA (0,0,0) rank 0, warps 1 to 2, all lanes, gemm.cu:70 (PTX line " +
                  std::to_string(moved.line_of("mbarrier.try_wait")) +
                  "): waits for mbarrier ab_full[1], parity 0; its phase 0 lacks 1 of 2 arrivals and 48 bytes; who arrives: "
                  "load 1, mma 1"));
    CHECK_FALSE(report.is_complete);
  }
}

TEST_CASE("machine: a deadlock at a barrier of the CTA or cluster counts who is there") {
  Machine barrier("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 3, 64; ret;", 4);
  REQUIRE(barrier.error.empty());
  barrier.launch.block = {64, 1, 1};
  barrier.launch.names = *parse_names("barrier epilogue 3\n");
  const Report at_barrier = barrier.run();
  REQUIRE(at_barrier.findings.size() == 1);
  CHECK(has(at_barrier.findings[0].text, "waits for barrier 3 (epilogue); 32 of 64 threads are there"));
  CHECK(has(at_barrier.findings[0].text, "warp 0, all lanes"));
  CHECK_FALSE(has(at_barrier.findings[0].text, "warp 1"));
}

TEST_CASE("machine: a finding has the role and the line of the outermost call") {
  Machine machine(R"(
.loc 1 70 2
.loc 1 20 3, function_name $L__info_string0, inlined_at 1 70 2
mov.u32 %r2, s;
ld.shared.u32 %r1, [%r2+4096];
ret;)", 4, ".file 1 \"/folder/gemm.cu\"");
  REQUIRE(machine.error.empty());
  machine.launch.names = names();
  const Report report = machine.run();
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].slug == "memory.out-of-bounds");
  CHECK(report.findings[0].where ==
        "role load, CTA (0,0,0) rank 0, warp 0, lane 0, gemm.cu:70 (PTX line " + std::to_string(machine.line_of("ld.shared")) + ")");
}

TEST_CASE("machine: names are read or refused as a whole") {
  const Names read = names();
  CHECK(read.of_shared(1024 + 8) == "ab_full[1]");
  CHECK(read.of_shared(1024 + 12) == "ab_full[1]+4");
  CHECK(read.of_shared(1024 + 16) == "rest+16");
  CHECK(read.of_shared(0) == "at offset 0 of dynamic shared memory");
  CHECK(read.of_barrier(1) == "barrier 1");
  REQUIRE(read.role_of(2) != nullptr);
  CHECK(read.role_of(2)->name == "mma");
  CHECK(read.role_of(3) == nullptr);
  for (const char *wrong : {"shared a 1", "mbarrier a x 1", "role a", "barrier a", "warp a 1"}) CHECK_FALSE(parse_names(wrong).has_value());
}
