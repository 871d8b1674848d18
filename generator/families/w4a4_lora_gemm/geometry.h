// SPDX-License-Identifier: Apache-2.0
// The numbers of a W4A4 LoRA GEMM that follow from its spec alone.
#pragma once

#include "generator/plan/operand.h"
#include "generator/spec/kernel_spec.h"
#include "generator/target/target.h"

namespace warpwright::w4a4_lora_gemm {

enum class Accumulators { kSingle, kDouble, kOverlapped };

/// Rows of an output tile that one CTA computes: one per tensor-memory lane.
/// Source: PTX ISA 9.0, "Tensor Memory": 128 lanes.
inline constexpr int64_t kCtaRows = 128;
/// Rows and scales of one 512-byte atom of block scales, and its tensor-memory columns once copied.
/// Source: PTX ISA 9.0, "tcgen05.cp" (.32x128b.warpx4) and "Scale factors" of tcgen05.mma.
inline constexpr int64_t kAtomRows = 128;
inline constexpr int64_t kAtomScales = 4;
inline constexpr int64_t kAtomBytes = 512;
inline constexpr int64_t kAtomCols = 4;
/// Elements of K of one MMA. Source: PTX ISA 9.0, "tcgen05.mma", table of shapes: .kind::mxf4, .mxf4nvf4 and .f16.
inline constexpr int64_t kMmaFp4Elems = 64;
inline constexpr int64_t kMmaHalfElems = 16;
/// Bytes of a row of shared memory under the widest swizzle. Source: PTX ISA 9.0, "Tensor Swizzling Modes".
inline constexpr int64_t kSwizzleRowBytes = 128;

struct Geometry {
  std::string family, arch;
  bool is_nvfp4 = true;
  bool has_fixed_m = false;
  int64_t m = 0, n = 0, k = 0;  ///< m only where fixed
  int64_t tile_m = 0, tile_n = 0, tile_k = 0;
  int64_t cta_group = 1;
  int64_t stages = 0;
  int64_t k_tiles = 0;
  int64_t operand_row_bytes = 0;  ///< of A and B: tile_k / 2

  int64_t scale_atoms_k = 0;                   ///< atoms along a k tile
  int64_t scale_blocks_b = 0;                  ///< blocks of 128 rows that the scales of B cover
  int64_t scale_cols_a = 0, scale_cols_b = 0;  ///< of one copy
  int64_t scale_copies = 1;
  int64_t scale_cols() const { return scale_cols_a + scale_cols_b; }

  int64_t lora_rank = 0;
  bool lora_is_fp16 = false;
  bool lora_is_dedicated = false;
  int64_t lora_stages = 0;
  int64_t lora_row_bytes = 0;  ///< of one chunk
  int64_t lora_chunk_ranks = 0;
  int64_t lora_chunks = 0;
  bool has_lora() const { return lora_rank > 0; }

  Accumulators accumulators = Accumulators::kDouble;
  int64_t acc_stride_cols = 0;
  int64_t acc_buffers() const { return accumulators == Accumulators::kSingle ? 1 : 2; }

  bool has_column_scale = true, has_bias = true;
  std::string activation;
  spec::NumberFormat output = spec::NumberFormat::kBf16;
  int64_t subtile_cols = 0;
  int64_t staging_buffers = 0;
  int64_t staging_panels = 0;  ///< panels of at most 128-byte rows that make a sub-tile
  int64_t panel_row_bytes = 0;
  int64_t early_subtiles = 0;  ///< sub-tiles to drain before the accumulator is released
  int64_t subtiles() const { return tile_n / subtile_cols; }
  int64_t staging_bytes() const { return staging_panels * kCtaRows * panel_row_bytes; }

  bool is_strict = false;
  bool raster_along_m = true;
  int64_t raster_group = 1;
  bool has_pdl = true;
};

/// Requires  no field that matters is auto, but possibly the depth: stages is 0 then (our bug otherwise).
/// Ensures   scale_copies is 1 unless ordering is strict; then as many as fit beside the accumulators, 1 to 4.
Geometry make_geometry(const spec::KernelSpec &spec, const target::SmTarget &target);

/// An operand's tile, with the payload that it belongs to.
struct Operand {
  std::string_view payload;  ///< "main" or "lora"
  plan::TileOperand tile;
};

/// Every operand that TMA brings into shared memory, in order of the tensor maps.
std::vector<Operand> make_operands(const Geometry &geometry);

}  // namespace warpwright::w4a4_lora_gemm
