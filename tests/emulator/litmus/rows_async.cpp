// SPDX-License-Identifier: Apache-2.0
// Asynchronous stores, reductions and copies inside a cluster, cp.async with mbarriers, requests to take over a cluster.
#include "tests/emulator/litmus/litmus.h"

#include <vector>

namespace warpwright::emulator::tests {

namespace {

const std::string kMeet = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
/// The peer's data at %r6 and its mbarrier at %r7.
const std::string kPeer = "mov.u32 %r5, %cluster_ctarank;\nxor.b32 %r5, %r5, 1;\nmapa.shared::cluster.u32 %r6, %r10, %r5;\n"
                          "mapa.shared::cluster.u32 %r7, %r11, %r5;\n";
const std::string kStore = "@!%p2 mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 4;\n"
                           "@!%p2 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6], %r1, [%r7];\n";
const std::string kCopies = "mad.lo.u32 %r5, %r3, 16, %r10;\nmul.wide.u32 %d3, %r3, 16;\nadd.u64 %d3, %d1, %d3;\n"
                            "cp.async.cg.shared.global [%r5], [%d3], 16;\n";
const std::string kAsk = "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 16;\n"
                         "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r10], [%r11];\n";

}  // namespace

std::span<const LitmusRow> async_rows() {
  static const std::vector<LitmusRow> rows = {
      {"what st.async brings is there when its mbarrier says so", "race.shared",
       init("1") + kPeer + kMeet + kStore + wait("WAIT", "0", "//R") + "ld.shared.u32 %r4, [%r10];\n" + wait("LAST", "0") + kMeet, 32, 2},
      {"what st.async brought is ordinary to a bulk copy", "order.no-proxy-fence",
       "st.shared.v4.b32 [%r10], {%r1, %r1, %r1, %r1};\nfence.proxy.async;\n" + init("1") + kPeer + kMeet + kStore + wait("WAIT", "0") +
           "fence.proxy.async.shared::cta; //R\n@!%p2 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r10], 16;\n"
           "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n" + kMeet, 32, 2},
      {"a fence for one direction makes stores visible to copies", "order.no-proxy-fence",
       "st.shared.v4.b32 [%r10], {%r1, %r1, %r1, %r1};\nfence.proxy.async::generic.release.sync_restrict::shared::cta.cluster; //R\n"
       "@!%p2 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r10], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n", 32},
      {"the mbarrier of st.async lies beside its destination", "tma.barrier-cta",
       init("1") + kPeer + kMeet + "mov.u32 %r7, %r11; //B\n" + kStore + wait("WAIT", "0") + kMeet, 32, 2},
      {"a sum of red.async is read after its mbarrier's phase", "race.shared",
       "@!%p2 st.shared.u32 [%r10], %r1;\n" + init("1") + kPeer + kMeet + "@!%p2 mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 128;\n" +
           "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], %r1, [%r7];\n" + wait("WAIT", "0", "//R") +
           "ld.shared.u32 %r4, [%r10];\n" + wait("LAST", "0") + kMeet, 32, 2},
      {"the source of a copy to the peer stays until the peer has it", "race.shared",
       "st.shared.u32 [%r10+16], %r1;\nst.shared.u32 [%r10+20], %r1;\nst.shared.u32 [%r10+24], %r1;\nst.shared.u32 [%r10+28], %r1;\n"
       "fence.proxy.async;\n" + init("1") + kPeer + kMeet + "@!%p2 mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 16;\n"
       "add.u32 %r8, %r10, 16;\n@!%p2 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r8], 16, [%r7];\n"
       "st.shared.u32 [%r10+16], %r1; //B\n" + wait("WAIT", "0") + kMeet + "st.shared.u32 [%r10+16], %r1; //R\nld.shared.u32 %r4, [%r10];\n", 32, 2},
      {"an arrival of the thread does not speak for its cp.async", "race.shared",
       init("32") + "@%p1 bra READ;\n" + kCopies + "mbarrier.arrive.shared.b64 %d2, [%r11]; //B\n"
       "cp.async.mbarrier.arrive.noinc.shared.b64 [%r11]; //R\ncp.async.wait_all;\nret;\nREAD:\n" + wait("WAIT", "0") + "ld.shared.u32 %r4, [%r10];\n"},
      {"cp.async.mbarrier.arrive adds the arrival that it brings, without .noinc", "run.deadlock",
       init("32") + "@%p1 ret;\n" + kCopies + "cp.async.mbarrier.arrive.shared.b64 [%r11]; //B\n"
       "cp.async.mbarrier.arrive.noinc.shared.b64 [%r11]; //R\n" + wait("WAIT", "0")},
      {"cp.async is waited for before others are told", "race.shared",
       "@%p1 bra READ;\n" + kCopies + "cp.async.wait_all; //R\nREAD:\nbar.sync 0;\n@!%p1 ret;\nld.shared.u32 %r4, [%r10];\n"},
      {"the answer to a request is there when its mbarrier says so", "race.shared",
       ".reg .b128 %q1;\n" + init("1") + "@%p2 ret;\n" + kAsk + wait("WAIT", "0", "//R") + "ld.shared.b128 %q1, [%r10];\n" + wait("LAST", "0"), 32},
      {"after a refusal nothing more is asked", "cluster.cancel-again",
       ".reg .b128 %q1;\n" + init("1") + "@%p2 ret;\n" + kAsk + wait("WAIT", "0") + "ld.shared.b128 %q1, [%r10];\n"
       "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;\n@!%p3 ret; //R\n" + kAsk + wait("AGAIN", "1"), 32},
      {"a refused request names no cluster", "cluster.cancel-refused",
       ".reg .b128 %q1;\n" + init("1") + "@%p2 ret;\n" + kAsk + wait("WAIT", "0") + "ld.shared.b128 %q1, [%r10];\n"
       "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;\n@!%p3 ret; //R\n"
       "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r4, %q1;\n", 32},
  };
  return rows;
}

}  // namespace warpwright::emulator::tests
