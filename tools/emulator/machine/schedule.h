// SPDX-License-Identifier: Apache-2.0
// The decisions of a cluster's scheduler, as they were taken and as a text that takes them again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::emulator {

struct Decision {
  enum class Kind : uint8_t {
    kWarp,   ///< warp `which` of the cluster runs `amount` instructions
    kAsync,  ///< asynchronous operation `which`, as AsyncWork::advance() counts them, goes on; `amount` times
    kTime,   ///< nothing else can go on: waits with a time limit return
  };
  Kind kind = Kind::kWarp;
  uint32_t which = 0;
  uint32_t amount = 1;
  bool operator==(const Decision &) const = default;
};

/// Which way conditional branches go that depend on loaded data (profile::Cause::kData).
enum class Branches : uint8_t {
  kAsData,    ///< as their data says
  kTaken,     ///< in all lanes, each warp's first 32 times at each of them; then as their data says, so that loops end
  kNotTaken,  ///< in no lane; so too
};
inline constexpr std::array<const char *, 3> kBranchesNames = {"as-data", "taken", "not-taken"};

/// One cluster's decisions up to the one in which its first finding appeared.
struct RecordedSchedule {
  /// About 8 MiB of text; a run that decides more is to be repeated by the name of its schedule.
  static constexpr size_t kMaxDecisions = size_t{1} << 20;

  uint64_t cluster = 0;  ///< counted along x, then y, then z
  std::string slug;      ///< of the finding
  Branches branches = Branches::kAsData;
  std::vector<Decision> decisions;
};

/// "warpwright-schedule 1", "cluster 3", "finding run.deadlock", "branches taken" where they are forced, then the decisions: w5:412 a0 a0*7 t
std::string write_schedule(const RecordedSchedule &schedule);
/// Nothing: not such a text; `why` has the word that is wrong.
std::optional<RecordedSchedule> read_schedule(const std::string &text, std::string *why);

}  // namespace warpwright::emulator
