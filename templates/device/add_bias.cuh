// SPDX-License-Identifier: Apache-2.0
/// Adds bias[n + i] to element i; n is a multiple of 4. After a scaling the compiler contracts both to one FMA.
template <int kElems> WW_DEVICE void add_bias(Fragment<kElems> &f, const float *bias, int n) {
#pragma unroll
  for (int i = 0; i < kElems; i += 4) {
    const float4 b = __ldg(reinterpret_cast<const float4 *>(bias + n + i));
    f.v[i] += b.x;
    f.v[i + 1] += b.y;
    f.v[i + 2] += b.z;
    f.v[i + 3] += b.w;
  }
}
