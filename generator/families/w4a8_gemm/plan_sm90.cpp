// SPDX-License-Identifier: Apache-2.0
// Roles, channels and shared memory of the kernel on wgmma targets.
#include "generator/families/w4a8_gemm/plan.h"

#include "generator/plan/operator_parts.h"

namespace warpwright::w4a8_gemm {
namespace {

using plan::Channel;
using plan::CtaScope;
using plan::HandOver;
using plan::Issue;

std::vector<plan::Role> make_roles(const Geometry &g) {
  const int compute_warps = static_cast<int>(g.compute_warps());
  return {
      {"compute", "codes to bytes, wgmma, scales, staging, store", 0, compute_warps, 0, CtaScope::kSelf, Issue::kWarps},
      {"load_weights", "packed weights: static, requested before the dependency wait", compute_warps, 1, 0, CtaScope::kSelf, Issue::kElected},
      {"load_activations", "int8 activations: after the dependency wait", compute_warps + 1, 1, 0, CtaScope::kSelf, Issue::kElected},
  };
}

/// A block of each slab of the tile, and the rows of activations that belong to it. TMA fills rows whole: columns beyond K
/// arrive as zeros and count.
plan::Payload make_payload(const Geometry &g, const char *name, int64_t blocks, int64_t halves, int64_t turns) {
  plan::Copy weights{"w", "w_tile", "load_weights", plan::Split::kOwnRows, g.slabs(), blocks * g.block_bytes(halves)};
  plan::Copy activations{"map_x", "x_tile", "load_activations", plan::Split::kOwnRows, blocks, g.tile_m * kSwizzleRowBytes};
  return {name, {weights, activations}, turns};
}

std::vector<Channel> make_channels(const Geometry &g) {
  Channel ring;
  ring.name = "wx";
  ring.text = "weights and activations of one block of K";
  ring.depth = g.stages;
  ring.chain = {{{"load_weights", HandOver::kTma}, {"load_activations", HandOver::kTma}}, {{"compute", HandOver::kArrive}}};
  ring.regions = {"w_tile", "x_tile"};
  ring.payloads = {make_payload(g, "main", g.stage_blocks, 2, g.whole_turns())};
  if (g.has_tail()) ring.payloads.push_back(make_payload(g, "tail", 1, 1, 1));
  std::vector<Channel> channels = {ring};
  if (g.is_split()) return channels;
  Channel store;
  store.name = "store";
  store.text = "staged tokens on their way out";
  store.depth = kStagingBuffers;
  store.chain = {{{"compute", HandOver::kNamedBarrier}}, {{"compute", HandOver::kBulkGroup}}};
  store.regions = {"staging"};
  channels.push_back(store);
  return channels;
}

plan::SmemRegion make_region(const char *name, const char *text, const char *channel, int64_t stage_bytes, int64_t stages, int64_t align_bytes) {
  plan::SmemRegion region;
  region.name = name;
  region.text = text;
  region.channel = channel;
  region.stage_bytes = stage_bytes;
  region.stages = stages;
  region.align_bytes = align_bytes;
  return region;
}

/// Swizzled rows start where the pattern starts: 8 rows of the swizzled width.
/// Source: PTX ISA 9.0, "Matrix Descriptor Format" of wgmma, base offset; bulk copies need 16 bytes ("cp.async.bulk").
std::vector<plan::SmemRegion> make_regions(const Geometry &g, int64_t barriers) {
  constexpr int64_t kPatternBytes = 8 * kSwizzleRowBytes;
  std::vector<plan::SmemRegion> regions = {
      make_region("x_tile", "int8 activations, swizzled rows of each block of K", "wx", g.stage_blocks * g.tile_m * kSwizzleRowBytes, g.stages, kPatternBytes),
      make_region("w_tile", "packed weights and their scales, blocks of each slab", "wx", g.slabs() * g.stage_blocks * g.block_bytes(2), g.stages, 128)};
  if (!g.is_split())
    regions.push_back(make_region("staging", "tokens of the output on their way to the bulk store, a panel a warpgroup", "store",
                                  g.warpgroups * g.panel_bytes(), kStagingBuffers, kPatternBytes));
  // PTX ISA 9.0, "mbarrier": an opaque 64-bit object.
  regions.push_back(make_region("barriers", "mbarriers", "", 8, barriers, 8));
  return regions;
}

plan::LaunchRecipe make_launch(const Geometry &g, const plan::KernelPlan &kernel) {
  plan::LaunchRecipe launch;
  launch.grid_x = grid_ctas(g);
  launch.threads = plan::launch_threads(kernel.roles);
  launch.dynamic_smem_bytes = kernel.smem.used_bytes;
  launch.programmatic_dependent_launch = g.has_pdl;
  launch.requires_true = {"m >= 1", "m <= 1048576"};
  return launch;
}

}  // namespace

Resources make_resources(const Geometry &g, const target::SmTarget &target) {
  Resources resources;
  resources.roles = make_roles(g);
  resources.channels = make_channels(g);
  resources.barriers = plan::derive_barriers(resources.channels, resources.roles, 1);
  int64_t barriers = 0;
  for (const plan::Barrier &barrier : resources.barriers) barriers += barrier.count;
  resources.smem = plan::plan_smem(make_regions(g, barriers), target.smem_optin_bytes);
  return resources;
}

plan::KernelPlan make_kernel(const Geometry &g, const target::SmTarget &target, Resources resources) {
  plan::KernelPlan kernel;
  kernel.name = make_kernel_name(g);
  kernel.arch = g.arch;
  kernel.roles = std::move(resources.roles);
  kernel.smem = std::move(resources.smem);
  kernel.channels = std::move(resources.channels);
  kernel.barriers = std::move(resources.barriers);
  plan::place_barriers(kernel.barriers, kernel.region("barriers"));
  if (!g.is_split()) {
    // Id 0 is __syncthreads. PTX ISA 9.0, "bar, barrier".
    kernel.named_barriers = {{"compute_sync", 1, g.warpgroups * kWarpgroupThreads, "tokens are staged, or their buffer may be written again"}};
    kernel.bulk_groups = {{"store", "compute", kStagingBuffers - 1}};
  }
  kernel.tensor_maps = make_tensor_maps(g);
  kernel.params = make_params(g, kernel.tensor_maps);
  kernel.mma = {make_mma_slots(g, target)};
  kernel.tile_work = make_tile_work(g);
  kernel.output_tiles = output_tiles(g);
  kernel.constants = make_constants(g);
  kernel.traits = make_traits(g);
  kernel.launch = make_launch(g, kernel);
  return kernel;
}

}  // namespace warpwright::w4a8_gemm
