// SPDX-License-Identifier: Apache-2.0
// Captures, replays and times graphs of launches.
#include "tools/cli/gpu_timing.h"

#include "tools/cli/report.h"
#include "tools/cli/rotating_buffers.h"
#include "tools/cli/trial_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpwright::cli {
namespace {

/// A graph takes about so long: its start, some microseconds, is then far below a percent.
constexpr double kGraphUs = 2000;
constexpr int kMostLaunches = 4000;

/// Graphs of launches of one kind.
struct Graph {
  bool is_dependent = false;
  CUgraphExec executable = nullptr;
};

class Timer {
 public:
  Timer(GpuDevice &device, const GpuMonitor &monitor, const TimingRequest &request)
      : device_(device), cuda_(device.functions()), monitor_(monitor), request_(request), buffers_(device, request.op, request.variables) {}
  ~Timer() {
    if (device_.is_hung()) return;
    drop_graphs();
    for (const CUevent event : {begin_, end_})
      if (event) cuda_.cuEventDestroy(event);
    device_.free_all();
  }
  Timer(const Timer &) = delete;

  std::string run(Timing *timing) {
    if (std::string why = describe(timing); !why.empty()) return why;
    if (std::string why = buffers_.prepare(); !why.empty()) return why;
    if (!device_.check(cuda_.cuEventCreate(&begin_, CU_EVENT_DEFAULT), "making an event") ||
        !device_.check(cuda_.cuEventCreate(&end_, CU_EVENT_DEFAULT), "making an event"))
      return device_.problem();
    timing->before = monitor_.read();
    timing->sets = static_cast<int>(buffers_.sets());
    timing->set_bytes = timing->bytes_moved = buffers_.set_bytes();
    if (std::string why = choose_length(&timing->launches_per_graph); !why.empty()) return why;
    if (std::string why = sample(timing); !why.empty()) return why;
    timing->after = monitor_.read();
    return buffers_.different_outputs();
  }

 private:
  std::string describe(Timing *timing) {
    ww_message_t message;
    // Before any capture, which must not load a kernel.
    if (wwOperatorLoad(request_.op, device_.driver(), device_.ordinal(), &message) != WW_STATUS_OK) return message.text;
    std::vector<ww_grid_t> grids;
    if (std::string why = choose_kernels(request_.op, request_.variables, device_.about().num_sms, &grids); !why.empty()) return why;
    bool starts_early = false;
    for (const ww_grid_t &grid : grids) {
      ww_kernel_info_t kernel{};
      kernel.struct_bytes = sizeof kernel;
      if (wwOperatorDescribeKernel(request_.op, grid.kernel_index, &kernel, &message) != WW_STATUS_OK) return message.text;
      timing->kernels.push_back(kernel.name);
      starts_early |= kernel.programmatic_dependent_launch != 0;
    }
    if (request_.wants_dependent && starts_early) graphs_.push_back({true, nullptr});
    if (request_.wants_whole) graphs_.push_back({false, nullptr});
    return graphs_.empty() ? "no kernel of the launch starts before its predecessor has ended" : "";
  }

  /// Captures `launches` launches for each graph.
  std::string capture(int launches) {
    drop_graphs();
    for (Graph &graph : graphs_) {
      CUgraph captured = nullptr;
      if (!device_.check(cuda_.cuStreamBeginCapture(device_.stream(), CU_STREAM_CAPTURE_MODE_RELAXED), "capturing a stream")) return device_.problem();
      ww_message_t message{};
      ww_status_t status = WW_STATUS_OK;
      for (int i = 0; i < launches && status == WW_STATUS_OK; ++i)
        status = buffers_.launch(static_cast<size_t>(i) % buffers_.sets(), graph.is_dependent ? 0 : WW_LAUNCH_WHOLE, &message);
      const CUresult ended = cuda_.cuStreamEndCapture(device_.stream(), &captured);
      if (status != WW_STATUS_OK) return message.text;
      const bool is_made = device_.check(ended, "capturing a stream") &&
                           device_.check(cuda_.cuGraphInstantiate(&graph.executable, captured, 0), "instantiating a graph") &&
                           device_.check(cuda_.cuGraphUpload(graph.executable, device_.stream()), "uploading a graph");
      if (captured) cuda_.cuGraphDestroy(captured);
      if (!is_made || !device_.wait(request_.timeout_seconds)) return device_.problem();
    }
    return {};
  }

