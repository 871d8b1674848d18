// SPDX-License-Identifier: Apache-2.0
// What `time` has measured, for people and for programs.
#pragma once

#include "tools/cli/gpu_timing.h"
#include "tools/cli/options.h"

#include <string>
#include <vector>

namespace warpwright::cli {

struct TimedOperator {
  std::string name, family, arch;
  Shape shape;
  Timing timing;
};

/// Where the read ceiling comes from.
struct ReadCeiling {
  double tbps = 0;
  bool is_measured = false;
};

struct TimeReport {
  int device = 0;
  GpuDevice::About about;
  std::string no_readings;  ///< why clocks are unknown; empty: they are known
  ReadCeiling ceiling;
  std::vector<TimedOperator> operators;
};

/// A paragraph for one operator at one shape.
std::string timed_text(const TimedOperator &timed, const ReadCeiling &ceiling);
/// Device and read ceiling.
std::string conditions_text(const TimeReport &report);
/// Everything, all samples included. `date`: of the measurement, in UTC.
std::string time_json(const TimeReport &report, const std::string &date);

}  // namespace warpwright::cli
