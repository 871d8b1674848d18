// SPDX-License-Identifier: Apache-2.0
// Rows of litmus tests: a rule, the finding when it is broken, and one text for the broken kernel and its repaired twin.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpwright::emulator::tests {

/// Lines that end in "//R" are in the repaired kernel alone, those that end in "//B" in the broken one. Before `body` stands a
/// prologue (litmus_test.cpp): warp %r2, lane %r3, %p1: not in warp 0, %p2: not lane 0, %r10: 8,192 bytes of shared memory,
/// %r11 and %r12: places of mbarriers, %d1: global memory.
struct LitmusRow {
  const char *name;
  const char *slug;
  std::string body;
  uint32_t threads = 64;
  uint32_t ctas = 1;  ///< of the cluster
  bool listed_pairs = false;
  const char *tuning = "";  ///< directives of the kernel
};

std::span<const LitmusRow> memory_rows();
std::span<const LitmusRow> copy_rows();
std::span<const LitmusRow> mbarrier_rows();
std::span<const LitmusRow> tensor_rows();
std::span<const LitmusRow> register_rows();
std::span<const LitmusRow> async_rows();

/// Thread 0 initialises the mbarrier at %r11 for `count` arrivals; then all meet.
inline std::string init(const std::string &count, const std::string &fence = "fence.mbarrier_init.release.cluster;") {
  return "setp.ne.u32 %p4, %r1, 0;\n@%p4 bra INITIALISED;\nmbarrier.init.shared.b64 [%r11], " + count + ";\n" + fence +
         "\nINITIALISED:\nbar.sync 0;\n";
}

/// Waits for the phase of a parity; `mark`: //R, //B or nothing.
inline std::string wait(const std::string &label, const std::string &parity, const std::string &mark = "",
                        const std::string &order = "") {
  return label + ": " + mark + "\nmbarrier.try_wait.parity" + order + ".shared::cta.b64 %p5, [%r11], " + parity + "; " + mark + "\n@!%p5 bra " +
         label + "; " + mark + "\n";
}

}  // namespace warpwright::emulator::tests
