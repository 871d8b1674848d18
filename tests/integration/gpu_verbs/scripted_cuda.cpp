// SPDX-License-Identifier: Apache-2.0
// The emulator's driver with what it does not have: graphs, scripted times, scripted failures. Launches run when they are captured;
// replaying a graph does nothing but count.
//
// Environment  SCRIPTED_CUDA_LOG: a file, a line for each launch and replay. SCRIPTED_CUDA_US: microseconds of a launch by kind,
//              "whole,dependent". SCRIPTED_CUDA_TBPS: what the read kernel reaches. SCRIPTED_CUDA_FAIL: "NAME:CODE:COUNT", the COUNT-th call of a function and all later calls of
//              any function here fail with CODE. SCRIPTED_CUDA_OVERRUN: launches write a byte behind a buffer of so many bytes.
//              SCRIPTED_CUDA_FLIP: every second launch writes the last byte of the first such
//              buffer. SCRIPTED_CUDA_NUDGE: every launch changes
//              the lowest bit of its last value of 16 bits.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#define EXPORTED __attribute__((visibility("default")))
#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name)
#define NEXT(name) reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, SYMBOL_OF(name)))

struct CUgraph_st {
  int whole = 0, dependent = 0;
};
struct CUgraphExec_st {
  CUgraph_st nodes;
};

namespace {

/// Time as events see it, in microseconds.
double now_us = 0;
std::map<CUevent, double> recorded_us;
bool is_capturing = false;
CUgraph_st captured;
CUresult lost = CUDA_SUCCESS;
std::map<CUdeviceptr, size_t> allocations;
int launches = 0;
constexpr size_t kL2Bytes = 1 << 16;
constexpr size_t kLargestBytes = size_t{1} << 31;
constexpr size_t kGuardBytes = 1 << 20;  // tools/cli/gpu_device.cpp

const char *setting(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

void log(const std::string &line) {
  if (std::FILE *file = *setting("SCRIPTED_CUDA_LOG") ? std::fopen(setting("SCRIPTED_CUDA_LOG"), "a") : nullptr) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

/// Whether a call of this name fails now.
CUresult fate(const std::string &name) {
  static int calls = 0;
  char wanted[64] = {};
  int code = 0, count = 1;
  if (lost == CUDA_SUCCESS && std::sscanf(setting("SCRIPTED_CUDA_FAIL"), "%63[^:]:%d:%d", wanted, &code, &count) >= 2 && name == wanted &&
      ++calls >= count)
    lost = static_cast<CUresult>(code);
  return lost;
}

double time_us(bool is_dependent) {
  double whole = 1200, dependent = 800;
  std::sscanf(setting("SCRIPTED_CUDA_US"), "%lf,%lf", &whole, &dependent);
  return is_dependent ? dependent : whole;
}

/// What SCRIPTED_CUDA_OVERRUN and SCRIPTED_CUDA_FLIP ask of a launch.
void misbehave() {
  ++launches;
  const auto overrun = static_cast<size_t>(std::atoll(setting("SCRIPTED_CUDA_OVERRUN")));
  const auto flip = static_cast<size_t>(std::atoll(setting("SCRIPTED_CUDA_FLIP")));
  const auto nudge = static_cast<size_t>(std::atoll(setting("SCRIPTED_CUDA_NUDGE")));
  for (const auto &[base, bytes] : allocations) {
    if (nudge && bytes == nudge + 2 * kGuardBytes) {
      unsigned char low = 0;
      NEXT(cuMemcpyDtoH)(&low, base + kGuardBytes + nudge - 2, 1);
      NEXT(cuMemsetD8)(base + kGuardBytes + nudge - 2, low ^ 1, 1);
    }
    if (overrun && bytes == overrun + 2 * kGuardBytes) NEXT(cuMemsetD8)(base + kGuardBytes + overrun, 0, 1);
    // `time` has no guards.
    if (!flip || (bytes != flip && bytes != flip + 2 * kGuardBytes) || launches % 2 != 0) continue;
    NEXT(cuMemsetD8)(base + (bytes == flip ? 0 : kGuardBytes) + flip - 1, 0x33, 1);
    break;
  }
}

}  // namespace

extern "C" {

EXPORTED CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (attribute != CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) return NEXT(cuDeviceGetAttribute)(value, attribute, device);
  *value = static_cast<int>(kL2Bytes);
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuDeviceGetPCIBusId(char *text, int, CUdevice) {
  std::strcpy(text, "0000:3B:00.0");
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (const CUresult result = fate("cuMemAlloc"); result != CUDA_SUCCESS) return result;
  // What the read kernel reads: nobody does.
  if (bytes >= kLargestBytes) bytes = kGuardBytes;
  const CUresult result = NEXT(cuMemAlloc)(address, bytes);
  if (result == CUDA_SUCCESS) allocations[*address] = bytes;
  return result;
}

EXPORTED CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, size_t bytes) {
  return bytes >= kLargestBytes ? CUDA_SUCCESS : NEXT(cuMemsetD8)(address, value, bytes);
}

/// The read kernel, which takes `bytes` / SCRIPTED_CUDA_TBPS.
EXPORTED CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **parameters, void **) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, parameters[1], sizeof bytes);
  now_us += static_cast<double>(bytes) / (std::atof(setting("SCRIPTED_CUDA_TBPS")) * 1e6);
  return fate("cuLaunchKernel");
}

EXPORTED CUresult cuMemFree(CUdeviceptr address) {
  allocations.erase(address);
  return NEXT(cuMemFree)(address);
}

EXPORTED CUresult cuStreamQuery(CUstream) { return fate("cuStreamQuery"); }
EXPORTED CUresult cuCtxSynchronize() { return lost; }

EXPORTED CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
  if (const CUresult result = fate("cuLaunchKernelEx"); result != CUDA_SUCCESS) return result;
  bool is_dependent = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) is_dependent |= config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  log(std::string(is_capturing ? "capture " : "launch ") + (is_dependent ? "dependent" : "whole"));
  if (is_capturing) ++(is_dependent ? captured.dependent : captured.whole);
  const CUresult result = NEXT(cuLaunchKernelEx)(config, function, parameters, extra);
  misbehave();
  return result;
}

EXPORTED CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  is_capturing = true;
  captured = {};
  return fate("cuStreamBeginCapture");
}

EXPORTED CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  is_capturing = false;
  *graph = new CUgraph_st(captured);
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuGraphUpload(CUgraphExec, CUstream) { return lost; }

EXPORTED CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  if (const CUresult result = fate("cuGraphLaunch"); result != CUDA_SUCCESS) return result;
  // Each replay is slower than the one before by a thousandth, so that the samples have quartiles.
  static double slower = 1;
  slower += 0.001;
  now_us += slower * (executable->nodes.whole * time_us(false) + executable->nodes.dependent * time_us(true));
  log("replay " + std::to_string(executable->nodes.whole) + " whole " + std::to_string(executable->nodes.dependent) + " dependent");
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuEventRecord(CUevent event, CUstream) {
  recorded_us[event] = now_us;
  return lost;
}

EXPORTED CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  *milliseconds = static_cast<float>((recorded_us[end] - recorded_us[start]) / 1e3);
  return lost;
}

}  // extern "C"
