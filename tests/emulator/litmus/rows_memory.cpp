// SPDX-License-Identifier: Apache-2.0
// Ordinary accesses: barriers of CTAs and clusters, bounds, initialisation, what a warp does together.
#include "tests/emulator/litmus/litmus.h"

namespace warpwright::emulator::tests {

namespace {

const LitmusRow kRows[] = {
    {"a load after another warp's store needs a barrier", "race.shared", R"(
@!%p1 bra READ;
st.shared.u32 [%r10], %r1;
READ:
bar.sync 0; //R
@%p1 ret;
ld.shared.u32 %r4, [%r10];
)", 33},
    {"a store after another warp's load needs a barrier", "race.shared", R"(
st.shared.u32 [%r10], %r2; //B
@%p1 bra MEET; //R
st.shared.u32 [%r10], %r2; //R
ld.shared.u32 %r4, [%r10]; //R
MEET: //R
bar.sync 0; //R
@!%p1 ret;
st.shared.u32 [%r10], %r2;
)"},
    {"two warps' stores need a barrier", "race.shared", R"(
@%p1 bra MEET;
st.shared.u32 [%r10], %r2;
MEET:
bar.sync 0; //R
@!%p1 ret;
st.shared.u32 [%r10], %r2;
)"},
    {"stores to different words of 16 bytes do not conflict, to one word they do", "race.shared", R"(
mul.lo.u32 %r4, %r2, 4; //R
mov.u32 %r4, 0; //B
add.u32 %r4, %r4, %r10;
st.shared.u32 [%r4], %r2;
)"},
    {"who only arrives does not acquire", "race.shared", R"(
@%p1 bra SECOND;
st.shared.u32 [%r10], %r2;
bar.sync 1, 64; //R
bar.arrive 1, 64; //B
ret;
SECOND:
bar.arrive 1, 64; //B
bar.sync 1, 64; //R
ld.shared.u32 %r4, [%r10];
)"},
    {"shared memory of the peer needs the cluster's barrier", "race.shared", R"(
mov.u32 %r5, %cluster_ctarank;
st.shared.u32 [%r10], %r5;
barrier.cluster.arrive.release.aligned; //R
barrier.cluster.wait.acquire.aligned; //R
barrier.cluster.arrive.relaxed.aligned; //B
barrier.cluster.wait.acquire.aligned; //B
xor.b32 %r5, %r5, 1;
mapa.shared::cluster.u32 %r6, %r10, %r5;
ld.shared::cluster.u32 %r7, [%r6];
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)", 1, 2},
    {"a CTA waits for its peer's start before it stores there", "cluster.peer-start", R"(
mov.u32 %r5, %cluster_ctarank;
xor.b32 %r5, %r5, 1;
mapa.shared::cluster.u32 %r6, %r10, %r5;
barrier.cluster.arrive.release.aligned; //R
barrier.cluster.wait.acquire.aligned; //R
st.shared::cluster.u32 [%r6], %r1;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)", 1, 2},
    {"the cluster's barrier is entered before it is waited for", "barrier.cluster-wait", R"(
barrier.cluster.arrive.release.aligned; //R
barrier.cluster.wait.acquire.aligned;
)", 32, 2},
    {"all threads of a barrier name the same number", "barrier.threads", R"(
mov.u32 %r4, 64;
@%p1 mov.u32 %r4, 96; //B
barrier.sync 1, %r4;
)"},
    {"a barrier waits for all its threads", "run.deadlock", R"(
@%p1 ret; //B
bar.sync 1, 64;
)"},
    {".aligned instructions are executed by the whole warp", "run.deadlock", R"(
@!%p2 bra ALONE; //B
bar.sync 0;
bar.sync 0; //B
ret; //B
ALONE: //B
bar.sync 0; //B
)", 32},
    {"shuffles read lanes that take part", "warp.shuffle-source", R"(
setp.gt.u32 %p3, %r3, 15;
@%p3 bra DONE;
shfl.sync.idx.b32 %r4, %r3, 20, 31, 0xFFFF; //B
shfl.sync.idx.b32 %r4, %r3, 10, 31, 0xFFFF; //R
DONE:
)", 32},
    {"shared memory is written before it is read", "memory.uninitialised", R"(
st.shared.u32 [%r10], %r1; //R
ld.shared.u32 %r4, [%r10];
)", 1},
    {"accesses stay inside shared memory", "memory.out-of-bounds", R"(
st.shared.u32 [%r10+8188], %r1; //R
st.shared.u32 [%r10+262144], %r1; //B
)", 1},
    {"accesses stay inside allocations", "memory.out-of-bounds", R"(
st.global.u32 [%d1+4092], %r1; //R
st.global.u32 [%d1+4096], %r1; //B
)", 1},
    {"accesses are aligned to their size", "memory.misaligned", R"(
st.shared.u32 [%r10+4], %r1; //R
st.shared.u32 [%r10+2], %r1; //B
)", 1},
    {"a trap is told", "kernel.trap", "trap; //B\n", 1},
};

}  // namespace

std::span<const LitmusRow> memory_rows() { return kRows; }

}  // namespace warpwright::emulator::tests
