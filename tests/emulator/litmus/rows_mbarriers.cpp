// SPDX-License-Identifier: Apache-2.0
// mbarriers: their life, arrivals, phases, release and acquire.
#include "tests/emulator/litmus/litmus.h"

#include <vector>

namespace warpwright::emulator::tests {

namespace {

/// Long enough that the other warp comes first, whatever the schedule.
const std::string kDelay =
    "mov.u32 %r5, 0;\nLATER:\nnanosleep.u32 100;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p6, %r5, 500;\n@%p6 bra LATER;\n";

/// Warp 1 stores and arrives as `arrive` says, warp 0 waits and loads.
std::string hand_over(const std::string &arrive, const std::string &wait_text) {
  return init("1") + "@%p2 ret;\n@!%p1 bra READ;\n" + kDelay + "st.shared.u32 [%r10], %r1;\n" + arrive + "ret;\nREAD:\n" + wait_text +
         "ld.shared.u32 %r4, [%r10];\n";
}

}  // namespace

std::span<const LitmusRow> mbarrier_rows() {
  static const std::vector<LitmusRow> rows = {
      {"a relaxed arrival publishes nothing", "race.shared",
       hand_over("mbarrier.arrive.relaxed.cta.shared::cta.b64 %d2, [%r11]; //B\nmbarrier.arrive.release.cta.shared::cta.b64 %d2, [%r11]; //R\n", wait("WAIT", "0"))},
      {"a fence makes a relaxed arrival release", "race.shared",
       hand_over("fence.acq_rel.cta; //R\nmbarrier.arrive.relaxed.cta.shared::cta.b64 %d2, [%r11];\n", wait("WAIT", "0"))},
      {"a relaxed wait acquires nothing", "race.shared",
       hand_over("mbarrier.arrive.release.cta.shared::cta.b64 %d2, [%r11];\n",
                 wait("BROKEN", "0", "//B", ".relaxed.cta") + wait("REPAIRED", "0", "//R", ".acquire.cta"))},
      {"a fence makes a relaxed wait acquire", "race.shared",
       hand_over("mbarrier.arrive.release.cta.shared::cta.b64 %d2, [%r11];\n", wait("WAIT", "0", "", ".relaxed.cta") + "fence.acq_rel.cta; //R\n")},
      {"the wait names the phase that the data comes in", "race.shared",
       hand_over("mbarrier.arrive.shared.b64 %d2, [%r11];\n", wait("BROKEN", "1", "//B") + wait("REPAIRED", "0", "//R"))},
      {"try_wait may return false, so its answer is looked at", "race.shared",
       hand_over("mbarrier.arrive.shared.b64 %d2, [%r11];\n", "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p5, [%r11], 0;\n@!%p5 bra AGAIN; //R\n")},
      {"a phase takes no more arrivals than it counts", "mbarrier.over-arrival",
       init("3") + "@%p2 ret;\nmbarrier.arrive.shared.b64 %d2, [%r11], 2; //B\nmbarrier.arrive.shared.b64 %d2, [%r11], 1; //R\n"
                   "@%p1 ret; //R\nmbarrier.arrive.shared.b64 %d2, [%r11], 1; //R\n"},
      {"every arrival that is counted comes", "run.deadlock",
       init("2") + "@%p2 ret;\nmbarrier.arrive.shared.b64 %d2, [%r11]; //R\n@%p1 ret;\nmbarrier.arrive.shared.b64 %d2, [%r11]; //B\n" + wait("WAIT", "0")},
      {"an mbarrier is initialised before it is used", "mbarrier.not-initialised",
       "@%p1 ret;\n@%p2 ret;\nmbarrier.init.shared.b64 [%r11], 1; //R\nmbarrier.arrive.shared.b64 %d2, [%r11];\n"},
      {"the init is ordered before another thread's use", "race.mbarrier-init",
       "@%p2 ret;\n@%p1 bra OTHER;\nmbarrier.init.shared.b64 [%r11], 1;\nbarrier.sync 1; //R\nret;\nOTHER:\nbarrier.sync 1; //R\n" + kDelay +
           "mbarrier.arrive.shared.b64 %d2, [%r11];\n"},
      {"asynchronous work signals an mbarrier whose init is fenced", "order.no-init-fence",
       init("1", "fence.mbarrier_init.release.cluster; //R") +
           "@%p1 ret;\n@%p2 ret;\nmbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 16;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 16, [%r11];\n" + wait("WAIT", "0")},
      {"an mbarrier is invalidated before it is initialised again", "mbarrier.initialised-twice",
       "@%p1 ret;\n@%p2 ret;\nmbarrier.init.shared.b64 [%r11], 1;\nmbarrier.inval.shared.b64 [%r11]; //R\nmbarrier.init.shared.b64 [%r11], 1;\n"},
      {"an mbarrier counts at least one arrival", "mbarrier.count",
       "@%p1 ret;\n@%p2 ret;\nmbarrier.init.shared.b64 [%r11], 0; //B\nmbarrier.init.shared.b64 [%r11], 1; //R\n"},
      {"the bytes of an mbarrier are not data", "memory.barrier-as-data",
       init("1") + "@%p1 ret;\n@%p2 ret;\nst.shared.u32 [%r11], %r1; //B\nst.shared.u32 [%r12], %r1; //R\n"},
      {"an mbarrier of another CTA is not waited on", "mbarrier.remote-wait",
       init("1") + "mov.u32 %r5, %cluster_ctarank;\nxor.b32 %r5, %r5, 1; //B\nmapa.shared::cluster.u32 %r11, %r11, %r5;\n"
                   "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                   "mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r11], 0;\nbarrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n", 32, 2},
      {"the transaction count stays in its range", "mbarrier.transactions",
       init("1") + "@%p1 ret;\n@%p2 ret;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r11], 1048575;\n"
                   "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r11], 16; //B\n"},
  };
  return rows;
}

}  // namespace warpwright::emulator::tests
