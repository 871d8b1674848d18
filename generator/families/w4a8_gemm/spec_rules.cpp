// SPDX-License-Identifier: Apache-2.0
// Rules between the fields of the w4a8_gemm family: what the hardware or this edition cannot do.
#include "generator/families/w4a8_gemm/spec.h"

#include "generator/spec/family_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::w4a8_gemm {
namespace {

using spec::KernelSpec;
using spec::integer_of;
using spec::refuse;
using spec::word_of;

/// Channels of one wgmma. Source: PTX ISA 9.0, "wgmma.mma_async", shapes: M is 64.
constexpr int64_t kMmaChannels = 64;

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
            "README.md of the family, \"Quantisation and packed layout\"",
            {"--set 'quant.group=\"64\"'"}},
           diagnostics);
  }
  if (k && integer_of(spec, "tile.k") == 256 && *k % 256 != 0) {
    refuse(spec,
           {"spec.k-stage", "tile.k", fmt::format("{} elements of K are no multiple of a stage of 256; nearest legal value: tile.k 128", *k),
            "README.md of the family, \"How the kernel works\"",
            {"--set tile.k=128"}},
           diagnostics);
  }
  if (word_of(spec, "quant.dequant") == "lqq" && word_of(spec, "quant.group") == "channel") {
    refuse(spec,
           {"spec.lqq-needs-group", "quant.dequant",
            "without groups the operand is the code itself, 0 to 15, and there is no top bit to flip; nearest legal values: "
            "quant.dequant \"u8\", or quant.group \"64\"",
            "README.md of the family, \"Quantisation and packed layout\"",
            {"--set quant.dequant=u8", "--set 'quant.group=\"64\"'"}},
           diagnostics);
  }
}

/// Every split has the same number of turns, so that roles need not ask which one they work on; a block of one half would
/// belong to one of them alone.
void check_splits(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> k = integer_of(spec, "problem.k"), splits = integer_of(spec, "split_k");
  const int64_t block = integer_of(spec, "tile.k").value_or(128);
  if (!k || !splits || *splits <= most_splits(*k, block)) return;
  const int64_t fits = most_splits(*k, block);
  refuse(spec,
         {"spec.uneven-splits", "split_k",
          fmt::format("{} elements of K do not make {} parts of whole blocks of {}; nearest legal value: {}", *k, *splits, block, fits),
          "README.md of the family, \"Splits of K\"",
          {fmt::format("--set split_k={}", fits)}},
         diagnostics);
}

void check_warpgroups(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> warpgroups = integer_of(spec, "compute_warpgroups"), tile_n = integer_of(spec, "tile.n");
  if (!warpgroups || !tile_n || *tile_n % (kMmaChannels * *warpgroups) == 0) return;
  refuse(spec,
         {"spec.warpgroups-need-channels", "compute_warpgroups",
          fmt::format("each warpgroup multiplies {} channels at a time, {} of them {}; the tile has {}; nearest legal values: "
                      "compute_warpgroups {}, or tile.n {}",
                      kMmaChannels, *warpgroups, kMmaChannels * *warpgroups, *tile_n, *tile_n / kMmaChannels, kMmaChannels * *warpgroups),
          "PTX ISA 9.0, \"wgmma.mma_async\", shapes: M is 64",
          {fmt::format("--set compute_warpgroups={}", *tile_n / kMmaChannels), fmt::format("--set tile.n={}", kMmaChannels * *warpgroups)}},
         diagnostics);
}

bool fits_registers(int64_t accumulators, int64_t warpgroups) {
  return accumulators + other_registers(accumulators) <= thread_registers(warpgroups);
}

/// The widest token tile whose accumulators fit, of those that the field may have.
int64_t widest_tile(int64_t warpgroups, int64_t slabs) {
  int64_t widest = 0;
  for (const int64_t tile_m : family_spec().find("tile.m")->integers)
    if (fits_registers(slabs * tile_m / 2, warpgroups)) widest = tile_m;
  return widest;
}

void check_registers(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> tile_m = integer_of(spec, "tile.m"), tile_n = integer_of(spec, "tile.n");
  const std::optional<int64_t> warpgroups = integer_of(spec, "compute_warpgroups");
  if (!tile_m || !warpgroups || (tile_n && *tile_n % (kMmaChannels * *warpgroups) != 0)) return;
  // A tile.n left open is taken for the smallest.
  const int64_t slabs = tile_n ? *tile_n / (kMmaChannels * *warpgroups) : 1, registers = slabs * *tile_m / 2;
  if (fits_registers(registers, *warpgroups)) return;
  const int64_t widest = widest_tile(*warpgroups, slabs);
  std::vector<std::string> hints;
  if (widest > 0) hints.push_back(fmt::format("--set tile.m={}", widest));
  const int64_t narrow = kMmaChannels * *warpgroups;
  const bool narrower_helps = slabs > 1 && fits_registers(*tile_m / 2, *warpgroups);
  if (narrower_helps) hints.push_back(fmt::format("--set tile.n={}", narrow));
  if (hints.empty()) hints.push_back("--set compute_warpgroups=auto --set tile.n=auto");
  refuse(spec,
         {"spec.accumulator-registers", "tile.m",
          fmt::format("{} tokens x {} channels take {} registers of a thread for sums and {} for the rest; with {} compute warpgroups and two "
                      "warps that load it has {}; nearest legal value: {}",
                      *tile_m, slabs * kMmaChannels, registers, other_registers(registers), *warpgroups, thread_registers(*warpgroups),
                      widest > 0           ? fmt::format("tile.m {}", widest)
                      : narrower_helps ? fmt::format("tile.n {}", narrow)
                                       : "fewer compute_warpgroups"),
          "NVIDIA H100 Tensor Core GPU Architecture: 16 K registers in each of an SM's four partitions, among which warps are dealt", hints},
         diagnostics);
}

}  // namespace

int64_t most_splits(int64_t k, int64_t stage_elems) { return k % stage_elems == 0 ? k / stage_elems : 1; }

int64_t thread_registers(int64_t warpgroups) {
  constexpr int64_t kPartitionRegisters = 16 * 1024, kPartitions = 4, kLanes = 32, kMost = 255, kGranularity = 8;
  const int64_t warps_of_one = (4 * warpgroups + 2 + kPartitions - 1) / kPartitions;
  return std::min(kMost, kPartitionRegisters / (warps_of_one * kLanes) / kGranularity * kGranularity);
}

int64_t most_warpgroups(int64_t tile_m) {
  constexpr int64_t kMost = 7;  // 30 warps of 32
  int64_t most = 0;
  for (int64_t warpgroups = 1; warpgroups <= kMost; ++warpgroups)
    if (fits_registers(tile_m / 2, warpgroups)) most = warpgroups;
  return most;
}

void check_rules(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  check_quantisation(spec, diagnostics);
  check_warpgroups(spec, diagnostics);
  check_registers(spec, diagnostics);
  check_splits(spec, diagnostics);
}

}  // namespace warpwright::w4a8_gemm
