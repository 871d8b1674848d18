// SPDX-License-Identifier: Apache-2.0
// The runtime over every device there is: gpu_multi ARCHIVE [--short]. Eight threads a device, captures and their replays,
// prepared calls, misuse across devices, a reset context. With WARPWRIGHT_LIBCUDA it runs on another driver.
//
// Exit codes: 0 all is right, 1 something is wrong, 77 [SKIP] no driver or no device of compute capability 9.0.
#include "warpwright/warpwright.h"

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name)

namespace {

constexpr int kSkipped = 77, kThreads = 8;
constexpr int64_t kCols = 96;

struct Cuda {
#define CUDA_FUNCTION(name) decltype(&::name) name = nullptr;
#define CUDA_FUNCTIONS                                                                                            \
  CUDA_FUNCTION(cuDeviceGetCount) CUDA_FUNCTION(cuDevicePrimaryCtxRetain) CUDA_FUNCTION(cuDevicePrimaryCtxReset)  \
  CUDA_FUNCTION(cuDevicePrimaryCtxRelease) CUDA_FUNCTION(cuCtxSetCurrent) CUDA_FUNCTION(cuCtxSynchronize)         \
  CUDA_FUNCTION(cuMemAlloc) CUDA_FUNCTION(cuMemFree) CUDA_FUNCTION(cuMemcpyHtoD) CUDA_FUNCTION(cuMemcpyDtoH)      \
  CUDA_FUNCTION(cuStreamCreate) CUDA_FUNCTION(cuStreamDestroy) CUDA_FUNCTION(cuStreamSynchronize)                 \
  CUDA_FUNCTION(cuStreamBeginCapture) CUDA_FUNCTION(cuStreamEndCapture) CUDA_FUNCTION(cuGraphInstantiate)         \
  CUDA_FUNCTION(cuGraphLaunch) CUDA_FUNCTION(cuGraphExecDestroy) CUDA_FUNCTION(cuGraphDestroy)
  CUDA_FUNCTIONS
#undef CUDA_FUNCTION
};

Cuda cuda;

void load_cuda() {
  const char *path = std::getenv("WARPWRIGHT_LIBCUDA");
  void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
#define CUDA_FUNCTION(name) cuda.name = reinterpret_cast<decltype(cuda.name)>(dlsym(library, SYMBOL_OF(name)));
  CUDA_FUNCTIONS
#undef CUDA_FUNCTION
}

void require(bool condition, const std::string &what) {
  if (condition) return;
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(1);
}

void require_cuda(CUresult result, const char *what) {
  require(result == CUDA_SUCCESS, std::string(what) + ": CUDA error " + std::to_string(result));
}

/// `status` is made before `message` is read: both are named by the caller's statement before this one.
void require_status(ww_status_t expected, ww_status_t status, const ww_message_t &message, const char *what) {
  require(status == expected, std::string(what) + ": " + wwStatusText(status) + ": " + message.text);
}

/// One problem of m rows in the current context.
class Problem {
 public:
  Problem(int device, int64_t m) : m_(m) {
    const auto rows = static_cast<size_t>(m), elems = static_cast<size_t>(m * kCols);
    std::vector<float> x(elems), scale(rows);
    for (size_t i = 0; i < elems; ++i) x[i] = static_cast<float>(static_cast<int>((i * 37 + static_cast<size_t>(device)) % 201) - 100);
    for (size_t i = 0; i < rows; ++i) scale[i] = 1.0f / static_cast<float>(1 << (i % 7));
    for (size_t i = 0; i < elems; ++i) expected_.push_back(x[i] * scale[i / kCols]);
    upload(&x_, x);
    upload(&scale_, scale);
    upload(&y_, std::vector<float>(elems, -12345.0f));
    upload(&workspace_, std::vector<float>(64, 1.0f));  // 256 B that are not 0
    require_cuda(cuda.cuCtxSynchronize(), "cuCtxSynchronize");
    variable_ = {"m", m_};
    buffers_[0] = {"x", pointer(x_), elems * 4};
    buffers_[1] = {"scale", pointer(scale_), rows * 4};
    buffers_[2] = {"y", pointer(y_), elems * 4};
    launch.struct_bytes = sizeof(launch);
    launch.variables = &variable_;
    launch.num_variables = 1;
    launch.buffers = buffers_;
    launch.num_buffers = 3;
    launch.workspace = pointer(workspace_);
    launch.workspace_bytes = 256;
  }
  Problem(const Problem &) = delete;
  ~Problem() {
    for (const CUdeviceptr address : {x_, scale_, y_, workspace_}) cuda.cuMemFree(address);
  }

