// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/tcgen05.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

/// Allocates `cols` columns (a power of two, 32 to 512); their address goes to shared memory.
WW_DEVICE void tcgen05_alloc(u32 dst, u32 cols) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(dst), "r"(cols) : "memory");
}

/// Allocates `cols` columns (a power of two, 32 to 512); their address goes to shared memory (cta_group::2).
WW_DEVICE void tcgen05_alloc_pair(u32 dst, u32 cols) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(dst), "r"(cols) : "memory");
}

/// Gives up the right to allocate, so that another CTA of the SM may.
WW_DEVICE void tcgen05_relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}

/// Gives up the right to allocate, so that another CTA of the SM may (cta_group::2).
WW_DEVICE void tcgen05_relinquish_pair() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
}

/// Frees `cols` columns from `addr` on.
WW_DEVICE void tcgen05_dealloc(u32 addr, u32 cols) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" :: "r"(addr), "r"(cols) : "memory");
}

/// Frees `cols` columns from `addr` on (cta_group::2).
WW_DEVICE void tcgen05_dealloc_pair(u32 addr, u32 cols) {
  asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" :: "r"(addr), "r"(cols) : "memory");
}

/// Orders this thread's earlier tcgen05 work before what it synchronises next.
WW_DEVICE void tcgen05_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

/// Orders this thread's later tcgen05 work after what it synchronised last.
WW_DEVICE void tcgen05_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// Copies 512 bytes of shared memory to four columns, once for each 32 lanes.
WW_DEVICE void tcgen05_cp_32x128b_warpx4(u32 dst, u64 src) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" :: "r"(dst), "l"(src) : "memory");
}

/// Copies 512 bytes of shared memory to four columns, once for each 32 lanes (cta_group::2).
WW_DEVICE void tcgen05_cp_32x128b_warpx4_pair(u32 dst, u64 src) {
  asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" :: "r"(dst), "l"(src) : "memory");
}

/// D (+)= A B, FP4 with a scale for each 16 elements of K; K = 64.
WW_DEVICE void tcgen05_mma_nvf4(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP4 with a scale for each 16 elements of K; K = 64 (cta_group::2).
WW_DEVICE void tcgen05_mma_nvf4_pair(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP4 with a scale for each 32 elements of K; K = 64.
WW_DEVICE void tcgen05_mma_mxf4(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP4 with a scale for each 32 elements of K; K = 64 (cta_group::2).
WW_DEVICE void tcgen05_mma_mxf4_pair(u32 d, u64 a, u64 b, u32 idesc, u32 sfa, u32 sfb, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::mxf4.block_scale.block32 [%0], %1, %2, %3, [%4], [%5], p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(sfa), "r"(sfb), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP16 or BF16; K = 16.
WW_DEVICE void tcgen05_mma_f16(u32 d, u64 a, u64 b, u32 idesc, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %4, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(accumulate)
      : "memory");
}

/// D (+)= A B, FP16 or BF16; K = 16 (cta_group::2).
WW_DEVICE void tcgen05_mma_f16_pair(u32 d, u64 a, u64 b, u32 idesc, u32 accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %4, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n\t"
      "}"
      :
      : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(accumulate)
      : "memory");
}

/// One arrival on `bar` of this CTA when this thread's earlier mma and cp are complete.
WW_DEVICE void tcgen05_commit(u32 bar) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(bar) : "memory");
}

/// One arrival on `bar` of this CTA when this thread's earlier mma and cp are complete (cta_group::2).
WW_DEVICE void tcgen05_commit_pair(u32 bar) {
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(bar) : "memory");
}

/// One arrival on `bar` of each CTA of mask `ctas` when this thread's earlier mma and cp are complete.
WW_DEVICE void tcgen05_commit_multicast(u32 bar, u16 ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
      :
      : "r"(bar), "h"(ctas)
      : "memory");
}

/// One arrival on `bar` of each CTA of mask `ctas` when this thread's earlier mma and cp are complete (cta_group::2).
WW_DEVICE void tcgen05_commit_multicast_pair(u32 bar, u16 ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
      :
      : "r"(bar), "h"(ctas)
      : "memory");
}

/// Loads 32 columns, a lane a thread; the registers hold nothing before tcgen05_wait_ld.
WW_DEVICE void tcgen05_ld_x32(Fragment<32> &f, u32 addr) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : "=f"(f.v[0]), "=f"(f.v[1]), "=f"(f.v[2]), "=f"(f.v[3]), "=f"(f.v[4]), "=f"(f.v[5]), "=f"(f.v[6]), "=f"(f.v[7]),
        "=f"(f.v[8]), "=f"(f.v[9]), "=f"(f.v[10]), "=f"(f.v[11]), "=f"(f.v[12]), "=f"(f.v[13]), "=f"(f.v[14]),
        "=f"(f.v[15]), "=f"(f.v[16]), "=f"(f.v[17]), "=f"(f.v[18]), "=f"(f.v[19]), "=f"(f.v[20]), "=f"(f.v[21]),
        "=f"(f.v[22]), "=f"(f.v[23]), "=f"(f.v[24]), "=f"(f.v[25]), "=f"(f.v[26]), "=f"(f.v[27]), "=f"(f.v[28]),
        "=f"(f.v[29]), "=f"(f.v[30]), "=f"(f.v[31])
      : "r"(addr));
}

