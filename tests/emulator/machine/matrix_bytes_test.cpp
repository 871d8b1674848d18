// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix of 8-, 6- and 4-bit elements: which element goes where.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// `s` is filled from the words of the output, a row of 16 bytes a lane; `body` has the lane's row at %r10. Lane i stores %r4 …
/// %r7 to words 4 i … of the output.
std::vector<uint32_t> run(const std::vector<uint32_t> &words, const std::string &body) {
  Machine machine("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r10, s;\nmad.lo.u32 %r10, %r1, 16, %r10;\nmul.wide.u32 %d2, %r1, 16;\n"
                  "add.u64 %d2, %d1, %d2;\nld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d2];\nst.shared.v4.u32 [%r10], {%r4, %r5, %r6, %r7};\nbar.warp.sync -1;\n" +
                      body + "\nst.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};\nret;",
                  128);
  REQUIRE(machine.error == "");
  machine.set_output(words);
  const Report report = machine.run();
  for (const Finding &finding : report.findings) FAIL_CHECK(finding.slug + ": " + finding.text);
  return machine.output();
}

/// Byte b of row r is 8 r + b in the low bits, so that all of a 16 x 16 matrix differ.
std::vector<uint32_t> rows_of_bytes() {
  std::vector<uint32_t> words(128);
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t b = 0; b < 16; ++b) words[4 * row + b / 4] |= (row * 16 + b & 0xFF) << 8 * (b % 4);
  return words;
}

/// 16 elements a row, packed low bits first: element e of row r is (r + 3 e) of `bits` bits; the padding is ones.
std::vector<uint32_t> packed_rows(uint32_t bits) {
  std::vector<uint32_t> words(128);
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t bit = 0; bit < 128; ++bit) {
      const bool holds = bit >= 16 * bits || ((row + 3 * (bit / bits)) >> bit % bits & 1);
      words[4 * row + bit / 32] |= uint32_t{holds} << bit % 32;
    }
  return words;
}

uint32_t byte_of(const std::vector<uint32_t> &words, uint32_t lane, uint32_t reg, uint32_t byte) { return words[4 * lane + reg] >> 8 * byte & 0xFF; }

}  // namespace

TEST_CASE("matrices of bytes: 16 x 16 are transposed, a register a column") {
  const auto words = run(rows_of_bytes(), "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r4, %r5, %r6, %r7}, [%r10];");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < 4; ++reg)
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t row = 16 * (reg / 2) + 4 * (lane % 4) + i, column = lane / 4 + 8 * (reg % 2);
        CHECK(byte_of(words, lane, reg, i) == (row * 16 + column & 0xFF));
      }
  const auto one = run(rows_of_bytes(), "mov.u64 %d3, s;\ncvta.shared.u64 %d3, %d3;\nmul.wide.u32 %d4, %r1, 16;\nadd.u64 %d3, %d3, %d4;\n"
                                        "ldmatrix.sync.aligned.m16n16.x1.trans.b8 {%r4, %r5}, [%d3];");
  CHECK(byte_of(one, 31, 1, 3) == 15 * 16 + 15);
}

TEST_CASE("matrices of bytes: narrow elements lie in the low bits") {
  for (const uint32_t bits : {4u, 6u}) {
    const std::string format = bits == 4 ? ".b8x16.b4x16_p64" : ".b8x16.b6x16_p32";
    const uint32_t mask = (1u << bits) - 1;
    const auto rows = run(packed_rows(bits), "ldmatrix.sync.aligned.m8n16.x4.shared" + format + " {%r4, %r5, %r6, %r7}, [%r10];");
    const auto columns = run(packed_rows(bits), "ldmatrix.sync.aligned.m16n16.x1.trans.shared" + format + " {%r4, %r5}, [%r10];");
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0; i < 4; ++i) {
        for (uint32_t reg = 0; reg < 4; ++reg) CHECK(byte_of(rows, lane, reg, i) == (8 * reg + lane / 4 + 3 * (4 * (lane % 4) + i) & mask));
        for (uint32_t reg = 0; reg < 2; ++reg) CHECK(byte_of(columns, lane, reg, i) == (4 * (lane % 4) + i + 3 * (lane / 4 + 8 * reg) & mask));
      }
  }
}

TEST_CASE("matrices of bytes: 16 x 8 are stored by columns") {
  // Byte i of a lane's register n is 4 lane + i + 128 n.
  const auto words = run(rows_of_bytes(), "mul.lo.u32 %r2, %r1, 0x04040404;\nadd.u32 %r2, %r2, 0x03020100;\nxor.b32 %r3, %r2, 0x80808080;\n"
                                          "stmatrix.sync.aligned.m16n8.x2.trans.shared::cta.b8 [%r10], {%r2, %r3};\nbar.warp.sync -1;\n"
                                          "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t number = 0; number < 2; ++number) {
        const uint32_t row = 8 * number + 2 * (lane % 4) + i % 2, column = lane / 4 + 8 * (i / 2);
        CHECK(byte_of(words, row, column / 4, column % 4) == (4 * lane + i ^ 128 * number));
      }
  CHECK(words[4 * 16] == rows_of_bytes()[4 * 16]);
}

TEST_CASE("matrices of bytes: misuse") {
  const auto first_slug = [](const std::string &body, uint32_t lanes = 32) {
    Machine machine("mov.u32 %r10, s;\n" + body + "\nret;", 4);
    REQUIRE(machine.error == "");
    machine.launch.block = {lanes, 1, 1};
    const Report report = machine.run();
    return report.findings.empty() ? "" : report.findings.front().slug;
  };
  const std::string load = "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r4, %r5}, [%r10";
  CHECK(first_slug(load + "+8];") == "memory.misaligned");
  CHECK(first_slug(load + "];") == "memory.uninitialised");
  CHECK(first_slug(load + "];", 31) == "warp.mask");
  CHECK(first_slug("ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r4, %r5}, [%r10];") == "ptx.unknown-instruction");
  CHECK(first_slug("ldmatrix.sync.aligned.m8n8.x1.shared.b8 {%r4}, [%r10];") == "ptx.unknown-instruction");
}
