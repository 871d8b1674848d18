// SPDX-License-Identifier: Apache-2.0
// Kernels of a few lines whose counts are known.
#include "tests/emulator/machine/machine_fixture.h"

#include "tests/catch.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

const std::string kPrologue = "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n";

/// A kernel that was run and counted.
struct Counted {
  explicit Counted(const std::string &body, uint32_t threads = 32, uint32_t ctas = 1, uint32_t jobs = 1) : machine(kPrologue + body) {
    INFO(machine.error);
    REQUIRE(machine.error.empty());
    machine.launch.block = {threads, 1, 1};
    machine.launch.grid = {ctas, 1, 1};
    machine.options.profiles = true;
    machine.options.jobs = jobs;
    machine.set_output(std::vector<uint32_t>(1024, 1));
    report = machine.run();
    for (const Finding &finding : report.findings) UNSCOPED_INFO(finding.slug + " " + finding.text);
    REQUIRE(report.is_clean());
  }
  /// The first instruction with these words.
  const profile::Entry &at(const std::string &words) const {
    const uint32_t line = machine.line_of(words);
    for (const profile::Entry &entry : report.profile)
      if (entry.ptx_line == line) return entry;
    FAIL("no instruction has " + words);
    return report.profile.front();
  }
  const profile::Counters &counts(const std::string &words) const { return at(words).counters; }

  Machine machine;
  Report report;
};

}  // namespace

TEST_CASE("profile: nothing is counted unless somebody asks") {
  Machine machine(kPrologue + "ret;");
  CHECK(machine.run().profile.empty());
}

TEST_CASE("profile: bank conflicts by instruction") {
  const Counted run(R"(
shl.b32 %r3, %r1, 2;
add.u32 %r3, %r2, %r3;
st.shared.u32 [%r3], %r1;
shl.b32 %r4, %r1, 3;
add.u32 %r4, %r2, %r4;
st.shared.u32 [%r4+0], %r1;
st.shared.u32 [%r4+4], %r1;
and.b32 %r5, %r1, 7;
shl.b32 %r5, %r5, 7;
add.u32 %r5, %r2, %r5;
st.shared.u32 [%r5], 0;
ld.shared.u32 %r6, [%r5];
ld.shared.u32 %r2, [%r2];
bar.sync 0;
and.b32 %r8, %r1, 15;
shl.b32 %r8, %r8, 4;
mov.u32 %r9, s;
add.u32 %r9, %r9, %r8;
ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r9];
cvta.shared.u64 %d2, %d3;
cvt.u64.u32 %d4, %r3;
add.u64 %d2, %d2, %d4;
ld.u32 %r14, [%d2];
ret;)");
  CHECK(run.counts("st.shared.u32 [%r3]").wavefronts == 1);
  CHECK(run.counts("st.shared.u32 [%r3]").extra_wavefronts == 0);
  CHECK(run.counts("st.shared.u32 [%r4+0]").extra_wavefronts == 1);
  // Eight words of one bank, each for four lanes.
  CHECK(run.counts("st.shared.u32 [%r5]").extra_wavefronts == 7);
  CHECK(run.counts("ld.shared.u32 %r6").extra_wavefronts == 7);
  CHECK(run.counts("ld.shared.u32 %r6").shared_accesses == 1);
  // One word for every lane; the load overwrites the register of its address.
  CHECK(run.counts("ld.shared.u32 %r2").wavefronts == 1);
  CHECK(run.counts("ld.shared.v4.u32").wavefronts == 4);
  CHECK(run.counts("ld.shared.v4.u32").extra_wavefronts == 0);
  CHECK(run.counts("ld.u32 %r14").wavefronts == 1);
  CHECK(run.counts("ld.u32 %r14").global_accesses == 0);
}

TEST_CASE("profile: sectors by instruction") {
  const Counted run(R"(
mul.wide.u32 %d2, %r1, 4;
add.u64 %d2, %d1, %d2;
ld.global.u32 %r3, [%d2];
mul.wide.u32 %d3, %r1, 64;
add.u64 %d3, %d1, %d3;
setp.lt.u32 %p1, %r1, 8;
@%p1 st.global.v2.u32 [%d3], {%r3, %r3};
ld.u32 %r4, [%d1];
ret;)");
  CHECK(run.counts("ld.global.u32").sectors == 4);
  CHECK(run.counts("ld.global.u32").bytes_wasted() == 0);
  CHECK(run.counts("st.global").sectors == 8);
  CHECK(run.counts("st.global").lanes == 8);
  CHECK(run.counts("st.global").bytes_wasted() == 8 * 24);
  // One word for all.
  CHECK(run.counts("ld.u32 %r4").bytes_wasted() == 28);
  CHECK(run.counts("ld.u32 %r4").shared_accesses == 0);
}

TEST_CASE("profile: rates of branches and what they depend on") {
  const Counted run(R"(
mov.u32 %r3, 0;
LOOP:
add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, 10;
@%p1 bra LOOP;
setp.lt.u32 %p2, %r1, 4;
@%p2 bra NEXT;
add.u32 %r4, %r3, 1;
NEXT:
ld.global.u32 %r5, [%d1];
setp.eq.u32 %p3, %r5, 2;
@%p3 bra END;
@!%p3 bra.uni END;
END:
ret;)",
                    64);
  const profile::Counters &loop = run.counts("@%p1 bra");
  CHECK(run.at("@%p1 bra").cause == profile::Cause::kUniform);
  CHECK(loop.branches == 20);
  CHECK(loop.branches_taken == 18);
  CHECK(loop.branches_split == 0);
  CHECK(loop.instructions == 20);
  CHECK(loop.skipped == 2);
  const profile::Counters &split = run.counts("@%p2 bra");
  CHECK(split.branches == 2);
  CHECK(split.branches_split == 1);
  CHECK(split.branch_lanes == 64);
  CHECK(split.branch_lanes_taken == 4);
  CHECK(run.at("@%p3 bra END").cause == profile::Cause::kData);
  CHECK(run.counts("@%p3 bra END").branches_taken == 0);
  CHECK(run.counts("@!%p3 bra.uni").branches_taken == 2);
  CHECK(run.at("ret;").cause == profile::Cause::kNone);
}

