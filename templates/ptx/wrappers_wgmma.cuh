// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/wgmma.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<4> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]),
        "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<8> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<16> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]),
        "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<32> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]),
        "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<48> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(a.v[0]), "+r"(a.v[1]),
        "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<64> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<96> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]),
        "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]), "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// Orders writes of registers before the wgmma that take them; operands, so that no write moves below it.
WW_DEVICE void wgmma_fence(Words<128> &d, Words<4> &a, Words<4> &b) {
  asm volatile(
      "wgmma.fence.sync.aligned;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127]), "+r"(a.v[0]), "+r"(a.v[1]), "+r"(a.v[2]), "+r"(a.v[3]), "+r"(b.v[0]), "+r"(b.v[1]),
        "+r"(b.v[2]), "+r"(b.v[3])
      :
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<4> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, %8, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<8> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9, %10, %11}, %12, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<16> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, %20, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<32> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<48> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n96k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, "
      "{%48, %49, %50, %51}, %52, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<64> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<96> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n192k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "{%96, %97, %98, %99}, %100, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of unsigned times signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_u8_s8(Words<128> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.u8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "{%128, %129, %130, %131}, %132, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<4> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, %8, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<8> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9, %10, %11}, %12, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<16> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, %20, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<32> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<48> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n96k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, "
      "{%48, %49, %50, %51}, %52, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<64> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<96> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n192k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "{%96, %97, %98, %99}, %100, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// D += A B of signed bytes, 64 rows, K = 32; in flight until a wait for its group.
WW_DEVICE void wgmma_s8_s8(Words<128> &d, const Words<4> &a, u64 desc) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "{%128, %129, %130, %131}, %132, 1;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "l"(desc)
      : "memory");
}

/// Closes this warpgroup's current group of wgmma.
WW_DEVICE void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `left` of this warpgroup's groups are in flight.
template <int left> WW_DEVICE void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(left) : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<4> &d) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]) :: "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<8> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<16> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<32> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<48> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<64> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<96> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95])
      :
      : "memory");
}

/// Waits for all of this warpgroup's wgmma; the sums are operands: no use of them moves above it.
WW_DEVICE void wgmma_wait_all(Words<128> &d) {
  asm volatile(
      "wgmma.wait_group.sync.aligned 0;"
      : "+r"(d.v[0]), "+r"(d.v[1]), "+r"(d.v[2]), "+r"(d.v[3]), "+r"(d.v[4]), "+r"(d.v[5]), "+r"(d.v[6]), "+r"(d.v[7]),
        "+r"(d.v[8]), "+r"(d.v[9]), "+r"(d.v[10]), "+r"(d.v[11]), "+r"(d.v[12]), "+r"(d.v[13]), "+r"(d.v[14]),
        "+r"(d.v[15]), "+r"(d.v[16]), "+r"(d.v[17]), "+r"(d.v[18]), "+r"(d.v[19]), "+r"(d.v[20]), "+r"(d.v[21]),
        "+r"(d.v[22]), "+r"(d.v[23]), "+r"(d.v[24]), "+r"(d.v[25]), "+r"(d.v[26]), "+r"(d.v[27]), "+r"(d.v[28]),
        "+r"(d.v[29]), "+r"(d.v[30]), "+r"(d.v[31]), "+r"(d.v[32]), "+r"(d.v[33]), "+r"(d.v[34]), "+r"(d.v[35]),
        "+r"(d.v[36]), "+r"(d.v[37]), "+r"(d.v[38]), "+r"(d.v[39]), "+r"(d.v[40]), "+r"(d.v[41]), "+r"(d.v[42]),
        "+r"(d.v[43]), "+r"(d.v[44]), "+r"(d.v[45]), "+r"(d.v[46]), "+r"(d.v[47]), "+r"(d.v[48]), "+r"(d.v[49]),
        "+r"(d.v[50]), "+r"(d.v[51]), "+r"(d.v[52]), "+r"(d.v[53]), "+r"(d.v[54]), "+r"(d.v[55]), "+r"(d.v[56]),
        "+r"(d.v[57]), "+r"(d.v[58]), "+r"(d.v[59]), "+r"(d.v[60]), "+r"(d.v[61]), "+r"(d.v[62]), "+r"(d.v[63]),
        "+r"(d.v[64]), "+r"(d.v[65]), "+r"(d.v[66]), "+r"(d.v[67]), "+r"(d.v[68]), "+r"(d.v[69]), "+r"(d.v[70]),
        "+r"(d.v[71]), "+r"(d.v[72]), "+r"(d.v[73]), "+r"(d.v[74]), "+r"(d.v[75]), "+r"(d.v[76]), "+r"(d.v[77]),
        "+r"(d.v[78]), "+r"(d.v[79]), "+r"(d.v[80]), "+r"(d.v[81]), "+r"(d.v[82]), "+r"(d.v[83]), "+r"(d.v[84]),
        "+r"(d.v[85]), "+r"(d.v[86]), "+r"(d.v[87]), "+r"(d.v[88]), "+r"(d.v[89]), "+r"(d.v[90]), "+r"(d.v[91]),
        "+r"(d.v[92]), "+r"(d.v[93]), "+r"(d.v[94]), "+r"(d.v[95]), "+r"(d.v[96]), "+r"(d.v[97]), "+r"(d.v[98]),
        "+r"(d.v[99]), "+r"(d.v[100]), "+r"(d.v[101]), "+r"(d.v[102]), "+r"(d.v[103]), "+r"(d.v[104]), "+r"(d.v[105]),
        "+r"(d.v[106]), "+r"(d.v[107]), "+r"(d.v[108]), "+r"(d.v[109]), "+r"(d.v[110]), "+r"(d.v[111]), "+r"(d.v[112]),
        "+r"(d.v[113]), "+r"(d.v[114]), "+r"(d.v[115]), "+r"(d.v[116]), "+r"(d.v[117]), "+r"(d.v[118]), "+r"(d.v[119]),
        "+r"(d.v[120]), "+r"(d.v[121]), "+r"(d.v[122]), "+r"(d.v[123]), "+r"(d.v[124]), "+r"(d.v[125]), "+r"(d.v[126]),
        "+r"(d.v[127])
      :
      : "memory");
}
