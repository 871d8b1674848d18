// SPDX-License-Identifier: Apache-2.0
// The profiles of a run's launches, for people and for programs.
#pragma once

#include "generator/support/diagnostics.h"
#include "tools/cli/options.h"
#include "tools/emulator/profile/lines.h"

#include <map>
#include <string>
#include <vector>

namespace warpwright::cli {

/// One launch that was counted.
struct ProfiledLaunch {
  std::string kernel, inputs, schedule;  ///< inputs empty: a launch description's
  std::vector<emulator::profile::Entry> entries;
  std::map<std::string, std::string> sources;  ///< texts of files that entries name, as far as they are known
};

/// Sums by class, and a table with the costliest lines and the sum of all.
std::string profile_text(const ProfiledLaunch &launch);

/// A JSON object with every launch: totals, every line that ran and its instructions.
std::string profile_json(const std::vector<ProfiledLaunch> &launches);

/// What --profile and --profile-out ask for.
class ProfileLog {
 public:
  explicit ProfileLog(const RunOptions &options) : options_(options) {}
  bool is_wanted() const { return options_.profile || !options_.profile_out.empty(); }
  /// Launches that were refused have no entries, and no place here.
  void add(ProfiledLaunch launch);
  /// Errors    cli.unwritable.
  void print(support::Diagnostics &diagnostics) const;

 private:
  const RunOptions &options_;
  std::vector<ProfiledLaunch> launches_;
};

}  // namespace warpwright::cli