  void poison() {
    const std::vector<float> poison(expected_.size(), -12345.0f);
    require_cuda(cuda.cuMemcpyHtoD(y_, poison.data(), poison.size() * 4), "poison");
    require_cuda(cuda.cuCtxSynchronize(), "cuCtxSynchronize");
  }
  void compare(const char *what) const {
    std::vector<float> y(expected_.size());
    require_cuda(cuda.cuMemcpyDtoH(y.data(), y_, y.size() * 4), "copy y");
    for (size_t i = 0; i < y.size(); ++i)
      require(y[i] == expected_[i], std::string(what) + ": m " + std::to_string(m_) + ", element " + std::to_string(i) + ": " +
                                        std::to_string(y[i]) + ", expected " + std::to_string(expected_[i]));
  }
  ww_buffer_t *buffers() { return buffers_; }

  ww_launch_t launch = {};

 private:
  static void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }
  static void upload(CUdeviceptr *address, const std::vector<float> &values) {
    require_cuda(cuda.cuMemAlloc(address, values.size() * 4), "cuMemAlloc");
    require_cuda(cuda.cuMemcpyHtoD(*address, values.data(), values.size() * 4), "copy in");
  }

  int64_t m_;
  CUdeviceptr x_ = 0, scale_ = 0, y_ = 0, workspace_ = 0;
  std::vector<float> expected_;
  ww_variable_t variable_ = {};
  ww_buffer_t buffers_[3] = {};
};

/// What every test needs.
struct Bench {
  ww_driver_t *driver = nullptr;
  ww_operator_t *scale = nullptr, *counted = nullptr;
  std::vector<CUcontext> contexts;
  bool is_short = false;
};

CUstream make_stream() {
  CUstream stream = nullptr;
  require_cuda(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

void test_first_launch_in_a_capture(const Bench &bench) {
  ww_message_t message;
  CUstream stream = make_stream();
  Problem problem(0, 100);
  problem.launch.stream = stream;
  CUgraph graph = nullptr;
  require_cuda(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "begin capture");
  const ww_status_t refused = wwOperatorLaunch(bench.scale, bench.driver, &problem.launch, &message);
  require_status(WW_STATUS_NOT_LOADED, refused, message, "the first launch, in a capture");
  // Another thread loads meanwhile; the capture stays sound.
  std::thread([&] {
    ww_message_t own;
    require_cuda(cuda.cuCtxSetCurrent(bench.contexts[0]), "set context");
    for (ww_operator_t *op : {bench.scale, bench.counted}) {
      const ww_status_t loaded = wwOperatorLoad(op, bench.driver, 0, &own);
      require_status(WW_STATUS_OK, loaded, own, "load beside a capture");
    }
  }).join();
  const ww_status_t launched = wwOperatorLaunch(bench.scale, bench.driver, &problem.launch, &message);
  require_status(WW_STATUS_OK, launched, message, "launch in a capture");
  require_cuda(cuda.cuStreamEndCapture(stream, &graph), "end capture");
  cuda.cuGraphDestroy(graph);
  cuda.cuStreamDestroy(stream);
  std::printf("capture: a kernel that is not loaded is refused by name; loading in another thread spoils nothing\n");
}

/// Launches and calls of both operators, captured; replayed over poisoned results.
void replay(const Bench &bench, int device, int64_t m, int num_replays) {
  ww_message_t message;
  CUstream stream = make_stream();
  Problem first(device, m), second(device, m + 1);
  first.launch.stream = second.launch.stream = stream;
  ww_call_t *call = nullptr;
  const ww_status_t made = wwCallCreate(bench.counted, bench.driver, &second.launch, &call, &message);
  require_status(WW_STATUS_OK, made, message, "make a call");
  // Other threads capture, allocate and copy at the same time.
  require_cuda(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "begin capture");
  for (int i = 0; i < 2; ++i) {
    const ww_status_t launched = wwOperatorLaunch(bench.scale, bench.driver, &first.launch, &message);
    require_status(WW_STATUS_OK, launched, message, "captured launch");
    const ww_status_t called = wwCallLaunch(call, stream, &message);
    require_status(WW_STATUS_OK, called, message, "captured call");
  }
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  require_cuda(cuda.cuStreamEndCapture(stream, &graph), "end capture");
  require_cuda(cuda.cuGraphInstantiate(&executable, graph, 0), "instantiate");
  for (int i = 0; i < num_replays; ++i) {
    first.poison();
    second.poison();
    require_cuda(cuda.cuGraphLaunch(executable, stream), "replay");
    require_cuda(cuda.cuStreamSynchronize(stream), "wait for the replay");
    first.compare("replay");
    second.compare("replay of a cleared workspace");
  }
  cuda.cuGraphExecDestroy(executable);
  cuda.cuGraphDestroy(graph);
  wwCallDestroy(call);
  cuda.cuStreamDestroy(stream);
}

void test_threads(const Bench &bench) {
  std::vector<std::thread> threads;
  const int num_rounds = bench.is_short ? 1 : 20;
  for (size_t d = 0; d < bench.contexts.size(); ++d)
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, d, t] {
        const int device = static_cast<int>(d);
        require_cuda(cuda.cuCtxSetCurrent(bench.contexts[d]), "set context");
        ww_message_t message;
        CUstream stream = make_stream();
        for (int i = 0; i < num_rounds; ++i) {
          Problem problem(device, 1 + t * 19 + i * 13);
          problem.launch.stream = stream;
          for (ww_operator_t *op : {bench.scale, bench.counted}) {
            problem.poison();
            const ww_status_t launched = wwOperatorLaunch(op, bench.driver, &problem.launch, &message);
            require_status(WW_STATUS_OK, launched, message, "launch in a thread");
            require_cuda(cuda.cuStreamSynchronize(stream), "wait in a thread");
            problem.compare("thread");
          }
        }
        replay(bench, device, 60 + t, bench.is_short ? 2 : 10);
        cuda.cuStreamDestroy(stream);
      });
  for (std::thread &thread : threads) thread.join();
  std::printf("threads: %zu device(s) x %d threads: %d launches of two operators each, one capture, its replays\n",
              bench.contexts.size(), kThreads, num_rounds);
}