/// Loads 64 columns, a lane a thread; the registers hold nothing before tcgen05_wait_ld.
WW_DEVICE void tcgen05_ld_x64(Fragment<64> &f, u32 addr) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x64.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, [%64];"
      : "=f"(f.v[0]), "=f"(f.v[1]), "=f"(f.v[2]), "=f"(f.v[3]), "=f"(f.v[4]), "=f"(f.v[5]), "=f"(f.v[6]), "=f"(f.v[7]),
        "=f"(f.v[8]), "=f"(f.v[9]), "=f"(f.v[10]), "=f"(f.v[11]), "=f"(f.v[12]), "=f"(f.v[13]), "=f"(f.v[14]),
        "=f"(f.v[15]), "=f"(f.v[16]), "=f"(f.v[17]), "=f"(f.v[18]), "=f"(f.v[19]), "=f"(f.v[20]), "=f"(f.v[21]),
        "=f"(f.v[22]), "=f"(f.v[23]), "=f"(f.v[24]), "=f"(f.v[25]), "=f"(f.v[26]), "=f"(f.v[27]), "=f"(f.v[28]),
        "=f"(f.v[29]), "=f"(f.v[30]), "=f"(f.v[31]), "=f"(f.v[32]), "=f"(f.v[33]), "=f"(f.v[34]), "=f"(f.v[35]),
        "=f"(f.v[36]), "=f"(f.v[37]), "=f"(f.v[38]), "=f"(f.v[39]), "=f"(f.v[40]), "=f"(f.v[41]), "=f"(f.v[42]),
        "=f"(f.v[43]), "=f"(f.v[44]), "=f"(f.v[45]), "=f"(f.v[46]), "=f"(f.v[47]), "=f"(f.v[48]), "=f"(f.v[49]),
        "=f"(f.v[50]), "=f"(f.v[51]), "=f"(f.v[52]), "=f"(f.v[53]), "=f"(f.v[54]), "=f"(f.v[55]), "=f"(f.v[56]),
        "=f"(f.v[57]), "=f"(f.v[58]), "=f"(f.v[59]), "=f"(f.v[60]), "=f"(f.v[61]), "=f"(f.v[62]), "=f"(f.v[63])
      : "r"(addr));
}

/// Waits for this thread's tcgen05.ld; the registers are operands, so that no use of them moves above it.
WW_DEVICE void tcgen05_wait_ld(Fragment<32> &f) {
  asm volatile(
      "tcgen05.wait::ld.sync.aligned;"
      : "+f"(f.v[0]), "+f"(f.v[1]), "+f"(f.v[2]), "+f"(f.v[3]), "+f"(f.v[4]), "+f"(f.v[5]), "+f"(f.v[6]), "+f"(f.v[7]),
        "+f"(f.v[8]), "+f"(f.v[9]), "+f"(f.v[10]), "+f"(f.v[11]), "+f"(f.v[12]), "+f"(f.v[13]), "+f"(f.v[14]),
        "+f"(f.v[15]), "+f"(f.v[16]), "+f"(f.v[17]), "+f"(f.v[18]), "+f"(f.v[19]), "+f"(f.v[20]), "+f"(f.v[21]),
        "+f"(f.v[22]), "+f"(f.v[23]), "+f"(f.v[24]), "+f"(f.v[25]), "+f"(f.v[26]), "+f"(f.v[27]), "+f"(f.v[28]),
        "+f"(f.v[29]), "+f"(f.v[30]), "+f"(f.v[31])
      :
      : "memory");
}
WW_DEVICE void tcgen05_wait_ld(Fragment<64> &f) {
  asm volatile(
      "tcgen05.wait::ld.sync.aligned;"
      : "+f"(f.v[0]), "+f"(f.v[1]), "+f"(f.v[2]), "+f"(f.v[3]), "+f"(f.v[4]), "+f"(f.v[5]), "+f"(f.v[6]), "+f"(f.v[7]),
        "+f"(f.v[8]), "+f"(f.v[9]), "+f"(f.v[10]), "+f"(f.v[11]), "+f"(f.v[12]), "+f"(f.v[13]), "+f"(f.v[14]),
        "+f"(f.v[15]), "+f"(f.v[16]), "+f"(f.v[17]), "+f"(f.v[18]), "+f"(f.v[19]), "+f"(f.v[20]), "+f"(f.v[21]),
        "+f"(f.v[22]), "+f"(f.v[23]), "+f"(f.v[24]), "+f"(f.v[25]), "+f"(f.v[26]), "+f"(f.v[27]), "+f"(f.v[28]),
        "+f"(f.v[29]), "+f"(f.v[30]), "+f"(f.v[31]), "+f"(f.v[32]), "+f"(f.v[33]), "+f"(f.v[34]), "+f"(f.v[35]),
        "+f"(f.v[36]), "+f"(f.v[37]), "+f"(f.v[38]), "+f"(f.v[39]), "+f"(f.v[40]), "+f"(f.v[41]), "+f"(f.v[42]),
        "+f"(f.v[43]), "+f"(f.v[44]), "+f"(f.v[45]), "+f"(f.v[46]), "+f"(f.v[47]), "+f"(f.v[48]), "+f"(f.v[49]),
        "+f"(f.v[50]), "+f"(f.v[51]), "+f"(f.v[52]), "+f"(f.v[53]), "+f"(f.v[54]), "+f"(f.v[55]), "+f"(f.v[56]),
        "+f"(f.v[57]), "+f"(f.v[58]), "+f"(f.v[59]), "+f"(f.v[60]), "+f"(f.v[61]), "+f"(f.v[62]), "+f"(f.v[63])
      :
      : "memory");
}
