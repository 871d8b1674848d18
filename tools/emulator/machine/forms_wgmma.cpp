// SPDX-License-Identifier: Apache-2.0
// wgmma: MMAs of a warpgroup, their fence and their groups. PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/tensor_issue.h"

#include "tools/emulator/wgmma/mma.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

using tensor::Format;

struct Kinds {
  Format d, a, b;
  const char *name;
};
constexpr Kinds kKinds[] = {
    {Format::kF16, Format::kF16, Format::kF16, "f16.f16.f16"},     {Format::kF32, Format::kF16, Format::kF16, "f32.f16.f16"},
    {Format::kF32, Format::kBf16, Format::kBf16, "f32.bf16.bf16"}, {Format::kF32, Format::kTf32, Format::kTf32, "f32.tf32.tf32"},
    {Format::kF16, Format::kE4M3, Format::kE4M3, "f16.e4m3.e4m3"}, {Format::kF16, Format::kE4M3, Format::kE5M2, "f16.e4m3.e5m2"},
    {Format::kF16, Format::kE5M2, Format::kE4M3, "f16.e5m2.e4m3"}, {Format::kF16, Format::kE5M2, Format::kE5M2, "f16.e5m2.e5m2"},
    {Format::kF32, Format::kE4M3, Format::kE4M3, "f32.e4m3.e4m3"}, {Format::kF32, Format::kE4M3, Format::kE5M2, "f32.e4m3.e5m2"},
    {Format::kF32, Format::kE5M2, Format::kE4M3, "f32.e5m2.e4m3"}, {Format::kF32, Format::kE5M2, Format::kE5M2, "f32.e5m2.e5m2"},
    {Format::kS32, Format::kS8, Format::kS8, "s32.s8.s8"},         {Format::kS32, Format::kS8, Format::kU8, "s32.s8.u8"},
    {Format::kS32, Format::kU8, Format::kS8, "s32.u8.s8"},         {Format::kS32, Format::kU8, Format::kU8, "s32.u8.u8"},
};

// A form's flags say which MMA it is: bits 8-13 N / 8, 16-19 the kinds, 20 A in registers, 21 .satfinite.
constexpr uint32_t kIsAInRegisters = 1u << 20, kSaturates = 1u << 21;

bool is_16_bit(Format format) { return format == Format::kF16 || format == Format::kBf16; }

wgmma::Instruction instruction_of(uint32_t flags) {
  const Kinds &kinds = kKinds[flags >> 16 & 15];
  wgmma::Instruction instruction;
  instruction.d = kinds.d;
  instruction.a = kinds.a;
  instruction.b = kinds.b;
  instruction.n = 8 * (flags >> 8 & 63);
  instruction.is_a_in_registers = flags & kIsAInRegisters;
  instruction.saturates = flags & kSaturates;
  return instruction;
}

/// What an accumulator's register is used for: another number for another shape, since only those of one shape need no fence.
uint32_t use_of(const wgmma::Instruction &instruction) { return 2 + instruction.n * 64 + instruction.k(); }

std::string name_of_register(Execution &x, uint32_t place) {
  const auto found = x.cluster.state.program.wgmma_registers.find(place);
  return found == x.cluster.state.program.wgmma_registers.end() ? "a register" : "register " + found->second;
}

/// The first warp of a warp's warpgroup, as the race detector counts them.
uint32_t first_warp(const Cluster &cluster, const Cta &cta, uint32_t warp) {
  return cluster.warp_number(cta, warp / wgmma::kWarps * wgmma::kWarps);
}

WgmmaState &state_of(Execution &x) {
  WgmmaState &state = x.warp.wgmma;
  if (state.registers.empty()) state.registers.resize(x.cluster.state.program.register_words / 16);
  return state;
}

}  // namespace

/// One MMA, which the four warps of a warpgroup join one by one.
class WgmmaOperation : public AsyncOperation {
 public:
  WgmmaOperation(const Op &op, const wgmma::Request &request) : op_(&op), request_(request) {}

  const Op &op() const { return *op_; }
  const wgmma::Request &request() const { return request_; }
  uint32_t missing_warps() const {
    uint32_t missing = (1u << wgmma::kWarps) - 1;
    for (const Part &part : parts_) missing &= ~(1u << part.issue.warp % wgmma::kWarps);
    return missing;
  }

