// SPDX-License-Identifier: Apache-2.0
// The numbers of a W4A8 GEMM that follow from its spec alone.
#pragma once

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/kernel_spec.h"
#include "generator/spec/number_format.h"

namespace warpwright::w4a8_gemm {

/// Threads of a warpgroup. Source: PTX ISA 9.0, "Warpgroup": four warps.
inline constexpr int64_t kWarpgroupThreads = 128;
/// Bytes of a row of shared memory under the widest swizzle. Source: PTX ISA 9.0, "Tensor Swizzling Modes".
inline constexpr int64_t kSwizzleRowBytes = 128;
/// K of one wgmma of bytes. Source: PTX ISA 9.0, "wgmma.mma_async", shapes: m64nNk32.
inline constexpr int64_t kMmaBytesK = 32;
/// Tokens of one staging panel at most; a wider tile is stored in several turns.
inline constexpr int64_t kStagedTokens = 64;
/// Sub-tiles that may be on their way out while the next one is written.
inline constexpr int64_t kStagingBuffers = 2;

struct Geometry {
  std::string family, arch;
  bool has_fixed_m = false;
  int64_t m = 0, n = 0, k = 0;             ///< m only where fixed
  int64_t tile_m = 0, tile_n = 0;          ///< tokens, channels
  int64_t warpgroups = 2;                  ///< that compute
  int64_t stages = 0;
  int64_t group = 64;                      ///< kPerChannel: none
  bool is_lqq = false;
  int64_t stage_blocks = 1;                ///< of K, in one stage
  int64_t splits = 1;                      ///< of K; the last one to end sums up
  bool has_column_scale = false, has_bias = false, has_pdl = true;
  int64_t lora_rank = 0;                   ///< 0: no residual
  bool lora_is_fp16 = false;
  spec::NumberFormat output = spec::NumberFormat::kBf16;

  int64_t slabs() const { return tile_n / kSlabRows; }            ///< of a tile
  int64_t warpgroup_slabs() const { return slabs() / warpgroups; }
  int64_t compute_warps() const { return warpgroups * kWarps; }
  int64_t tiles_n() const { return (n + tile_n - 1) / tile_n; }
  int64_t whole_blocks() const { return k / kBlockElems; }
  bool has_tail() const { return k % kBlockElems != 0; }           ///< a block of one half
  /// Of a ring, for one output tile: every split has as many, the last ones of an uneven split past the end of K, where
  /// activations are zeros.
  int64_t whole_turns() const {
    const int64_t stages_of_k = whole_blocks() / stage_blocks;
    return (stages_of_k + splits - 1) / splits;
  }
  int64_t block_bytes(int64_t halves) const { return w4a8_gemm::block_bytes(group, halves); }
  int64_t chunk_tokens() const { return tile_m % kStagedTokens == 0 ? kStagedTokens : tile_m % 32 == 0 ? 32 : tile_m; }
  int64_t chunks() const { return tile_m / chunk_tokens(); }
  int64_t panel_bytes() const { return chunk_tokens() * kSwizzleRowBytes; }
  bool has_lora() const { return lora_rank > 0; }
  const char *lora_type() const { return lora_is_fp16 ? "fp16" : "bf16"; }
  bool is_split() const { return splits > 1; }
  /// What the sums of unsigned operands are too large by, a product: the offset that the packed codes have.
  int64_t offset() const { return group == kPerChannel || is_lqq ? 0 : 128; }
};

/// Requires  no field that matters is auto, but possibly the depth: stages is 0 then (our bug otherwise).
Geometry make_geometry(const spec::KernelSpec &spec);

}  // namespace warpwright::w4a8_gemm
