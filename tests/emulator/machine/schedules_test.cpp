// SPDX-License-Identifier: Apache-2.0
// Schedules: which faults each finds, the same findings however many clusters run at a time, recorded decisions again.
#include "tests/emulator/machine/machine_fixture.h"

#include "tools/emulator/machine/schedule.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// Warp 1 stores 7 and warp 0 copies the word to the output, with nothing between the two.
const std::string kUnordered = R"(
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@%p1 bra READ;
mov.u32 %r2, 7;
st.global.u32 [%d1+4], %r2;
ret;
READ:
ld.global.u32 %r3, [%d1+4];
st.global.u32 [%d1], %r3;
ret;
)";

/// Every thread arrives twice at a time on an mbarrier for 129 arrivals: the last of them is one too many.
const std::string kOverArrival = R"(
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [%r2], 129;
READY:
bar.sync 0;
mov.u32 %r3, 0;
AGAIN:
mbarrier.arrive.shared.b64 %d1, [%r2], 2;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, 2;
@%p2 bra AGAIN;
ret;
)";

uint32_t first_word(Schedule schedule, uint64_t seed) {
  Machine machine(kUnordered, 4);
  machine.options.checks_races = false;
  REQUIRE(machine.error.empty());
  machine.launch.block = {64, 1, 1};
  machine.options.schedule = schedule;
  machine.options.seed = seed;
  const std::vector<uint32_t> zero(4, 0);
  machine.set_output(zero);
  CHECK(machine.run().is_clean());
  return machine.output()[0];
}

std::string slugs_of(const Report &report) {
  std::string all;
  for (const Finding &finding : report.findings) all += finding.slug + " " + finding.where + "\n";
  return all;
}

}  // namespace

TEST_CASE("machine: the adversary holds each warp in turn") {
  CHECK(first_word(Schedule::kAdversarial, 0) == 7);  // the reader is held
  CHECK(first_word(Schedule::kAdversarial, 1) == 0);  // the writer is
}

TEST_CASE("machine: a run that ends in a finding is run again from its decisions") {
  for (const Schedule schedule : {Schedule::kEager, Schedule::kLazy, Schedule::kRandom, Schedule::kAdversarial}) {
    Machine machine(kOverArrival, 4);
    REQUIRE(machine.error.empty());
    machine.launch.block = {64, 1, 1};
    machine.launch.grid = {8, 1, 1};
    machine.options.schedule = schedule;
    machine.options.seed = 5;
    machine.options.records_schedule = true;
    const Report first = machine.run();
    REQUIRE_FALSE(first.findings.empty());
    CHECK(first.findings[0].slug == "mbarrier.over-arrival");
    std::string why;
    const auto recorded = read_schedule(first.schedule, &why);
    REQUIRE(recorded.has_value());
    CHECK(recorded->cluster == 0);
    CHECK(recorded->slug == "mbarrier.over-arrival");
    CHECK(write_schedule(*recorded) == first.schedule);
    Machine again(kOverArrival, 4);
    again.launch.block = {64, 1, 1};
    again.launch.grid = {8, 1, 1};
    again.options.replay = std::make_shared<const RecordedSchedule>(*recorded);
    const Report second = again.run();
    REQUIRE_FALSE(second.findings.empty());
    CHECK(second.findings[0].where == first.findings[0].where);
    CHECK(second.findings[0].text == first.findings[0].text);
    CHECK(second.statistics.warp_instructions < first.statistics.warp_instructions);
    CHECK_FALSE(second.is_complete);
  }
}

TEST_CASE("machine: a deadlock is run again from its decisions; decisions of another kernel are refused") {
  const std::string body = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 3, 64; ret;";
  Machine machine(body, 4);
  machine.launch.block = {64, 1, 1};
  machine.options.records_schedule = true;
  const Report first = machine.run();
  std::string why;
  const auto recorded = read_schedule(first.schedule, &why);
  REQUIRE(recorded.has_value());
  machine.options.replay = std::make_shared<const RecordedSchedule>(*recorded);
  const Report second = machine.run();
  REQUIRE(second.findings.size() == 1);
  CHECK(second.findings[0].text == first.findings[0].text);
  Machine other("ret;", 4);
  other.options.replay = machine.options.replay;
  const Report differs = other.run();
  REQUIRE(differs.findings.size() == 1);
  CHECK(differs.findings[0].slug == "run.replay-differs");
}

TEST_CASE("machine: findings do not depend on how many clusters run at a time") {
  for (const Schedule schedule : {Schedule::kRandom, Schedule::kAdversarial}) {
    std::string expected, text;
    for (const uint32_t jobs : {1u, 2u, 4u}) {
      Machine machine(kOverArrival, 4);
      machine.launch.block = {64, 1, 1};
      machine.launch.grid = {32, 1, 1};
      machine.options.schedule = schedule;
      machine.options.seed = 9;
      machine.options.jobs = jobs;
      machine.options.records_schedule = true;
      const Report report = machine.run();
      if (jobs == 1) expected = slugs_of(report), text = report.schedule;
      CHECK(slugs_of(report) == expected);
      CHECK(report.schedule == text);
    }
    CHECK_FALSE(expected.empty());
  }
}

TEST_CASE("machine: warps that ask again and again do not keep asynchronous work or a held warp for ever") {
  for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial}) {
    Machine machine(R"(
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@%p1 bra POLL;
mov.u32 %r2, 7;
st.global.u32 [%d1], %r2;
ret;
POLL:
ld.volatile.global.u32 %r3, [%d1];
setp.ne.u32 %p2, %r3, 7;
@%p2 bra POLL;
ret;
)", 4);
    REQUIRE(machine.error.empty());
    machine.launch.block = {64, 1, 1};
    machine.options.schedule = schedule;
    machine.options.seed = 1;
    machine.options.max_warp_instructions = 4'000'000;
    CHECK(machine.run().is_clean());
  }
}

