// SPDX-License-Identifier: Apache-2.0
// Where every 4-bit code and every group scale of a packed weight lies: the one formula of packer, plan and kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpwright::w4a8_gemm {

// A packed weight [N, K] is a row of slabs, one for 64 channels; a slab is a row of blocks, one for 128 columns of K (the
// last one may have 64); a block is its codes, then its group scales. No tile size of a kernel enters, so that one packed
// weight serves every kernel of a dispatch table.

/// Elements along K that share a scale: 64, 128, or this for one scale a channel.
inline constexpr int64_t kPerChannel = 0;

inline constexpr int64_t kSlabRows = 64;      ///< the fixed M of wgmma
inline constexpr int64_t kHalfElems = 64;     ///< along K: what one 16-byte load of each thread covers, two k32 steps
inline constexpr int64_t kBlockElems = 128;   ///< along K
inline constexpr int64_t kWarps = 4;          ///< of a warpgroup; each has 16 rows of a slab
inline constexpr int64_t kLanes = 32;
inline constexpr int64_t kChunkBytes = 16;    ///< of one thread in one half: 32 codes
inline constexpr int64_t kEntryBytes = 4;     ///< scale and offset of a row, then those of the row 8 below
inline constexpr int64_t kEntryRows = 8;      ///< entries of a warp: one for each four lanes
inline constexpr int64_t kMostK = (INT32_MAX / (255 * 128)) / 64 * 64;  ///< 65,792: a u8 x s8 sum stays in s32

/// Of the word in a spec or on a command line: "64", "128" or "channel"; nothing for any other.
std::optional<int64_t> group_of(const std::string &word);
std::string group_word(int64_t group);

constexpr bool is_group(int64_t group) { return group == 64 || group == 128 || group == kPerChannel; }

constexpr int64_t groups_along_k(int64_t k, int64_t group) { return group == kPerChannel ? 0 : k / group; }

/// Whether a weight can be packed: N and K multiples of 64, K of the group and not above kMostK.
constexpr bool fits(int64_t n, int64_t k, int64_t group) {
  return n > 0 && k > 0 && k <= kMostK && is_group(group) && n % kSlabRows == 0 && k % kHalfElems == 0 &&
         (group == kPerChannel || k % group == 0);
}

/// Why fits() is false, with the numbers; empty if it is true.
std::string misfit(int64_t n, int64_t k, int64_t group);

// Everything below requires fits().

constexpr int64_t slabs_along_n(int64_t n) { return n / kSlabRows; }
constexpr int64_t blocks_along_k(int64_t k) { return (k + kBlockElems - 1) / kBlockElems; }

/// 64-column halves of a block: 2, or 1 in the last block of a K that is 64 more than a multiple of 128.
constexpr int64_t halves_of_block(int64_t k, int64_t block) {
  return (block + 1) * kBlockElems <= k ? 2 : 1;
}

constexpr int64_t codes_bytes(int64_t halves) { return halves * kWarps * kLanes * kChunkBytes; }

/// Scales of a block: an entry for each of 8 row pairs of each warp, and with group 64 for each half.
constexpr int64_t scales_bytes(int64_t group, int64_t halves) {
  if (group == kPerChannel) return 0;
  return kWarps * kEntryRows * kEntryBytes * (group == 64 ? halves : 1);
}

/// 4,352 (group 64), 4,224 (group 128) or 4,096 bytes (per channel) for two halves.
constexpr int64_t block_bytes(int64_t group, int64_t halves) { return codes_bytes(halves) + scales_bytes(group, halves); }

/// In its slab. All blocks before one are whole.
constexpr int64_t block_offset(int64_t block, int64_t group) { return block * block_bytes(group, 2); }

constexpr int64_t slab_bytes(int64_t k, int64_t group) {
  const int64_t last = blocks_along_k(k) - 1;
  return block_offset(last, group) + block_bytes(group, halves_of_block(k, last));
}

constexpr int64_t packed_bytes(int64_t n, int64_t k, int64_t group) { return slabs_along_n(n) * slab_bytes(k, group); }

/// A nibble: the low one of its byte, or the high one.
struct CodePosition {
  int64_t byte = 0;
  bool is_high = false;
  bool operator==(const CodePosition &) const = default;
};

/// The code of `row` (0 … 63) and `col` (0 … 127) in their block.
///
/// Layout    A thread's 16 bytes are four words, for two k32 steps: step 0 rows r and r + 8, step 1 rows r and r + 8, with
///           r = 16 · warp + lane / 4. Byte j of a word has column c + j in the low nibble and c + 16 + j in the high one,
///           c = 4 · (lane % 4), so that `word & 0x0f0f0f0f` and `(word >> 4) & 0x0f0f0f0f` are registers of the A operand.
/// Source    PTX ISA 9.0, "Register Fragments for wgmma.mma_async.m64nNk32": register i of a thread has row lane / 4 +
///           8 · (i % 2) of its warp's 16 and columns 4 · (lane % 4) + 16 · (i / 2) + 0 … 3.
constexpr CodePosition code_in_block(int64_t row, int64_t col) {
  const int64_t half = col / kHalfElems, step = col % kHalfElems / 32, in_step = col % 32;
  const int64_t warp = row / 16, in_warp = row % 16;
  const int64_t lane = in_warp % 8 * 4 + in_step % 16 / 4;
  const int64_t word = step * 2 + in_warp / 8;
  return {((half * kWarps + warp) * kLanes + lane) * kChunkBytes + word * 4 + in_step % 4, in_step >= 16};
}

/// The scale byte of `row` (0 … 63) and of the group of `half` in their block of `halves`; its offset byte follows it.
///
/// Requires  group 64 or 128; with 128 both halves have the same entry.
constexpr int64_t scale_in_block(int64_t group, int64_t halves, int64_t row, int64_t half) {
  const int64_t warp = row / 16, in_warp = row % 16;
  const int64_t entry = warp * kEntryRows + in_warp % 8;
  const int64_t place = group == 64 ? entry * halves + half : entry;
  return codes_bytes(halves) + place * kEntryBytes + in_warp / 8 * 2;
}

/// The code of channel `row` and column `col` in the whole packed weight of K = `k`.
constexpr CodePosition code_position(int64_t row, int64_t col, int64_t k, int64_t group) {
  CodePosition position = code_in_block(row % kSlabRows, col % kBlockElems);
  position.byte += row / kSlabRows * slab_bytes(k, group) + block_offset(col / kBlockElems, group);
  return position;
}

/// The scale byte of channel `row` and of the group with number `index` along K in the whole packed weight; its offset byte
/// follows it. Requires group 64 or 128.
constexpr int64_t scale_position(int64_t row, int64_t index, int64_t k, int64_t group) {
  const int64_t col = index * group, block = col / kBlockElems;
  return row / kSlabRows * slab_bytes(k, group) + block_offset(block, group) +
         scale_in_block(group, halves_of_block(k, block), row % kSlabRows, col % kBlockElems / kHalfElems);
}

}  // namespace warpwright::w4a8_gemm
