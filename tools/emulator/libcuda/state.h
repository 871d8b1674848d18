// SPDX-License-Identifier: Apache-2.0
// What the emulated driver knows: devices, contexts, modules, streams.
#pragma once

#include "tools/emulator/machine/launch.h"

#include <cuda.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

// The handles of cuda.h point to these.
struct CUctx_st {
  CUdevice device = 0;
  unsigned long long id = 0;  ///< another one after each reset and each last release
  bool is_alive = false;
  uint32_t retained = 0;
  uint32_t flags = 0;
};
struct CUfunc_st {
  const warpwright::emulator::ptx::Module *module = nullptr;
  const warpwright::emulator::ptx::Kernel *kernel = nullptr;
  std::map<CUfunction_attribute, int> attributes;
  const warpwright::emulator::ModuleMemory *variables = nullptr;
  std::set<unsigned long long> placed_contexts;  ///< ids: modules are loaded lazily, at the first launch in a context
};
struct CUlib_st {
  std::unique_ptr<warpwright::emulator::ptx::Module> module;
  warpwright::emulator::ModuleMemory variables;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};
namespace warpwright::emulator::driver {
/// What a stream or a graph does, in order.
using Work = std::vector<std::function<CUresult()>>;
struct Capture {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  bool is_invalid = false;
  Work work;
};
}  // namespace warpwright::emulator::driver
struct CUstream_st {
  CUcontext context = nullptr;
  unsigned int flags = 0;
  std::unique_ptr<warpwright::emulator::driver::Capture> capture;
};
struct CUevent_st {
  bool is_recorded = false;
  double milliseconds = 0;
};

namespace warpwright::emulator::driver {

/// A fake device: what its architecture says, and how many SMs it has.
/// Source: NVIDIA H200 and B200 data sheets, 132 and 148 SMs; CUDA C++ Programming Guide 13.0, "Technical Specifications per
/// Compute Capability".
struct DeviceModel {
  std::string arch;  ///< "sm_100a"
  std::string name;
  int major = 10, minor = 0;
  int num_sms = 148;
};

/// Everything, behind one lock; a launch runs without it.
///
/// Environment  WARPWRIGHT_EMULATOR_DEVICES (1), WARPWRIGHT_EMULATOR_ARCH (sm_100a; sm_103a, sm_90a),
///              WARPWRIGHT_EMULATOR_SMS, WARPWRIGHT_EMULATOR_SCHEDULE (lazy; the others of wwEmulatorConfigure()),
///              WARPWRIGHT_EMULATOR_JOBS, WARPWRIGHT_EMULATOR_CHECKS (all; memory).
struct State {
  std::mutex mutex;
  bool is_initialised = false;
  DeviceModel model;
  int num_devices = 1;
  Options options;
  std::map<std::string, Names> names;  ///< by kernel
  std::map<std::string, Trace> traces; ///< so too
  GlobalMemory memory;
  std::vector<std::unique_ptr<CUctx_st>> contexts;  ///< the primary one of each device
  std::set<CUlib_st *> libraries;
  std::set<CUfunc_st *> functions;
  std::set<CUstream_st *> streams;
  std::set<CUevent_st *> events;
  std::set<CUgraph_st *> graphs;
  std::set<CUgraphExec_st *> executables;
  std::map<CUdeviceptr, CUdevice> owners;  ///< of the allocations that cuMemAlloc made
  unsigned long long next_context_id = 1;

  static State &instance();
  /// CUDA_ERROR_INVALID_VALUE where the environment has a value that means nothing.
  CUresult initialise();
  bool is_ready();
};

/// The context that is current in this thread; nullptr when there is none.
CUcontext &current_context();
/// CUDA_SUCCESS, NOT_INITIALIZED or INVALID_CONTEXT.
CUresult check_context();
/// A stream that may be used: the null streams or a live one.
CUresult check_stream(CUstream stream);
/// Does the work, or keeps it for the graph where the stream is being captured.
CUresult run_or_record(CUstream stream, std::function<CUresult()> work);
bool is_capturing(CUstream stream);
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and the capture is invalid, for a call that a capture under way forbids: one that
/// allocates, loads or waits. Source: CUDA Driver API 13.0, cuThreadExchangeStreamCaptureMode.
CUresult check_unsafe_call();
/// The same for waiting for a stream that is being captured.
CUresult refuse_waiting(CUstream stream);
/// What the last launch of this thread found, in words.
std::string &last_report();
Statistics &last_statistics();
/// Report::profile of the last launch of this thread.
std::vector<profile::Entry> &last_profile();
/// Report::schedule of the last launch of this thread.
std::string &last_schedule();
CUresult launch(const CUlaunchConfig &config, CUfunc_st *function, void **parameters, void **extra);

}  // namespace warpwright::emulator::driver

