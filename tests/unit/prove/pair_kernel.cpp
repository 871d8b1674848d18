// SPDX-License-Identifier: Apache-2.0
// Builds the pair kernel's events role by role.
#include "tests/unit/prove/pair_kernel.h"

#include <map>

namespace warpwright::prove::test {
namespace {

using Kind = Event::Kind;

std::string at_cta(const std::string &name, int cta) { return name + "@cta" + std::to_string(cta); }
std::string slot_of(const std::string &name, int slot, int cta) {
  return at_cta(name + "[" + std::to_string(slot) + "]", cta);
}

class PairBuilder {
 public:
  explicit PairBuilder(const PairShape &shape) : shape_(shape) {}

  Protocol build() {
    protocol_.kernel = "pair";
    for (int cta : {0, 1}) declare_barriers(cta);
    for (int cta : {0, 1}) {
      load(cta, true);
      load(cta, false);
      if (cta == 0) mma();
      epilogue(cta, true);
      epilogue(cta, false);
    }
    return std::move(protocol_);
  }

 private:
  bool is_overlapped() const { return shape_.accumulators == Accumulators::kOverlapped; }
  int acc_barriers() const { return is_overlapped() ? 1 : 2; }
  int turns_per_tile() const { return shape_.k_tiles + shape_.lora_chunks; }

  void declare(const std::string &name, int64_t arrivals, bool is_named = false) {
    barriers_[name] = static_cast<int>(protocol_.barriers.size());
    protocol_.barriers.push_back({name, arrivals, is_named, {"barrier " + name, {"pair.json", kLineFrame, 3}}});
  }

  void declare_barriers(int cta) {
    for (int s = 0; s < shape_.depth; ++s) {
      if (cta == 0) declare(slot_of("ab_full", s, cta), 2);
      declare(slot_of("ab_empty", s, cta), 1);
    }
    for (int b = 0; b < acc_barriers(); ++b) {
      declare(slot_of("acc_full", b, cta), 1);
      if (cta == 0) declare(slot_of("acc_empty", b, cta), 8);
    }
    declare(at_cta("epilogue_bar", cta), 128, true);
  }

  Event &add(Kind kind, const std::string &op, int line) {
    Event event;
    event.kind = kind;
    event.turn = turn_;
    event.origin = {op, {"pair.json", line, 5}};
    thread_->events.push_back(event);
    return thread_->events.back();
  }
  Event &add_on(Kind kind, const std::string &op, int line, const std::string &barrier) {
    Event &event = add(kind, op, line);
    event.barrier = barriers_.at(barrier);
    return event;
  }

  void begin(const std::string &name) {
    protocol_.threads.push_back({name, {}});
    thread_ = &protocol_.threads.back();
    turn_ = 0;
  }
  void meet() { add(Kind::kClusterSync, "ptx.cluster_sync", kLineFrame); }

  void wait(const std::string &op, int line, const std::string &barrier, int64_t use, bool of_producer) {
    add_on(Kind::kWait, op, line, barrier).parity = static_cast<int>((use & 1) ^ (of_producer ? 1 : 0));
  }

  void copy(const std::string &region, int slot, int cta, int64_t bytes) {
    Event &event = add_on(Kind::kCopy, "ptx.tma_load " + region, kLineAb, slot_of("ab_full", slot, 0));
    event.bytes = bytes;
    event.resource = slot_of(region, slot, cta);
  }

  void load(int cta, bool weights) {
    begin(at_cta(weights ? "load_weights" : "load_activations", cta));
    meet();
    int c = 0;
    for (int tile = 0; tile < shape_.tiles; ++tile)
      for (int k = 0; k < turns_per_tile(); ++k, ++c) load_turn(cta, weights, c, k >= shape_.k_tiles);
    turn_ = -1;
    for (int s = 0; s < shape_.depth; ++s, ++c)
      wait("ptx.mbar_wait @ab_empty drain", kLineAb, slot_of("ab_empty", c % shape_.depth, cta), c / shape_.depth,
           true);
    meet();
  }

  void load_turn(int cta, bool weights, int c, bool is_lora) {
    turn_ = c;
    const int slot = c % shape_.depth;
    wait("ptx.mbar_wait @ab_empty", kLineAb, slot_of("ab_empty", slot, cta), c / shape_.depth, true);
    const int64_t bytes = is_lora ? kLoraBytes : weights ? kWeightBytes : kActivationBytes;
    if (cta == 0) {
      const std::string op = is_lora ? "ptx.mbar_arrive_expect_tx @ab_full lora" : "ptx.mbar_arrive_expect_tx @ab_full";
      add_on(Kind::kArriveTx, op, kLineAb, slot_of("ab_full", slot, 0)).bytes = 2 * bytes;
    }
    copy(weights ? "b_tile" : "a_tile", slot, cta, 16384);
    if (!is_lora) copy(weights ? "b_scales" : "a_scales", slot, cta, bytes - 16384);
  }

  /// The parts of tile `tile`'s accumulator, in both CTAs.
  std::vector<std::string> acc_parts(int tile) const {
    std::vector<std::string> parts;
    for (int cta : {0, 1}) {
      if (!is_overlapped()) {
        parts.push_back(slot_of("acc", tile % 2, cta));
      } else {
        parts.push_back(at_cta(tile % 2 ? "acc.right" : "acc.left", cta));
        parts.push_back(at_cta("acc.shared", cta));
      }
    }
    return parts;
  }

