// SPDX-License-Identifier: Apache-2.0
// Breaks every single event of the pair kernel in every way that applies; each mutant is found or listed as equivalent.
#include "tests/catch.h"
#include "tests/unit/prove/pair_kernel.h"

#include <map>

using namespace warpwright::prove;
using namespace warpwright::prove::test;
using warpwright::support::Diagnostics;

namespace {

struct Mutant {
  std::string what;  ///< "drop ptx.mbar_wait @ab_full"
  std::string where; ///< "mma@cta0 turn 3"
  Protocol protocol;
};

bool has_bytes(const Event &event) {
  return event.kind == Event::Kind::kArriveTx || event.kind == Event::Kind::kExpectTx ||
         (event.kind == Event::Kind::kCopy && event.barrier >= 0);
}

bool has_count(const Event &event) {
  return event.kind == Event::Kind::kArrive || event.kind == Event::Kind::kSync ||
         event.kind == Event::Kind::kGroupWait;
}

/// Calls `use` with every mutant of one event.
template <typename Use>
void mutate_event(const Protocol &good, size_t thread, size_t index, Use use) {
  const Event &event = good.threads[thread].events[index];
  const std::string where = good.threads[thread].name + " turn " + std::to_string(event.turn);
  const auto with = [&](const std::string &what, auto change) {
    Mutant mutant{what + " " + event.origin.op, where, good};
    change(mutant.protocol.threads[thread].events);
    use(mutant);
  };
  const auto at = static_cast<std::ptrdiff_t>(index);
  with("drop", [&](std::vector<Event> &events) { events.erase(events.begin() + at); });
  with("double", [&](std::vector<Event> &events) { events.insert(events.begin() + at, Event(event)); });
  if (event.kind == Event::Kind::kWait)
    with("flip parity of", [&](std::vector<Event> &events) { events[index].parity ^= 1; });
  for (int64_t delta_bytes : {-16, 16})
    if (has_bytes(event))
      with(delta_bytes < 0 ? "-16 B in" : "+16 B in",
           [&](std::vector<Event> &events) { events[index].bytes += delta_bytes; });
  for (int64_t delta : {-1, 1})
    if (has_count(event) && event.count + delta >= (event.kind == Event::Kind::kArrive ? 1 : 0))
      with(delta < 0 ? "count - 1 in" : "count + 1 in",
           [&](std::vector<Event> &events) { events[index].count += delta; });
}

template <typename Use>
void mutate_barriers(const Protocol &good, Use use) {
  for (size_t b = 0; b < good.barriers.size(); ++b)
    for (int64_t delta : {-1, 1}) {
      if (good.barriers[b].is_named || good.barriers[b].arrivals + delta < 1) continue;
      Mutant mutant{delta < 0 ? "arrivals - 1 of barrier" : "arrivals + 1 of barrier", good.barriers[b].name + " turn 0", good};
      mutant.protocol.barriers[b].arrivals += delta;
      use(mutant);
    }
}

/// Why a mutant cannot be told from the original by any run, or nothing where it can.
///
/// `where` is "thread turn n". Values are not part of the protocol: what is computed twice, or left as it was, is found by
/// running the kernel against its reference.
std::string why_equivalent(const Mutant &mutant, const PairShape &shape) {
  const auto is = [&](const char *what) { return mutant.what == what; };
  const int turn = std::stoi(mutant.where.substr(mutant.where.rfind(' ') + 1));
  const int acc_barriers = shape.accumulators == Accumulators::kOverlapped ? 1 : 2;
  if (is("drop ptx.mbar_wait @ab_empty") && turn < shape.depth) return "the slot's first wait passes at once";
  if (is("drop ptx.mbar_wait @acc_empty") && turn < acc_barriers * (shape.k_tiles + shape.lora_chunks))
    return "the accumulator's first wait passes at once";
  if (is("drop ptx.mbar_wait @ab_empty drain")) return "the CTA's other loader waits for the same phase";
  if (is("drop ptx.cluster_sync") && turn != 0 && mutant.where.rfind("mma", 0) != 0) return "the other roles of the CTA keep it resident";
  if (is("double ptx.cluster_sync") && turn != 0) return "the others have ended, and who has ended is not waited for";
  const bool is_first_store = turn < shape.staging_buffers;
  if ((is("drop ptx.bulk_wait_group") || is("count + 1 in ptx.bulk_wait_group")) && is_first_store)
    return "nothing is in flight yet";
  if (is("count - 1 in ptx.bulk_wait_group") || is("double ptx.bulk_commit_group"))
    return "waits for more stores than it must";
  if (is("double ptx.bulk_wait_group") || is("double ptx.bulk_wait_group drain")) return "the second passes at once";
  for (const char *access : {"double ptx.mma f16", "double ptx.mma mxf4nvf4", "double ptx.store_shared",
                             "double ptx.tcgen05_cp a", "double ptx.tcgen05_cp b", "double ptx.tma_store",
                             "double ptx.tmem_load", "double ptx.tmem_dealloc"})
    if (is(access)) return "the same access twice at the same place: a matter of values";
  if (is("drop ptx.store_shared") && !is_first_store) return "the staging buffer keeps its old data: a matter of values";
  if (is("drop ptx.tmem_load")) return "the accumulator is read by the sub-tile's other accesses: a matter of values";
  if (is("drop ptx.tmem_dealloc")) return "an allocation that is never freed: a matter of the allocator";
  return "";
}

}  // namespace

TEST_CASE("prove: every single-event mutant is found or equivalent") {
  PairShape shape;
  shape.accumulators = GENERATE(Accumulators::kDouble, Accumulators::kOverlapped);
  shape.k_tiles = 4;
  const Protocol good = make_pair_kernel(shape);
  int found = 0;
  std::map<std::string, int> equivalents;
  std::string survivors;
  const auto judge = [&](const Mutant &mutant) {
    Diagnostics diagnostics;
    check_protocol(mutant.protocol, {}, diagnostics);
    const std::string reason = why_equivalent(mutant, shape);
    const std::string words = mutant.what + " (" + mutant.where + ")";
    if (diagnostics.has_errors()) {
      ++found;
      if (!reason.empty()) survivors += words + ": listed as equivalent, but found\n";
    } else if (reason.empty()) {
      survivors += words + ": not found\n";
    } else {
      ++equivalents[mutant.what + ": " + reason];
    }
  };
  for (size_t t = 0; t < good.threads.size(); ++t)
    for (size_t i = 0; i < good.threads[t].events.size(); ++i) mutate_event(good, t, i, judge);
  mutate_barriers(good, judge);
  int num_equivalent = 0;
  std::string text;
  for (const auto &[what, number] : equivalents) {
    num_equivalent += number;
    text += "  " + std::to_string(number) + " × " + what + "\n";
  }
  WARN(found << " mutants found, " << num_equivalent << " equivalent for " << equivalents.size() << " reasons");
  SUCCEED(text);  // the reasons: shown with -s
  INFO(survivors);
  CHECK(survivors.empty());
  CHECK(found > 1000);
}
