// SPDX-License-Identifier: Apache-2.0
// st.async, red.async, copies to the peer, mbarriers that track cp.async, accesses of 256 bits: values by hand.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

#include <numeric>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// Two CTAs of a warp; the peer's `s` at %r6, its mbarrier at %r7, the own one at %r11, for `bytes` bytes a phase. After `body`
/// each CTA waits, and lane i stores words i and 32 + i of its `s` to its half of the output.
struct Pair : Machine {
  Pair(const std::string &body, uint32_t bytes)
      : Machine(R"(
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
mov.u32 %r10, s;
add.u32 %r11, %r10, 512;
setp.ne.u32 %p2, %r1, 0;
@!%p2 mbarrier.init.shared.b64 [%r11], 1;
fence.mbarrier_init.release.cluster;
mad.lo.u32 %r9, %r1, 4, %r10;
mov.u32 %r8, 1000;
st.shared.u32 [%r9], %r8;
st.shared.u32 [%r9+128], %r8;
fence.proxy.async;
mov.u32 %r4, %cluster_ctarank;
xor.b32 %r5, %r4, 1;
mapa.shared::cluster.u32 %r6, %r10, %r5;
mapa.shared::cluster.u32 %r7, %r11, %r5;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
mad.lo.u32 %r12, %r4, 100, %r1;
@!%p2 mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], )" + std::to_string(bytes) + ";\n" + body + R"(
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r11], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r8, [%r9];
ld.shared.u32 %r13, [%r9+128];
mul.wide.u32 %d3, %r4, 256;
add.u64 %d3, %d1, %d3;
mul.wide.u32 %d4, %r1, 4;
add.u64 %d3, %d3, %d4;
st.global.u32 [%d3], %r8;
st.global.u32 [%d3+128], %r13;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
ret;)", 128) {
    REQUIRE(error == "");
    launch.grid = launch.cluster = {2, 1, 1};
  }
};

std::vector<uint32_t> values_of(const std::string &body, uint32_t bytes) {
  std::vector<uint32_t> values;
  for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial}) {
    Pair machine(body, bytes);
    machine.options.schedule = schedule;
    const Report report = machine.run();
    for (const Finding &finding : report.findings) FAIL_CHECK(finding.slug + ": " + finding.text);
    CHECK(report.is_clean());
    if (!values.empty()) CHECK(machine.output() == values);
    values = machine.output();
  }
  return values;
}

std::string first_slug(const std::string &body, uint32_t bytes) {
  Pair machine(body, bytes);
  const Report report = machine.run();
  return report.findings.empty() ? "" : report.findings.front().slug;
}

const std::string kOwnWord = "mad.lo.u32 %r14, %r1, 4, %r6;\n";

}  // namespace

TEST_CASE("st.async: each lane's values go to the peer, and their bytes are counted there") {
  const auto words = values_of(kOwnWord + "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r14], %r12, [%r7];", 128);
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(words[i] == 100 + i);
    CHECK(words[32 + i] == 1000);
    CHECK(words[64 + i] == i);
  }
  const auto pairs = values_of("mad.lo.u32 %r14, %r1, 8, %r6;\nadd.u32 %r15, %r12, 500;\n"
                               "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r14], {%r12, %r15}, [%r7];", 256);
  CHECK(pairs[6] == 103);
  CHECK(pairs[7] == 603);
  const auto quads = values_of("setp.gt.u32 %p3, %r1, 7;\nmad.lo.u32 %r14, %r1, 16, %r6;\nmov.b64 %d5, {%r12, %r1};\n"
                               "@!%p3 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r14], {%d5, %d5}, [%r7];", 128);
  CHECK(std::vector<uint32_t>(quads.begin() + 28, quads.begin() + 33) == std::vector<uint32_t>{107, 7, 107, 7, 1000});
}