/// Returns from the calling function what is not CUDA_SUCCESS.
#define WW_CHECK(expression) \
  if (const CUresult ww_result = (expression); ww_result != CUDA_SUCCESS) return ww_result

/// The findings of this thread's last launch, or why its last module was refused, a line each; empty after a clean one.
/// Valid until the next launch or load.
extern "C" __attribute__((visibility("default"))) const char *wwEmulatorLastReport(void);

/// How later launches of the process run: `schedule` "lazy", "eager", "random:SEED", "adversarial:WARP" (or without a
/// number, from warp 0 on), each with "+taken" or "+not-taken" behind it to force branches that depend on loaded data, or
/// "replay:FILE" with the decisions of an earlier launch; `jobs` clusters at a time.
/// Errors    CUDA_ERROR_INVALID_VALUE.
extern "C" __attribute__((visibility("default"))) CUresult wwEmulatorConfigure(const char *schedule, unsigned int jobs);

/// Names for the findings of later launches of kernels of that name: `names` as parse_names() reads them
/// (tools/emulator/machine/names.h), or nothing.
/// Errors    CUDA_ERROR_INVALID_VALUE.
extern "C" __attribute__((visibility("default"))) CUresult wwEmulatorSetNames(const char *kernel, const char *names);

/// Who listens to what later launches of kernels of that name do (tools/emulator/machine/trace.h), and may find something wrong
/// with it. A null `listen`: nobody any more.
/// Errors    CUDA_ERROR_INVALID_VALUE.
extern "C" __attribute__((visibility("default"))) CUresult wwEmulatorTrace(
    const char *kernel, void (*listen)(void *, const warpwright::emulator::TraceEvent &, warpwright::emulator::TraceVerdict *), void *user);

/// Findings that later launches of the process do not have, besides those waived before: a slug, and a part of the text that
/// the finding must have (empty: any). A null slug: none are waived any more.
/// Errors    CUDA_ERROR_INVALID_VALUE.
extern "C" __attribute__((visibility("default"))) CUresult wwEmulatorWaive(const char *slug, const char *text);

/// How later launches of the process read the order of one thread's tensor work: "tensor-order" (that of its issue) or
/// "ptx-strict" (the pairs that the ISA lists, and fences before asynchronous reads).
/// Errors    CUDA_ERROR_INVALID_VALUE.
extern "C" __attribute__((visibility("default"))) CUresult wwEmulatorSetPolicy(const char *policy);

/// Whether later launches of the process keep the decisions of their schedules, and those of this thread's last launch up to
/// its first finding; empty without one. Valid until the next launch.
extern "C" __attribute__((visibility("default"))) void wwEmulatorRecordSchedules(int records);
extern "C" __attribute__((visibility("default"))) const char *wwEmulatorLastSchedule(void);

/// Whether later launches of the process count what each instruction does.
extern "C" __attribute__((visibility("default"))) void wwEmulatorRecordProfiles(int records);

/// One instruction of this thread's last launch. `file` is without its folder, and empty where the PTX does not say; `cause` is
/// a profile::Cause.
struct ww_emulator_profile_row_t {
  const char *opcode, *file;
  uint32_t ptx_line, source_line, cause;
  warpwright::emulator::profile::Counters counters;
};
/// Row `index` in the order of the PTX. Valid until the next launch.
/// Errors    CUDA_ERROR_INVALID_VALUE behind the last one; CUDA_ERROR_NOT_FOUND when the launch was not counted.
extern "C" __attribute__((visibility("default"))) CUresult wwEmulatorLastProfile(size_t index, ww_emulator_profile_row_t *row);

/// Sums over this thread's last launch.
struct ww_emulator_statistics_t {
  uint64_t warp_instructions, mmas, bytes_loaded, bytes_stored;
};
extern "C" __attribute__((visibility("default"))) void wwEmulatorLastStatistics(ww_emulator_statistics_t *statistics);
