// SPDX-License-Identifier: Apache-2.0
// Roles, channels and memories of the kernel on tcgen05 targets.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/plan/tmem.h"

#include <algorithm>
#include <array>

namespace warpwright::w4a4_lora_gemm {
namespace {

using plan::Channel;
using plan::CtaScope;
using plan::HandOver;
using plan::Issue;
using plan::Role;
using plan::SmemRegion;

std::vector<Role> make_roles() {
  return {
      {"epilogue", "tensor memory to registers, arithmetic, staging, store", 0, 4, 0, CtaScope::kSelf, Issue::kWarps},
      {"mma", "scale copies and MMAs for the CTA group; allocates tensor memory", 4, 1, 0, CtaScope::kLeader,
       Issue::kElected},
      {"load_weights", "B, its scales and LoRA-up: static, requested before the dependency wait", 5, 1, 0,
       CtaScope::kSelf, Issue::kElected},
      {"load_activations", "A, its scales and the LoRA activations: after the dependency wait", 6, 1, 0,
       CtaScope::kSelf, Issue::kElected},
  };
}

/// A channel of two positions, in numbers and literals: what barriers and regions are counted from.
struct Ring {
  const char *name = "";
  const char *text = "";
  int64_t depth = 1;
  std::array<const char *, 2> fillers = {};  ///< roles that join; unused ones are null
  HandOver fills = HandOver::kTma;
  const char *drainer = "mma";
  HandOver drains = HandOver::kTensorCommit;
  std::array<const char *, 4> regions = {};
  int64_t barrier_depth = 0;

