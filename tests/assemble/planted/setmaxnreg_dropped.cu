// SPDX-License-Identifier: Apache-2.0
// Without launch bounds ptxas does not know the registers at entry and ignores setmaxnreg.
extern "C" __global__ void planted_setmaxnreg_dropped(const float *in, float *out) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    out[threadIdx.x] = in[threadIdx.x];
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    out[threadIdx.x] = in[threadIdx.x] * 2.0f;
  }
}
