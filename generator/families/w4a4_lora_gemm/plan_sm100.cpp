// SPDX-License-Identifier: Apache-2.0
// Roles, channels and memories of the kernel on tcgen05 targets.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/plan/tmem.h"

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

plan::Payload make_payload(const std::string &name, const std::vector<Operand> &operands, int64_t turns,
                           int64_t cta_group) {
  plan::Payload payload{name, {}, turns};
  for (const Operand &operand : operands)
    if (operand.payload == name) payload.copies.push_back(plan::make_copy(operand.tile, cta_group));
  return payload;
}

/// A ring that both load roles fill and the MMA role drains.
Channel make_load_ring(std::string name, std::string text, int64_t depth) {
  Channel ring;
  ring.name = std::move(name);
  ring.text = std::move(text);
  ring.depth = depth;
  ring.chain = {{{"load_weights", HandOver::kTma}, {"load_activations", HandOver::kTma}},
                {{"mma", HandOver::kTensorCommit}}};
  return ring;
}

std::vector<Channel> make_load_channels(const Geometry &g, const std::vector<Operand> &operands) {
  std::vector<Channel> channels;
  Channel ab = make_load_ring("ab", "operands and scales of one k tile", g.stages);
  ab.regions = {"a_tile", "b_tile", "a_scales", "b_scales"};
  ab.payloads.push_back(make_payload("main", operands, g.k_tiles, g.cta_group));
  if (g.has_lora() && !g.lora_is_dedicated)
    ab.payloads.push_back(make_payload("lora", operands, g.lora_chunks, g.cta_group));
  channels.push_back(std::move(ab));
  if (g.lora_is_dedicated) {
    Channel lora = make_load_ring("lora", "all LoRA chunks of one output tile", g.lora_stages);
    lora.regions = {"lora_act", "lora_up"};
    lora.payloads.push_back(make_payload("lora", operands, 1, g.cta_group));
    channels.push_back(std::move(lora));
  }
  return channels;
}

Channel make_ring(const char *name, const char *text, int64_t depth, plan::ChannelOwner first,
                  plan::ChannelOwner second, std::vector<std::string> regions) {
  Channel ring;
  ring.name = name;
  ring.text = text;
  ring.depth = depth;
  ring.chain = {{std::move(first)}, {std::move(second)}};
  ring.regions = std::move(regions);
  return ring;
}

std::vector<Channel> make_channels(const Geometry &g, const std::vector<Operand> &operands) {
  std::vector<Channel> channels = make_load_channels(g, operands);
  Channel acc = make_ring("acc", "accumulator tiles", g.acc_buffers(), {"mma", HandOver::kTensorCommit},
                          {"epilogue", HandOver::kArrive}, {"acc0"});
  if (g.acc_buffers() == 2) acc.regions.push_back("acc1");
  // Two tiles that share columns are never both full: one barrier pair paces them.
  if (g.accumulators == Accumulators::kOverlapped) acc.barrier_depth = 1;
  channels.push_back(std::move(acc));

  // PTX orders cp before mma, but mma before a later cp only by the tensor pipe's issue order: strict ordering
  // waits for the commit instead. PTX ISA 9.0, "Memory Consistency Model: Pipelined Instructions" of tcgen05.
  channels.push_back(make_ring("scales", "scale columns", g.scale_copies, {"mma", HandOver::kTensorOrder},
                               {"mma", g.is_strict ? HandOver::kTensorCommit : HandOver::kTensorOrder},
                               {"scales_a", "scales_b"}));
  // Two kinds of MMA on one accumulator are not pipelined in order by the PTX text.
  if (g.is_strict && g.has_lora())
    channels.push_back(make_ring("kinds", "FP4 MMAs complete before the 16-bit MMAs start", 1,
                                 {"mma", HandOver::kTensorCommit}, {"mma", HandOver::kTensorOrder}, {}));
  channels.push_back(make_ring("store", "staged sub-tiles on their way out", g.staging_buffers,
                               {"epilogue", HandOver::kNamedBarrier}, {"epilogue", HandOver::kBulkGroup}, {"staging"}));
  return channels;
}

SmemRegion make_region(const char *name, const char *text, int64_t stages, int64_t align_bytes, const char *channel) {
  SmemRegion region;
  region.name = name;
  region.text = text;
  region.stages = stages;
  region.align_bytes = align_bytes;
  region.channel = channel;
  return region;
}

/// Swizzled tiles start where the pattern starts: 8 rows of the swizzled width.
/// Source: PTX ISA 9.0, "Shared memory descriptor", base offset; bulk tensor copies need 128 bytes ("Tensor Copy").
int64_t swizzle_align_bytes(int64_t row_bytes) { return 8 * row_bytes; }

std::vector<SmemRegion> make_regions(const Geometry &g, const std::vector<Channel> &channels, int64_t barriers) {
  const int64_t tile_align = swizzle_align_bytes(g.operand_row_bytes);
  std::vector<SmemRegion> regions = {
      make_region("a_tile", "FP4 activations, swizzled rows of one k tile", g.stages, tile_align, "ab"),
      make_region("b_tile", "FP4 weights, swizzled rows of one k tile", g.stages, tile_align, "ab"),
      make_region("a_scales", "block scales of A in 512-byte atoms", g.stages, 128, "ab"),
      make_region("b_scales", "block scales of B in 512-byte atoms", g.stages, 128, "ab"),
  };
  if (g.lora_is_dedicated) {
    const int64_t align = swizzle_align_bytes(g.lora_row_bytes);
    regions.push_back(make_region("lora_act", "LoRA activations, all chunks", g.lora_stages, align, "lora"));
    regions.push_back(make_region("lora_up", "LoRA-up weights, all chunks", g.lora_stages, align, "lora"));
  }
  for (const Channel &channel : channels) plan::size_regions(regions, channel);
  regions.push_back(make_region("staging", "sub-tiles of the output on their way to the bulk store", g.staging_buffers,
                                swizzle_align_bytes(g.panel_row_bytes), "store"));
  regions.back().stage_bytes = g.staging_bytes();
  // PTX ISA 9.0, "mbarrier": an opaque 64-bit object. "tcgen05.alloc" writes a 32-bit address.
  regions.push_back(make_region("barriers", "mbarriers", barriers, 8, ""));
  regions.back().stage_bytes = 8;
  regions.push_back(make_region("tmem_address", "what tcgen05.alloc returned", 1, 4, ""));
  regions.back().stage_bytes = 4;
  return regions;
}

}  // namespace

plan::TmemPlan make_tmem(const Geometry &g, int64_t limit_cols) {
  std::vector<plan::TmemRange> ranges;
  std::vector<plan::TmemPart> parts;
  ranges.push_back({"acc0", "FP32 accumulator of even tiles", 0, g.tile_n, "acc", {}});
  int64_t next_col = g.tile_n;
  if (g.acc_buffers() == 2) {
    ranges.push_back({"acc1", "FP32 accumulator of odd tiles", g.acc_stride_cols, g.tile_n, "acc", {}});
    next_col = g.acc_stride_cols + g.tile_n;
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
  Resources resources;
  resources.roles = make_roles();
  resources.channels = make_channels(g, operands);
  resources.barriers = plan::derive_barriers(resources.channels, resources.roles, g.cta_group);
  int64_t barriers = 0;
  for (const plan::Barrier &barrier : resources.barriers) barriers += barrier.count;
  resources.smem = plan::plan_smem(make_regions(g, resources.channels, barriers), target.smem_optin_bytes);
  resources.tmem = make_tmem(g, target.tmem_cols);
  return resources;
}

}  // namespace warpwright::w4a4_lora_gemm
