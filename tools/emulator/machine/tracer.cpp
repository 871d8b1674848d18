// SPDX-License-Identifier: Apache-2.0
// Reads the operands of traced instructions, and tells what they did. PTX ISA 9.0 for the order of the operands.
#include "tools/emulator/machine/tracer.h"

#include "tools/emulator/machine/forms.h"
#include "tools/emulator/tma/box_copy.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

using Kind = TraceEvent::Kind;
using Row = TracePlan::Row;

bool has(const std::string &opcode, const char *part) { return opcode.find(part) != std::string::npos; }

/// "cp.async.bulk.tensor.3d.…": 3; 0 for plain copies.
uint16_t rank_of(const std::string &opcode) {
  const size_t at = opcode.find(".tensor.");
  return at == std::string::npos ? 0 : static_cast<uint16_t>(opcode[at + 8] - '0');
}

Row row_of_copy(const std::string &opcode) {
  Row row{true, Kind::kLoad};
  const uint16_t rank = rank_of(opcode);
  row.is_plain = rank == 0;
  if (has(opcode, ".global.shared::cta")) {
    row.kind = Kind::kStore;
    row.address = static_cast<uint16_t>(2 + rank);
    row.number = 4;
    return row;
  }
  if (!has(opcode, ".global")) return {};
  row.number = 4;
  row.second = static_cast<uint16_t>(rank ? 4 + rank : 5);
  row.is_multicast = has(opcode, ".multicast::cluster");
  return row;
}

Row row_of_mbarrier(const std::string &opcode) {
  if (opcode.starts_with("mbarrier.init.")) return {true, Kind::kInit, 0, 2};
  if (opcode.starts_with("mbarrier.arrive.expect_tx")) return {true, Kind::kArriveTx, 1, 3};
  if (opcode.starts_with("mbarrier.arrive.")) return {true, Kind::kArrive, 1, 3};
  if (opcode.starts_with("mbarrier.expect_tx")) return {true, Kind::kExpectTx, 0, 2};
  if (!opcode.starts_with("mbarrier.try_wait") && !opcode.starts_with("mbarrier.test_wait")) return {};
  Row row{true, Kind::kWait, 1, 3};
  row.is_parity = has(opcode, ".parity");
  return row;
}

Row row_of_tensor(const ptx::Instruction &instruction) {
  const std::string &opcode = instruction.opcode;
  if (opcode.starts_with("tcgen05.alloc.")) return {true, Kind::kAlloc, 0, 2};
  if (opcode.starts_with("tcgen05.dealloc.")) return {true, Kind::kDealloc, 0, 1};
  if (opcode.starts_with("tcgen05.ld.")) return {true, Kind::kTensorLoad};
  if (opcode.starts_with("tcgen05.wait::ld")) return {true, Kind::kTensorLoaded};
  if (opcode.starts_with("tcgen05.cp.")) return {true, Kind::kTensorCopy, 0, 2};
  Row row{true, Kind::kCommit, 0, 2};
  row.is_multicast = has(opcode, ".multicast::cluster");
  if (opcode.starts_with("tcgen05.commit.")) return row;
  if (!opcode.starts_with("tcgen05.mma.")) return {};
  row.kind = Kind::kMma;
  row.has_tensor_a = instruction.operands.size() > 1 && instruction.operands[1].kind == ptx::Operand::Kind::kAddress;
  // d (2), a (1, in tensor memory 2), b, instruction descriptor, scale addresses (2 each).
  row.second = static_cast<uint16_t>((row.has_tensor_a ? 6 : 5) + (has(opcode, ".block_scale") ? 4 : 0));
  return row;
}

Row row_of(const ptx::Instruction &instruction) {
  const std::string &opcode = instruction.opcode;
  if (opcode.starts_with("mbarrier.")) return row_of_mbarrier(opcode);
  if (opcode.starts_with("tcgen05.")) return row_of_tensor(instruction);
  if (opcode == "cp.async.bulk.commit_group") return {true, Kind::kGroupCommit};
  if (opcode.starts_with("cp.async.bulk.wait_group")) {
    Row row{true, Kind::kGroupWait};
    row.reads_only = opcode.ends_with(".read");
    return row;
  }
  if (opcode.starts_with("cp.async.bulk.") || opcode.starts_with("cp.reduce.async.bulk.")) return row_of_copy(opcode);
  if (opcode.starts_with("barrier.cluster.arrive")) return {true, Kind::kClusterArrive};
  if (opcode.starts_with("barrier.cluster.wait")) return {true, Kind::kClusterWait};
  if ((opcode.starts_with("bar.") && !opcode.starts_with("bar.warp.")) || opcode.starts_with("barrier."))
    return {true, has(opcode, ".arrive") ? Kind::kSyncArrive : Kind::kSync, 0, 1};
  if (opcode == "ret" || opcode == "exit" || opcode == "ret.uni") return {true, Kind::kExit};
  return {};
}