void test_misuse(const Bench &bench) {
  ww_message_t message;
  const auto expect = [&](ww_status_t status, const ww_launch_t &launch, const char *what) {
    const ww_status_t got = wwOperatorLaunch(bench.scale, bench.driver, &launch, &message);
    require_status(status, got, message, what);
    std::printf("  %s: %s\n", what, message.text);
  };
  std::printf("misuse, each refused with:\n");
  require_cuda(cuda.cuCtxSetCurrent(bench.contexts[0]), "set context");
  Problem problem(0, 100);
  std::vector<float> host(static_cast<size_t>(100 * kCols) + 64);
  const ww_buffer_t sound = problem.buffers()[0];
  problem.buffers()[0].pointer = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(host.data()) + 255) / 256 * 256);
  expect(WW_STATUS_NOT_DEVICE_MEMORY, problem.launch, "host memory");
  problem.buffers()[0].pointer = problem.buffers()[2].pointer;
  expect(WW_STATUS_OVERLAPPING_TENSORS, problem.launch, "in place");
  problem.buffers()[0] = sound;
  if (bench.contexts.size() > 1) {
    CUstream elsewhere = nullptr;
    require_cuda(cuda.cuCtxSetCurrent(bench.contexts[1]), "set context");
    elsewhere = make_stream();
    Problem other(1, 100);
    expect(WW_STATUS_WRONG_DEVICE, problem.launch, "another device's memory");
    ww_call_t *call = nullptr;
    const ww_status_t made = wwCallCreate(bench.scale, bench.driver, &other.launch, &call, &message);
    require_status(WW_STATUS_OK, made, message, "make a call");
    require_cuda(cuda.cuCtxSetCurrent(bench.contexts[0]), "set context");
    problem.launch.stream = elsewhere;
    expect(WW_STATUS_WRONG_DEVICE, problem.launch, "another device's stream");
    problem.launch.stream = nullptr;
    const ww_status_t called = wwCallLaunch(call, nullptr, &message);
    require_status(WW_STATUS_WRONG_DEVICE, called, message, "another device's call");
    std::printf("  another device's call: %s\n", message.text);
    wwCallDestroy(call);
    require_cuda(cuda.cuCtxSetCurrent(bench.contexts[1]), "set context");
  }
  require_cuda(cuda.cuCtxSetCurrent(bench.contexts[0]), "set context");
  const ww_status_t launched = wwOperatorLaunch(bench.scale, bench.driver, &problem.launch, &message);
  require_status(WW_STATUS_OK, launched, message, "launch after misuse");
  require_cuda(cuda.cuCtxSynchronize(), "wait after misuse");
  problem.compare("after misuse");
}

