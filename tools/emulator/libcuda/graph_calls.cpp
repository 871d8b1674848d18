// SPDX-License-Identifier: Apache-2.0
// Stream capture and graphs: a capture records work, a graph runs it in the order of its recording. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"

using namespace warpwright::emulator::driver;

struct CUgraph_st {
  Work work;
};
struct CUgraphExec_st {
  Work work;
};

namespace {

CUstreamCaptureMode &thread_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

bool is_legacy(CUstream stream) { return stream == nullptr || stream == CU_STREAM_LEGACY; }

bool is_default(CUstream stream) { return is_legacy(stream) || stream == CU_STREAM_PER_THREAD; }

/// The legacy stream waits for every blocking stream, which a capture cannot do. The state's lock is held.
bool breaks_a_capture(const State &state, CUstream stream) {
  if (!is_legacy(stream)) return false;
  for (const CUstream_st *other : state.streams)
    if (other->capture && !(other->flags & CU_STREAM_NON_BLOCKING)) return true;
  return false;
}

}  // namespace

namespace warpwright::emulator::driver {

CUresult run_or_record(CUstream stream, std::function<CUresult()> work) {
  WW_CHECK(check_stream(stream));
  {
    State &state = State::instance();
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (breaks_a_capture(state, stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (!is_default(stream) && stream->capture) {
      if (stream->capture->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      stream->capture->work.push_back(std::move(work));
      return CUDA_SUCCESS;
    }
  }
  return work();
}

CUresult check_unsafe_call() {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const CUstreamCaptureMode mode = thread_mode();
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (CUstream_st *stream : state.streams) {
    if (!stream->capture || stream->capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
    const bool is_own = stream->capture->thread == std::this_thread::get_id();
    const bool is_global =
        mode == CU_STREAM_CAPTURE_MODE_GLOBAL && stream->capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!is_own && !is_global) continue;
    stream->capture->is_invalid = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

bool is_capturing(CUstream stream) {
  if (is_default(stream)) return false;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.streams.count(stream) && stream->capture;
}

CUresult refuse_waiting(CUstream stream) {
  WW_CHECK(check_stream(stream));
  if (!is_capturing(stream)) return CUDA_SUCCESS;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  stream->capture->is_invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

}  // namespace warpwright::emulator::driver

extern "C" {

CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, thread_mode());
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  WW_CHECK(check_stream(stream));
  if (is_legacy(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  // The per-thread stream has no record of its own here.
  if (stream == CU_STREAM_PER_THREAD) return CUDA_ERROR_NOT_SUPPORTED;
  if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  stream->capture = std::make_unique<Capture>();
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  WW_CHECK(check_stream(stream));
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  *graph = nullptr;
  if (!is_capturing(stream)) return CUDA_ERROR_ILLEGAL_STATE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (stream->capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && stream->capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const std::unique_ptr<Capture> ended = std::move(stream->capture);
  if (ended->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = new CUgraph_st{std::move(ended->work)};
  state.graphs.insert(*graph);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  WW_CHECK(check_stream(stream));
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (breaks_a_capture(state, stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (is_default(stream) || !stream->capture) return CUDA_SUCCESS;
  *status = stream->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.graphs.erase(graph)) return CUDA_ERROR_INVALID_VALUE;
  delete graph;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
  if (!executable || flags) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.graphs.count(graph)) return CUDA_ERROR_INVALID_VALUE;
  *executable = new CUgraphExec_st{graph->work};
  state.executables.insert(*executable);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec executable) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.executables.erase(executable)) return CUDA_ERROR_INVALID_VALUE;
  delete executable;
  return CUDA_SUCCESS;
}

/// The first work that fails ends the launch with its error. A graph in a graph is not there.
CUresult CUDAAPI cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  WW_CHECK(check_context());
  WW_CHECK(check_stream(stream));
  if (is_capturing(stream)) return CUDA_ERROR_NOT_SUPPORTED;
  Work work;
  {
    State &state = State::instance();
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (!state.executables.count(executable)) return CUDA_ERROR_INVALID_VALUE;
    work = executable->work;
  }
  for (const auto &step : work) WW_CHECK(step());
  return CUDA_SUCCESS;
}

}  // extern "C"