TEST_CASE("st.async: a generic address, the peer's rank in it") {
  const auto words = values_of("mov.u64 %d5, s;\ncvta.shared.u64 %d6, %d5;\nmapa.u64 %d6, %d6, %r5;\nmul.wide.u32 %d7, %r1, 4;\nadd.u64 %d7, %d6, %d7;\n"
                               "add.u64 %d8, %d6, 512;\nst.async.mbarrier::complete_tx::bytes.b32 [%d7], %r12, [%d8];", 128);
  CHECK(words[5] == 105);
}

TEST_CASE("red.async: lanes of a warp add to one word") {
  const auto reduce = [](const std::string &operation, const std::string &value) {
    return values_of("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes" + operation + " [%r6], " + value + ", [%r7];", 128)[64];
  };
  CHECK(reduce(".add.u32", "%r1") == 1000 + 31 * 16);
  CHECK(reduce(".min.u32", "%r12") == 0);
  CHECK(reduce(".max.s32", "%r12") == 1000);
  CHECK(reduce(".and.b32", "%r1") == 0);
  CHECK(reduce(".or.b32", "%r1") == (1000 | 31));
  CHECK(reduce(".xor.b32", "%r1") == 1000);
  CHECK(reduce(".inc.u32", "%r8") == 31);  // 1000 wraps to 0, 31 steps follow
  CHECK(reduce(".dec.u32", "%r8") == 968);
  const auto wide = values_of("mov.b64 %d5, 0xFFFFFFFF;\n@!%p2 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r6], %d5, [%r7];", 8);
  CHECK(wide[0] == 999);
  CHECK(wide[1] == 1001);
}

TEST_CASE("bulk copies from one CTA's shared memory to another's") {
  const std::string copy = "@!%p2 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes ";
  const auto words = values_of("st.shared.u32 [%r9+256], %r12;\nfence.proxy.async.shared::cta;\nbar.warp.sync 0xFFFFFFFF;\nadd.u32 %r14, %r10, 256;\n" + copy +
                               "[%r6], [%r14], 128, [%r7];", 128);
  for (uint32_t i = 0; i < 32; ++i) CHECK(words[i] == 100 + i);
  CHECK(first_slug("st.shared.u32 [%r9+256], %r12;\nbar.warp.sync 0xFFFFFFFF;\nadd.u32 %r14, %r10, 256;\n" + copy + "[%r6], [%r14], 128, [%r7];", 128) ==
        "order.no-proxy-fence");
  CHECK(first_slug(copy + "[%r10], [%r6], 128, [%r11];", 128) == "tma.source-cta");
  CHECK(first_slug(copy + "[%r6], [%r10], 128, [%r11];", 128) == "tma.barrier-cta");
  CHECK(first_slug(copy + "[%r6], [%r10], 120, [%r7];", 128) == "bulk.size");
  CHECK(first_slug("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r10], 128, [%r7];", 128) == "bulk.many-lanes");
}

TEST_CASE("st.async: misuse") {
  const std::string store = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 ";
  CHECK(first_slug(kOwnWord + "add.u32 %r14, %r14, 2;\n" + store + "[%r14], %r12, [%r7];", 128) == "memory.misaligned");
  CHECK(first_slug(kOwnWord + "add.u32 %r7, %r7, 8;\n" + store + "[%r14], %r12, [%r7];", 128) == "mbarrier.not-initialised");
  CHECK(first_slug(kOwnWord + store + "[%r7], %r12, [%r7];", 128) == "memory.barrier-as-data");
  CHECK(first_slug(kOwnWord + store + "[%r14], %r12, [%r7];", 132) == "run.deadlock");
}

