// SPDX-License-Identifier: Apache-2.0
// Launches the row-scale operator of an archive on a real device and compares every value: gpu_smoke ARCHIVE [--no-timing].
// With WARPWRIGHT_LIBCUDA it runs on another driver, such as the emulator.
//
// Exit codes: 0 values are right, 1 something is wrong, 77 [SKIP] no driver or no device of compute capability 9.0.
#include "warpwright/warpwright.h"

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name)

namespace {

constexpr int kSkipped = 77;
constexpr int64_t kCols = 96;

/// What the test itself needs of the driver.
struct Cuda {
#define CUDA_FUNCTION(name) decltype(&::name) name = nullptr;
#define CUDA_FUNCTIONS                                                                                            \
  CUDA_FUNCTION(cuDevicePrimaryCtxRetain) CUDA_FUNCTION(cuCtxSetCurrent) CUDA_FUNCTION(cuMemAlloc)                \
  CUDA_FUNCTION(cuMemFree) CUDA_FUNCTION(cuMemcpyHtoD) CUDA_FUNCTION(cuMemcpyDtoH) CUDA_FUNCTION(cuStreamCreate)  \
  CUDA_FUNCTION(cuStreamSynchronize) CUDA_FUNCTION(cuStreamBeginCapture) CUDA_FUNCTION(cuStreamEndCapture)        \
  CUDA_FUNCTION(cuGraphInstantiate) CUDA_FUNCTION(cuGraphLaunch) CUDA_FUNCTION(cuDeviceGetName)       \
  CUDA_FUNCTION(cuCtxSynchronize)
  CUDA_FUNCTIONS
#undef CUDA_FUNCTION
};

Cuda load_cuda() {
  const char *path = std::getenv("WARPWRIGHT_LIBCUDA");
  void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
  Cuda cuda;
#define CUDA_FUNCTION(name) cuda.name = reinterpret_cast<decltype(cuda.name)>(dlsym(library, SYMBOL_OF(name)));
  CUDA_FUNCTIONS
#undef CUDA_FUNCTION
  return cuda;
}

void require(bool condition, const std::string &what) {
  if (condition) return;
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(1);
}

/// By reference: the call that fills `message` is another argument's, and arguments have no order.
void require_ok(ww_status_t status, const ww_message_t &message) { require(status == WW_STATUS_OK, message.text); }

void require_cuda(CUresult result, const char *what) {
  require(result == CUDA_SUCCESS, std::string(what) + ": CUDA error " + std::to_string(result));
}

/// Device memory with its size.
struct Buffer {
  Buffer(const Cuda &cuda, size_t elems) : num_bytes(elems * sizeof(float)) {
    require_cuda(cuda.cuMemAlloc(&address, num_bytes), "cuMemAlloc");
  }
  void *pointer() const { return reinterpret_cast<void *>(address); }
  CUdeviceptr address = 0;
  size_t num_bytes = 0;
};

/// One problem of m rows: small integers times small powers of two, so that every product is exact.
class Problem {
 public:
  Problem(const Cuda &cuda, int64_t m)
      : cuda_(cuda), m_(m), x_(cuda, elems()), scale_(cuda, static_cast<size_t>(m)), y_(cuda, elems()) {
    std::vector<float> x(elems()), scale(static_cast<size_t>(m));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 37 % 201) - 100);
    for (size_t i = 0; i < scale.size(); ++i) scale[i] = 1.0f / static_cast<float>(1 << (i % 7));
    require_cuda(cuda.cuMemcpyHtoD(x_.address, x.data(), x_.num_bytes), "copy x");
    require_cuda(cuda.cuMemcpyHtoD(scale_.address, scale.data(), scale_.num_bytes), "copy scale");
    for (int64_t row = 0; row < m; ++row)
      for (int64_t col = 0; col < kCols; ++col) {
        const size_t i = static_cast<size_t>(row * kCols + col);
        expected_.push_back(x[i] * scale[static_cast<size_t>(row)]);
      }
    poison();
  }
  ~Problem() {
    for (const Buffer *buffer : {&x_, &scale_, &y_}) cuda_.cuMemFree(buffer->address);
  }

  void poison() {
    const std::vector<float> poison(elems(), -12345.0f);
    require_cuda(cuda_.cuMemcpyHtoD(y_.address, poison.data(), y_.num_bytes), "poison y");
    // Copies from pageable memory may still be under way, and a non-blocking stream does not wait for them.
    require_cuda(cuda_.cuCtxSynchronize(), "cuCtxSynchronize");
  }

  ww_status_t launch(ww_operator_t *op, ww_driver_t *driver, CUstream stream, ww_message_t *message,
                     size_t misalign_bytes = 0) {
    const ww_variable_t variables[] = {{"m", m_}};
    const ww_buffer_t buffers[] = {{"x", static_cast<char *>(x_.pointer()) + misalign_bytes, 0},
                                   {"scale", scale_.pointer(), scale_.num_bytes},
                                   {"y", y_.pointer(), y_.num_bytes}};
    ww_launch_t launch = {};
    launch.struct_bytes = sizeof(launch);
    launch.variables = variables;
    launch.num_variables = 1;
    launch.buffers = buffers;
    launch.num_buffers = 3;
    launch.stream = stream;
    return wwOperatorLaunch(op, driver, &launch, message);
  }

  void compare(const char *what) const {
    std::vector<float> y(elems());
    require_cuda(cuda_.cuMemcpyDtoH(y.data(), y_.address, y_.num_bytes), "copy y");
    for (size_t i = 0; i < y.size(); ++i)
      require(y[i] == expected_[i], std::string(what) + ": m " + std::to_string(m_) + ", row " +
                                        std::to_string(i / kCols) + ", col " + std::to_string(i % kCols) + ": " +
                                        std::to_string(y[i]) + ", expected " + std::to_string(expected_[i]));
  }

 private:
  size_t elems() const { return static_cast<size_t>(m_ * kCols); }

  const Cuda &cuda_;
  int64_t m_;
  Buffer x_, scale_, y_;
  std::vector<float> expected_;
};

