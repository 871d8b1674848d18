// SPDX-License-Identifier: Apache-2.0
// The driver's state and its environment.
#include "tools/emulator/libcuda/state.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace warpwright::emulator::driver {

namespace {

/// A whole number in [min, max], or nothing.
bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *number) {
  uint64_t value = 0;
  const char *end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < min || value > max) return false;
  *number = value;
  return true;
}

bool read_variable(const char *name, uint64_t min, uint64_t max, uint64_t *number) {
  const char *text = std::getenv(name);
  return !text || read_number(text, min, max, number);
}

/// The decisions in a file; false: it cannot be read, or holds none.
bool read_replay(const std::string &file, Options *options) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return false;
  std::string why;
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  auto recorded = read_schedule(text, &why);
  if (!recorded) return false;
  options->replay = std::make_shared<const RecordedSchedule>(std::move(*recorded));
  return true;
}

/// Takes "+taken" or "+not-taken" from the end.
Branches take_branches(std::string *schedule) {
  for (const Branches forced : {Branches::kTaken, Branches::kNotTaken}) {
    const std::string end = std::string("+") + kBranchesNames[static_cast<size_t>(forced)];
    if (!schedule->ends_with(end)) continue;
    schedule->resize(schedule->size() - end.size());
    return forced;
  }
  return Branches::kAsData;
}

bool read_schedule(std::string schedule, Options *options) {
  options->seed = 0;
  options->branches = Branches::kAsData;
  if (schedule.rfind("replay:", 0) == 0) return read_replay(schedule.substr(7), options);
  options->branches = take_branches(&schedule);
  if (schedule == "lazy") options->schedule = Schedule::kLazy;
  else if (schedule == "eager") options->schedule = Schedule::kEager;
  else if (schedule.rfind("random:", 0) == 0 && read_number(schedule.c_str() + 7, 0, UINT64_MAX, &options->seed))
    options->schedule = Schedule::kRandom;
  else if (schedule == "adversarial") options->schedule = Schedule::kAdversarial;
  else if (schedule.rfind("adversarial:", 0) == 0 && read_number(schedule.c_str() + 12, 0, UINT64_MAX, &options->seed))
    options->schedule = Schedule::kAdversarial;
  else return false;
  options->replay = nullptr;
  return true;
}

/// "memory" leaves out happens-before.
bool read_checks(Options *options) {
  const char *text = std::getenv("WARPWRIGHT_EMULATOR_CHECKS");
  const std::string checks = text ? text : "all";
  options->checks_races = checks == "all";
  return checks == "all" || checks == "memory";
}

bool read_model(DeviceModel *model) {
  const char *text = std::getenv("WARPWRIGHT_EMULATOR_ARCH");
  const std::string arch = text ? text : "sm_100a";
  if (arch == "sm_100a" || arch == "sm_100f") *model = {"sm_100a", "Warpwright emulator, sm_100a", 10, 0, 148};
  else if (arch == "sm_103a") *model = {"sm_103a", "Warpwright emulator, sm_103a", 10, 3, 148};
  else if (arch == "sm_90a") *model = {"sm_90a", "Warpwright emulator, sm_90a", 9, 0, 132};
  else return false;
  return true;
}

}  // namespace

State &State::instance() {
  // Never destroyed: other libraries' exit handlers may still call the driver.
  static State *const state = new State;
  return *state;
}

