// SPDX-License-Identifier: Apache-2.0
// Ninety-six live values where the plan's launch bound leaves sixty-four registers, and no launch bound that says so.
extern "C" __global__ void planted_too_many_registers(const float *in, float *out) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = in[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) {
    out[i * 1024 + threadIdx.x] = values[i] * values[95 - i] + values[(i * 7 + 3) % 96];
  }
}