  void drop_graphs() {
    for (Graph &graph : graphs_) {
      if (graph.executable) cuda_.cuGraphExecDestroy(graph.executable);
      graph.executable = nullptr;
    }
  }

  /// One replay's microseconds, or a negative number where a call fails. `monitor`: read with the work under way.
  double replay(const Graph &graph, GpuReading *reading = nullptr) {
    float milliseconds = 0;
    bool is_right = device_.check(cuda_.cuEventRecord(begin_, device_.stream()), "recording an event") &&
                    device_.check(cuda_.cuGraphLaunch(graph.executable, device_.stream()), "launching a graph") &&
                    device_.check(cuda_.cuEventRecord(end_, device_.stream()), "recording an event");
    if (is_right && reading) *reading = monitor_.read();
    is_right = is_right && device_.wait(request_.timeout_seconds) &&
               device_.check(cuda_.cuEventElapsedTime(&milliseconds, begin_, end_), "reading an event");
    return is_right ? static_cast<double>(milliseconds) * 1e3 : -1;
  }

  std::string choose_length(int *launches) {
    const int rotation = static_cast<int>(buffers_.sets());
    if (std::string why = capture(rotation); !why.empty()) return why;
    double us = 0;
    for (int i = 0; i < 2 && us >= 0; ++i) us = replay(graphs_.front());
    if (us < 0) return device_.problem();
    const double turns = std::ceil(kGraphUs / std::max(us, 1.0));
    *launches = rotation * std::max(1, std::min(static_cast<int>(turns), kMostLaunches / rotation));
    return *launches == rotation ? "" : capture(*launches);
  }

  std::string sample(Timing *timing) {
    for (double warm_us = 0; warm_us < request_.warm_up_ms * 1e3;)
      for (const Graph &graph : graphs_) {
        const double us = replay(graph);
        if (us < 0) return device_.problem();
        warm_us += std::max(us, 1.0);
      }
    for (const Graph &graph : graphs_) timing->launches.push_back({graph.is_dependent, {}});
    for (int run = 0; run < request_.runs; ++run)
      for (size_t i = 0; i < graphs_.size(); ++i) {
        const double us = replay(graphs_[i]);
        if (us < 0) return device_.problem();
        timing->launches[i].samples_us.push_back(us / timing->launches_per_graph);
      }
    // Not one of the samples: reading takes the host's time, perhaps the device's.
    return replay(graphs_.front(), &timing->loaded) < 0 ? device_.problem() : "";
  }

  GpuDevice &device_;
  const GpuDriver &cuda_;
  const GpuMonitor &monitor_;
  const TimingRequest &request_;
  RotatingBuffers buffers_;
  std::vector<Graph> graphs_;
  CUevent begin_ = nullptr, end_ = nullptr;
};

}  // namespace

double TimedLaunches::quantile_us(double share) const {
  if (samples_us.empty()) return 0;
  std::vector<double> sorted = samples_us;
  std::sort(sorted.begin(), sorted.end());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

std::optional<Timing> time_operator(GpuDevice &device, const GpuMonitor &monitor, const TimingRequest &request,
                                    support::Diagnostics &diagnostics) {
  Timing timing;
  const std::string problem = Timer(device, monitor, request).run(&timing);
  if (problem.empty()) return timing;
  diagnostics.add(error("run.failed", problem));
  return std::nullopt;
}

}  // namespace warpwright::cli
