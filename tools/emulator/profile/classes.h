// SPDX-License-Identifier: Apache-2.0
// Classes of instructions, and what a conditional branch depends on.
#pragma once

#include "tools/emulator/ptx/module.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpwright::emulator::profile {

enum class Class : uint8_t {
  kAlu,        ///< arithmetic, logic, conversions, moves, addresses
  kControl,    ///< branches, calls, ends
  kWarp,       ///< what lanes of a warp do together: shuffles, votes, elect
  kParameter,  ///< loads of parameters and constants
  kShared,     ///< loads, stores, atomics, matrices
  kGlobal,     ///< the same of global memory
  kGeneric,    ///< the same where the opcode does not say which memory
  kCopy,       ///< cp.async, but not in bulk
  kTma,        ///< bulk copies, of tensors or not, and their groups
  kTensor,     ///< mma, wgmma, tcgen05
  kBarrier,    ///< mbarriers, barriers of CTAs and clusters
  kFence,
};
inline constexpr size_t kNumClasses = static_cast<size_t>(Class::kFence) + 1;
inline constexpr std::array<const char *, kNumClasses> kClassNames = {
    "alu", "control", "warp", "parameter", "shared", "global", "generic", "copy", "tma", "tensor", "barrier", "fence"};
Class class_of(std::string_view opcode);

/// What decides a conditional branch.
enum class Cause : uint8_t {
  kNone,     ///< no conditional branch
  kUniform,  ///< parameters, constants, the thread's place
  kWait,     ///< the answer of an mbarrier's wait
  kData,     ///< something that was loaded from memory other than parameters
};
inline constexpr std::array<const char *, 4> kCauseNames = {"", "uniform", "wait", "data"};

/// By instruction. Values are followed through registers whatever the order of instructions is, but neither through memory
/// (what is loaded is data) nor through the branches under which a register is written.
std::vector<Cause> find_causes(const ptx::Kernel &kernel);

}  // namespace warpwright::emulator::profile
