// SPDX-License-Identifier: Apache-2.0
// An array indexed by a value from memory lives in local memory.
extern "C" __global__ void __launch_bounds__(128, 1) planted_local_array(const int *in, int *out) {
  int values[256];
  for (int i = 0; i < 256; ++i) values[i] = in[i];
  out[threadIdx.x] = values[in[threadIdx.x] & 255];
}
