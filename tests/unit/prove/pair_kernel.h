// SPDX-License-Identifier: Apache-2.0
// The protocol of a W4A4 pair kernel, written by hand: what the check must accept, and what tests break.
#pragma once

#include "generator/prove/protocol.h"

namespace warpwright::prove::test {

enum class Accumulators { kDouble, kOverlapped };

/// A small instance of the persistent pair kernel.
struct PairShape {
  int depth = 3;
  int k_tiles = 5;
  int lora_chunks = 1;  ///< in the ring, with bytes of their own
  int tiles = 3;
  int subtiles = 4;
  int staging_buffers = 2;
  Accumulators accumulators = Accumulators::kDouble;
};

/// Bytes that one CTA's loaders bring per turn, as in a 256×256×256 NVFP4 tile (A 16,384 + SFA 2,048; B 16,384 + SFB 4,096)
/// and a 64-rank LoRA chunk (16,384 each).
constexpr int64_t kActivationBytes = 16384 + 2048;
constexpr int64_t kWeightBytes = 16384 + 4096;
constexpr int64_t kLoraBytes = 16384;

/// Threads per CTA: load_weights, load_activations, epilogue_store (the warp that stores) and epilogue (the other three);
/// mma in CTA 0. Two loaders join on ab_full of the leader, ab_empty and acc_full come by multicast commits, acc_empty
/// collects the warps of both CTAs in the leader.
Protocol make_pair_kernel(const PairShape &shape);

/// The lines that the builder's events claim to come from.
constexpr int kLineAb = 10;
constexpr int kLineAcc = 20;
constexpr int kLineStore = 30;
constexpr int kLineFrame = 40;

}  // namespace warpwright::prove::test
