// SPDX-License-Identifier: Apache-2.0
// Finds events of a protocol by role and op, so that a test can break them.
#pragma once

#include "generator/prove/protocol.h"

#include <functional>

namespace warpwright::prove::test {

/// Every event of threads whose name starts with `thread`, whose op starts with `op`; `turn` −2 takes all.
std::vector<Event *> find_events(Protocol &protocol, const std::string &thread, const std::string &op, int turn = -2);
/// Removes the same events. Returns how many.
int drop_events(Protocol &protocol, const std::string &thread, const std::string &op, int turn = -2);
/// Doubles them, each copy behind its original.
int double_events(Protocol &protocol, const std::string &thread, const std::string &op, int turn = -2);

}  // namespace warpwright::prove::test
