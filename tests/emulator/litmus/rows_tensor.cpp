// SPDX-License-Identifier: Apache-2.0
// tcgen05: allocation, loads and stores, MMAs and their commits, fences between threads.
#include "tests/emulator/litmus/litmus.h"

#include <vector>

namespace warpwright::emulator::tests {

namespace {

const std::string kAlloc = R"(
@%p1 bra ALLOCATED;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 64;
ALLOCATED:
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.u32 %r13, [%r12];
)";
const std::string kFree = R"(
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
@%p1 ret;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r13, 64;
)";
const std::string kPairAllocation = R"(
barrier.cluster.arrive.release.aligned; //R
barrier.cluster.wait.acquire.aligned; //R
tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r12], 32;
tcgen05.fence::before_thread_sync;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
tcgen05.fence::after_thread_sync;
ld.shared.u32 %r13, [%r12];
tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r13, 32;
)";
const std::string kLoadColumn = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r6}, [%r13];\n";
const std::string kStoreColumn = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r13], {%r1};\n";
const std::string kWaitLoad = "tcgen05.wait::ld.sync.aligned;", kWaitStore = "tcgen05.wait::st.sync.aligned;";

/// Zeroes of A and B; then %d4 and %d5 are their descriptors and %r14 the instruction's: F16, M 128, N 16, K 16, K-major without
/// swizzling, core matrices of 128 bytes, two along K.
/// Source: PTX ISA 9.0, "Instruction descriptor", "Shared memory descriptor".
std::string operands(const std::string &fence = "fence.proxy.async.shared::cta;") {
  return R"(
mov.u32 %r5, %r1;
mov.u32 %r7, 0;
@%p1 bra FILLED;
FILL:
mul.lo.u32 %r6, %r5, 4;
add.u32 %r6, %r6, %r10;
st.shared.u32 [%r6], %r7;
add.u32 %r5, %r5, 32;
setp.lt.u32 %p6, %r5, 1152;
@%p6 bra FILL;
FILLED:
)" + fence + R"(
bar.sync 0;
shr.u32 %r5, %r10, 4;
cvt.u64.u32 %d4, %r5;
or.b64 %d4, %d4, 0x0000401000080000;
add.u64 %d5, %d4, 256;
mov.u32 %r14, 0x08040010;
setp.ne.u32 %p7, %r1, %r1;
)";
}

const std::string kMma = "tcgen05.mma.cta_group::1.kind::f16 [%r13], %d4, %d5, %r14, %p7;\n";
const std::string kCommit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];\n";
const std::string kOnlyIssuer = "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra ISSUED;\n";

/// Thread 0 issues one MMA; then warp 0 does `after`.
std::string one_mma(const std::string &after, const std::string &fence = "fence.proxy.async.shared::cta;", const std::string &mmas = kMma) {
  return init("1") + kAlloc + operands(fence) + kOnlyIssuer + mmas + kCommit + "ISSUED:\nbar.warp.sync 0xFFFFFFFF;\n@%p1 bra DONE;\n" + after +
         "DONE:\n" + kFree;
}

const std::string kFenceAfter = "tcgen05.fence::after_thread_sync;\n";