constexpr uint64_t kMapBytes = 128;  // of tma::encode()

uint64_t without_window(uint64_t address) { return (address & kWindowMask) == kSharedWindow ? address & ~kWindowMask : address; }

/// Lanes that did the same are told together.
bool is_alike(const TraceEvent &a, const TraceEvent &b) {
  return a.ctas == b.ctas && a.barrier == b.barrier && a.count == b.count && a.bytes == b.bytes && a.parity == b.parity &&
         a.shared == b.shared && a.column == b.column;
}

}  // namespace

TracePlan::TracePlan(const ptx::Kernel &kernel) {
  for (const ptx::Instruction &instruction : kernel.instructions) rows.push_back(row_of(instruction));
}

int64_t Tracer::offset_of(uint64_t address, uint32_t *cta) const {
  address = without_window(address);
  *cta = static_cast<uint32_t>(address >> Cta::kRankShift);
  return int64_t{Cluster::offset_of(address)} - int64_t{cluster_.state.dynamic_shared_offset};
}

void Tracer::before(Execution &x, const Op &op) {
  const Row &row = plan_.rows[op.index];
  events_.clear();
  // A thread arrives at a barrier of its CTA once, and may stand at the instruction again.
  if (row.kind == Kind::kSync && x.group.has_arrived) return;
  x.each_lane([&](uint32_t lane) {
    TraceEvent event;
    event.kind = row.kind;
    event.cluster = cluster_.number;
    event.cta = x.cta.rank;
    event.warp = x.warp.index;
    event.lanes = 1u << lane;
    event.pc = op.index;
    read(x, op, row, lane, event);
    if (!events_.empty() && is_alike(events_.back(), event)) events_.back().lanes |= event.lanes;
    else events_.push_back(event);
  });
}

void Tracer::read(Execution &x, const Op &op, const Row &row, uint32_t lane, TraceEvent &event) const {
  const auto word = [&](uint32_t which, uint32_t absent) {
    const uint32_t place = which < op.num_operands ? op.operands[which] : kAbsent;
    return place == kAbsent ? absent : x.lanes<uint32_t>(place)[lane];
  };
  switch (row.kind) {
    case Kind::kInit:
    case Kind::kArrive:
    case Kind::kArriveTx:
    case Kind::kExpectTx:
    case Kind::kWait: {
      uint32_t cta = 0;
      event.barrier = offset_of(address_in_lane(x, op, row.address, lane), &cta);
      event.ctas = cta < 32 ? 1u << cta : 0;
      const bool is_bytes = row.kind == Kind::kArriveTx || row.kind == Kind::kExpectTx;
      if (row.kind == Kind::kWait) event.parity = row.is_parity ? word(row.number, 0) & 1 : 0;
      else (is_bytes ? event.bytes : event.count) = word(row.number, 1);
      if (row.kind == Kind::kArriveTx) event.count = 1;
      return;
    }
    case Kind::kSync:
    case Kind::kSyncArrive:
      event.barrier = word(row.address, 0);
      event.count = word(row.number, 0);
      return;
    case Kind::kGroupWait:
      event.count = op.operands[0];
      event.parity = row.reads_only;
      return;
    case Kind::kLoad:
    case Kind::kStore: return read_copy(x, op, row, lane, event);
    default: return read_tensor(x, op, row, lane, event);
  }
}

void Tracer::name_map(uint64_t offset, TraceEvent &event) const {
  const auto &parameters = cluster_.state.launch.kernel->parameters;
  const auto &block = cluster_.state.launch.parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].offset <= offset && offset < parameters[i].offset + parameters[i].bytes) event.parameter = static_cast<int64_t>(i);
  if (offset + kMapBytes > block.size()) return;
  if (const auto map = tma::decode(block.data() + offset)) event.bytes = tma::box_bytes(*map);
}

void Tracer::read_copy(Execution &x, const Op &op, const Row &row, uint32_t lane, TraceEvent &event) const {
  event.shared = offset_of(address_in_lane(x, op, row.address, lane), &event.shared_cta);
  if (row.is_plain) event.bytes = x.lanes<uint32_t>(op.operands[row.number])[lane];
  else if (const uint64_t map = address_in_lane(x, op, row.kind == Kind::kLoad ? 2 : 0, lane); (map & kWindowMask) == kParamWindow)
    name_map(map & ~kWindowMask, event);
  if (row.kind == Kind::kStore) return;
  uint32_t cta = 0;
  event.barrier = offset_of(address_in_lane(x, op, row.second, lane), &cta);
  event.ctas = row.is_multicast ? x.lanes<uint32_t>(op.operands[row.second + 2])[lane] & 0xFFFF : cta < 32 ? 1u << cta : 0;
}

