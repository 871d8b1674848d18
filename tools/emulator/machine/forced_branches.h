// SPDX-License-Identifier: Apache-2.0
// Branches that depend on loaded data, made to go one way: paths that the inputs of a run do not lead to are run too.
#pragma once

#include "tools/emulator/machine/program.h"
#include "tools/emulator/machine/schedule.h"

namespace warpwright::emulator {

/// Times that a warp is sent one way at a branch; the loops that it closes or leaves end after them as the data says.
inline constexpr uint32_t kMostForced = 32;

/// Puts other handlers at the program's conditional branches whose cause is profile::Cause::kData. Branches that depend on
/// the answer of a wait, on parameters or on the thread's place stay as they are.
void force_branches(Branches branches, Program &program);

}  // namespace warpwright::emulator
