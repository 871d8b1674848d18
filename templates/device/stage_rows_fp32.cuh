// SPDX-License-Identifier: Apache-2.0
/// Stores elements kFirst, kFirst + 1, … of this thread's row as one row of a panel of kRowBytes-byte rows.
template <int kRowBytes, int kFirst = 0, int kElems>
WW_DEVICE void stage_rows_fp32(u32 panel, u32 row, const Fragment<kElems> &f) {
  static_assert(kFirst + kRowBytes / 4 <= kElems, "the panel's row lies in the fragment");
#pragma unroll
  for (int c = 0; c < kRowBytes / 16; ++c) {
    const float *v = f.v + kFirst + 4 * c;
    store_shared_v4(panel + swizzled_offset<kRowBytes>(row, c), __float_as_uint(v[0]), __float_as_uint(v[1]),
                    __float_as_uint(v[2]), __float_as_uint(v[3]));
  }
}
