// SPDX-License-Identifier: Apache-2.0
// setmaxnreg: the pool of a CTA, who waits for it, and what a kernel may not ask of it.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

#include "tools/emulator/machine/register_pool.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// Two warpgroups, each with a text of its own.
struct TwoGroups : Machine {
  TwoGroups(const std::string &first, const std::string &second, const std::string &tuning = ".maxnreg 128\n")
      : Machine("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 128;\n@!%p1 bra SECOND;\n" + first + "\nret;\nSECOND:\n" + second + "\nret;", 4, "",
                tuning) {
    REQUIRE(error == "");
    launch.block = {256, 1, 1};
  }
};

/// The findings under each schedule; where all give the same, those.
std::string slugs(const std::string &first, const std::string &second, const std::string &tuning = ".maxnreg 128\n") {
  std::string all;
  for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial}) {
    TwoGroups machine(first, second, tuning);
    machine.options.schedule = schedule;
    std::string found;
    for (const Finding &finding : machine.run().findings)
      if (found.find(finding.slug) == std::string::npos) found += finding.slug + " ";
    if (all != found + "/ ") all += found + "/ ";
  }
  return all;
}

std::string dec(int count) { return "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(count) + ";\n"; }
std::string inc(int count) { return "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(count) + ";\n"; }

/// Registers at entry of a kernel of `body` under `tuning`.
uint32_t at_entry(const std::string &tuning, const std::string &body) {
  auto parsed = ptx::parse(".version 9.0\n.target sm_100a\n.address_size 64\n.entry k()\n" + tuning + "\n{" + body + "ret;}");
  REQUIRE(parsed.module);
  return find_register_bounds(parsed.module->kernels.front()).at_entry;
}

}  // namespace

TEST_CASE("registers: an increase waits for what others give up") {
  CHECK(slugs(inc(200), dec(56)) == "/ ");
  CHECK(slugs(inc(200) + "bar.sync 1, 128;\n" + dec(40) + "bar.sync 3, 256;\n", dec(56) + "bar.sync 3, 256;\n" + inc(216)) == "/ ");
}

TEST_CASE("registers: two warpgroups that both ask may each get a part, and wait for ever") {
  CHECK(slugs(inc(200) + "bar.sync 1, 128;\n" + dec(40), dec(56) + "bar.sync 2, 128;\n" + inc(216)).find("run.deadlock") != std::string::npos);
}

TEST_CASE("registers: a pool that never has enough is a deadlock that says who lacks what") {
  TwoGroups machine(inc(200), "bar.sync 0;\n" + dec(56));
  const Report report = machine.run();
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].slug == "run.deadlock");
  CHECK(has(report.findings[0].text, "warps 0 to 3, all lanes"));
  CHECK(has(report.findings[0].text, "waits for 200 registers a thread; it has 128, and the pool has 0 for one warp"));
}

TEST_CASE("registers: what no pool can give is a finding, not a wait") {
  CHECK(slugs(inc(208), dec(56)) == "warp.register-pool / ");
  CHECK(slugs(inc(136), "") == "warp.register-pool / ");
}

TEST_CASE("registers: a kernel without a bound has no pool") {
  CHECK(slugs(inc(200), dec(56), "") == "warp.register-bound / ");
  CHECK(slugs(inc(200), dec(56), ".maxntid 256\n") == "warp.register-bound / ");
  CHECK(slugs(inc(200), dec(56), ".maxntid 256\n.minnctapersm 2\n") == "/ ");
}

TEST_CASE("registers: counts are multiples of 8 from 24 to 256, up with inc and down with dec") {
  for (const int count : {0, 16, 100, 264}) CHECK(slugs("", dec(count)) == "warp.register-count / ");
  CHECK(slugs("", dec(136)) == "warp.register-count / ");
  CHECK(slugs(dec(56) + "bar.sync 1, 128;\n" + inc(48), "") == "warp.register-count / ");
  CHECK(slugs("", dec(128)) == "/ ");
}

TEST_CASE("registers: the warps of a warpgroup make the same changes") {
  CHECK(slugs("setp.lt.u32 %p2, %r1, 32;\n@%p2 bra OTHER;\n" + dec(64) + "ret;\nOTHER:\n" + dec(56), "") == "warp.registers-diverged / ");
  CHECK(slugs("setp.lt.u32 %p2, %r1, 32;\n@%p2 ret;\n" + dec(64), "") == "warp.registers-diverged / ");
}

TEST_CASE("registers: warps of a warpgroup synchronise between two changes") {
  CHECK(slugs(dec(64) + "bar.sync 1, 128;\n" + dec(56), "") == "/ ");
  CHECK(slugs(dec(64) + dec(56), "") == "order.setmaxnreg / ");
}

/// Found by assembling them with ptxas 13.0 -v for sm_100a.
TEST_CASE("registers: the count at entry is what ptxas assigns") {
  const std::string both = dec(24) + inc(240);
  CHECK(at_entry(".maxntid 384\n.minnctapersm 1", both) == 168);
  CHECK(at_entry(".maxntid 257\n.minnctapersm 1", both) == 168);
  CHECK(at_entry(".reqntid 384\n.minnctapersm 2", both) == 80);
  CHECK(at_entry(".maxntid 192\n.minnctapersm 2", both) == 168);
  CHECK(at_entry(".maxntid 128\n.minnctapersm 1", dec(24) + inc(200)) == 200);
  CHECK(at_entry(".maxntid 384\n.minnctapersm 1", inc(160)) == 160);
  CHECK(at_entry(".maxntid 128\n.minnctapersm 1", dec(24)) == 256);  // ptxas says 255, which takes 256
  CHECK(at_entry(".maxnreg 168", both) == 168);
  CHECK(at_entry(".maxntid 384\n.maxnreg 128", both) == 128);
  CHECK(at_entry(".maxntid 384", both) == 0);
  CHECK(at_entry(".minnctapersm 1", both) == 0);
}