void Tracer::read_tensor(Execution &x, const Op &op, const Row &row, uint32_t lane, TraceEvent &event) const {
  const auto column = [&](uint32_t first) {
    return int64_t{TensorMemory::col_of(static_cast<uint32_t>(address_in_lane(x, op, first, lane)))};
  };
  // PTX ISA 9.0, "Shared memory descriptor": bits 0 to 13 are the address in units of 16 bytes.
  const auto described = [&](uint32_t which) {
    return static_cast<int64_t>((x.lanes<uint64_t>(op.operands[which])[lane] & 0x3FFF) << 4) - int64_t{cluster_.state.dynamic_shared_offset};
  };
  switch (row.kind) {
    case Kind::kTensorCopy:
      event.column = column(0);
      event.shared = described(row.number);
      event.shared_cta = x.cta.rank;
      return;
    case Kind::kMma:
      event.column = column(0);
      if (!row.has_tensor_a) event.shared = described(2);
      event.shared_b = described(row.has_tensor_a ? 4 : 3);
      event.shared_cta = x.cta.rank;
      event.parity = lanes_where(x, op.operands[row.second]) >> lane & 1;
      return;
    case Kind::kCommit: {
      uint32_t cta = 0;
      event.barrier = offset_of(address_in_lane(x, op, 0, lane), &cta);
      event.ctas = row.is_multicast ? x.lanes<uint32_t>(op.operands[2])[lane] & 0xFFFF : cta < 32 ? 1u << cta : 0;
      return;
    }
    case Kind::kTensorLoad: event.column = column(op.num_operands - 2u); return;
    case Kind::kAlloc:
      event.shared = offset_of(address_in_lane(x, op, row.address, lane), &event.shared_cta);
      event.count = x.lanes<uint32_t>(op.operands[row.number])[lane];
      return;
    case Kind::kDealloc:
      event.column = TensorMemory::col_of(x.lanes<uint32_t>(op.operands[row.address])[lane]);
      event.count = x.lanes<uint32_t>(op.operands[row.number])[lane];
      return;
    default: return;
  }
}

void Tracer::after(Execution &x, const Op &op, Step step) {
  if (events_.empty() || step == Step::kFault) return;
  const Kind kind = events_.front().kind;
  if (step == Step::kPark && kind != Kind::kSync) return;
  for (TraceEvent event : events_) {
    if (kind == Kind::kExit) event.lanes &= ~x.warp.live_lanes();  // the others return from a function
    if (kind == Kind::kWait) event.lanes &= op.operands[0] == kAbsent ? 0 : x.predicate(op.operands[0]);
    if (kind == Kind::kAlloc) {
      uint32_t address = 0;
      const uint64_t offset = static_cast<uint64_t>(event.shared) + cluster_.state.dynamic_shared_offset;
      std::memcpy(&address, x.cta.shared.data() + offset, sizeof address);
      event.column = TensorMemory::col_of(address);
    }
    if (event.lanes) tell(event, x.cta, x.warp);
  }
}

void Tracer::tell(const TraceEvent &event, Cta &cta, Warp &warp) {
  TraceVerdict verdict;
  trace_.listen(trace_.user, event, &verdict);
  if (verdict.slug) cluster_.add_finding(cta, warp, verdict.lane, verdict.pc, verdict.slug, verdict.text);
}

void Tracer::finish() {
  for (auto &cta : cluster_.ctas)
    for (Warp &warp : cta->warps) {
      TraceEvent event;
      event.cluster = cluster_.number;
      event.cta = cta->rank;
      event.warp = warp.index;
      for (const Group &group : warp.groups) {
        if (group.wait != Wait::kMbarrier) continue;
        TraceEvent wait = event;
        wait.kind = Kind::kWait;
        wait.lanes = group.mask;
        wait.pc = group.pc;
        wait.ctas = 1u << cta->rank;
        wait.barrier = int64_t{group.value} - int64_t{cluster_.state.dynamic_shared_offset};
        wait.parity = group.parity & 1;
        tell(wait, *cta, warp);
      }
      event.lanes = warp.live_lanes();
      tell(event, *cta, warp);
    }
}

}  // namespace warpwright::emulator
