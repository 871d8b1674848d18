// SPDX-License-Identifier: Apache-2.0
// Runs told by hand against a small script: two roles, a ring of two slots, tiles, a block for one lane.
#include "generator/prove/conform.h"

#include "tests/catch.h"

#include <vector>

using namespace warpwright::prove;

namespace {

using Kind = Observation::Kind;

constexpr uint32_t kAllLanes = ~0u;
constexpr int64_t kFull = 1000, kEmpty = 1016;  // offsets of two mbarriers each

Command block(Command::Kind kind, int match) {
  Command command;
  command.kind = kind;
  command.match = match;
  return command;
}

Command event(Event::Kind kind, int barrier, int64_t count = 0, int64_t bytes = 0) {
  Command command;
  command.event = kind;
  command.origin.op = "op";
  command.barrier = barrier;
  command.slot = 0;
  command.count = count;
  command.bytes = bytes;
  return command;
}

Command slot(Command::Kind kind) {
  Command command;
  command.kind = kind;
  command.slot = 0;
  return command;
}

/// The producer, one lane of warp 0: of each tile three turns of wait for empty, arrive at full with 256 bytes. The consumer, warp 1:
/// wait for full by all lanes, one of them arrives at empty.
Script ring() {
  Script script;
  script.kernel = "ring";
  script.barriers = {{"full", 2, 1, false, kFull, {}}, {"empty", 2, 1, false, kEmpty, {}}};
  const auto loop = [](int match) {
    Command command = block(Command::Kind::kFor, match);
    command.number = 3;
    command.loop = 0;
    return command;
  };
  RoleScript producer{"producer", 0, 1, true, 1, {{2, 2, 1}}, {}};
  producer.commands = {block(Command::Kind::kRole, 9),        slot(Command::Kind::kSlot),  block(Command::Kind::kTiles, 8), loop(7),
                       event(Event::Kind::kWait, 1),          event(Event::Kind::kArriveTx, 0, 0, 256),
                       slot(Command::Kind::kNext),            block(Command::Kind::kEnd, 3), block(Command::Kind::kEnd, 2),
                       block(Command::Kind::kEnd, 0)};
  producer.commands[0].is_once = true;
  RoleScript consumer{"consumer", 1, 1, false, 1, {{2, 2, 0}}, {}};
  consumer.commands = {block(Command::Kind::kRole, 11),       slot(Command::Kind::kSlot),  block(Command::Kind::kTiles, 10), loop(9),
                       event(Event::Kind::kWait, 0),          block(Command::Kind::kElect, 7), event(Event::Kind::kArrive, 1, 1),
                       block(Command::Kind::kEnd, 5),         slot(Command::Kind::kNext),  block(Command::Kind::kEnd, 3),
                       block(Command::Kind::kEnd, 2),         block(Command::Kind::kEnd, 0)};
  consumer.commands[5].is_once = true;
  consumer.commands[5].number = -1;
  script.roles = {producer, consumer};
  return script;
}

Observation seen(Kind kind, uint32_t warp, uint32_t lanes, int64_t barrier = -1) {
  Observation observation;
  observation.kind = kind;
  observation.warp = warp;
  observation.lanes = lanes;
  observation.barrier = barrier;
  observation.ctas = 1;
  return observation;
}

std::vector<Observation> produce(int tiles) {
  std::vector<Observation> all;
  for (int turn = 0; turn < 3 * tiles; ++turn) {
    all.push_back(seen(Kind::kWait, 0, 1, kEmpty + 8 * (turn % 2)));
    all.back().parity = static_cast<uint32_t>(turn / 2 + 1) % 2;
    all.push_back(seen(Kind::kArriveTx, 0, 1, kFull + 8 * (turn % 2)));
    all.back().count = 1;
    all.back().bytes = 256;
  }
  all.push_back(seen(Kind::kExit, 0, kAllLanes));
  all.push_back(seen(Kind::kEnd, 0, 0));
  return all;
}

std::vector<Observation> consume(int tiles) {
  std::vector<Observation> all;
  for (int turn = 0; turn < 3 * tiles; ++turn) {
    all.push_back(seen(Kind::kWait, 1, kAllLanes, kFull + 8 * (turn % 2)));
    all.back().parity = static_cast<uint32_t>(turn / 2) % 2;
    all.push_back(seen(Kind::kArrive, 1, 1u << 7, kEmpty + 8 * (turn % 2)));
    all.back().count = 1;
  }
  all.push_back(seen(Kind::kExit, 1, kAllLanes));
  all.push_back(seen(Kind::kEnd, 1, 0));
  return all;
}

/// The slug of the first deviation, "" for none.
std::string judge(const std::vector<Observation> &first, const std::vector<Observation> &second, int64_t *tiles = nullptr) {
  const Script script = ring();
  Conformance conformance(script);
  std::string slug;
  for (const auto *part : {&first, &second})
    for (const Observation &observation : *part)
      if (const auto found = conformance.observe(observation); found && slug.empty()) slug = found->slug;
  if (tiles) *tiles = conformance.tiles();
  return slug;
}

template <class Change> std::string judge_changed(bool changes_producer, Change change) {
  std::vector<Observation> producer = produce(2), consumer = consume(2);
  change(changes_producer ? producer : consumer);
  return judge(producer, consumer);
}

using Log = std::vector<Observation>;

}  // namespace

