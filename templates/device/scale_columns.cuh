// SPDX-License-Identifier: Apache-2.0
/// Multiplies element i by alpha * column_scale[n + i]; n is a multiple of 4.
template <int kElems>
WW_DEVICE void scale_columns(Fragment<kElems> &f, float alpha, const float *column_scale, int n) {
#pragma unroll
  for (int i = 0; i < kElems; i += 4) {
    const float4 s = __ldg(reinterpret_cast<const float4 *>(column_scale + n + i));
    f.v[i] *= alpha * s.x;
    f.v[i + 1] *= alpha * s.y;
    f.v[i + 2] *= alpha * s.z;
    f.v[i + 3] *= alpha * s.w;
  }
}
