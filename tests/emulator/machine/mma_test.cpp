// SPDX-License-Identifier: Apache-2.0
// mma.sync: which element is where, sums of small integers, special values.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

#include <bit>
#include <cmath>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

/// Lane i has A, B and C from words 16 i … of the output: 4, 2 and 4 of them, and stores D to the first four.
std::vector<uint32_t> run(const std::vector<uint32_t> &words, const std::string &kind) {
  Machine machine("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 64;\nadd.u64 %d2, %d1, %d2;\n"
                  "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d2];\nld.global.v2.u32 {%r8, %r9}, [%d2+16];\n"
                  "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d2+32];\n"
                  "mma.sync.aligned.m16n8k16.row.col.f32." + kind + "." + kind + ".f32 {%r10, %r11, %r12, %r13}, {%r4, %r5, %r6, %r7}, "
                  "{%r8, %r9}, {%r10, %r11, %r12, %r13};\nst.global.v4.u32 [%d2], {%r10, %r11, %r12, %r13};\nret;",
                  512);
  REQUIRE(machine.error == "");
  machine.set_output(words);
  const Report report = machine.run();
  for (const Finding &finding : report.findings) FAIL_CHECK(finding.slug + ": " + finding.text);
  return machine.output();
}

/// The code of a small integer, or of any float with so few bits.
uint32_t code_of(const std::string &kind, float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (kind == "bf16" || value == 0) return bits >> 16;
  return (bits >> 16 & 0x8000) | ((bits >> 23 & 0xFF) - 112) << 10 | (bits >> 13 & 0x3FF);
}

float a_of(uint32_t row, uint32_t k) { return static_cast<float>((row * 5 + k * 3) % 13) - 6; }
float b_of(uint32_t k, uint32_t column) { return static_cast<float>((k * 7 + column * 11) % 9) - 4; }
float c_of(uint32_t row, uint32_t column) { return static_cast<float>(row * 8 + column) / 4; }

/// Operands of lanes as the manual's fragments have them.
std::vector<uint32_t> fragments(const std::string &kind) {
  std::vector<uint32_t> words(512);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t group = lane / 4, in_group = lane % 4;
    // PTX ISA 9.0: a_i has row group, or group + 8 for i of 2, 3, 6, 7, and k 2 · in_group + i % 2, and 8 more from i = 4 on.
    for (uint32_t i = 0; i < 8; ++i)
      words[16 * lane + i / 2] |= code_of(kind, a_of(group + (i / 2 % 2 ? 8 : 0), 2 * in_group + i % 2 + (i >= 4 ? 8 : 0))) << 16 * (i % 2);
    for (uint32_t i = 0; i < 4; ++i)
      words[16 * lane + 4 + i / 2] |= code_of(kind, b_of(2 * in_group + i % 2 + (i >= 2 ? 8 : 0), group)) << 16 * (i % 2);
    for (uint32_t i = 0; i < 4; ++i)
      words[16 * lane + 8 + i] = std::bit_cast<uint32_t>(c_of(group + (i >= 2 ? 8 : 0), 2 * in_group + i % 2));
  }
  return words;
}

}  // namespace

TEST_CASE("mma: products of small integers and the accumulator, each element in its place") {
  for (const std::string kind : {"bf16", "f16"}) {
    CAPTURE(kind);
    const auto words = run(fragments(kind), kind);
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t column = 0; column < 8; ++column) {
        float wanted = c_of(row, column);
        for (uint32_t k = 0; k < 16; ++k) wanted += a_of(row, k) * b_of(k, column);
        CHECK(std::bit_cast<float>(words[16 * (row % 8 * 4 + column / 2) + row / 8 * 2 + column % 2]) == wanted);
      }
  }
}

TEST_CASE("mma: an infinite element makes its row infinite, or NaN against zero") {
  auto words = fragments("bf16");
  words[0] = (words[0] & 0xFFFF0000u) | 0x7F80;  // A's row 0, k 0
  const auto out = run(words, "bf16");
  for (uint32_t column = 0; column < 8; ++column) {
    const float value = std::bit_cast<float>(out[16 * (column / 2) + column % 2]);
    const float b = b_of(0, column);
    if (b == 0) CHECK(std::isnan(value));
    else CHECK((std::isinf(value) && std::signbit(value) == std::signbit(b)));
  }
  CHECK(std::isfinite(std::bit_cast<float>(out[2])));
}
