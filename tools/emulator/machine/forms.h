// SPDX-License-Identifier: Apache-2.0
// The table of instruction forms, in parts by what they do, and what their functions share.
#pragma once

#include "tools/emulator/machine/execution.h"
#include "tools/emulator/machine/program.h"

#include <span>

namespace warpwright::emulator {

/// Pipes of AsyncWork below this number are tcgen05's; above it each warpgroup has one.
inline constexpr uint32_t kWgmmaPipes = 64;

/// In the place of an operand: the predicate is negated; the address register is 64 bits wide.
inline constexpr uint32_t kNegated = 1u << 31;
inline constexpr uint32_t kWide = 1u << 30;

std::span<const Form> integer_forms();
std::span<const Form> float_forms();
std::span<const Form> convert_forms();
std::span<const Form> half_forms();
std::span<const Form> narrow_forms();
std::span<const Form> integer_more_forms();
std::span<const Form> matrix_forms();
std::span<const Form> copy_async_forms();
std::span<const Form> control_forms();
std::span<const Form> memory_forms();
std::span<const Form> barrier_forms();
std::span<const Form> bulk_forms();
std::span<const Form> tensor_forms();
std::span<const Form> tensor_memory_forms();
std::span<const Form> wgmma_forms();
std::span<const Form> register_forms();
std::span<const Form> async_forms();
std::span<const Form> cancel_forms();
std::span<const Form> wide_forms();
std::span<const Form> call_forms();
std::span<const Form> matrix_byte_forms();
std::span<const Form> mma_forms();

/// The lanes in which a predicate operand holds.
inline uint32_t lanes_where(Execution &x, uint32_t place) {
  return place & kNegated ? ~x.predicate(place & ~kNegated) : x.predicate(place);
}

/// Sets the bits of the lanes that take part.
inline void set_predicate(Execution &x, uint32_t place, uint32_t value) {
  if (place == kAbsent) return;
  uint32_t &predicate = x.predicate(place);
  predicate = (predicate & ~x.mask) | (value & x.mask);
}

/// One lane's address from an address operand at operands[first], operands[first + 1].
inline uint64_t address_in_lane(Execution &x, const Op &op, uint32_t first, uint32_t lane) {
  const uint32_t place = op.operands[first];
  const int64_t offset = static_cast<int32_t>(op.operands[first + 1]);
  if (place & kWide) return x.lanes<uint64_t>(place & ~kWide)[lane] + static_cast<uint64_t>(offset);
  return static_cast<uint32_t>(x.lanes<uint32_t>(place)[lane] + static_cast<uint32_t>(offset));
}

/// Windows of the generic address space. What lies outside them is global memory.
/// PTX ISA 9.0, "Generic Addressing", leaves their places to the implementation.
inline constexpr uint64_t kSharedWindow = uint64_t{0x53} << 56;
inline constexpr uint64_t kParamWindow = uint64_t{0x50} << 56;
inline constexpr uint64_t kLocalWindow = uint64_t{0x4C} << 56;  ///< an address in .local has it too
inline constexpr uint64_t kWindowMask = uint64_t{0xFF} << 56;

/// `bytes` bytes of shared memory at an address of the shared::cta or shared::cluster window, or a fault. `*cta` and
/// `*offset` say where.
/// Errors    memory.out-of-bounds, memory.misaligned.
bool find_shared(Execution &x, uint64_t address, uint32_t bytes, uint32_t align, Cta **cta, uint32_t *offset);

/// The host's view of a thread's own memory at an address in the local window, nullptr with a finding where there is none.
uint8_t *thread_memory(Execution &x, uint64_t address, uint32_t bytes);

/// The lanes that take part go on at `target`, the others at the next instruction.
Step jump(Execution &x, uint32_t target);

/// Checks and notes an ordinary access to shared memory that find_shared() has found.
void touch_shared(Execution &x, Cta &cta, ByteRange range, bool is_write, race::Kind kind = race::Kind::kGeneric);

/// Adds to an mbarrier's counts as `change` does, and tells the race detector when that completes a phase. Returns what
/// `change` returns.
template <class Change> bool change_mbarrier(Cluster &cluster, const Cta &cta, uint32_t offset, Mbarrier &barrier, Change change) {
  const uint64_t phase = barrier.phase;
  const bool is_legal = change(barrier);
  if (cluster.races && barrier.phase != phase) cluster.races->complete_phase(Cluster::key_of_mbarrier(cta, offset), barrier.phase);
  return is_legal;
}

/// Asynchronous work will signal it; when that is another CTA's, somebody must wait for it before the CTA ends.
inline void signal_later(Execution &x, const Cta &cta, uint32_t offset, const Mbarrier &barrier) {
  if (x.cluster.races && &cta != &x.cta) x.cluster.races->signal_later(x.actor(), Cluster::key_of_mbarrier(cta, offset), barrier.phase);
}

/// A fence: nothing but what the race detector makes of it, since the machine has no reordering of its own.
template <void (race::Detector::*kFence)(uint32_t)> Step fence(Execution &x, const Op &) {
  if (x.cluster.races) (x.cluster.races.get()->*kFence)(x.actor().warp);
  return Step::kNext;
}

/// Notes a use of an mbarrier whose init the warp, or the asynchronous work that it issues, cannot count on.
inline void use_mbarrier(Execution &x, const Cta &cta, uint32_t offset, bool is_async) {
  if (!x.cluster.races) return;
  if (const Error error = x.cluster.races->use_mbarrier(x.actor(), Cluster::key_of_mbarrier(cta, offset), is_async)) x.note(error);
}

}  // namespace warpwright::emulator
