// SPDX-License-Identifier: Apache-2.0
// Event search by role and op.
#include "tests/unit/prove/seeded.h"

namespace warpwright::prove::test {
namespace {

bool matches(const Event &event, const std::string &op, int turn) {
  return event.origin.op.rfind(op, 0) == 0 && (turn == -2 || event.turn == turn);
}

}  // namespace

std::vector<Event *> find_events(Protocol &protocol, const std::string &thread, const std::string &op, int turn) {
  std::vector<Event *> found;
  for (Thread &candidate : protocol.threads)
    if (candidate.name.rfind(thread, 0) == 0)
      for (Event &event : candidate.events)
        if (matches(event, op, turn)) found.push_back(&event);
  return found;
}

int drop_events(Protocol &protocol, const std::string &thread, const std::string &op, int turn) {
  size_t dropped = 0;
  for (Thread &candidate : protocol.threads)
    if (candidate.name.rfind(thread, 0) == 0)
      dropped += std::erase_if(candidate.events, [&](const Event &event) { return matches(event, op, turn); });
  return static_cast<int>(dropped);
}

int double_events(Protocol &protocol, const std::string &thread, const std::string &op, int turn) {
  int doubled = 0;
  for (Thread &candidate : protocol.threads) {
    if (candidate.name.rfind(thread, 0) != 0) continue;
    std::vector<Event> events;
    for (const Event &event : candidate.events) {
      events.push_back(event);
      if (!matches(event, op, turn)) continue;
      events.push_back(event);
      ++doubled;
    }
    candidate.events = std::move(events);
  }
  return doubled;
}

}  // namespace warpwright::prove::test
