// SPDX-License-Identifier: Apache-2.0
// %tid, %ctaid and their kind: what the place of a thread in the grid says.
#pragma once

#include "tools/emulator/machine/cluster.h"

#include <string_view>

namespace warpwright::emulator {

/// Whether the machine has a special register of that name, and whether it is 64 bits wide.
bool has_special_register(std::string_view name, bool *is_wide);

/// Constants, special registers and addresses of shared variables, in every lane.
void set_initial_registers(const LaunchState &state, const Cta &cta, Warp &warp);

}  // namespace warpwright::emulator