  /// A warp's part begins: from now on its rows of A and all of B may be read.
  void join(const TensorIssue &issue, wgmma::Footprint footprint) {
    for (const auto *ranges : {&footprint.a, &footprint.b}) {
      if (issue.cluster->races) {
        const race::Epoch epoch = issue.cluster->races->wgmma_epoch(first_warp(*issue.cluster, *issue.cta, issue.warp),
                                                                    issue.cta->warps[issue.warp].wgmma.issued);
        if (const Error error = issue.cluster->races->touch_async(issue.actor(), issue.cta->rank, *ranges, false, epoch)) issue.note(error);
      }
      if (!issue.cluster->state.options.checks_memory) continue;
      for (const ByteRange range : *ranges)
        if (const Error error = issue.cta->shared.begin_async_read(range)) issue.note(error);
    }
    parts_.push_back({issue, std::move(footprint)});
  }

  bool advance() override {
    const TensorIssue &first = parts_.front().issue;
    Cta &cta = *first.cta;
    if (const char *slug = Cluster::check_alive(cta)) first.note({slug, "an MMA reads shared memory of a CTA that has ended"});
    if (first.cluster->state.options.checks_memory) check_reads();
    std::array<wgmma::WarpRegisters, wgmma::kWarps> registers;
    for (const Part &part : parts_) registers[part.issue.warp % wgmma::kWarps] = registers_of(cta.warps[part.issue.warp]);
    if (const Error error = wgmma::perform(request_, {cta.shared.data(), cta.shared.size_bytes()}, registers)) first.stop(error);
    for (const Part &part : parts_) ++cta.warps[part.issue.warp].wgmma.complete;
    ++first.cluster->statistics.mmas;
    return true;
  }

 private:
  struct Part {
    TensorIssue issue;
    wgmma::Footprint footprint;
  };

  void check_reads() {
    for (const Part &part : parts_)
      for (const auto *ranges : {&part.footprint.a, &part.footprint.b})
        for (const ByteRange range : *ranges) {
          if (const Error error = part.issue.cta->shared.check_async_read(range)) part.issue.note(error);
          part.issue.cta->shared.end_async_read(range);
        }
  }
  wgmma::WarpRegisters registers_of(Warp &warp) const {
    wgmma::WarpRegisters out;
    const uint32_t count = request_.instruction.registers_of_d();
    for (uint32_t i = 0; i < count; ++i) out.d[i] = warp.registers.data() + op_->operands[i];
    if (request_.instruction.is_a_in_registers)
      for (uint32_t i = 0; i < wgmma::kRegistersOfA; ++i) out.a[i] = warp.registers.data() + op_->operands[count + i];
    return out;
  }

  const Op *op_;
  wgmma::Request request_;
  std::vector<Part> parts_;
};

Warpgroup::Warpgroup() = default;
Warpgroup::~Warpgroup() = default;
uint32_t Warpgroup::missing_warps() const { return joining.empty() ? 0 : joining.front()->missing_warps(); }

void touch_wgmma_registers(Execution &x, const Op &op) {
  WgmmaState &state = state_of(x);
  for (uint32_t i = 0; i < op.num_tracked; ++i) {
    WgmmaState::Register &r = state.registers[op.tracked[i] / 16];
    if (state.is_in_flight(r))
      x.note("race.wgmma-registers", "uses " + name_of_register(x, op.tracked[i]) + ", which a wgmma.mma_async still " +
                                         (r.use == WgmmaState::kFragment ? "reads" : "adds to") +
                                         "; no wgmma.wait_group has covered it");
    r.is_touched = true;
  }
}