TEST_CASE("an mbarrier tracks a lane's cp.async, in either way to count") {
  for (const bool increments : {false, true})
    for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial}) {
      Machine machine("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nadd.u32 %r3, %r2, 1008;\nsetp.ne.u32 %p2, %r1, 0;\n"
                      "@!%p2 mbarrier.init.shared.b64 [%r3], " + std::string(increments ? "1" : "32") + ";\nbar.sync 0;\n"
                      "setp.gt.u32 %p3, %r1, 31;\n@%p3 bra WAIT;\nmul.wide.u32 %d2, %r1, 16;\nadd.u64 %d3, %d1, %d2;\nmad.lo.u32 %r4, %r1, 16, %r2;\n"
                      "cp.async.ca.shared.global [%r4], [%d3], 8;\ncp.async.ca.shared.global [%r4+8], [%d3+8], 8;\n"
                      "cp.async.mbarrier.arrive" + (increments ? "" : std::string(".noinc")) + ".shared.b64 [%r3];\n" +
                      (increments ? "@!%p2 mbarrier.arrive.shared.b64 %d4, [%r3];\n" : "") +
                      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;\n@!%p1 bra WAIT;\nand.b32 %r5, %r1, 31;\nxor.b32 %r5, %r5, 5;\n"
                      "mad.lo.u32 %r4, %r5, 16, %r2;\nld.shared.u32 %r6, [%r4+12];\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n"
                      "st.global.u32 [%d3+2048], %r6;\ncp.async.wait_all;\nret;");
      REQUIRE(machine.error == "");
      machine.launch.block = {64, 1, 1};
      machine.options.schedule = schedule;
      std::vector<uint32_t> words(1024);
      std::iota(words.begin(), words.end(), 0u);
      machine.set_output(words);
      const Report report = machine.run();
      for (const Finding &finding : report.findings) FAIL_CHECK(finding.slug + ": " + finding.text);
      for (uint32_t i = 0; i < 64; ++i) CHECK(machine.output()[512 + i] == 4 * (i % 32 ^ 5) + 3);
    }
}

TEST_CASE("256 bits of global memory at once, and registers of 128") {
  const auto run = [](const std::string &body) {
    Machine machine(".reg .b128 %q<3>;\nld.param.u64 %d1, [p];\n" + body + "\nret;", 64);
    REQUIRE(machine.error == "");
    machine.launch.block = {1, 1, 1};
    std::vector<uint32_t> words(64);
    std::iota(words.begin(), words.end(), 1u);
    machine.set_output(words);
    const Report report = machine.run();
    std::vector<uint32_t> found = machine.output();
    found.resize(48);
    found.erase(found.begin(), found.begin() + 32);
    return report.findings.empty() ? found : std::vector<uint32_t>{};
  };
  std::vector<uint32_t> expected(16);
  std::iota(expected.begin(), expected.end(), 33u);
  std::iota(expected.begin(), expected.begin() + 8, 9u);
  const std::string eight = "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}";
  CHECK(run("ld.global.v8.b32 " + eight + ", [%d1+32];\nst.global.v8.f32 [%d1+128], " + eight + ";") == expected);
  CHECK(run("ld.global.nc.L1::no_allocate.v4.b64 {%d2, %d3, %d4, %d5}, [%d1+32];\nst.v4.u64 [%d1+128], {%d2, %d3, %d4, %d5};") == expected);
  CHECK(run("ld.global.v8.b32 " + eight + ", [%d1+16];").empty());
  CHECK(run("ld.global.v8.b32 " + eight + ", [%d1+256];").empty());
  const auto halves = run("ld.global.b128 %q1, [%d1+16];\nmov.b128 {%d2, %d3}, %q1;\nmov.b128 %q2, {%d3, %d2};\nmov.b128 %q1, %q2;\nmov.u32 %r9, s;\n"
                          "st.shared.b128 [%r9], %q1;\nld.shared.b128 %q2, [%r9];\nst.b128 [%d1+128], %q2;");
  REQUIRE(halves.size() == 16);
  CHECK(std::vector<uint32_t>(halves.begin(), halves.begin() + 4) == std::vector<uint32_t>{7, 8, 5, 6});
}
