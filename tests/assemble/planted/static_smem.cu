// SPDX-License-Identifier: Apache-2.0
// A __shared__ array that the plan does not know.
extern "C" __global__ void __launch_bounds__(128, 1) planted_static_smem(const float *in, float *out) {
  __shared__ float values[128];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[127 - threadIdx.x];
}
