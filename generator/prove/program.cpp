// SPDX-License-Identifier: Apache-2.0
// Numbers the resources of a protocol and derives what each wait means.
#include "generator/prove/program.h"

#include <cctype>
#include <string_view>
#include <unordered_map>

namespace warpwright::prove {
namespace {

int cta_of(int stated, const std::string &name) {
  if (stated >= 0) return stated;
  const size_t at = name.rfind("@cta");
  if (at == std::string::npos) return 0;
  int cta = 0;
  for (size_t i = at + 4; i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])); ++i)
    cta = cta * 10 + (name[i] - '0');
  return cta;
}

bool needs_barrier(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kWait:
    case Event::Kind::kArrive:
    case Event::Kind::kArriveTx:
    case Event::Kind::kExpectTx:
    case Event::Kind::kCommit:
    case Event::Kind::kSync:
    case Event::Kind::kInit: return true;
    default: return false;
  }
}

/// Gives resources numbers in order of first mention.
class ResourceTable {
 public:
  explicit ResourceTable(Program &program) : program_(program) {}

  OperandRange add(const std::string &first, const std::vector<std::string> &more) {
    OperandRange range;
    range.begin = static_cast<int>(program_.operands.size());
    if (!first.empty()) program_.operands.push_back(number_of(first));
    for (const std::string &name : more) program_.operands.push_back(number_of(name));
    range.end = static_cast<int>(program_.operands.size());
    return range;
  }

 private:
  int number_of(const std::string &name) {
    auto [it, is_new] = numbers_.emplace(name, static_cast<int>(program_.resource_names.size()));
    if (is_new) {
      program_.resource_names.push_back(name);
      program_.resource_is_written.push_back(false);
      program_.resource_is_read.push_back(false);
    }
    return it->second;
  }

  Program &program_;
  std::unordered_map<std::string_view, int> numbers_;  // views into the protocol's strings
};

Op make_op(const Event &event, const Protocol &protocol, ResourceTable &resources) {
  const bool has_barrier = event.barrier >= 0;
  WARPWRIGHT_ASSERT(event.barrier < static_cast<int>(protocol.barriers.size()) &&
                        (has_barrier || !needs_barrier(event.kind)),
                    "event '" + event.origin.op + "' names no barrier of the protocol");
  if (has_barrier)
    WARPWRIGHT_ASSERT(protocol.barriers[event.barrier].is_named == (event.kind == Event::Kind::kSync),
                      "event '" + event.origin.op + "' confuses a named barrier with an mbarrier");
  Op op;
  op.event = &event;
  op.kind = event.kind;
  op.barrier = event.barrier;
  op.parity = event.parity;
  op.count = event.kind == Event::Kind::kArrive && event.count == 0 ? 1 : event.count;
  op.bytes = event.bytes;
  op.turn = event.turn;
  static const std::string none;
  const bool is_store = event.kind == Event::Kind::kCopy && !has_barrier;
  const bool first_is_read = is_store || event.kind == Event::Kind::kRead;
  op.reads = resources.add(first_is_read ? event.resource : none, event.reads);
  op.writes = resources.add(first_is_read ? none : event.resource, event.writes);
  return op;
}

void derive_awaited_phases(std::vector<Op> &ops, size_t num_barriers) {
  std::vector<int64_t> last(num_barriers, -2);
  for (Op &op : ops) {
    if (op.kind != Event::Kind::kWait) continue;
    int64_t phase = last[op.barrier] + 1;
    if ((phase & 1) != (op.parity & 1)) ++phase;
    op.awaited_phase = last[op.barrier] = phase;
  }
}

void note_uses(Program &program, const Op &op) {
  for (int i = op.reads.begin; i < op.reads.end; ++i) program.resource_is_read[program.operands[i]] = true;
  for (int i = op.writes.begin; i < op.writes.end; ++i) program.resource_is_written[program.operands[i]] = true;
  if (op.kind == Event::Kind::kWait) program.barrier_has_waiter[op.barrier] = true;
  if (op.kind == Event::Kind::kInit) program.has_inits = true;
}

}  // namespace

Program make_program(const Protocol &protocol) {
  Program program;
  program.protocol = &protocol;
  program.barrier_has_waiter.resize(protocol.barriers.size());
  for (const BarrierDecl &barrier : protocol.barriers) program.barrier_cta.push_back(cta_of(barrier.cta, barrier.name));
  ResourceTable resources(program);
  for (const Thread &thread : protocol.threads) {
    program.thread_cta.push_back(cta_of(thread.cta, thread.name));
    program.num_ctas = std::max(program.num_ctas, program.thread_cta.back() + 1);
    std::vector<Op> ops;
    ops.reserve(thread.events.size());
    for (const Event &event : thread.events) ops.push_back(make_op(event, protocol, resources));
    derive_awaited_phases(ops, protocol.barriers.size());
    for (const Op &op : ops) note_uses(program, op);
    program.threads.push_back(std::move(ops));
  }
  return program;
}

}  // namespace warpwright::prove
