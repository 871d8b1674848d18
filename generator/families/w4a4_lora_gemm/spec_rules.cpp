// SPDX-License-Identifier: Apache-2.0
// Rules between the fields of the w4a4_lora_gemm family: what the hardware or this edition cannot do.
#include "generator/families/w4a4_lora_gemm/spec.h"

#include "generator/spec/family_rules.h"

#include <fmt/format.h>

namespace warpwright::w4a4_lora_gemm {
namespace {

using spec::FieldValue;
using spec::KernelSpec;
using spec::integer_of;
using spec::refuse;
using spec::word_of;

/// PTX allows M 128 in a pair, with another layout of the scales; one CTA alone has M 128 only.
void check_pairing(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> tile_m = integer_of(spec, "tile.m");
  const std::optional<int64_t> pairing = integer_of(spec, "cta_pairing");
  const std::string shape = "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Matrix Shape\"";
  if (pairing == 2 && tile_m == 128) {
    refuse(spec,
           {"spec.pair-needs-m256", "tile.m",
            "a pair works on 256 rows, 128 in each CTA; 128 rows in a pair need another layout of the scale factors, "
            "which this edition does not have; nearest legal values: tile.m 256, or cta_pairing 1",
            shape + " (kind::mxf4nvf4, cta_group::2: M 128 or 256) and \"Scale Factor A Layout\"",
            {"--set tile.m=256", "--set cta_pairing=1"}},
           diagnostics);
  }
  if (pairing == 1 && tile_m == 256) {
    refuse(spec,
           {"spec.m256-needs-pair", "tile.m",
            "one CTA's block-scaled MMA has 128 rows; nearest legal values: tile.m 128, or cta_pairing 2",
            shape + " (kind::mxf4nvf4, cta_group::1: M 128)",
            {"--set tile.m=128", "--set cta_pairing=2"}},
           diagnostics);
  }
}

void check_cluster(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const FieldValue &cluster = spec.at("cluster");
  if (cluster.kind != FieldValue::Kind::kIntegerList || cluster.list.size() != 2) return;
  std::optional<int64_t> pairing = integer_of(spec, "cta_pairing");
  const std::optional<int64_t> tile_m = integer_of(spec, "tile.m");
  if (!pairing && tile_m) pairing = *tile_m / 128;
  const int64_t x = cluster.list[0];
  const int64_t y = cluster.list[1];
  const bool is_legal = y == 1 && (pairing ? x == *pairing : x == 1 || x == 2);
  if (is_legal) return;
  const std::string legal = pairing ? fmt::format("[{}, 1]", *pairing) : "[1, 1] and [2, 1]";
  // Source: CUDA C++ Programming Guide, "Thread Block Clusters".
  constexpr int64_t kLargestCluster = 16;
  std::string why;
  if (x * y > kLargestCluster) {
    why = fmt::format("{} CTAs; a cluster has at most {} (8 without opt-in)", x * y, kLargestCluster);
  } else if (pairing == 2 && x % 2 != 0) {
    why = fmt::format("{} CTAs along x cannot be divided into pairs: the two CTAs of a pair have neighbouring ranks", x);
  } else if (pairing == 2) {
    why = fmt::format("{} pairs in a cluster would share tiles by multicast, which this edition does not have", x * y / 2);
  } else if (pairing == 1) {
    why = fmt::format("{} CTAs in a cluster would share tiles by multicast, which this edition does not have", x * y);
  } else {
    why = "more CTAs than one pair would share tiles by multicast, which this edition does not have";
  }
  const std::string change = pairing == 1 ? "[1, 1]" : "[2, 1]";
  refuse(spec,
         {"spec.cluster-shape", "cluster",
          fmt::format("{}: {}; nearest legal value{}: {}", cluster.to_json(), why, pairing ? "" : "s", legal),
          "CUDA C++ Programming Guide 13.0, \"Thread Block Clusters\"; PTX ISA 9.0, \"TensorCore 5th Generation Family "
          "Instructions\", \"CTA Pair\"",
          {"--set 'cluster=" + change + "'"}},
         diagnostics);
}

void check_k(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> k = integer_of(spec, "problem.k");
  // One scale atom has 4 scales a row, of 32 elements each.
  constexpr int64_t kMxfp4AtomElems = 128;
  if (!k || word_of(spec, "quant.scheme") != "mxfp4" || *k % kMxfp4AtomElems == 0) return;
  const int64_t below = *k / kMxfp4AtomElems * kMxfp4AtomElems;
  const std::string nearest = below == 0 ? fmt::format("value: {}", kMxfp4AtomElems)
                                         : fmt::format("values: {} and {}", below, below + kMxfp4AtomElems);
  refuse(spec,
         {"spec.k-granularity", "problem.k",
          fmt::format("{} elements are not a multiple of {}: an atom of mxfp4 scales has 4 scales of 32 elements a row; "
                      "nearest legal {}; with nvfp4 a multiple of 64 will do",
                      *k, kMxfp4AtomElems, nearest),
          "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Scale Factor A Layout\"; OCP Microscaling "
          "Formats 1.0: blocks of 32",
          {fmt::format("--set problem.k={}", below + kMxfp4AtomElems), "--set quant.scheme=nvfp4"}},
         diagnostics);
}

/// Tensor memory has 512 columns; two accumulators of 256 leave none for the scales.
void check_accumulators(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::string accumulators = word_of(spec, "accumulators");
  const std::optional<int64_t> tile_n = integer_of(spec, "tile.n");
  const std::string source = "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Tensor Memory\": 512 columns";
  if (accumulators == "overlapped" && tile_n && *tile_n != 256) {
    refuse(spec,
           {"spec.overlap-needs-n256", "accumulators",
            fmt::format("tile.n {} has room for two whole accumulators beside the scales; sharing columns is for tile.n 256; "
                        "nearest legal values: accumulators \"double\", or tile.n 256",
                        *tile_n),
            source,
            {"--set accumulators=double", "--set tile.n=256"}},
           diagnostics);
  }
  if (accumulators == "double" && tile_n == 256) {
    refuse(spec,
           {"spec.double-needs-n192", "accumulators",
            "two accumulators of 256 columns take all 512 and leave none for the scale factors; nearest legal values: "
            "accumulators \"overlapped\", or tile.n 192",
            source,
            {"--set accumulators=overlapped", "--set tile.n=192"}},
           diagnostics);
  }
  if (accumulators == "overlapped" && word_of(spec, "ordering") == "strict") {
    refuse(spec,
           {"spec.strict-no-overlap", "ordering",
            "strict ordering needs two copies of the scale factors in tensor memory; two overlapped accumulators of 256 "
            "columns leave room for one; nearest legal values: ordering \"pipe\", or accumulators \"single\"",
            source,
            {"--set ordering=pipe", "--set accumulators=single"}},
           diagnostics);
  }
}

void check_lora(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  const std::optional<int64_t> rank = integer_of(spec, "lora.rank");
  const bool is_dedicated = word_of(spec, "lora.placement") == "dedicated" || spec.at("lora.placement").is_invalid;
  if (integer_of(spec, "lora.stages") && !is_dedicated) {
    const bool is_ring = word_of(spec, "lora.placement") == "ring";
    refuse(spec,
           {"spec.lora-stages-without-dedicated", "lora.stages",
            fmt::format("stages belong to a dedicated LoRA region; {}; nearest legal values: lora.stages \"auto\", or "
                        "lora.placement \"dedicated\"",
                        is_ring ? "in the ring, LoRA uses the stages of pipeline_depth" : "lora.placement is \"auto\""),
            "README.md of the family, \"LoRA placement\"",
            {"--set lora.stages=auto", "--set lora.placement=dedicated"}},
           diagnostics);
  }
  if (!rank || *rank == 0 || word_of(spec, "lora.type") != "fp16") return;
  // Largest finite half: 0x7BFF. Source: IEEE 754-2019, binary16.
  constexpr double kFp16Max = 65504;
  const FieldValue &amax = spec.at("lora.folded_amax");
  const bool is_known = amax.kind == FieldValue::Kind::kNumber;
  if (amax.is_invalid || (is_known && amax.number <= kFp16Max)) return;
  const std::string why =
      is_known ? fmt::format("|L2 / (alpha · s_w)| reaches {}; fp16 ends at {}", amax.to_json(), kFp16Max)
               : fmt::format("fp16 ends at {}; L2 is stored divided by alpha · s_w, and this spec does not say how large "
                             "that becomes: write lora.folded_amax",
                             kFp16Max);
  refuse(spec,
         {"spec.fp16-lora-range", is_known ? "lora.folded_amax" : "lora.type",
          why + "; nearest legal value: lora.type \"bf16\"", "IEEE 754-2019, binary16",
          {"--set lora.type=bf16"}},
         diagnostics);
}

}  // namespace

void check_rules(const KernelSpec &spec, support::Diagnostics &diagnostics) {
  check_pairing(spec, diagnostics);
  check_cluster(spec, diagnostics);
  check_k(spec, diagnostics);
  check_accumulators(spec, diagnostics);
  check_lora(spec, diagnostics);
}

}  // namespace warpwright::w4a4_lora_gemm
