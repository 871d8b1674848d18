// SPDX-License-Identifier: Apache-2.0
// The check accepts the pair kernel and names each seeded bug.
#include "tests/catch.h"
#include "tests/unit/prove/pair_kernel.h"
#include "tests/unit/prove/seeded.h"

#include <algorithm>
#include <chrono>

using namespace warpwright::prove;
using namespace warpwright::prove::test;
using warpwright::support::Diagnostics;

namespace {

std::string check(const Protocol &protocol) {
  Diagnostics diagnostics;
  check_protocol(protocol, {}, diagnostics);
  return diagnostics.render();
}

void require_slug(const Protocol &protocol, const std::string &slug) {
  Diagnostics diagnostics;
  check_protocol(protocol, {}, diagnostics);
  INFO(diagnostics.render());
  CHECK(diagnostics.has_slug(slug));
}

}  // namespace

TEST_CASE("prove: correct kernels pass") {
  for (Accumulators accumulators : {Accumulators::kDouble, Accumulators::kOverlapped})
    for (int depth : {1, 2, 3, 5})
      for (int lora_chunks : {0, 1, 2})
        for (int tiles : {0, 1, 4}) {
          PairShape shape;
          shape.accumulators = accumulators;
          shape.depth = depth;
          shape.lora_chunks = lora_chunks;
          shape.tiles = tiles;
          CHECK(check(make_pair_kernel(shape)) == "");
        }
}

TEST_CASE("prove: a shipped-size protocol takes milliseconds") {
  PairShape shape;
  shape.depth = 5;
  shape.k_tiles = 12;
  const Protocol protocol = make_pair_kernel(shape);
  size_t events = 0;
  for (const Thread &thread : protocol.threads) events += thread.events.size();
  const auto begin = std::chrono::steady_clock::now();
  CHECK(check(protocol) == "");
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  WARN(events << " events checked in " << ms << " ms");
  CHECK(ms < 500);  // loose: shared machines, sanitizers
}

