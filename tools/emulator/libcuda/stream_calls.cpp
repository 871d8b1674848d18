// SPDX-License-Identifier: Apache-2.0
// Streams and events. A launch has ended when its call returns, so a stream has nothing to wait for. CUDA Driver API 13.0.
#include "tools/emulator/libcuda/state.h"

#include <chrono>

using namespace warpwright::emulator::driver;

namespace {

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CUresult check_event(CUevent event) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.events.count(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags) {
  if (!stream || flags & ~1u) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_context());
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  *stream = new CUstream_st{current_context(), flags, nullptr};
  state.streams.insert(*stream);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.streams.erase(stream)) return CUDA_ERROR_INVALID_HANDLE;
  delete stream;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int) { return cuStreamCreate(stream, flags); }

CUresult CUDAAPI cuStreamSynchronize(CUstream stream) { return refuse_waiting(stream); }
CUresult CUDAAPI cuStreamQuery(CUstream stream) { return refuse_waiting(stream); }

CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context) {
  WW_CHECK(check_stream(stream));
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  const bool is_default = stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  *context = is_default ? current_context() : stream->context;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int) {
  if (!event) return CUDA_ERROR_INVALID_VALUE;
  WW_CHECK(check_context());
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  *event = new CUevent_st;
  state.events.insert(*event);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy(CUevent event) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.events.erase(event)) return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  WW_CHECK(check_stream(stream));
  if (is_capturing(stream)) return CUDA_ERROR_NOT_SUPPORTED;  // a capture of several streams is not there
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.events.count(event)) return CUDA_ERROR_INVALID_HANDLE;
  *event = {true, now_milliseconds()};
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event) { return check_event(event); }
CUresult CUDAAPI cuEventQuery(CUevent event) { return check_event(event); }
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  WW_CHECK(check_stream(stream));
  if (is_capturing(stream)) return CUDA_ERROR_NOT_SUPPORTED;
  return check_event(event);
}

/// Time of the host between two records: it says nothing of a device.
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  if (!state.events.count(start) || !state.events.count(end) || !start->is_recorded || !end->is_recorded) return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return CUDA_SUCCESS;
}

}  // extern "C"
