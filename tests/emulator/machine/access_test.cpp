// SPDX-License-Identifier: Apache-2.0
// Loads and stores of a warp: patterns of addresses, masks, widths, and the lane that a finding names.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

#include <functional>

namespace warpwright::emulator::tests {
namespace {

struct Pattern {
  const char *name;
  const char *code;  ///< makes %r2, in elements, of the lane in %r0
  std::function<uint32_t(uint32_t)> element;
};

const std::vector<Pattern> kPatterns{
    {"side by side", "mov.u32 %r2, %r0;", [](uint32_t lane) { return lane; }},
    {"all the same", "mov.u32 %r2, 3;", [](uint32_t) { return 3; }},
    {"from the end", "sub.s32 %r2, 31, %r0;", [](uint32_t lane) { return 31 - lane; }},
    {"swizzled", "xor.b32 %r2, %r0, 5;", [](uint32_t lane) { return lane ^ 5; }},
    {"two at a place", "shr.u32 %r2, %r0, 1;", [](uint32_t lane) { return lane / 2; }},
};

struct Mask {
  const char *code;  ///< makes %p1
  uint32_t lanes;
};

const std::vector<Mask> kMasks{
    {"setp.lt.u32 %p1, %r0, 32;", ~0u},
    {"setp.gt.u32 %p1, %r0, 6;", ~0u << 7},
    {"and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 1;", 0xAAAAAAAA},
    {"setp.eq.u32 %p1, %r0, 30;", 1u << 30},
};

/// Every lane of the mask stores words to its element, then loads them again; output[lane] is their sum, or 7.
std::string round_trip(const Pattern &pattern, const Mask &mask, uint32_t words, bool is_shared) {
  const std::string vector = words == 1 ? "" : words == 2 ? ".v2" : ".v4", space = is_shared ? ".shared" : ".global";
  const std::string base = is_shared ? "%r6" : "%d2";
  const auto list = [&](uint32_t first) {
    std::string text;
    for (uint32_t n = 0; n < words; ++n) text += (n ? ", %r" : "%r") + std::to_string(first + n);
    return words == 1 ? text : "{" + text + "}";
  };
  std::string code = "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [p]; mov.u32 %r1, s;\n" + std::string(mask.code) + "\n" + pattern.code +
                     "\nmul.lo.s32 %r5, %r2, " + std::to_string(4 * words) + "; add.s32 %r6, %r1, %r5; mul.wide.u32 %d1, %r5, 1;" +
                     "add.s64 %d2, %d0, %d1;\n";
  for (uint32_t n = 0; n < words; ++n)
    code += "mad.lo.s32 %r" + std::to_string(8 + n) + ", %r0, 10, " + std::to_string(n + 1) + ";\n";
  code += "@%p1 st" + space + vector + ".b32 [" + base + "], " + list(8) + ";\n@%p1 ld" + space + vector + ".b32 " + list(16) + ", [" +
          base + "];\nmov.u32 %r24, 7;\n@%p1 mov.u32 %r24, 0;\n";
  for (uint32_t n = 0; n < words; ++n) code += "@%p1 add.s32 %r24, %r24, %r" + std::to_string(16 + n) + ";\n";
  return code + "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d0, %d3; st.global.b32 [%d3+2048], %r24; ret;";
}

TEST_CASE("a warp's loads give back its stores, whatever the pattern, the mask and the width") {
  for (const Pattern &pattern : kPatterns)
    for (const Mask &mask : kMasks)
      for (const uint32_t words : {1u, 2u, 4u})
        for (const bool is_shared : {true, false}) {
          INFO(pattern.name << ", lanes " << mask.lanes << ", " << words << " words, " << (is_shared ? "shared" : "global"));
          Machine machine(round_trip(pattern, mask, words, is_shared));
          REQUIRE(machine.error == "");
          const Report report = machine.run();
          REQUIRE(report.is_clean());
          std::vector<uint32_t> owner(32, 0);  // of each element, the last lane that stored there
          for (uint32_t lane = 0; lane < 32; ++lane)
            if (mask.lanes >> lane & 1) owner[pattern.element(lane)] = lane;
          const std::vector<uint32_t> output = machine.output();
          for (uint32_t lane = 0; lane < 32; ++lane) {
            const uint32_t sum = words * 10 * owner[pattern.element(lane)] + words * (words + 1) / 2;
            CHECK(output[512 + lane] == (mask.lanes >> lane & 1 ? sum : 7));
          }
        }
}

Finding only_finding(const std::string &body) {
  Machine machine("mov.u32 %r0, %tid.x; mov.u32 %r1, s; mad.lo.s32 %r2, %r0, 4, %r1; setp.ne.u32 %p1, %r0, 9;\n" + body + "\nret;");
  REQUIRE(machine.error == "");
  const Report report = machine.run();
  REQUIRE(report.findings.size() == 1);
  return report.findings.front();
}

TEST_CASE("one wrong lane of an access is the one that the finding names") {
  const Finding unwritten = only_finding("@%p1 st.shared.b32 [%r2], %r0; ld.shared.b32 %r3, [%r2];");
  CHECK(unwritten.slug == "memory.uninitialised");
  CHECK(has(unwritten.text, "byte " + std::to_string(1024 + 36)));
  const Finding outside = only_finding("st.shared.b32 [%r2+960], %r0;");
  CHECK(outside.slug == "memory.out-of-bounds");
  CHECK(has(outside.text, "offset 2048"));
  const Finding misaligned = only_finding("@!%p1 add.s32 %r2, %r2, 2; st.shared.b32 [%r2], %r0;");
  CHECK(misaligned.slug == "memory.misaligned");
}

}  // namespace
}  // namespace warpwright::emulator::tests
