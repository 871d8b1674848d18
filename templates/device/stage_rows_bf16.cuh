// SPDX-License-Identifier: Apache-2.0
/// Stores elements kFirst, kFirst + 1, … of this thread's row, as BF16, as one row of a panel of kRowBytes-byte rows.
template <int kRowBytes, int kFirst = 0, int kElems>
WW_DEVICE void stage_rows_bf16(u32 panel, u32 row, const Fragment<kElems> &f) {
  static_assert(kFirst + kRowBytes / 2 <= kElems, "the panel's row lies in the fragment");
#pragma unroll
  for (int c = 0; c < kRowBytes / 16; ++c) {
    const float *v = f.v + kFirst + 8 * c;
    store_shared_v4(panel + swizzled_offset<kRowBytes>(row, c), pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3]),
                    pack_bf16(v[4], v[5]), pack_bf16(v[6], v[7]));
  }
}
