// SPDX-License-Identifier: Apache-2.0
// Times of one operator at one shape: graphs of launches over rotating buffers.
#pragma once

#include "tools/cli/gpu_device.h"
#include "tools/cli/gpu_monitor.h"
#include "tools/cli/options.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::cli {

/// What is measured, and how.
struct TimingRequest {
  ww_operator_t *op = nullptr;
  std::vector<ww_variable_t> variables;
  bool wants_whole = true, wants_dependent = true;
  int runs = 30;
  int warm_up_ms = 100;
  int timeout_seconds = 60;
};

/// Launches of one kind. Microseconds of one launch: a graph's time over its launches.
struct TimedLaunches {
  bool is_dependent = false;
  std::vector<double> samples_us;  ///< in order of measuring
  double quantile_us(double share) const;
  double median_us() const { return quantile_us(0.5); }
};

struct Timing {
  std::vector<std::string> kernels;
  uint64_t bytes_moved = 0;  ///< all tensors and nothing else, once
  uint64_t set_bytes = 0;    ///< what a set of buffers takes
  int sets = 0, launches_per_graph = 0;
  std::vector<TimedLaunches> launches;
  GpuReading before, loaded, after;  ///< loaded: with graphs still to run
};

/// Measures. Buffers have random finite values; the sets together exceed the L2 several times, and every launch takes the next one.
/// Whole and dependent launches take turns, graph by graph, so that a change of clocks meets both.
///
/// Ensures   every set's outputs are equal afterwards: the inputs are.
/// Errors    run.failed: the driver's words, outputs that differ, or dependent launches wanted of kernels that do not start early.
std::optional<Timing> time_operator(GpuDevice &device, const GpuMonitor &monitor, const TimingRequest &request,
                                    support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
