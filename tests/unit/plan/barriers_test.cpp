// SPDX-License-Identifier: Apache-2.0
// Barriers derived from channels that this family does not have: long chains, joins, every CTA scope.
#include "generator/plan/family_plan.h"
#include "tests/catch.h"

using namespace warpwright::plan;
using warpwright::support::InternalError;

namespace {

/// Roles of an attention kernel's kind: one MMA warp for the group, softmax and correction warps in every CTA.
std::vector<Role> make_roles() {
  return {
      {"softmax", "", 0, 4, 0, CtaScope::kSelf, Issue::kThreads},
      {"correction", "", 4, 4, 0, CtaScope::kSelf, Issue::kWarps},
      {"mma", "", 8, 1, 0, CtaScope::kLeader, Issue::kElected},
      {"load", "", 9, 1, 0, CtaScope::kSelf, Issue::kElected},
  };
}

Channel make_channel(std::string name, int64_t depth, std::vector<std::vector<ChannelOwner>> chain) {
  Channel channel;
  channel.name = std::move(name);
  channel.depth = depth;
  channel.chain = std::move(chain);
  return channel;
}

const Barrier &named(const std::vector<Barrier> &barriers, const std::string &name) {
  for (const Barrier &barrier : barriers)
    if (barrier.name == name) return barrier;
  throw std::runtime_error("no barrier " + name);
}

}  // namespace

TEST_CASE("barriers: a chain of three owners has a barrier per hand-over, named after who waits") {
  // S becomes P in place: MMA writes, softmax reads and writes, MMA reads; the tensor pipe orders the last hand-over.
  const auto barriers = derive_barriers(
      {make_channel(
          "s", 2,
          {{{"mma", HandOver::kTensorCommit}}, {{"softmax", HandOver::kArrive}}, {{"mma", HandOver::kTensorOrder}}})},
      make_roles(), 1);
  REQUIRE(barriers.size() == 2);
  CHECK(barriers[0].name == "s_to_softmax");
  CHECK(barriers[0].from == 0);
  CHECK(barriers[0].arrivals == 1);
  CHECK(barriers[0].count == 2);
  // The MMA role waits at two positions, so its barrier says which.
  CHECK(barriers[1].name == "s_to_mma_2");
  CHECK(barriers[1].from == 1);
  CHECK(barriers[1].arrivals == 128);
}

TEST_CASE("barriers: owners that join arrive on one barrier, each with its own count") {
  const auto barriers = derive_barriers(
      {make_channel(
          "po", 1,
          {{{"softmax", HandOver::kArrive}, {"correction", HandOver::kArrive}}, {{"mma", HandOver::kTensorCommit}}})},
      make_roles(), 1);
  const Barrier &full = named(barriers, "po_full");
  CHECK(full.arrivals == 128 + 4);
  REQUIRE(full.arrivers.size() == 2);
  CHECK(full.arrivers[0].role == "softmax");
  CHECK(full.arrivers[0].count == 128);
  CHECK(full.arrivers[1].role == "correction");
  CHECK(full.arrivers[1].count == 4);
  CHECK(named(barriers, "po_empty").arrivals == 1);
}

TEST_CASE("barriers: in a pair a signal from every CTA to the leader counts both, and back reaches both") {
  const auto barriers =
      derive_barriers({make_channel("acc", 2, {{{"mma", HandOver::kTensorCommit}}, {{"softmax", HandOver::kArrive}}})},
                      make_roles(), 2);
  CHECK(named(barriers, "acc_full").lives_in == CtaScope::kBoth);
  CHECK(named(barriers, "acc_full").arrivals == 1);
  CHECK(named(barriers, "acc_empty").lives_in == CtaScope::kLeader);
  CHECK(named(barriers, "acc_empty").arrivals == 256);
}

TEST_CASE(
    "barriers: in a pair a signal between roles of every CTA stays in its CTA, one between leaders in the leader") {
  const auto barriers = derive_barriers(
      {make_channel("own", 1, {{{"softmax", HandOver::kArrive}}, {{"correction", HandOver::kArrive}}}),
       make_channel("order", 1, {{{"mma", HandOver::kTensorCommit}}, {{"mma", HandOver::kTensorOrder}}})},
      make_roles(), 2);
  CHECK(named(barriers, "own_full").lives_in == CtaScope::kSelf);
  CHECK(named(barriers, "own_full").arrivals == 128);
  CHECK(named(barriers, "order_full").lives_in == CtaScope::kLeader);
  CHECK(named(barriers, "order_full").arrivals == 1);
  CHECK(barriers.size() == 3);
}

TEST_CASE("barriers: bytes are those of the copies of the announcing role, for both CTAs where the leader waits") {
  Channel ring = make_channel("kv", 3, {{{"load", HandOver::kTma}}, {{"mma", HandOver::kTensorCommit}}});
  ring.payloads = {{"k", {{"map_k", "kv_tile", "load", Split::kHalfN, 2, 1000}}, 1},
                   {"v", {{"map_v", "kv_tile", "load", Split::kHalfN, 1, 700}}, 1}};
  const auto paired = derive_barriers({ring}, make_roles(), 2);
  const Barrier &full = named(paired, "kv_full");
  REQUIRE(full.expects.size() == 2);
  CHECK(full.expects[0].bytes == 4000);
  CHECK(full.expects[1].bytes == 1400);
  CHECK(full.arrivals == 1);
  CHECK(named(derive_barriers({ring}, make_roles(), 1), "kv_full").expects[0].bytes == 2000);
}

TEST_CASE("barriers: fewer barriers than slots where slots share a part") {
  Channel channel = make_channel("acc", 2, {{{"mma", HandOver::kTensorCommit}}, {{"softmax", HandOver::kArrive}}});
  channel.barrier_depth = 1;
  for (const Barrier &barrier : derive_barriers({channel}, make_roles(), 1)) CHECK(barrier.count == 1);
}

TEST_CASE("barriers: hand-overs by bulk group, named barrier and tensor order have none") {
  const auto barriers = derive_barriers(
      {make_channel("store", 2, {{{"softmax", HandOver::kNamedBarrier}}, {{"softmax", HandOver::kBulkGroup}}}),
       make_channel("scales", 1, {{{"mma", HandOver::kTensorOrder}}, {{"mma", HandOver::kTensorOrder}}})},
      make_roles(), 1);
  CHECK(barriers.empty());
}

TEST_CASE("barriers: a role that does not exist, a chain of one and a join across CTA scopes are bugs of ours") {
  CHECK_THROWS_AS(
      derive_barriers({make_channel("x", 1, {{{"nobody", HandOver::kArrive}}, {{"mma", HandOver::kArrive}}})},
                      make_roles(), 1),
      InternalError);
  CHECK_THROWS_AS(derive_barriers({make_channel("x", 1, {{{"mma", HandOver::kArrive}}})}, make_roles(), 1),
                  InternalError);
  CHECK_THROWS_AS(derive_barriers({make_channel("x", 1,
                                                {{{"mma", HandOver::kArrive}, {"softmax", HandOver::kArrive}},
                                                 {{"correction", HandOver::kArrive}}})},
                                  make_roles(), 2),
                  InternalError);
}
