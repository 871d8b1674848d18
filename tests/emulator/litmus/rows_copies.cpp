// SPDX-License-Identifier: Apache-2.0
// Bulk copies: proxy fences, bulk groups, completion.
#include "tests/emulator/litmus/litmus.h"

#include <vector>

namespace warpwright::emulator::tests {

namespace {

const std::string kStore = "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r10], 128;\ncp.async.bulk.commit_group;\n";
const std::string kFill = "st.shared.u32 [%r5], %r1;\n";
const std::string kOwnWord = "mul.lo.u32 %r5, %r3, 4;\nadd.u32 %r5, %r5, %r10;\n";
const std::string kLoad = "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 128;\n"
                          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 128, [%r11];\n";

}  // namespace

std::span<const LitmusRow> copy_rows() {
  static const std::vector<LitmusRow> rows = {
      {"a copy reads stores only after a proxy fence", "order.no-proxy-fence",
       kOwnWord + kFill + "fence.proxy.async.shared::cta; //R\nbar.warp.sync 0xFFFFFFFF;\n@%p2 ret;\n" + kStore +
           "cp.async.bulk.wait_group 0;\n", 32},
      {"the proxy fence comes after the store", "order.no-proxy-fence",
       kOwnWord + "fence.proxy.async.shared::cta; //B\n" + kFill +
           "fence.proxy.async.shared::cta; //R\nbar.warp.sync 0xFFFFFFFF;\n@%p2 ret;\n" + kStore + "cp.async.bulk.wait_group 0;\n", 32},
      {"the proxy fence comes before the barrier of another warp, or the issuer's after it", "order.no-proxy-fence",
       kOwnWord + "@%p1 bra MEET;\n" + kFill + "MEET:\n@!%p1 bra ALL;\nfence.proxy.async.shared::cta; //B\nALL:\nbar.sync 0;\n" +
           "@!%p1 ret;\nfence.proxy.async.shared::cta; //R\n@%p2 ret;\n" + kStore + "cp.async.bulk.wait_group 0;\n"},
      {"the source of a copy stays until its group has read", "race.shared",
       kOwnWord + kFill + "fence.proxy.async.shared::cta;\nbar.warp.sync 0xFFFFFFFF;\n@%p2 ret;\n" + kStore +
           "cp.async.bulk.wait_group.read 0; //R\n" + kFill + "cp.async.bulk.wait_group 0;\n", 32},
      {"wait_group counts committed groups", "race.shared",
       kOwnWord + kFill + "fence.proxy.async.shared::cta;\nbar.warp.sync 0xFFFFFFFF;\n@%p2 ret;\n" + kStore +
           "cp.async.bulk.wait_group.read 0; //R\ncp.async.bulk.wait_group.read 1; //B\n" + kFill + "cp.async.bulk.wait_group 0;\n", 32},
      {"the wait of one thread is not known to another", "race.shared",
       kOwnWord + "@%p1 bra MEET;\n" + kFill +
           "fence.proxy.async.shared::cta;\nbar.warp.sync 0xFFFFFFFF;\n@%p2 bra WAITED;\n" + kStore +
           "cp.async.bulk.wait_group.read 0; //R\nWAITED:\nbar.warp.sync 0xFFFFFFFF;\nMEET:\nbar.sync 0;\n@!%p1 ret;\n" + kFill},
      {"a load's bytes are there when its mbarrier says so", "race.shared",
       init("1") + "@%p1 bra READ;\n@%p2 bra READ;\n" + kLoad + "READ:\n" + wait("WAIT", "0", "//R") + "ld.shared.u32 %r4, [%r10];\n" +
           wait("LAST", "0")},
      {"a slot is filled again after it was read", "race.shared",
       init("1") + "@%p1 bra READ;\n@%p2 ret;\n" + kLoad + wait("FIRST", "0") + "barrier.sync 1; //R\n" + kLoad + wait("SECOND", "1") +
           "ret;\nREAD:\n@%p2 ret;\n" + wait("WAIT", "0") + "ld.shared.u32 %r4, [%r10];\nbarrier.sync 1; //R\n"},
      {"two copies into one place are in order by their mbarrier alone", "race.shared",
       init("1") + "@%p1 ret;\n@%p2 ret;\nmbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 256; //B\n" +
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 128, [%r11]; //B\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 128, [%r11]; //B\n"
           "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 128; //R\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 128, [%r11]; //R\n" + wait("FIRST", "0") +
           "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 128; //R\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 128, [%r11]; //R\n" + wait("SECOND", "1", "//R")},
      {"a copy is issued by one lane", "bulk.many-lanes", init("1") + "@%p1 ret;\n@%p2 ret; //R\n" + kLoad + wait("FIRST", "0")},
      {"sizes of bulk copies are multiples of 16", "bulk.size",
       init("1") + "@%p1 ret;\n@%p2 ret;\nmbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 32;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 24, [%r11]; //B\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 32, [%r11]; //R\n" + wait("FIRST", "0")},
      {"copies and expected bytes are equal", "run.deadlock",
       init("1") + "@%p1 ret;\n@%p2 ret;\nmbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 48; //B\n"
           "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r11], 32; //R\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1], 32, [%r11];\n" + wait("FIRST", "0")},
      {"there is a tensor map at the address", "tma.not-a-map",
       init("1") + "@%p1 ret;\n@%p2 ret;\ncp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r10], [%d1, {0}], [%r11]; //B\n", 64},
  };
  return rows;
}

}  // namespace warpwright::emulator::tests