TEST_CASE("a run that follows the script is one, in any number of tiles") {
  for (int count : {0, 1, 2, 5}) {
    int64_t tiles = -1;
    CHECK(judge(produce(count), consume(count), &tiles) == "");
    CHECK(tiles == count);
  }
}

TEST_CASE("lanes may do what all do one after the other, and meet again") {
  CHECK(judge_changed(false, [](Log &log) {
          Observation rest = log[2];
          log[2].lanes = 1u << 7;
          rest.lanes = ~(1u << 7);
          log.insert(log.begin() + 1, rest);
        }) == "");
}

TEST_CASE("each way not to follow it has its slug") {
  CHECK(judge_changed(true, [](Log &log) { log.erase(log.begin() + 1); }) == "conformance.missing");
  CHECK(judge_changed(true, [](Log &log) { log.erase(log.begin() + 4); }) == "conformance.missing");
  CHECK(judge_changed(true, [](Log &log) { log.insert(log.begin() + 2, log[1]); }) == "conformance.extra");
  CHECK(judge_changed(true, [](Log &log) { std::swap(log[2], log[3]); }) == "conformance.order");
  CHECK(judge_changed(true, [](Log &log) { log[3].bytes = 128; }) == "conformance.bytes");
  CHECK(judge_changed(true, [](Log &log) { log[2].parity ^= 1; }) == "conformance.parity");
  CHECK(judge_changed(true, [](Log &log) { log[3].barrier = kFull; }) == "conformance.barrier");
  CHECK(judge_changed(true, [](Log &log) { log[3].ctas = 2; }) == "conformance.barrier");
  CHECK(judge_changed(false, [](Log &log) { log[1].count = 2; }) == "conformance.count");
}

TEST_CASE("what one lane does is done by one") {
  CHECK(judge_changed(false, [](Log &log) { log.erase(log.begin() + 3); }) == "conformance.missing");
  CHECK(judge_changed(false, [](Log &log) {
          log.insert(log.begin() + 2, log[1]);
          log[2].lanes = 1u << 8;
        }) == "conformance.extra");
}

TEST_CASE("roles of a cluster take equally many tiles") { CHECK(judge(produce(2), consume(1)) == "conformance.trips"); }

TEST_CASE("a run that stops is explained as far as it went") {
  CHECK(judge_changed(true, [](Log &log) {
          log.resize(5);
          log[4].parity ^= 1;
          log.push_back(seen(Kind::kEnd, 0, 1));
        }) == "conformance.parity");
}