TEST_CASE("prove: wrong initial phases") {
  SECTION("the accumulator's producer starts at parity 0") {
    Protocol protocol = make_pair_kernel({});
    for (Event *event : find_events(protocol, "mma", "ptx.mbar_wait @acc_empty")) event->parity ^= 1;
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("the ring's producer starts at parity 0") {
    Protocol protocol = make_pair_kernel({});
    for (Event *event : find_events(protocol, "load_weights", "ptx.mbar_wait @ab_empty")) event->parity ^= 1;
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("the consumer starts at parity 1") {
    Protocol protocol = make_pair_kernel({});
    for (Event *event : find_events(protocol, "mma", "ptx.mbar_wait @ab_full")) event->parity ^= 1;
    require_slug(protocol, "prove.unfilled");
  }
}

TEST_CASE("prove: dropped waits and arrivals") {
  Protocol protocol = make_pair_kernel({});
  SECTION("the MMA does not wait for a filled slot") {
    REQUIRE(drop_events(protocol, "mma", "ptx.mbar_wait @ab_full", 7) == 1);
    require_slug(protocol, "prove.unfilled");
  }
  SECTION("a loader does not wait for a free slot") {
    REQUIRE(drop_events(protocol, "load_activations@cta1", "ptx.mbar_wait @ab_empty", 6) == 1);
    require_slug(protocol, "prove.overwrite");
  }
  SECTION("the epilogue does not wait for the accumulator") {
    REQUIRE(drop_events(protocol, "epilogue@cta1", "ptx.mbar_wait @acc_full", 1) == 1);
    require_slug(protocol, "prove.unfilled");
  }
  SECTION("the MMA does not wait for a free accumulator") {
    REQUIRE(drop_events(protocol, "mma", "ptx.mbar_wait @acc_empty", 12) == 1);
    require_slug(protocol, "prove.overwrite");
  }
  SECTION("the slot is never released") {
    REQUIRE(drop_events(protocol, "mma", "ptx.commit @ab_empty", 4) == 2);
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("the peer's epilogue does not release the accumulator") {
    REQUIRE(drop_events(protocol, "epilogue@cta1", "ptx.mbar_arrive @acc_empty", 0) == 1);
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("the ring is not drained before exit") {
    REQUIRE(drop_events(protocol, "load", "ptx.mbar_wait @ab_empty drain") == 12);
    require_slug(protocol, "prove.undrained");
  }
  SECTION("the stores are not drained before exit") {
    REQUIRE(drop_events(protocol, "epilogue_store", "ptx.bulk_wait_group drain") == 2);
    require_slug(protocol, "prove.undrained");
  }
  SECTION("the CTAs do not meet before exit") {
    for (Thread &thread : protocol.threads) thread.events.pop_back();
    require_slug(protocol, "prove.undrained");
  }
  SECTION("the CTAs do not meet after the barriers' initialisation") {
    for (Thread &thread : protocol.threads)
      thread.events.erase(std::find_if(thread.events.begin(), thread.events.end(), [](const Event &event) {
        return event.kind == Event::Kind::kClusterSync;
      }));
    require_slug(protocol, "prove.uninitialised");
  }
}

TEST_CASE("prove: wrong counts and bytes") {
  Protocol protocol = make_pair_kernel({});
  const auto barrier = [&](const std::string &name) -> BarrierDecl & {
    return *std::find_if(protocol.barriers.begin(), protocol.barriers.end(),
                         [&](const BarrierDecl &decl) { return decl.name == name; });
  };
  SECTION("one arrival too many is expected") {
    ++barrier("acc_empty[1]@cta0").arrivals;
    require_slug(protocol, "prove.undrained");  // with three tiles nobody waits for that phase
    ++barrier("acc_empty[0]@cta0").arrivals;
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("one arrival too few is expected") {
    --barrier("ab_full[1]@cta0").arrivals;
    require_slug(protocol, "prove.over-arrival");
  }
  SECTION("the lone epilogue's accumulator count in a pair") {
    barrier("acc_empty[0]@cta0").arrivals = 4;
    require_slug(protocol, "prove.over-arrival");
  }
  for (int64_t error_bytes : {-16, 16}) {
    DYNAMIC_SECTION("the announcement is off by " << error_bytes) {
      find_events(protocol, "load_weights@cta0", "ptx.mbar_arrive_expect_tx @ab_full", 3).at(0)->bytes += error_bytes;
      require_slug(protocol, "prove.byte-mismatch");
    }
    DYNAMIC_SECTION("the last turn's announcement is off by " << error_bytes) {
      find_events(protocol, "load_weights@cta0", "ptx.mbar_arrive_expect_tx @ab_full lora").back()->bytes +=
          error_bytes;
      require_slug(protocol, "prove.byte-mismatch");
    }
  }
  SECTION("the LoRA chunk is announced with the main payload's bytes") {
    for (Event *event : find_events(protocol, "load_weights@cta0", "ptx.mbar_arrive_expect_tx @ab_full lora"))
      event->bytes = 2 * kWeightBytes;
    require_slug(protocol, "prove.byte-mismatch");
  }
  SECTION("the LoRA chunk is not announced") {
    for (Event *event : find_events(protocol, "load_weights@cta0", "ptx.mbar_arrive_expect_tx @ab_full lora"))
      event->bytes = 0;
    require_slug(protocol, "prove.byte-mismatch");
  }
  SECTION("the leader announces one CTA's bytes") {
    for (Event *event : find_events(protocol, "load_activations@cta0", "ptx.mbar_arrive_expect_tx"))
      event->bytes /= 2;
    require_slug(protocol, "prove.byte-mismatch");
  }
  SECTION("more bytes than a phase counts") {
    find_events(protocol, "load_weights@cta0", "ptx.mbar_arrive_expect_tx", 0).at(0)->bytes += int64_t{1} << 20;
    require_slug(protocol, "prove.byte-mismatch");
  }
}

TEST_CASE("prove: wrong scope, order and repetition") {
  Protocol protocol = make_pair_kernel({});
  const auto index = [&](const std::string &name) {
    for (size_t b = 0; b < protocol.barriers.size(); ++b)
      if (protocol.barriers[b].name == name) return static_cast<int>(b);
    FAIL("no barrier " << name);
    return -1;
  };
  SECTION("the peer's copies complete on its own barrier") {
    protocol.barriers.push_back({"ab_full[0]@cta1", 1, false, {}});
    for (Event *event : find_events(protocol, "load_weights@cta1", "ptx.tma_load"))
      if (event->barrier == index("ab_full[0]@cta0")) event->barrier = index("ab_full[0]@cta1");
    require_slug(protocol, "prove.byte-mismatch");
  }
  SECTION("the release reaches the leader only") {
    for (Event *event : find_events(protocol, "mma", "ptx.commit @ab_empty", 2))
      event->barrier = index("ab_empty[2]@cta0");
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("the peer's epilogue arrives at home") {
    protocol.barriers.push_back({"acc_empty[0]@cta1", 8, false, {}});
    for (Event *event : find_events(protocol, "epilogue@cta1", "ptx.mbar_arrive @acc_empty", 0))
      event->barrier = index("acc_empty[0]@cta1");
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("a slot is released twice") {
    REQUIRE(double_events(protocol, "mma", "ptx.commit @ab_empty", 4) == 2);
    require_slug(protocol, "prove.over-arrival");
  }
  SECTION("one wait has the other parity: it passes on an older phase") {
    for (Event *event : find_events(protocol, "mma", "ptx.mbar_wait @ab_full", 3)) event->parity ^= 1;
    require_slug(protocol, "prove.stale-wait");
  }
  SECTION("one wait has the other parity: it waits for a phase that depends on it") {
    for (Event *event : find_events(protocol, "mma", "ptx.mbar_wait @ab_full", 8)) event->parity ^= 1;
    require_slug(protocol, "prove.deadlock");
  }
  SECTION("the accumulator is released before it has been read") {
    for (Thread &thread : protocol.threads) {
      if (thread.name != "epilogue@cta0") continue;
      auto release = std::find_if(thread.events.begin(), thread.events.end(), [](const Event &event) {
        return event.origin.op == "ptx.mbar_arrive @acc_empty";
      });
      const Event moved = *release;
      thread.events.erase(release);
      thread.events.insert(thread.events.begin() + 2, moved);  // after the meeting and the wait for acc_full
    }
    require_slug(protocol, "prove.overwrite");
  }
  SECTION("overlapped accumulators are released one sub-tile early") {
    PairShape shape;
    shape.accumulators = Accumulators::kOverlapped;
    protocol = make_pair_kernel(shape);
    for (Thread &thread : protocol.threads)
      for (size_t i = 0; i + 2 < thread.events.size(); ++i)
        if (thread.events[i].kind == Event::Kind::kRead && thread.events[i + 2].kind == Event::Kind::kArrive)
          std::swap(thread.events[i], thread.events[i + 2]);
    require_slug(protocol, "prove.overwrite");
  }
  SECTION("staging is refilled while its store still reads") {
    for (Event *event : find_events(protocol, "epilogue_store", "ptx.bulk_wait_group", 5)) event->count = 2;
    require_slug(protocol, "prove.overwrite");
  }
}

TEST_CASE("prove: a role that nobody waits for can fall two phases behind") {
  // One producer, two consumers, but only the first one's release is counted.
  Protocol protocol;
  protocol.kernel = "broadcast";
  protocol.barriers = {{"full@cta0", 1, false, {}}, {"empty@cta0", 1, false, {}}};
  const auto event = [](Event::Kind kind, int barrier, int parity, const char *op) {
    Event e;
    e.kind = kind;
    e.barrier = barrier;
    e.parity = parity;
    e.origin.op = op;
    return e;
  };
  protocol.threads.resize(3);
  protocol.threads[0].name = "producer@cta0";
  protocol.threads[1].name = "counted@cta0";
  protocol.threads[2].name = "forgotten@cta0";
  for (int i = 0; i < 6; ++i) {
    protocol.threads[0].events.push_back(event(Event::Kind::kWait, 1, (i & 1) ^ 1, "wait empty"));
    protocol.threads[0].events.push_back(event(Event::Kind::kArrive, 0, 0, "arrive full"));
    protocol.threads[1].events.push_back(event(Event::Kind::kWait, 0, i & 1, "wait full"));
    protocol.threads[1].events.push_back(event(Event::Kind::kArrive, 1, 0, "arrive empty"));
    protocol.threads[2].events.push_back(event(Event::Kind::kWait, 0, i & 1, "wait full, forgotten"));
  }
  Diagnostics held;
  check_protocol(protocol, {}, held);
  CHECK(held.has_slug("prove.lag"));
  Diagnostics not_held;
  check_protocol(protocol, {false}, not_held);
  CHECK_FALSE(not_held.has_slug("prove.lag"));  // no plain schedule shows it: the adversary does
}

TEST_CASE("prove: the peer's early bytes are normal") {
  // The copy completes before the leader announces it: the tx-count is negative in between.
  Protocol protocol;
  protocol.kernel = "early";
  protocol.barriers = {{"full@cta0", 1, false, {}}, {"announce@cta0", 1, false, {}}};
  protocol.threads.resize(3);
  Event copy, arrive, wait_announce, expect, wait_full;
  copy.kind = Event::Kind::kCopy;
  copy.barrier = 0;
  copy.bytes = 16384;
  arrive.kind = Event::Kind::kArrive;
  arrive.barrier = 1;
  wait_announce.barrier = 1;
  expect.kind = Event::Kind::kArriveTx;
  expect.barrier = 0;
  expect.bytes = 16384;
  wait_full.barrier = 0;
  protocol.threads[0] = {"load@cta1", {copy, arrive}, 0};
  protocol.threads[1] = {"load@cta0", {wait_announce, expect}, 0};
  protocol.threads[2] = {"mma@cta0", {wait_full}, 0};
  CHECK(check(protocol) == "");
}

TEST_CASE("prove: a deadlock names every waiter, its barrier and what it lacks") {
  Protocol protocol = make_pair_kernel({});
  drop_events(protocol, "epilogue@cta1", "ptx.mbar_arrive @acc_empty", 0);
  Diagnostics diagnostics;
  check_protocol(protocol, {}, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  const auto &deadlock = diagnostics.all().front();
  CHECK(deadlock.slug == "prove.deadlock");
  CHECK(deadlock.where.file == "pair.json");
  std::string notes;
  for (const std::string &note : deadlock.notes) notes += note + "\n";
  INFO(notes);
  CHECK_THAT(notes, Catch::Contains("mma@cta0 in `ptx.mbar_wait @acc_empty` (turn 12) at pair.json:20 wants parity 0 "
                                    "(phase 0) of acc_empty[0]@cta0: its phase 0 lacks 3 of 8 arrivals"));
  CHECK_THAT(notes, Catch::Contains("load_weights@cta1"));
  CHECK_THAT(notes, Catch::Contains("schedule: "));
}

TEST_CASE("prove: a byte mismatch says how many bytes") {
  Protocol protocol = make_pair_kernel({});
  for (Event *event : find_events(protocol, "load_weights@cta0", "ptx.mbar_arrive_expect_tx @ab_full lora"))
    event->bytes = 2 * kWeightBytes;
  const std::string text = check(protocol);
  CHECK_THAT(text, Catch::Contains("announces 73,728 B and copies complete 65,536 B: 8,192 B never come"));
}

TEST_CASE("prove: a barrier that the protocol lacks is our bug") {
  Protocol protocol = make_pair_kernel({});
  protocol.threads[0].events[1].barrier = 999;
  CHECK_THROWS_AS(check(protocol), warpwright::support::InternalError);
}