void test_values(const Cuda &cuda, ww_operator_t *op, ww_driver_t *driver, CUstream stream) {
  ww_message_t message;
  for (const int64_t m : {1, 63, 64, 65, 128, 129, 1000, 4096}) {
    Problem problem(cuda, m);
    require_ok(problem.launch(op, driver, stream, &message), message);
    require_cuda(cuda.cuStreamSynchronize(stream), "run");
    problem.compare("launch");
  }
  std::printf("values: 8 shapes are right, one kernel alone and one in clusters of two\n");
}

void test_misuse(const Cuda &cuda, ww_operator_t *op, ww_driver_t *driver, CUstream stream) {
  ww_message_t message;
  Problem problem(cuda, 100);
  require(problem.launch(op, driver, stream, &message, 4) == WW_STATUS_MISALIGNED_POINTER, "misalignment was accepted");
  require_ok(problem.launch(op, driver, stream, &message), message);
  require_cuda(cuda.cuStreamSynchronize(stream), "run after misuse");
  problem.compare("launch after misuse");
  std::printf("misuse: a misaligned pointer is refused and leaves the device usable\n");
}

void test_graph(const Cuda &cuda, ww_operator_t *op, ww_driver_t *driver, CUstream stream) {
  ww_message_t message;
  Problem problem(cuda, 777);
  require_cuda(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "begin capture");
  for (int i = 0; i < 3; ++i) require_ok(problem.launch(op, driver, stream, &message), message);
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  require_cuda(cuda.cuStreamEndCapture(stream, &graph), "end capture");
  require_cuda(cuda.cuGraphInstantiate(&executable, graph, 0), "instantiate");
  require_cuda(cuda.cuGraphLaunch(executable, stream), "launch graph");
  require_cuda(cuda.cuStreamSynchronize(stream), "run graph");
  problem.compare("graph");
  std::printf("graph: three dependent launches captured and replayed\n");
}