TEST_CASE("profile: waits at barriers") {
  // Warp 0 asks before warp 1 has arrived: it is refused once and then stands, while warp 1 runs up to the arrival.
  const Counted run(R"(
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
READY:
bar.sync 0;
setp.ge.u32 %p2, %r1, 32;
@%p2 bra WRITER;
AGAIN:
mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;
@!%p3 bra AGAIN;
ret;
WRITER:
add.u32 %r3, %r1, 1;
setp.ne.u32 %p4, %r1, 32;
@%p4 bra DONE;
mbarrier.arrive.shared.b64 %d2, [%r2];
DONE:
ret;)",
                    64);
  const profile::Counters &wait = run.counts("mbarrier.try_wait");
  CHECK(wait.tries == 2);
  CHECK(wait.refusals == 1);
  CHECK(wait.waits == 1);
  CHECK(wait.instructions == 2);
  // bar.sync, setp, bra, add, setp, bra, arrive: what warp 1 ran meanwhile.
  CHECK(wait.wait_steps == 7);
  CHECK(run.at("@!%p3 bra").cause == profile::Cause::kWait);
  CHECK(run.counts("@!%p3 bra").branches == 2);
  CHECK(run.counts("bar.sync").waits == 1);
  CHECK(run.counts("bar.sync").instructions == 2);
  CHECK(run.counts("bar.sync").tries == 0);
}

TEST_CASE("profile: lines have the sums of their instructions, the costliest first") {
  const Counted run(R"(
shl.b32 %r3, %r1, 2;
add.u32 %r3, %r2, %r3;
and.b32 %r4, %r1, 7;
shl.b32 %r4, %r4, 7;
add.u32 %r4, %r2, %r4;
st.shared.u32 [%r4], %r1;
st.global.u32 [%d1], 1;
ret;)");
  const auto lines = profile::sum_by_line(run.report.profile);
  REQUIRE(lines.size() == 11);
  CHECK(lines.front().number == run.machine.line_of("st.shared"));
  CHECK(lines.front().counters.cost() == 8);
  CHECK(lines.front().mix[static_cast<size_t>(profile::Class::kShared)] == 1);
  const profile::Line all = profile::sum_of(run.report.profile);
  CHECK(all.counters.instructions == run.report.statistics.warp_instructions);
  CHECK(all.mix[static_cast<size_t>(profile::Class::kAlu)] == 7);
  CHECK(all.mix[static_cast<size_t>(profile::Class::kParameter)] == 1);
  CHECK(all.mix[static_cast<size_t>(profile::Class::kControl)] == 1);
}

TEST_CASE("profile: sums do not depend on how many clusters run at a time") {
  const std::string body = R"(
and.b32 %r3, %r1, 7;
shl.b32 %r3, %r3, 7;
add.u32 %r3, %r2, %r3;
shr.u32 %r4, %r1, 5;
mad.lo.u32 %r3, %r4, 4, %r3;
st.shared.u32 [%r3], %r1;
bar.sync 0;
ret;)";
  const Counted one(body, 96, 12, 1), four(body, 96, 12, 4);
  CHECK(one.counts("st.shared").extra_wavefronts == 3 * 12 * 7);
  CHECK(four.counts("st.shared").extra_wavefronts == 3 * 12 * 7);
  CHECK(one.counts("bar.sync").wait_steps == four.counts("bar.sync").wait_steps);
}

TEST_CASE("profile: classes of instructions") {
  using profile::Class;
  using profile::class_of;
  struct Row {
    const char *opcode;
    Class what;
  };
  for (const Row &row : {Row{"add.f32", Class::kAlu}, Row{"brev.b32", Class::kAlu}, Row{"bra.uni", Class::kControl}, Row{"bar.sync", Class::kBarrier},
                         Row{"bar.warp.sync", Class::kWarp}, Row{"barrier.cluster.wait.aligned", Class::kBarrier},
                         Row{"mbarrier.try_wait.parity.shared::cta.b64", Class::kBarrier}, Row{"ld.param.u64", Class::kParameter},
                         Row{"ld.shared::cta.u32", Class::kShared}, Row{"red.release.gpu.global.add.u32", Class::kGlobal}, Row{"redux.sync.add.u32", Class::kWarp},
                         Row{"st.v4.b32", Class::kGeneric}, Row{"cp.async.ca.shared.global", Class::kCopy},
                         Row{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", Class::kTma},
                         Row{"tcgen05.mma.cta_group::1.kind::f16", Class::kTensor}, Row{"tcgen05.fence::after_thread_sync", Class::kFence},
                         Row{"fence.proxy.async", Class::kFence}, Row{"stmatrix.sync.aligned.m8n8.x4.shared.b16", Class::kShared}}) {
    INFO(row.opcode);
    CHECK(class_of(row.opcode) == row.what);
  }
}