TEST_CASE("machine: a wait for all but the newest bulk group waits for the older one, whichever reads first") {
  for (const uint64_t held : {0u, 1u, 2u}) {
    Machine machine(R"(
ld.param.u64 %d1, [p];
mov.u32 %r2, s;
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra DONE;
mov.u32 %r3, 5;
st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
st.shared.v4.b32 [%r2+16], {%r3, %r3, %r3, %r3};
fence.proxy.async.shared::cta;
cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 16;
cp.async.bulk.commit_group;
cp.async.bulk.global.shared::cta.bulk_group [%d1+16], [%r2+16], 16;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 1;
mov.u32 %r3, 6;
st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
cp.async.bulk.wait_group 0;
DONE:
ret;
)", 8);
    REQUIRE(machine.error.empty());
    machine.options.schedule = Schedule::kAdversarial;
    machine.options.seed = held;
    machine.launch.block = {96, 1, 1};
    const Report report = machine.run();
    CHECK(report.is_clean());
    CHECK(machine.output() == std::vector<uint32_t>(8, 5));
  }
}

TEST_CASE("machine: an endless kernel stops") {
  for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial}) {
    Machine machine("AGAIN: bra AGAIN;", 4);
    machine.options.schedule = schedule;
    machine.options.max_warp_instructions = 500'000;
    const Report report = machine.run();
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].slug == "run.too-long");
    CHECK(report.statistics.warp_instructions < 1'000'000);
  }
}

TEST_CASE("machine: texts that are no decisions are refused with the word that is wrong") {
  const std::string head = "warpwright-schedule 1\ncluster 2\nfinding run.deadlock\n";
  std::string why;
  CHECK(read_schedule(head + "w0:3 a1*2 t\n", &why)->decisions.size() == 3);
  CHECK_FALSE(read_schedule("warpwright-schedule 2\n", &why));
  CHECK_FALSE(read_schedule("warpwright-schedule 1\ncluster x\n", &why));
  for (const char *word : {"x1", "w", "w1:", "w1:0", "a2:3", "t1", "w99999999999", "a1*2*3"}) {
    INFO(word);
    CHECK_FALSE(read_schedule(head + word, &why).has_value());
    CHECK(has(why, word));
  }
}

namespace {

/// Traps where the word is not 0, loops as often as the word after it says, and branches on the thread's place.
const std::string kBranches = R"(
ld.param.u64 %d1, [p];
ld.global.u32 %r1, [%d1];
setp.ne.u32 %p1, %r1, 0;
@%p1 bra TRAP;
mov.u32 %r2, 0;
ld.global.u32 %r3, [%d1+4];
AGAIN:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p2, %r2, %r3;
@%p2 bra AGAIN;
mov.u32 %r4, %tid.x;
setp.ne.u32 %p3, %r4, 0;
@%p3 bra DONE;
st.global.u32 [%d1+8], %r2;
DONE:
ret;
TRAP:
trap;
)";

Report run_branches(Branches branches, std::vector<uint32_t> *words, const std::string &body = kBranches) {
  Machine machine(body, 4);
  REQUIRE(machine.error.empty());
  machine.set_output(*words);
  machine.options.branches = branches;
  machine.options.records_schedule = true;
  const Report report = machine.run();
  *words = machine.output();
  return report;
}

}  // namespace

TEST_CASE("machine: branches on loaded data are forced both ways, others are not") {
  std::vector<uint32_t> words{0, 40, 0, 0};
  CHECK(run_branches(Branches::kAsData, &words).is_clean());
  CHECK(words[2] == 40);
  const Report taken = run_branches(Branches::kTaken, &words);
  REQUIRE(taken.findings.size() == 1);
  CHECK(taken.findings[0].slug == "kernel.trap");
  words = {1, 1, 0, 0};
  CHECK(run_branches(Branches::kAsData, &words).findings.size() == 1);
  // The first branch's data says trap, the loop is left at once, and one thread alone stores.
  CHECK(run_branches(Branches::kNotTaken, &words).is_clean());
  CHECK(words[2] == 1);
}

TEST_CASE("machine: a loop whose branch is forced ends as its data says after 32 turns") {
  const size_t end = kBranches.find("setp.ne.u32 %p1"), loop = kBranches.find("mov.u32 %r2");
  const std::string body = kBranches.substr(0, end) + kBranches.substr(loop);
  std::vector<uint32_t> words{0, 1, 0, 0};
  CHECK(run_branches(Branches::kTaken, &words, body).is_clean());
  CHECK(words[2] == 33);
  words[1] = 100;
  CHECK(run_branches(Branches::kTaken, &words, body).is_clean());
  CHECK(words[2] == 100);
}

TEST_CASE("machine: recorded decisions say which way branches were forced") {
  std::vector<uint32_t> words{0, 1, 0, 0};
  const Report first = run_branches(Branches::kTaken, &words);
  CHECK(has(first.schedule, "\nbranches taken\n"));
  std::string why;
  const auto recorded = read_schedule(first.schedule, &why);
  REQUIRE(recorded.has_value());
  CHECK(recorded->branches == Branches::kTaken);
  CHECK(write_schedule(*recorded) == first.schedule);
  Machine again(kBranches, 4);
  again.set_output(words);
  again.options.replay = std::make_shared<const RecordedSchedule>(*recorded);
  const Report second = again.run();
  REQUIRE(second.findings.size() == 1);
  CHECK(second.findings[0].slug == "kernel.trap");
  CHECK_FALSE(read_schedule("warpwright-schedule 1\ncluster 0\nfinding kernel.trap\nbranches maybe\nw0", &why).has_value());
}
