// SPDX-License-Identifier: Apache-2.0
// Forms that sm_90a does not have, against values computed by hand, and what cp.async must wait for.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// What a kernel of one thread leaves in %r1, and of a pair in %r2.
std::vector<uint32_t> results(const std::string &body) {
  Machine machine(".reg .b8 %b<2>;\n.reg .b16 %h<2>;\nld.param.u64 %d1, [p];\n" + body +
                  "\nst.global.b32 [%d1], %r1;\nst.global.b32 [%d1+4], %r2;\nret;");
  REQUIRE(machine.error == "");
  machine.launch.block = {1, 1, 1};
  const Report report = machine.run();
  if (!report.findings.empty()) FAIL(report.findings.front().slug + ": " + report.findings.front().text);
  const auto values = machine.output();
  return {values[0], values[1]};
}

uint32_t narrow(const std::string &opcode, const std::string &operands) {
  return results("mov.b32 %r2, 0;\n" + opcode + " %h1, " + operands + ";\ncvt.u32.u16 %r1, %h1;")[0];
}
uint32_t fp4(const std::string &operands) {
  return results("mov.b32 %r2, 0;\ncvt.rn.satfinite.e2m1x2.f32 %b1, " + operands + ";\ncvt.u32.u8 %r1, %b1;")[0];
}
uint32_t widened(const std::string &opcode, const std::string &bits) {
  return results("mov.b32 %r2, 0;\nmov.b16 %h1, " + bits + ";\n" + opcode + " %r1, %h1;")[0];
}

}  // namespace

TEST_CASE("4- and 6-bit floats") {
  // e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6. The first operand goes to the upper half; ties go to the even code.
  CHECK(fp4("0f40C00000, 0fBF400000") == 0x7A);  // 6 and -0.75
  CHECK(fp4("0f42C80000, 0f40200000") == 0x74);  // 100 and 2.5
  CHECK(fp4("0f7FC00000, 0f80000000") == 0x78);  // NaN has no code: the greatest value
  CHECK(results("mov.b32 %r2, 0;\nmov.b32 %r3, 0x7A;\ncvt.u8.u32 %b1, %r3;\ncvt.rn.f16x2.e2m1x2 %r1, %b1;")[0] == 0x4600BC00);
  CHECK(narrow("cvt.rn.satfinite.e2m3x2.f32", "0f42C80000, 0f3F800000") == 0x1F08);   // 7.5 and 1
  CHECK(narrow("cvt.rn.satfinite.e2m3x2.f32", "0fBE000000, 0fC0E00000") == 0x213E);   // -0.125 and -7
  CHECK(narrow("cvt.rn.satfinite.relu.e2m3x2.f32", "0fBE000000, 0f3F800000") == 0x0008);
  CHECK(narrow("cvt.rn.satfinite.e3m2x2.f32", "0f42C80000, 0f3F800000") == 0x1F0C);   // 28 and 1
  CHECK(widened("cvt.rn.f16x2.e3m2x2", "0x1F0C") == 0x4F003C00);
  CHECK(widened("cvt.rn.f16x2.e2m3x2", "0x213E") == 0xB000C700);
}

TEST_CASE("scales are powers of two") {
  CHECK(narrow("cvt.rp.satfinite.ue8m0x2.f32", "0f40400000, 0f3F800000") == 0x817F);  // 3 up to 4, 1
  CHECK(narrow("cvt.rz.satfinite.ue8m0x2.f32", "0f40400000, 0f3F800000") == 0x807F);  // 3 down to 2, 1
  CHECK(narrow("cvt.rp.satfinite.ue8m0x2.f32", "0f7F7FFFFF, 0f7FC00000") == 0xFEFF);
  CHECK(narrow("cvt.rz.ue8m0x2.f32", "0f00000000, 0f00400000") == 0x0000);            // 2^-127 is the least
  CHECK(widened("cvt.rn.bf16x2.ue8m0x2", "0x817F") == 0x40803F80);
}

TEST_CASE("pairs of FP32 in one register") {
  const std::string pairs = "mov.b64 %d2, 0x400000003F800000;\nmov.b64 %d3, 0x3E8000003F000000;\n";  // {1, 2}, {0.5, 0.25}
  const std::string split = "\nmov.b64 {%r1, %r2}, %d4;";
  CHECK(results(pairs + "add.rn.f32x2 %d4, %d2, %d3;" + split) == std::vector<uint32_t>{0x3FC00000, 0x40100000});
  CHECK(results(pairs + "mul.rn.f32x2 %d4, %d2, %d3;" + split) == std::vector<uint32_t>{0x3F000000, 0x3F000000});
  CHECK(results(pairs + "fma.rn.f32x2 %d4, %d2, %d3, %d3;" + split) == std::vector<uint32_t>{0x3F800000, 0x3F400000});
}

TEST_CASE("bytes of a cp.async are not there before its group is waited for") {
  const auto slugs = [](const std::string &wait) {
    Machine machine("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 16;\nadd.u64 %d3, %d1, %d2;\n"
                    "mov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 16, %r2;\ncp.async.cg.shared.global [%r2], [%d3], 16;\n"
                    "cp.async.commit_group;\n" + wait + "\nld.shared.b32 %r3, [%r2];\nst.global.b32 [%d3+2048], %r3;\nret;");
    REQUIRE(machine.error == "");
    std::vector<uint32_t> words(1024);
    for (uint32_t i = 0; i < 1024; ++i) words[i] = i;
    machine.set_output(words);
    const Report report = machine.run();
    return report.findings.empty() ? std::to_string(machine.output()[512 + 4 * 31]) : report.findings.front().slug;
  };
  CHECK(slugs("cp.async.wait_group 0;") == "124");
  CHECK(slugs("cp.async.wait_all;") == "124");
  CHECK(slugs("cp.async.wait_group 1;") == "race.read-while-copied");
  CHECK(slugs("") == "race.read-while-copied");
}
