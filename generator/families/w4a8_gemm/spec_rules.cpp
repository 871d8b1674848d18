// SPDX-License-Identifier: Apache-2.0
// Rules between the fields of the w4a8_gemm family: what the hardware or this edition cannot do.
#include "generator/families/w4a8_gemm/spec.h"

#include "generator/spec/family_rules.h"

#include <fmt/format.h>

namespace warpwright::w4a8_gemm {
namespace {

using spec::KernelSpec;
using spec::integer_of;
using spec::refuse;
using spec::word_of;

constexpr int64_t kWarpgroupThreads = 128;
/// Channels of one wgmma. Source: PTX ISA 9.0, "wgmma.mma_async", shapes: M is 64.
constexpr int64_t kMmaChannels = 64;
/// Widest token tile of which four compute warpgroups have registers enough.
constexpr int64_t kWidestOfFour = 64;

void check_quantisation(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> k = integer_of(spec, "problem.k");
  constexpr int64_t kLongGroup = 128;
  if (k && word_of(spec, "quant.group") == "128" && *k % kLongGroup != 0) {
    const int64_t below = *k / kLongGroup * kLongGroup, above = below + kLongGroup;
    const std::string nearest = below == 0 ? fmt::format("value: {}", above) : fmt::format("values: {} and {}", below, above);
    refuse(spec,
           {"spec.k-group", "problem.k",
            fmt::format("{} elements end in half a group of {}; nearest legal {}; with quant.group \"64\" {} will do", *k, kLongGroup,
                        nearest, *k),
            "README.md of the family, \"Mathematics\"",
            {"--set 'quant.group=\"64\"'"}},
           diagnostics);
  }
  if (word_of(spec, "quant.dequant") == "lqq" && word_of(spec, "quant.group") == "channel") {
    refuse(spec,
           {"spec.lqq-needs-group", "quant.dequant",
            "without groups the operand is the code itself, 0 to 15, and there is no top bit to flip; nearest legal values: "
            "quant.dequant \"u8\", or quant.group \"64\"",
            "README.md of the family, \"Mathematics\"",
            {"--set quant.dequant=u8", "--set 'quant.group=\"64\"'"}},
           diagnostics);
  }
}

/// Every split has the same whole number of blocks, so that roles need not ask which one they work on.
void check_splits(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> k = integer_of(spec, "problem.k"), splits = integer_of(spec, "split_k");
  constexpr int64_t kBlock = 128;
  if (!k || !splits || *splits == 1 || *k % (kBlock * *splits) == 0) return;
  int64_t fits = *splits;
  while (fits > 1 && *k % (kBlock * fits) != 0) fits /= 2;
  refuse(spec,
         {"spec.uneven-splits", "split_k",
          fmt::format("{} elements of K do not divide into {} parts of whole blocks of {}; nearest legal value: {}", *k, *splits, kBlock, fits),
          "README.md of the family, \"Splits of K\"",
          {fmt::format("--set split_k={}", fits)}},
         diagnostics);
}

/// Four compute warpgroups split 256 channels, and the register file splits among 18 warps.
void check_warpgroups(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> warpgroups = integer_of(spec, "compute_warpgroups");
  const std::optional<int64_t> tile_n = integer_of(spec, "tile.n"), tile_m = integer_of(spec, "tile.m");
  if (warpgroups && tile_n && *tile_n % (kMmaChannels * *warpgroups) != 0) {
    refuse(spec,
           {"spec.warpgroups-need-channels", "compute_warpgroups",
            fmt::format("each warpgroup multiplies {} channels at a time, {} of them {}; the tile has {}; nearest legal values: "
                        "compute_warpgroups {}, or tile.n {}",
                        kMmaChannels, *warpgroups, kMmaChannels * *warpgroups, *tile_n, *tile_n / kMmaChannels,
                        kMmaChannels * *warpgroups),
            "PTX ISA 9.0, \"wgmma.mma_async\", shapes: M is 64",
            {fmt::format("--set compute_warpgroups={}", *tile_n / kMmaChannels),
             fmt::format("--set tile.n={}", kMmaChannels * *warpgroups)}},
           diagnostics);
  }
  if (warpgroups == 4 && tile_m && *tile_m > kWidestOfFour) {
    refuse(spec,
           {"spec.wide-tile-two-warpgroups", "tile.m",
            fmt::format("{} tokens take {} registers of a thread for accumulators; four compute warpgroups and two warps that load are 18 "
                        "warps, which leave a thread 96 for everything; nearest legal values: tile.m {}, or compute_warpgroups 2",
                        *tile_m, *tile_m / 2, kWidestOfFour),
            "PTX ISA 9.0, \"Register Fragments for wgmma.mma_async.m64nNk32\"; NVIDIA H100 Tensor Core GPU Architecture: 16 K registers "
            "in each of an SM's four partitions, five warps in one of them",
            {fmt::format("--set tile.m={}", kWidestOfFour), "--set compute_warpgroups=2"}},
           diagnostics);
  }
}

/// With four warpgroups check_warpgroups() is stricter. A tile.n left open is taken for the smallest.
void check_registers(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  constexpr int64_t kThreads = 2 * kWarpgroupThreads, kNarrowest = 128;
  const std::optional<int64_t> tile_m = integer_of(spec, "tile.m");
  if (!tile_m || integer_of(spec, "compute_warpgroups").value_or(2) != 2) return;
  const int64_t tile_n = integer_of(spec, "tile.n").value_or(kNarrowest), registers = *tile_m * tile_n / kThreads;
  if (registers <= kMostAccumulatorRegisters) return;
  const int64_t widest = kMostAccumulatorRegisters * kThreads / tile_n;
  const bool narrower_helps = tile_n > kNarrowest && *tile_m * kNarrowest / kThreads <= kMostAccumulatorRegisters;
  std::vector<std::string> hints = {fmt::format("--set tile.m={}", widest)};
  if (narrower_helps) hints.push_back(fmt::format("--set tile.n={}", kNarrowest));
  refuse(spec,
         {"spec.accumulator-registers", "tile.m",
          fmt::format("{} x {} accumulators take {} registers of each of {} threads; {} are left beside fragments and addresses; nearest "
                      "legal value{}: tile.m {}{}",
                      *tile_m, tile_n, registers, kThreads, kMostAccumulatorRegisters, narrower_helps ? "s" : "", widest,
                      narrower_helps ? fmt::format(", or tile.n {}", kNarrowest) : ""),
          "NVIDIA H100 Tensor Core GPU Architecture: 16 K registers in each of an SM's four partitions, three of ten warps in one of them",
          hints},
         diagnostics);
}

}  // namespace

void check_rules(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  check_quantisation(spec, diagnostics);
  check_warpgroups(spec, diagnostics);
  check_registers(spec, diagnostics);
  check_splits(spec, diagnostics);
}

}  // namespace warpwright::w4a8_gemm