  int64_t barriers() const {
    const int64_t waits = (plan::needs_mbarrier(fills) ? 1 : 0) + (plan::needs_mbarrier(drains) ? 1 : 0);
    return waits * (barrier_depth > 0 ? barrier_depth : depth);
  }
};

constexpr std::array<const char *, 2> kLoaders = {"load_weights", "load_activations"};

std::vector<Ring> make_rings(const Geometry &g) {
  std::vector<Ring> rings;
  rings.reserve(6);
  // Both load roles fill, the MMA role drains.
  rings.push_back({"ab", "operands and scales of one k tile", g.stages, kLoaders, HandOver::kTma, "mma",
                   HandOver::kTensorCommit, {"a_tile", "b_tile", "a_scales", "b_scales"}});
  if (g.lora_is_dedicated)
    rings.push_back({"lora", "all LoRA chunks of one output tile", g.lora_stages, kLoaders, HandOver::kTma, "mma",
                     HandOver::kTensorCommit, {"lora_act", "lora_up"}});
  rings.push_back({"acc", "accumulator tiles", g.acc_buffers(), {"mma"}, HandOver::kTensorCommit, "epilogue",
                   HandOver::kArrive, {"acc0", g.acc_buffers() == 2 ? "acc1" : nullptr}});
  // Two tiles that share columns are never both full: one barrier pair paces them.
  if (g.accumulators == Accumulators::kOverlapped) rings.back().barrier_depth = 1;

  // PTX orders cp before mma, but mma before a later cp only by the tensor pipe's issue order: strict ordering
  // waits for the commit instead. PTX ISA 9.0, "Memory Consistency Model: Pipelined Instructions" of tcgen05.
  rings.push_back({"scales", "scale columns", g.scale_copies, {"mma"}, HandOver::kTensorOrder, "mma",
                   g.is_strict ? HandOver::kTensorCommit : HandOver::kTensorOrder, {"scales_a", "scales_b"}});
  // Two kinds of MMA on one accumulator are not pipelined in order by the PTX text.
  if (g.is_strict && g.has_lora())
    rings.push_back({"kinds", "FP4 MMAs complete before the 16-bit MMAs start", 1, {"mma"}, HandOver::kTensorCommit,
                     "mma", HandOver::kTensorOrder});
  rings.push_back({"store", "staged sub-tiles on their way out", g.staging_buffers, {"epilogue"},
                   HandOver::kNamedBarrier, "epilogue", HandOver::kBulkGroup, {"staging"}});
  return rings;
}

/// What fills a load ring, and how often an output tile needs it.
struct Filling {
  const char *payload = "";
  std::string_view ring;
  int64_t turns = 0;
};

std::vector<Filling> make_fillings(const Geometry &g) {
  std::vector<Filling> fillings = {{"main", "ab", g.k_tiles}};
  // In the ring every chunk is a turn; dedicated slots take all chunks in one.
  if (g.has_lora())
    fillings.push_back({"lora", g.lora_is_dedicated ? "lora" : "ab", g.lora_is_dedicated ? 1 : g.lora_chunks});
  return fillings;
}

plan::Payload make_payload(const Filling &filling, const std::vector<Operand> &operands, int64_t cta_group) {
  plan::Payload payload{filling.payload, {}, filling.turns};
  for (const Operand &operand : operands)
    if (operand.payload == filling.payload) payload.copies.push_back(plan::make_copy(operand.tile, cta_group));
  return payload;
}

Channel make_channel(const Ring &ring, const std::vector<Filling> &fillings, const std::vector<Operand> &operands,
                     int64_t cta_group) {
  Channel channel;
  channel.name = ring.name;
  channel.text = ring.text;
  channel.depth = ring.depth;
  channel.chain.resize(2);
  for (const char *filler : ring.fillers)
    if (filler != nullptr) channel.chain[0].push_back({filler, ring.fills});
  channel.chain[1].push_back({ring.drainer, ring.drains});
  for (const char *region : ring.regions)
    if (region != nullptr) channel.regions.push_back(region);
  for (const Filling &filling : fillings)
    if (filling.ring == ring.name) channel.payloads.push_back(make_payload(filling, operands, cta_group));
  channel.barrier_depth = ring.barrier_depth;
  return channel;
}

int64_t count_barriers(const std::vector<Ring> &rings) {
  int64_t barriers = 0;
  for (const Ring &ring : rings) barriers += ring.barriers();
  return barriers;
}

/// A region in numbers and literals.
struct Region {
  const char *name = "";
  const char *text = "";
  const char *channel = "";
  plan::SmemExtent extent;
};

/// Bytes of the payload that fills most of a region in one turn.
int64_t stage_bytes(const std::vector<Operand> &operands, std::string_view region, int64_t cta_group) {
  int64_t most_bytes = 0;
  for (const Operand &first : operands) {
    if (first.tile.region != region) continue;
    int64_t bytes = 0;
    for (const Operand &operand : operands)
      if (operand.payload == first.payload && operand.tile.region == region)
        bytes += plan::turn_bytes(operand.tile, cta_group);
    most_bytes = std::max(most_bytes, bytes);
  }
  return most_bytes;
}

/// Swizzled tiles start where the pattern starts: 8 rows of the swizzled width.
/// Source: PTX ISA 9.0, "Shared memory descriptor", base offset; bulk tensor copies need 128 bytes ("Tensor Copy").
int64_t swizzle_align_bytes(int64_t row_bytes) { return 8 * row_bytes; }

std::vector<Region> make_regions(const Geometry &g, const std::vector<Operand> &operands, int64_t barriers) {
  const auto bytes = [&](const char *region) { return stage_bytes(operands, region, g.cta_group); };
  const int64_t tile_align = swizzle_align_bytes(g.operand_row_bytes);
  std::vector<Region> regions;
  regions.reserve(9);
  regions.push_back({"a_tile", "FP4 activations, swizzled rows of one k tile", "ab",
                     {bytes("a_tile"), g.stages, tile_align}});
  regions.push_back({"b_tile", "FP4 weights, swizzled rows of one k tile", "ab",
                     {bytes("b_tile"), g.stages, tile_align}});
  regions.push_back({"a_scales", "block scales of A in 512-byte atoms", "ab", {bytes("a_scales"), g.stages, 128}});
  regions.push_back({"b_scales", "block scales of B in 512-byte atoms", "ab", {bytes("b_scales"), g.stages, 128}});
  if (g.lora_is_dedicated) {
    const int64_t align = swizzle_align_bytes(g.lora_row_bytes);
    regions.push_back({"lora_act", "LoRA activations, all chunks", "lora", {bytes("lora_act"), g.lora_stages, align}});
    regions.push_back({"lora_up", "LoRA-up weights, all chunks", "lora", {bytes("lora_up"), g.lora_stages, align}});
  }
  regions.push_back({"staging", "sub-tiles of the output on their way to the bulk store", "store",
                     {g.staging_bytes(), g.staging_buffers, swizzle_align_bytes(g.panel_row_bytes)}});
  // PTX ISA 9.0, "mbarrier": an opaque 64-bit object. "tcgen05.alloc" writes a 32-bit address.
  regions.push_back({"barriers", "mbarriers", "", {8, barriers, 8}});
  regions.push_back({"tmem_address", "what tcgen05.alloc returned", "", {4, 1, 4}});
  return regions;
}

SmemRegion make_smem_region(const Region &region) {
  SmemRegion made;
  made.name = region.name;
  made.text = region.text;
  made.stage_bytes = region.extent.stage_bytes;
  made.stages = region.extent.stages;
  made.align_bytes = region.extent.align_bytes;
  made.channel = region.channel;
  return made;
}

/// Accumulators lie before the scale columns.
int64_t first_scale_col(const Geometry &g) { return g.tile_n + (g.acc_buffers() == 2 ? g.acc_stride_cols : 0); }

}  // namespace

plan::TmemPlan make_tmem(const Geometry &g, int64_t limit_cols) {
  std::vector<plan::TmemRange> ranges;
  std::vector<plan::TmemPart> parts;
  ranges.push_back({"acc0", "FP32 accumulator of even tiles", 0, g.tile_n, "acc", {}});
  const int64_t next_col = first_scale_col(g);
  if (g.acc_buffers() == 2) {
    ranges.push_back({"acc1", "FP32 accumulator of odd tiles", g.acc_stride_cols, g.tile_n, "acc", {}});
  } else {
    ranges.back().text = "FP32 accumulator";
  }
  if (g.accumulators == Accumulators::kOverlapped) {
    const int64_t shared_cols = g.tile_n - g.acc_stride_cols;
    parts = {{"left", 0, g.acc_stride_cols},
             {"shared", g.acc_stride_cols, shared_cols},
             {"right", g.tile_n, g.tile_n - shared_cols}};
    ranges[0].parts = {"left", "shared"};
    ranges[1].parts = {"shared", "right"};
  }
  const int64_t copies_a_cols = g.scale_copies * g.scale_cols_a;
  ranges.push_back({"scales_a", "block scales of A, one copy after the other", next_col, copies_a_cols, "scales", {}});
  ranges.push_back({"scales_b",
                    "block scales of B, one copy after the other",
                    next_col + copies_a_cols,
                    g.scale_copies * g.scale_cols_b,
                    "scales",
                    {}});
  return plan::plan_tmem(std::move(ranges), std::move(parts), limit_cols);
}

Resources make_resources(const Geometry &g, const std::vector<Operand> &operands, const target::SmTarget &target) {
  const std::vector<Ring> rings = make_rings(g);
  const std::vector<Filling> fillings = make_fillings(g);
  Resources resources;
  resources.roles = make_roles();
  for (const Ring &ring : rings) resources.channels.push_back(make_channel(ring, fillings, operands, g.cta_group));
  resources.barriers = plan::derive_barriers(resources.channels, resources.roles, g.cta_group);
  int64_t barriers = 0;
  for (const plan::Barrier &barrier : resources.barriers) barriers += barrier.count;
  WARPWRIGHT_ASSERT(barriers == count_barriers(rings), "the rings count other barriers than their channels need");
  std::vector<SmemRegion> regions;
  for (const Region &region : make_regions(g, operands, barriers)) regions.push_back(make_smem_region(region));
  resources.smem = plan::plan_smem(std::move(regions), target.smem_optin_bytes);
  resources.tmem = make_tmem(g, target.tmem_cols);
  return resources;
}

plan::MemorySizes memory_sizes(const Geometry &g, const std::vector<Operand> &operands,
                               const target::SmTarget &target) {
  std::vector<plan::SmemExtent> extents;
  extents.reserve(9);
  const int64_t barriers = count_barriers(make_rings(g));
  for (const Region &region : make_regions(g, operands, barriers)) extents.push_back(region.extent);
  const int64_t tmem_cols = first_scale_col(g) + g.scale_copies * g.scale_cols();
  return {plan::smem_bytes(extents), target.smem_optin_bytes, tmem_cols, target.tmem_cols};
}

std::vector<plan::RingWork> make_ring_work(const Geometry &g, const std::vector<Operand> &operands) {
  std::vector<plan::RingWork> work;
  const std::vector<Filling> fillings = make_fillings(g);
  for (const Ring &ring : make_rings(g)) {
    plan::RingWork made;
    made.depth = ring.depth;
    for (const Filling &filling : fillings) {
      if (filling.ring != ring.name) continue;
      made.turns += filling.turns;
      for (const Operand &operand : operands) {
        if (operand.payload != filling.payload) continue;
        const int64_t bytes = plan::turn_bytes(operand.tile, g.cta_group) * filling.turns;
        made.fill_bytes += bytes;
        if (!operand.tile.is_swizzled) made.scale_bytes += bytes;
      }
    }
    if (made.turns > 0) work.push_back(made);
  }
  return work;
}

int64_t loader_boxes(const Geometry &g, const std::vector<Operand> &operands) {
  const std::vector<Filling> fillings = make_fillings(g);
  int64_t most = 0;
  for (const std::string_view role : kLoaders) {
    int64_t boxes = 0;
    for (const Filling &filling : fillings)
      for (const Operand &operand : operands)
        if (operand.payload == filling.payload && operand.tile.role == role)
          boxes += operand.tile.boxes * filling.turns;
    most = std::max(most, boxes);
  }
  return most;
}

}  // namespace warpwright::w4a4_lora_gemm
