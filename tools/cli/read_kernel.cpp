// SPDX-License-Identifier: Apache-2.0
// The read kernel and its timing.
#include "tools/cli/read_kernel.h"

#include <algorithm>

namespace warpwright::cli {

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kCtasPerSm = 4;  // 2,048 threads, as many as an SM has. CUDA C++ Programming Guide 13.0, "Compute Capabilities"
constexpr uint64_t kLeastBytes = uint64_t{1} << 32;
constexpr uint64_t kMultipleOfL2 = 16;
constexpr int kPasses = 12;

}  // namespace

// Four loads of 16 bytes are in flight in each thread; a word that would show whether anything was read is stored only for a sum
// that a memory of zeros does not have. `bytes` is a multiple of 64 times the number of threads.
const char *const kReadKernelPtx = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry ww_read_memory(.param .u64 data, .param .u64 bytes, .param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [bytes];
  ld.param.u64 %rd3, [out];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd3, %rd3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r1, %r2, %r3;
  mul.lo.u32 %r6, %r2, %r4;
  mul.wide.u32 %rd4, %r5, 16;
  mul.wide.u32 %rd5, %r6, 16;
  add.u64 %rd6, %rd1, %rd4;
  add.u64 %rd7, %rd1, %rd2;
  mov.u32 %r7, 0;
$next:
  setp.ge.u64 %p1, %rd6, %rd7;
  @%p1 bra $done;
  add.u64 %rd8, %rd6, %rd5;
  add.u64 %rd9, %rd8, %rd5;
  add.u64 %rd10, %rd9, %rd5;
  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd6];
  ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%rd8];
  ld.global.v4.u32 {%r16, %r17, %r18, %r19}, [%rd9];
  ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd10];
  or.b32 %r8, %r8, %r9;
  or.b32 %r10, %r10, %r11;
  or.b32 %r12, %r12, %r13;
  or.b32 %r14, %r14, %r15;
  or.b32 %r16, %r16, %r17;
  or.b32 %r18, %r18, %r19;
  or.b32 %r20, %r20, %r21;
  or.b32 %r22, %r22, %r23;
  or.b32 %r8, %r8, %r10;
  or.b32 %r12, %r12, %r14;
  or.b32 %r16, %r16, %r18;
  or.b32 %r20, %r20, %r22;
  or.b32 %r8, %r8, %r12;
  or.b32 %r16, %r16, %r20;
  or.b32 %r7, %r7, %r8;
  or.b32 %r7, %r7, %r16;
  add.u64 %rd6, %rd10, %rd5;
  bra $next;
$done:
  setp.eq.u32 %p2, %r7, 0;
  @%p2 bra $end;
  st.global.u32 [%rd3], %r7;
$end:
  ret;
}
)";

std::optional<double> measure_read_ceiling(GpuDevice &device, int timeout_seconds) {
  const GpuDriver &cuda = device.functions();
  const unsigned ctas = kCtasPerSm * static_cast<unsigned>(device.about().num_sms);
  const uint64_t step = uint64_t{64} * kThreads * ctas;
  uint64_t bytes = (std::max(kLeastBytes, kMultipleOfL2 * device.about().l2_bytes) + step - 1) / step * step;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUevent begin = nullptr, end = nullptr;
  uint64_t data = device.allocate("the memory to read", bytes), out = device.allocate("the read kernel's word", 4);
  bool is_ready = data && out && device.check(cuda.cuMemsetD8(data, 0, bytes), "clearing memory") &&
                  device.check(cuda.cuCtxSynchronize(), "clearing memory") &&
                  device.check(cuda.cuModuleLoadData(&module, kReadKernelPtx), "loading the read kernel") &&
                  device.check(cuda.cuModuleGetFunction(&function, module, "ww_read_memory"), "loading the read kernel") &&
                  device.check(cuda.cuEventCreate(&begin, CU_EVENT_DEFAULT), "making an event") &&
                  device.check(cuda.cuEventCreate(&end, CU_EVENT_DEFAULT), "making an event");
  void *arguments[] = {&data, &bytes, &out};
  double best = 0;
  for (int pass = 0; pass < kPasses && is_ready; ++pass) {
    float milliseconds = 0;
    is_ready = device.check(cuda.cuEventRecord(begin, device.stream()), "recording an event") &&
               device.check(cuda.cuLaunchKernel(function, ctas, 1, 1, kThreads, 1, 1, 0, device.stream(), arguments, nullptr),
                            "launching the read kernel") &&
               device.check(cuda.cuEventRecord(end, device.stream()), "recording an event") && device.wait(timeout_seconds) &&
               device.check(cuda.cuEventElapsedTime(&milliseconds, begin, end), "reading an event");
    if (is_ready && milliseconds > 0) best = std::max(best, static_cast<double>(bytes) / (static_cast<double>(milliseconds) * 1e-3));
  }
  if (!device.is_hung()) {
    if (begin) cuda.cuEventDestroy(begin);
    if (end) cuda.cuEventDestroy(end);
    if (module) cuda.cuModuleUnload(module);
    device.free_all();
  }
  if (is_ready && best == 0) device.check(CUDA_ERROR_UNKNOWN, "the events around the read kernel are no time apart");
  return is_ready && best > 0 ? std::optional(best) : std::nullopt;
}

}  // namespace warpwright::cli