/// Last: it ends every other use of the device.
void test_reset(Bench *bench) {
  ww_message_t message;
  const int device = static_cast<int>(bench->contexts.size()) - 1;
  require_cuda(cuda.cuCtxSetCurrent(nullptr), "no context");
  require_cuda(cuda.cuDevicePrimaryCtxReset(device), "reset");
  CUcontext &context = bench->contexts.back();
  require_cuda(cuda.cuDevicePrimaryCtxRetain(&context, device), "retain again");
  require_cuda(cuda.cuCtxSetCurrent(context), "set context");
  for (ww_operator_t *op : {bench->scale, bench->counted}) {
    Problem problem(device, 300);
    const ww_status_t launched = wwOperatorLaunch(op, bench->driver, &problem.launch, &message);
    require_status(WW_STATUS_OK, launched, message, "launch after a reset");
    require_cuda(cuda.cuCtxSynchronize(), "wait after a reset");
    problem.compare("after a reset");
  }
  std::printf("reset: the primary context of device %d was reset, kernels were placed and launched again\n", device);
}

void measure(const Bench &bench) {
  ww_message_t message;
  CUstream stream = make_stream();
  Problem problem(0, 256);
  problem.launch.stream = stream;
  ww_call_t *call = nullptr;
  const ww_status_t made = wwCallCreate(bench.scale, bench.driver, &problem.launch, &call, &message);
  require_status(WW_STATUS_OK, made, message, "make a call");
  for (const bool is_call : {false, true}) {
    std::vector<double> us;
    for (int i = 0; i < 2000; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const ww_status_t status = is_call ? wwCallLaunch(call, stream, nullptr)
                                         : wwOperatorLaunch(bench.scale, bench.driver, &problem.launch, nullptr);
      us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
      require(status == WW_STATUS_OK, "timed launch");
      if (i % 100 == 99) cuda.cuStreamSynchronize(stream);  // keeps the queue short of where a launch blocks
    }
    std::sort(us.begin(), us.end());
    std::printf("%s: median %.2f us\n", is_call ? "wwCallLaunch" : "wwOperatorLaunch", us[us.size() / 2]);
  }
  wwCallDestroy(call);
  cuda.cuStreamDestroy(stream);
}

}  // namespace

int main(int argc, char **argv) {
  Bench bench;
  bench.is_short = argc == 3 && std::string(argv[2]) == "--short";
  if (argc != 2 && !bench.is_short) {
    std::printf("usage: gpu_multi ARCHIVE [--short]\n");
    return 2;
  }
  ww_message_t message;
  ww_archive_t *archive = nullptr;
  ww_status_t status = wwArchiveOpen(argv[1], &archive, &message);
  require_status(WW_STATUS_OK, status, message, "open");
  status = wwDriverOpen(nullptr, &bench.driver, &message);
  if (status == WW_STATUS_NO_DRIVER || status == WW_STATUS_NO_DEVICE) {
    std::printf("[SKIP] gpu_multi: %s\n", message.text);
    return kSkipped;
  }
  require_status(WW_STATUS_OK, status, message, "driver");
  load_cuda();
  int num_devices = 0;
  require_cuda(cuda.cuDeviceGetCount(&num_devices), "cuDeviceGetCount");
  for (int i = 0; i < num_devices; ++i) {
    ww_device_info_t device = {};
    device.struct_bytes = sizeof(device);
    status = wwDriverDescribeDevice(bench.driver, i, &device, &message);
    require_status(WW_STATUS_OK, status, message, "describe a device");
    if (device.major != 9 || device.minor != 0) {
      std::printf("[SKIP] gpu_multi: device %d has compute capability %d.%d, 9.0 is needed\n", i, device.major, device.minor);
      return kSkipped;
    }
    bench.contexts.push_back(nullptr);
    require_cuda(cuda.cuDevicePrimaryCtxRetain(&bench.contexts.back(), i), "cuDevicePrimaryCtxRetain");
  }
  std::printf("devices: %d\n", num_devices);
  status = wwArchiveFindOperator(archive, "row_scale", &bench.scale, &message);
  require_status(WW_STATUS_OK, status, message, "row_scale");
  status = wwArchiveFindOperator(archive, "row_scale_counted", &bench.counted, &message);
  require_status(WW_STATUS_OK, status, message, "row_scale_counted");
  require_cuda(cuda.cuCtxSetCurrent(bench.contexts[0]), "cuCtxSetCurrent");
  test_first_launch_in_a_capture(bench);
  test_threads(bench);
  test_misuse(bench);
  if (!bench.is_short) measure(bench);
  test_reset(&bench);
  wwArchiveClose(archive);
  wwDriverClose(bench.driver);
  std::printf("gpu_multi: all right\n");
  return 0;
}