void test_threads(const Cuda &cuda, ww_operator_t *op, ww_driver_t *driver, CUcontext context) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      require_cuda(cuda.cuCtxSetCurrent(context), "set context");
      CUstream stream = nullptr;
      require_cuda(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "create stream");
      ww_message_t message;
      for (int i = 0; i < 20; ++i) {
        Problem problem(cuda, 1 + t * 97 + i * 13);
        require_ok(problem.launch(op, driver, stream, &message), message);
        require_cuda(cuda.cuStreamSynchronize(stream), "run in a thread");
        problem.compare("thread");
      }
    });
  for (std::thread &thread : threads) thread.join();
  std::printf("threads: 4 threads, 20 launches each, one operator\n");
}

void measure(const Cuda &cuda, ww_operator_t *op, ww_driver_t *driver, CUstream stream) {
  constexpr int kLaunches = 2000;
  Problem problem(cuda, 256);
  std::vector<double> us;
  for (int i = 0; i < kLaunches; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    require(problem.launch(op, driver, stream, nullptr) == WW_STATUS_OK, "timed launch");
    us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    if (i % 100 == 99) cuda.cuStreamSynchronize(stream);  // keeps the queue short of where a launch blocks
  }
  std::sort(us.begin(), us.end());
  std::printf("wwOperatorLaunch on the host: median %.2f us, 90%% %.2f us (%d launches, one tensor map, cluster)\n",
              us[us.size() / 2], us[us.size() * 9 / 10], kLaunches);
}

}  // namespace

int main(int argc, char **argv) {
  const bool has_timing = argc == 2;
  if (argc != 2 && (argc != 3 || std::string(argv[2]) != "--no-timing")) {
    std::printf("usage: gpu_smoke ARCHIVE [--no-timing]\n");
    return 2;
  }
  ww_message_t message;
  ww_archive_t *archive = nullptr;
  require_ok(wwArchiveOpen(argv[1], &archive, &message), message);
  require_ok(wwArchiveVerify(archive, &message), message);
  ww_driver_t *driver = nullptr;
  const ww_status_t opened = wwDriverOpen(nullptr, &driver, &message);
  if (opened == WW_STATUS_NO_DRIVER || opened == WW_STATUS_NO_DEVICE) {
    std::printf("[SKIP] gpu_smoke: %s\n", message.text);
    wwArchiveClose(archive);
    return kSkipped;
  }
  require_ok(opened, message);
  ww_device_info_t device = {};
  device.struct_bytes = sizeof(device);
  require_ok(wwDriverDescribeDevice(driver, 0, &device, &message), message);
  ww_operator_t *op = nullptr;
  require_ok(wwArchiveFindOperator(archive, "row_scale", &op, &message), message);
  if (device.major != 9 || device.minor != 0) {
    require(wwOperatorLoad(op, driver, 0, &message) == WW_STATUS_UNSUPPORTED_DEVICE, "another device was accepted");
    std::printf("[SKIP] gpu_smoke: needs compute capability 9.0: %s\n", message.text);
    return kSkipped;
  }

  const Cuda cuda = load_cuda();
  CUcontext context = nullptr;
  ww_launch_t no_context = {};
  no_context.struct_bytes = sizeof(no_context);
  require(wwOperatorLaunch(op, driver, &no_context, &message) == WW_STATUS_NO_CONTEXT, "launched without a context");
  // Before any context exists: loading belongs to no context.
  require_ok(wwOperatorLoad(op, driver, 0, &message), message);
  require_cuda(cuda.cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  require_cuda(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  require_ok(wwOperatorLoad(op, driver, 0, &message), message);
  char name[128] = {};
  cuda.cuDeviceGetName(name, sizeof(name), 0);
  std::printf("device: %s, compute capability %d.%d, %d multiprocessors\n", name, device.major, device.minor,
              device.num_sms);
  CUstream stream = nullptr;
  require_cuda(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  test_graph(cuda, op, driver, stream);  // first: nothing but wwOperatorLoad has placed the kernels
  test_values(cuda, op, driver, stream);
  test_misuse(cuda, op, driver, stream);
  test_threads(cuda, op, driver, context);
  if (has_timing) measure(cuda, op, driver, stream);
  require_cuda(cuda.cuStreamSynchronize(stream), "the end");
  wwArchiveClose(archive);
  wwDriverClose(driver);
  std::printf("gpu_smoke: all right\n");
  return 0;
}
