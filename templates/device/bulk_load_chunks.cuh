// SPDX-License-Identifier: Apache-2.0
/// Copies `bytes` from 16 * (chunk + further) bytes behind `base` to shared memory; they complete on `bar`.
WW_DEVICE void bulk_load_chunks(u32 dst, const void *base, int chunk, int further, u32 bytes, u32 bar) {
  bulk_load(dst, reinterpret_cast<u64>(base) + 16ll * (chunk + further), bytes, bar);
}
