// SPDX-License-Identifier: Apache-2.0
// clusterlaunchcontrol: every tile is done once, by its own cluster or by one that took it over.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// One thread a CTA; tile t gets the number of the CTA that did it, plus 1 for each time that it was done.
const std::string kOneCta = R"(
.reg .b128 %answer;
ld.param.u64 %d1, [p];
mov.u32 %r10, s;
mbarrier.init.shared.b64 [%r10+16], 1;
fence.mbarrier_init.release.cluster;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, 0;
add.u32 %r11, %r10, 16;
TILE:
mul.wide.u32 %d2, %r1, 4;
add.u64 %d2, %d1, %d2;
mov.u32 %r3, %ctaid.x;
add.u32 %r3, %r3, 100;
red.global.add.u32 [%d2], %r3;
mbarrier.arrive.expect_tx.shared.b64 %d3, [%r11], 16;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r10], [%r11];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r11], %r2;
@!%p1 bra WAIT;
ld.shared.b128 %answer, [%r10];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %answer;
@!%p2 ret;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r4, %r5, _}, %answer;
add.u32 %r1, %r1, %r4;
add.u32 %r1, %r1, %r5;
fence.proxy.async.shared::cta;
xor.b32 %r2, %r2, 1;
bra TILE;
)";

/// Two CTAs a cluster; the first asks for both.
const std::string kPair = R"(
.reg .b128 %answer;
ld.param.u64 %d1, [p];
mov.u32 %r10, s;
add.u32 %r11, %r10, 16;
mbarrier.init.shared.b64 [%r11], 1;
fence.mbarrier_init.release.cluster;
mov.u32 %r1, %ctaid.x;
mov.u32 %r6, %cluster_ctarank;
setp.ne.u32 %p3, %r6, 0;
mov.u32 %r2, 0;
barrier.cluster.arrive.release;
TILE:
barrier.cluster.wait.acquire;
mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 %d3, [%r11], 16;
@!%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r10], [%r11];
mul.wide.u32 %d2, %r1, 4;
add.u64 %d2, %d1, %d2;
mov.u32 %r3, %ctaid.x;
add.u32 %r3, %r3, 100;
red.global.add.u32 [%d2], %r3;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r11], %r2;
@!%p1 bra WAIT;
ld.shared.b128 %answer, [%r10];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %answer;
@!%p2 bra DONE;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %answer;
add.u32 %r1, %r1, %r6;
fence.proxy.async.shared::cta;
xor.b32 %r2, %r2, 1;
barrier.cluster.arrive.release;
bra TILE;
DONE:
barrier.cluster.arrive;
barrier.cluster.wait;
ret;
)";

std::vector<uint32_t> owners(const std::string &body, uint32_t cluster, Schedule schedule, uint32_t jobs) {
  Machine machine(body, 8);
  REQUIRE(machine.error == "");
  machine.launch.block = {1, 1, 1};
  machine.launch.grid = {8, 1, 1};
  machine.launch.cluster = {cluster, 1, 1};
  machine.options.schedule = schedule;
  machine.options.seed = 3;
  machine.options.jobs = jobs;
  machine.set_output(std::vector<uint32_t>(8, 0));
  const Report report = machine.run();
  for (const Finding &finding : report.findings) FAIL_CHECK(finding.slug + ": " + finding.text);
  CHECK(report.is_clean());
  return machine.output();
}

std::string first_slug(const std::string &body) {
  Machine machine(".reg .b128 %answer;\n" + body, 4);
  REQUIRE(machine.error == "");
  machine.launch.block = {1, 1, 1};
  const Report report = machine.run();
  return report.findings.empty() ? "" : report.findings.front().slug;
}

}  // namespace

TEST_CASE("cancel: eight clusters are done by four, whatever the schedule and the jobs") {
  for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial})
    for (const uint32_t jobs : {1u, 3u})
      CHECK(owners(kOneCta, 1, schedule, jobs) == std::vector<uint32_t>{100, 101, 100, 101, 100, 101, 106, 107});
}

TEST_CASE("cancel: an answer for the whole cluster") {
  for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial})
    CHECK(owners(kPair, 2, schedule, 2) == std::vector<uint32_t>{100, 101, 100, 101, 100, 101, 106, 107});
}

TEST_CASE("cancel: what is no answer is not read as one") {
  CHECK(first_slug("mov.u64 %d2, 0;\nmov.b128 %answer, {%d2, %d2};\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %answer;\nret;") ==
        "cluster.cancel-response");
  const std::string ask = "mov.u32 %r10, s;\nmbarrier.init.shared.b64 [%r10+32], 1;\nfence.mbarrier_init.release.cluster;\nadd.u32 %r11, %r10, 32;\n"
                          "mbarrier.arrive.expect_tx.shared.b64 %d3, [%r11], 16;\nclusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 ";
  CHECK(first_slug(ask + "[%r10+8], [%r11];\nret;") == "memory.misaligned");
  CHECK(first_slug(ask + "[%r10], [%r11+8];\nret;") == "mbarrier.not-initialised");
  CHECK(first_slug(ask + "[%r10], [%r11];\nret;") == "async.after-exit");
}
