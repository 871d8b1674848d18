// SPDX-License-Identifier: Apache-2.0
// Collects what the runs of a protocol find, each op and slug once.
#pragma once

#include "generator/prove/protocol.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace warpwright::prove {

/// Findings of all runs of one protocol.
class Findings {
 public:
  Findings(const Protocol &protocol, support::Diagnostics &diagnostics)
      : protocol_(protocol), diagnostics_(diagnostics) {}

  /// True the first time that `slug` is found at `origin`: ask before the message is made.
  bool is_new(const char *slug, const Origin &origin);
  /// Adds an error; `message` starts with what holds, without the kernel's name.
  void add(const char *slug, const Origin &origin, const std::string &message, std::vector<std::string> notes = {});

  /// Words for the schedule of the current run; a note of each finding.
  void set_schedule(std::string schedule) { schedule_ = std::move(schedule); }
  /// A run got stuck: what later runs would say is a consequence.
  bool is_stuck() const { return is_stuck_; }
  void set_stuck() { is_stuck_ = true; }

 private:
  const Protocol &protocol_;
  support::Diagnostics &diagnostics_;
  std::set<std::tuple<std::string, std::string, std::string, int, int>> seen_;
  std::string schedule_;
  bool is_stuck_ = false;
};

/// "`ptx.mbar_wait @ab_full` (turn 3)".
std::string describe(const Event &event);
/// "1 arrival", "2 arrivals".
std::string count_of(int64_t count, const std::string &singular);

}  // namespace warpwright::prove
