// SPDX-License-Identifier: Apache-2.0
// Ninety-six live values in the sixty-four registers that 1,024 threads leave: ptxas must spill.
extern "C" __global__ void __launch_bounds__(1024, 1) planted_spill(const float *in, float *out) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = in[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) {
    out[i * 1024 + threadIdx.x] = values[i] * values[95 - i] + values[(i * 7 + 3) % 96];
  }
}