namespace {

/// An MMA takes a register as accumulator (`use` its shape) or fragment; a finding when something before it is not ordered.
/// Source: PTX ISA 9.0, "wgmma.fence": ordered without a fence are accumulators of MMAs of one shape, and nothing else.
bool take_register(Execution &x, WgmmaState &state, uint32_t place, uint32_t use) {
  WgmmaState::Register &r = state.registers[place / 16];
  const bool is_unordered = state.is_in_flight(r) && r.use != use;
  const bool lacks_fence = r.is_touched || (r.fenced_use != 0 && r.fenced_use != use);
  if (is_unordered)
    x.note("race.wgmma-registers", "takes " + name_of_register(x, place) + " as " +
                                       (use == WgmmaState::kFragment ? "A" : "accumulator") +
                                       " while another wgmma.mma_async has it otherwise; no wgmma.wait_group has covered that one");
  else if (lacks_fence)
    x.note("order.no-wgmma-fence", "takes " + name_of_register(x, place) + ", which " +
                                       (r.is_touched ? "another instruction has used" : "a wgmma.mma_async has otherwise") +
                                       " since the last wgmma.fence");
  r.group = state.committed + 1;
  r.use = r.fenced_use = use;
  r.is_touched = false;
  return !is_unordered && !lacks_fence;
}

void take_registers(Execution &x, const Op &op, const wgmma::Instruction &instruction) {
  WgmmaState &state = state_of(x);
  if (!state.has_fenced) x.note("order.no-wgmma-fence", "is the warp's first; a wgmma.fence must come before it");
  state.has_fenced = true;
  const uint32_t count = instruction.registers_of_d();
  // One finding tells it; the others would only repeat it.
  bool is_told = false;
  const auto take = [&](uint32_t place, uint32_t use) {
    if (is_told) state.registers[place / 16].is_touched = false, state.registers[place / 16].fenced_use = 0;
    is_told |= !take_register(x, state, place, use);
  };
  for (uint32_t i = 0; i < count; ++i) take(op.operands[i], use_of(instruction));
  if (!instruction.is_a_in_registers) return;
  for (uint32_t i = 0; i < wgmma::kRegistersOfA; ++i) take(op.operands[count + i], WgmmaState::kFragment);
}

/// PTX ISA 9.0, "Warpgroup": four contiguous warps, the first a multiple of four; all of their threads execute wgmma.
bool is_in_warpgroup(Execution &x) {
  const uint32_t first = x.warp.index / wgmma::kWarps * wgmma::kWarps;
  if (first + wgmma::kWarps > x.cta.warps.size()) {
    x.note("wgmma.warpgroup", "warps " + std::to_string(first) + " to " + std::to_string(first + wgmma::kWarps - 1) +
                                  " are a warpgroup; the CTA has " + std::to_string(x.cta.warps.size()) + " warps");
    return false;
  }
  for (uint32_t i = first; i < first + wgmma::kWarps; ++i) {
    const uint32_t lanes = x.cta.warps[i].live_lanes();
    // A warp that has ended with all its parts issued is missed by the next MMA.
    if (lanes == kAllLanes || (lanes == 0 && x.cta.warps[i].wgmma.issued > x.warp.wgmma.issued)) continue;
    x.note("wgmma.warpgroup", "threads of warp " + std::to_string(i) + " of the warpgroup have ended; all 128 execute it");
    return false;
  }
  return true;
}

/// An operand that all lanes must have alike.
template <class T> bool is_uniform(Execution &x, uint32_t place, const char *what) {
  const T *lanes = x.lanes<T>(place);
  if (std::all_of(lanes, lanes + 32, [&](T value) { return value == lanes[0]; })) return true;
  x.note("wgmma.not-uniform", std::string(what) + " differs between the lanes of the warp");
  return false;
}

/// The operands after D and A's registers: descriptors, scale-d, then signs of A and B and whether they are transposed.
bool read_request(Execution &x, const Op &op, wgmma::Request *out) {
  wgmma::Instruction &instruction = out->instruction;
  uint32_t next = instruction.registers_of_d() + (instruction.is_a_in_registers ? wgmma::kRegistersOfA : 0);
  if (!instruction.is_a_in_registers) {
    if (!is_uniform<uint64_t>(x, op.operands[next], "the descriptor of A")) return false;
    out->a_descriptor = x.lanes<uint64_t>(op.operands[next++])[0];
  }
  if (!is_uniform<uint64_t>(x, op.operands[next], "the descriptor of B")) return false;
  out->b_descriptor = x.lanes<uint64_t>(op.operands[next++])[0];
  const uint32_t scale_d = lanes_where(x, op.operands[next++]);
  if (scale_d != 0 && scale_d != kAllLanes) return x.note("wgmma.not-uniform", "scale-d differs between the lanes of the warp"), false;
  out->adds_d = scale_d != 0;
  if (instruction.d == Format::kS32) return true;
  for (bool *negates : {&instruction.negate_a, &instruction.negate_b}) {
    const auto scale = static_cast<int32_t>(op.operands[next++]);
    if (scale != 1 && scale != -1) return x.note("wgmma.scale", "imm-scale is 1 or -1, not " + std::to_string(scale)), false;
    *negates = scale == -1;
  }
  if (!is_16_bit(instruction.a)) return true;
  for (bool *transposes : {&instruction.mn_major_a, &instruction.mn_major_b}) {
    if (transposes == &instruction.mn_major_a && instruction.is_a_in_registers) continue;
    const uint32_t trans = op.operands[next++];
    if (trans > 1) return x.note("wgmma.trans", "imm-trans is 0 or 1, not " + std::to_string(trans)), false;
    *transposes = trans == 1;
  }
  return true;
}

/// The warp's next MMA as the other warps have it, nullptr with a finding when theirs is another one.
WgmmaOperation *find_operation(Execution &x, const Op &op, const wgmma::Request &request) {
  Warpgroup &group = x.cta.warpgroups[x.warp.index / wgmma::kWarps];
  const auto position = static_cast<size_t>(x.warp.wgmma.issued - group.whole);
  if (position == group.joining.size()) group.joining.push_back(std::make_unique<WgmmaOperation>(op, request));
  WgmmaOperation *operation = group.joining[position].get();
  const std::string number = std::to_string(x.warp.wgmma.issued + 1);
  if (operation->op().index != op.index) {
    x.note("wgmma.diverged", "is MMA " + number + " of the warp; other warps of the warpgroup have that one at " +
                                 x.cluster.line_of(operation->op().index));
    return nullptr;
  }
  if (operation->request() == request) return operation;
  x.note("wgmma.not-uniform", "MMA " + number + " of the warp has other descriptors or another scale-d than in other warps of the warpgroup");
  return nullptr;
}

/// `{d}, a-desc or {a}, b-desc, scale-d, …`.
Step mma_async(Execution &x, const Op &op) {
  if (!is_in_warpgroup(x)) return Step::kFault;
  wgmma::Request request;
  request.instruction = instruction_of(op.flags);
  if (!read_request(x, op, &request)) return Step::kFault;
  wgmma::Footprint footprint;
  if (const Error error = wgmma::footprint(request, x.warp.index % wgmma::kWarps, x.cta.shared.size_bytes(), &footprint))
    return x.fault(error);
  WgmmaOperation *operation = find_operation(x, op, request);
  if (!operation) return Step::kFault;
  take_registers(x, op, request.instruction);
  operation->join(TensorIssue(x, 1), std::move(footprint));
  ++x.warp.wgmma.issued;
  Warpgroup &group = x.cta.warpgroups[x.warp.index / wgmma::kWarps];
  while (!group.joining.empty() && group.joining.front()->missing_warps() == 0) {
    // A warpgroup's MMAs keep their order: accumulators of one shape are passed on from one to the next.
    x.cluster.async.issue_tensor(kWgmmaPipes + x.cta.rank * 8 + x.warp.index / wgmma::kWarps, std::move(group.joining.front()));
    group.joining.pop_front();
    ++group.whole;
  }
  return Step::kYield;
}

Step fence(Execution &x, const Op &) {
  WgmmaState &state = state_of(x);
  state.has_fenced = true;
  for (WgmmaState::Register &r : state.registers) {
    r.is_touched = false;
    r.fenced_use = 0;
  }
  return Step::kNext;
}

Step commit_group(Execution &x, const Op &) {
  WgmmaState &state = x.warp.wgmma;
  ++state.committed;
  state.group_ends.push_back(state.issued);
  return Step::kNext;
}

Step wait_group(Execution &x, const Op &op) {
  const uint32_t left = op.operands[0];
  WgmmaState &state = x.warp.wgmma;
  if (!state.has_all_but(left)) {
    x.group.wait = Wait::kWgmmaGroups;
    x.group.value = left;
    return Step::kPark;
  }
  state.cover_all_but(left);
  if (x.cluster.races) x.cluster.races->wait_wgmma(x.actor().warp, first_warp(x.cluster, x.cta, x.warp.index), state.seen);
  return Step::kNext;
}

class Rows : public FormRows {
 public:
  void add_kinds(uint32_t kinds) {
    const Format a = kKinds[kinds].a;
    const bool is_integer = kKinds[kinds].d == Format::kS32;
    for (uint32_t n = 8; n <= wgmma::kMaxN; n += 8) {
      if (!wgmma::is_shape(a, n)) continue;
      const uint32_t flags = kAligned | kWgmma | n / 8 << 8 | kinds << 16;
      add_shape(flags, "");
      if (is_integer) add_shape(flags | kSaturates, ".satfinite");
    }
  }

 private:
  void add_shape(uint32_t flags, const std::string &saturate) {
    const wgmma::Instruction instruction = instruction_of(flags);
    const std::string word = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(instruction.n) + "k" + std::to_string(instruction.k()) +
                             saturate + "." + kKinds[flags >> 16 & 15].name;
    const std::string d = ">w" + std::to_string(instruction.registers_of_d());
    const std::string scales = instruction.d == Format::kS32 ? "" : " i i";
    const bool has_trans = is_16_bit(instruction.a);
    add(word, d + " l l p" + scales + (has_trans ? " i i" : ""), mma_async, flags);
    add(word, d + " w4 l p" + scales + (has_trans ? " i" : ""), mma_async, flags | kIsAInRegisters);
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add("wgmma.fence.sync.aligned", "", fence, kAligned);
    rows.add("wgmma.commit_group.sync.aligned", "", commit_group, kAligned);
    rows.add("wgmma.wait_group.sync.aligned", "i", wait_group, kAligned);
    for (uint32_t kinds = 0; kinds < std::size(kKinds); ++kinds) rows.add_kinds(kinds);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> wgmma_forms() { return rows().forms; }

}  // namespace warpwright::emulator
