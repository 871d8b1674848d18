// SPDX-License-Identifier: Apache-2.0
// What nvcc turns into each form of PTX that the front end reads: variables with initial values, addresses in them, calls,
// local arrays, floats of every width, tuning directives, blocks of inline assembly.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cassert>
#include <cstdint>
#include <cstdio>

struct Record {
  char a;
  short b;
  int c;
  double d;
  void *pointer;
};

__constant__ float floats[8] = {1.f, 2.f, -0.5f, 3e10f, 0, 0, 0, 0.25f};
__constant__ double one_double = -2.5;
__device__ int counters[16] = {1, 2, 3, -4};
__device__ unsigned long long wide[3] = {~0ull, 1, 0x123456789abcdefull};
__device__ int *pointer_to_counter = &counters[3];
__device__ Record record = {1, 2, 3, 4.5, &counters[2]};
__managed__ int managed_one = 7;
__device__ float one_float = 1.5f;
__device__ float4 matrix[2][3];

__device__ __noinline__ int scaled(int x, float4 v) { return x * 7 + static_cast<int>(v.y); }
__device__ __noinline__ Record changed(Record r) {
  r.d *= 2;
  return r;
}
__device__ __noinline__ int plus_one(int x) { return x + 1; }
__device__ __noinline__ int twice(int x) { return x * 2; }
using Function = int (*)(int);
__device__ Function functions[2] = {plus_one, twice};

extern "C" __global__ void __launch_bounds__(256, 2) switches(int *out, int n, Record r) {
  __shared__ float tile[128];
  extern __shared__ uint8_t dynamic_bytes[];
  int local[32];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    local[(i * 7) & 31] = i * n;
    tile[i & 127] = static_cast<float>(i);
    dynamic_bytes[i] = static_cast<uint8_t>(i);
  }
  int x = 0;
  switch (out[0]) {
    case 0: x = scaled(n, make_float4(1, 2, 3, 4)); break;
    case 1: x = local[n & 31]; break;
    case 2: x = counters[n]; break;
    case 3: x = static_cast<int>(floats[n]); break;
    case 4: x = static_cast<int>(one_double * 1.1 * changed(r).d); break;
    case 5: x = static_cast<int>(tile[n]); break;
    case 6: x = static_cast<int>(wide[n & 1] >> 3); break;
    case 7: printf("n is %d, half of it %f\n", n, n * 0.5); break;
    case 8: x = functions[n & 1](n); break;
    case 9: x = *pointer_to_counter + managed_one + static_cast<int>(record.d) + r.b; break;
    case 10: x = static_cast<int>(one_float + matrix[n][n].z); break;
    default: x = -1; __trap();
  }
  const __half h = __float2half(x * 0.25f) * __half(1.5f);
  const __nv_bfloat16 b = __float2bfloat16(x * 0.125f);
  out[threadIdx.x] = x + static_cast<int>(__half2float(h)) + static_cast<int>(__bfloat162float(b)) + dynamic_bytes[n];
  atomicAdd(out + 1, __popc(__ballot_sync(~0u, x > 3)));
  assert(x != 9);
}

extern "C" __global__ void waits(uint32_t barrier, __int128 *q) {
  for (uint32_t phase = 0; phase < 2; ++phase)
    asm volatile("{\n.reg .pred p;\n.reg .b32 t<3>;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra WAIT;\n}" ::"r"(barrier), "r"(phase));
  asm volatile("{ .reg .pred p; WAIT: setp.eq.s32 p, %0, 0b101; @p bra WAIT; /* again */ bra DONE; DONE: }" ::"r"(barrier));
  asm volatile("{ .reg .v2 .b32 v; mov.b32 v.x, %0; mov.b32 v.y, 07U; st.shared.v2.b32 [%0+-8], v; }" ::"r"(barrier));
  q[0] = q[1] + q[2];
}

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) paired(float4 *out, const float4 *__restrict__ in) {
  out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x];
}
__global__ void __launch_bounds__(128, 1, 4) ranked(float *out) { out[0] = 1; }
__global__ void __maxnreg__(64) limited(double *out) { out[0] += 0.1; }
