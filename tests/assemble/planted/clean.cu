// SPDX-License-Identifier: Apache-2.0
// Nothing to complain about, under the strictest policy.
extern "C" __global__ void __launch_bounds__(128, 1) planted_clean(const float *in, float *out) {
  extern __shared__ float values[];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[127 - threadIdx.x];
}