  void mma() {
    begin("mma@cta0");
    for (const auto &[name, index] : barriers_)
      if (!protocol_.barriers[static_cast<size_t>(index)].is_named)
        add_on(Kind::kInit, "ptx.mbar_init", kLineFrame, name);
    meet();
    int c = 0;
    for (int tile = 0; tile < shape_.tiles; ++tile) {
      const int b = tile % acc_barriers();
      turn_ = c;
      wait("ptx.mbar_wait @acc_empty", kLineAcc, slot_of("acc_empty", b, 0), tile / acc_barriers(), true);
      for (int k = 0; k < turns_per_tile(); ++k, ++c) mma_turn(c, tile, k);
      for (int cta : {0, 1}) add_on(Kind::kCommit, "ptx.commit @acc_full", kLineAcc, slot_of("acc_full", b, cta));
    }
    meet();
    for (int cta : {0, 1}) {
      Event &event = add(Kind::kFree, "ptx.tmem_dealloc", kLineFrame);
      if (is_overlapped())
        event.writes = {at_cta("acc.left", cta), at_cta("acc.shared", cta), at_cta("acc.right", cta)};
      else
        event.writes = {slot_of("acc", 0, cta), slot_of("acc", 1, cta)};
      event.writes.push_back(at_cta("scales_a", cta));
      event.writes.push_back(at_cta("scales_b", cta));
    }
  }

  void mma_turn(int c, int tile, int k) {
    turn_ = c;
    const int slot = c % shape_.depth;
    wait("ptx.mbar_wait @ab_full", kLineAb, slot_of("ab_full", slot, 0), c / shape_.depth, false);
    const bool is_lora = k >= shape_.k_tiles;
    if (!is_lora) {
      copy_scales("a", slot);
      copy_scales("b", slot);
    }
    Event &event = add(Kind::kMma, is_lora ? "ptx.mma f16" : "ptx.mma mxf4nvf4", kLineAb);
    for (int cta : {0, 1})
      for (const char *region : {"a_tile", "b_tile"}) event.reads.push_back(slot_of(region, slot, cta));
    if (!is_lora)
      for (int cta : {0, 1})
        for (const char *range : {"scales_a", "scales_b"}) event.reads.push_back(at_cta(range, cta));
    event.writes = acc_parts(tile);
    if (k > 0) event.reads.insert(event.reads.end(), event.writes.begin(), event.writes.end());
    for (int cta : {0, 1}) add_on(Kind::kCommit, "ptx.commit @ab_empty", kLineAb, slot_of("ab_empty", slot, cta));
  }

  void copy_scales(const std::string &operand, int slot) {
    Event &event = add(Kind::kTensorCopy, "ptx.tcgen05_cp " + operand, kLineAb);
    for (int cta : {0, 1}) {
      event.reads.push_back(slot_of(operand + "_scales", slot, cta));
      event.writes.push_back(at_cta("scales_" + operand, cta));
    }
  }

  void epilogue(int cta, bool stores) {
    begin(at_cta(stores ? "epilogue_store" : "epilogue", cta));
    meet();
    int piece = 0;
    for (int tile = 0; tile < shape_.tiles; ++tile) {
      turn_ = tile;
      wait("ptx.mbar_wait @acc_full", kLineAcc, slot_of("acc_full", tile % acc_barriers(), cta),
           tile / acc_barriers(), false);
      for (int s = 0; s < shape_.subtiles; ++s, ++piece) subtile(cta, stores, tile, s, piece);
    }
    if (stores) add(Kind::kGroupWait, "ptx.bulk_wait_group drain", kLineStore).count = 0;
    meet();
  }

  void subtile(int cta, bool stores, int tile, int s, int piece) {
    for (const std::string &part : acc_read_parts(cta, tile, s)) {
      turn_ = tile;
      add(Kind::kRead, "ptx.tmem_load", kLineAcc).resource = part;
    }
    if (s == (is_overlapped() ? 0 : shape_.subtiles - 1)) {
      Event &release = add_on(Kind::kArrive, "ptx.mbar_arrive @acc_empty", kLineAcc,
                              slot_of("acc_empty", tile % acc_barriers(), 0));
      release.count = stores ? 1 : 3;
    }
    turn_ = piece;
    if (stores) add(Kind::kGroupWait, "ptx.bulk_wait_group", kLineStore).count = shape_.staging_buffers - 1;
    meet_epilogue(cta, stores, "ptx.named_barrier free");
    const std::string staging = slot_of("staging", piece % shape_.staging_buffers, cta);
    add(Kind::kWrite, "ptx.store_shared", kLineStore).resource = staging + (stores ? ".warp0" : ".warps123");
    meet_epilogue(cta, stores, "ptx.named_barrier filled");
    if (!stores) return;
    Event &store = add(Kind::kCopy, "ptx.tma_store", kLineStore);
    store.reads = {staging + ".warp0", staging + ".warps123"};
    add(Kind::kGroupCommit, "ptx.bulk_commit_group", kLineStore);
  }

  /// Sub-tile 0 holds the columns shared by both accumulators: the drain begins with them.
  std::vector<std::string> acc_read_parts(int cta, int tile, int s) const {
    if (!is_overlapped()) return {slot_of("acc", tile % 2, cta)};
    const std::string own = at_cta(tile % 2 ? "acc.right" : "acc.left", cta);
    return s == 0 ? std::vector<std::string>{at_cta("acc.shared", cta), own} : std::vector<std::string>{own};
  }

  void meet_epilogue(int cta, bool stores, const std::string &op) {
    Event &event = add_on(Kind::kSync, op, kLineStore, at_cta("epilogue_bar", cta));
    event.count = 128;
    event.bytes = stores ? 32 : 96;
  }

  PairShape shape_;
  Protocol protocol_;
  Thread *thread_ = nullptr;
  int turn_ = 0;
  std::map<std::string, int> barriers_;
};

}  // namespace

Protocol make_pair_kernel(const PairShape &shape) { return PairBuilder(shape).build(); }

}  // namespace warpwright::prove::test