CUresult State::initialise() {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto devices_or_none = [&] { return num_devices == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; };
  if (is_initialised) return devices_or_none();
  uint64_t devices = 1, jobs = 1;
  const char *schedule = std::getenv("WARPWRIGHT_EMULATOR_SCHEDULE");
  if (!read_model(&model) || !read_schedule(schedule ? schedule : "lazy", &options) || !read_checks(&options))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t sms = static_cast<uint64_t>(model.num_sms);
  if (!read_variable("WARPWRIGHT_EMULATOR_DEVICES", 0, 64, &devices) || !read_variable("WARPWRIGHT_EMULATOR_SMS", 1, 1024, &sms) ||
      !read_variable("WARPWRIGHT_EMULATOR_JOBS", 1, 256, &jobs))
    return CUDA_ERROR_INVALID_VALUE;
  num_devices = static_cast<int>(devices);
  model.num_sms = static_cast<int>(sms);
  options.jobs = static_cast<uint32_t>(jobs);
  for (int i = 0; i < num_devices; ++i) {
    contexts.push_back(std::make_unique<CUctx_st>());
    contexts.back()->device = i;
  }
  is_initialised = true;
  return devices_or_none();
}

bool State::is_ready() {
  const std::lock_guard<std::mutex> lock(mutex);
  return is_initialised;
}

CUcontext &current_context() {
  thread_local CUcontext context = nullptr;
  return context;
}

CUresult check_context() {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  const CUcontext context = current_context();
  return context && context->retained > 0 && context->is_alive ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult check_stream(CUstream stream) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const bool is_null = stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  return is_null || state.streams.count(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

Statistics &last_statistics() {
  thread_local Statistics statistics;
  return statistics;
}

std::string &last_schedule() {
  thread_local std::string schedule;
  return schedule;
}

std::string &last_report() {
  thread_local std::string report;
  return report;
}

}  // namespace warpwright::emulator::driver

extern "C" const char *wwEmulatorLastReport(void) { return warpwright::emulator::driver::last_report().c_str(); }

extern "C" const char *wwEmulatorLastSchedule(void) { return warpwright::emulator::driver::last_schedule().c_str(); }

extern "C" void wwEmulatorRecordSchedules(int records) {
  using namespace warpwright::emulator::driver;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.options.records_schedule = records != 0;
}

extern "C" CUresult wwEmulatorConfigure(const char *schedule, unsigned int jobs) {
  using namespace warpwright::emulator::driver;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!schedule || jobs == 0 || jobs > 256 || !read_schedule(schedule, &state.options)) return CUDA_ERROR_INVALID_VALUE;
  state.options.jobs = jobs;
  return CUDA_SUCCESS;
}

extern "C" CUresult wwEmulatorSetNames(const char *kernel, const char *names) {
  using namespace warpwright::emulator;
  driver::State &state = driver::State::instance();
  auto read = kernel && names ? parse_names(names) : std::nullopt;
  if (!read) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.names[kernel] = std::move(*read);
  return CUDA_SUCCESS;
}

extern "C" CUresult wwEmulatorTrace(
    const char *kernel, void (*listen)(void *, const warpwright::emulator::TraceEvent &, warpwright::emulator::TraceVerdict *), void *user) {
  using namespace warpwright::emulator::driver;
  if (!kernel) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.traces[kernel] = {listen, user};
  return CUDA_SUCCESS;
}

extern "C" CUresult wwEmulatorWaive(const char *slug, const char *text) {
  using namespace warpwright::emulator::driver;
  if (slug && !text) return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (slug) state.options.waivers.push_back({slug, text});
  else state.options.waivers.clear();
  return CUDA_SUCCESS;
}

extern "C" CUresult wwEmulatorSetPolicy(const char *policy) {
  using namespace warpwright::emulator::driver;
  using warpwright::emulator::race::TensorOrder;
  const std::string name = policy ? policy : "";
  if (name != "tensor-order" && name != "ptx-strict") return CUDA_ERROR_INVALID_VALUE;
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.options.tensor_order = name == "ptx-strict" ? TensorOrder::kListedPairs : TensorOrder::kIssueOrder;
  return CUDA_SUCCESS;
}

extern "C" void wwEmulatorLastStatistics(ww_emulator_statistics_t *statistics) {
  const warpwright::emulator::Statistics &last = warpwright::emulator::driver::last_statistics();
  if (statistics) *statistics = {last.warp_instructions, last.mmas, last.bytes_loaded, last.bytes_stored};
}