std::vector<LitmusRow> make_rows() {
  std::vector<LitmusRow> rows = {
      {"tensor memory is freed before the CTA ends", "tmem.not-freed",
       "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 32;\nld.shared.u32 %r13, [%r12];\n"
       "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r13, 32; //R\n", 32},
      {"tensor memory is allocated before it is used", "tmem.not-allocated",
       kAlloc + "add.u32 %r15, %r13, 64; //B\nmov.u32 %r15, %r13; //R\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r15], {%r1};\n" + kWaitStore + kFree, 32},
      {"allocations do not grow", "tmem.larger-allocation",
       "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 32; //B\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 64; //R\n"
       "ld.shared.u32 %r13, [%r12];\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 64; //B\n"
       "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 32; //R\nld.shared.u32 %r15, [%r12];\n"
       "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r13, 64; //R\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r15, 32; //R\n", 32},
      {"nobody allocates after relinquishing", "tmem.no-permit",
       "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; //B\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 32;\n"
       "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; //R\nld.shared.u32 %r13, [%r12];\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r13, 32;\n", 32},
      {"columns come in powers of two", "tmem.columns",
       "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 48; //B\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], 32; //R\n"
       "ld.shared.u32 %r13, [%r12];\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r13, 32; //R\n", 32},
      {"a pair allocates when both CTAs have started", "cluster.peer-start", kPairAllocation, 32, 2, true},
      {"a load follows a store after wait::st", "race.tensor-memory", kAlloc + kStoreColumn + kWaitStore + " //R\n" + kLoadColumn + kWaitLoad + "\n" + kFree, 32},
      {"a store follows a load after wait::ld", "race.tensor-memory",
       kAlloc + kStoreColumn + kWaitStore + "\n" + kLoadColumn + kWaitLoad + " //R\n" + kStoreColumn + kWaitStore + "\n" + kFree, 32},
      {"a load is over before tensor memory is freed", "race.tensor-memory",
       kAlloc + kStoreColumn + kWaitStore + "\n" + kLoadColumn + kWaitLoad + " //R\n" + kFree, 32},
      {"before_thread_sync goes before the barrier", "order.no-tcgen05-fence",
       kAlloc + "@%p1 bra MEET;\n" + kStoreColumn + kWaitStore + "\ntcgen05.fence::before_thread_sync; //R\nMEET:\nbar.sync 0;\n" + kFenceAfter +
           "setp.ne.u32 %p3, %r2, 4;\n@%p3 bra DONE;\n" + kLoadColumn + kWaitLoad + "\nDONE:\n" + kFree, 160},
      {"after_thread_sync goes after the barrier", "order.no-tcgen05-fence",
       kAlloc + "@%p1 bra MEET;\n" + kStoreColumn + kWaitStore + "\ntcgen05.fence::before_thread_sync;\nMEET:\nbar.sync 0;\n"
           "tcgen05.fence::after_thread_sync; //R\nsetp.ne.u32 %p3, %r2, 4;\n@%p3 bra DONE;\n" + kLoadColumn + kWaitLoad + "\nDONE:\n" + kFree, 160},
      {"an accumulator is read after its commit", "race.tensor-memory",
       one_mma(wait("WAIT", "0", "//R") + kFenceAfter + kLoadColumn + kWaitLoad + "\n" + wait("LAST", "0", "//B") + "tcgen05.fence::after_thread_sync; //B\n")},
      {"after_thread_sync goes after the wait for a commit", "order.no-tcgen05-fence",
       one_mma(wait("WAIT", "0") + "tcgen05.fence::after_thread_sync; //R\n" + kLoadColumn + kWaitLoad + "\n" + kFenceAfter)},
      {"an MMA reads stores only after a proxy fence", "order.no-proxy-fence", one_mma(wait("WAIT", "0") + kFenceAfter, "fence.proxy.async.shared::cta; //R")},
      {"operands stay until the MMA is over", "race.shared",
       one_mma(wait("WAIT", "0", "//R") + "st.shared.u32 [%r10], %r1;\n" + wait("LAST", "0", "//B") + kFenceAfter)},
      {"an MMA is over before tensor memory is freed", "race.tensor-memory", one_mma(wait("WAIT", "0", "//R") + "tcgen05.fence::after_thread_sync; //R\n")},
      {"an MMA is issued by one lane", "tcgen05.many-lanes",
       init("1") + kAlloc + operands() + "@%p1 bra ISSUED;\n@%p2 bra ISSUED; //R\n" + kMma + kCommit + "ISSUED:\nbar.warp.sync 0xFFFFFFFF;\n" +
           wait("WAIT", "0") + kFenceAfter + kFree},
      {"the pairs that the ISA lists are MMAs on one accumulator, not on overlapping ones", "order.tensor-pipe",
       one_mma(wait("WAIT", "0") + kFenceAfter, "fence.proxy.async.shared::cta;",
               kFenceAfter + kMma + "add.u32 %r15, %r13, 8; //B\nmov.u32 %r15, %r13; //R\ntcgen05.mma.cta_group::1.kind::f16 [%r15], %d4, %d5, %r14, %p7;\n"),
       64, 1, true},
      {"tcgen05 may run ahead of the wait for its operands", "order.no-tcgen05-fence",
       one_mma(wait("WAIT", "0") + kFenceAfter, "fence.proxy.async.shared::cta;", "tcgen05.fence::after_thread_sync; //R\n" + kMma), 64, 1, true},
      {"the CTA waits for the last signal that another sends it", "async.undrained",
       init("1") + "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nmov.u32 %r5, %cluster_ctarank;\n"
           "or.b32 %r5, %r5, %r1;\nsetp.ne.u32 %p3, %r5, 0;\n@%p3 bra SENT;\n.reg .b16 %h<2>;\nmov.b16 %h1, 3;\n"
           "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r11], %h1;\nSENT:\n" + wait("WAIT", "0", "//R") +
           "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n", 32, 2},
      {"cta_group::2 needs a peer", "tcgen05.no-pair",
       init("1") + "@%p2 ret;\ntcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%r11]; //B\n"
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11]; //R\n" + wait("WAIT", "0"), 32},
  };
  return rows;
}

}  // namespace

std::span<const LitmusRow> tensor_rows() {
  static const std::vector<LitmusRow> rows = make_rows();
  return rows;
}

}  // namespace warpwright::emulator::tests
