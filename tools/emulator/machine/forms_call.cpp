// SPDX-License-Identifier: Apache-2.0
// Calls of functions, and memory that each thread has for itself: .local variables and the parameters of calls. PTX ISA 9.0,
// "call", "ret", "Local State Space", "Parameter State Space".
#include "tools/emulator/machine/forms.h"

#include <array>

namespace warpwright::emulator {

uint8_t *thread_memory(Execution &x, uint64_t address, uint32_t bytes) {
  const Program &program = x.cluster.state.program;
  const uint64_t offset = (address & ~kWindowMask) % program.thread_stride(), lane = (address & ~kWindowMask) / program.thread_stride();
  if (lane >= 32 || offset + bytes > program.thread_bytes) {
    x.note("memory.out-of-bounds", std::to_string(bytes) + " bytes at offset " + std::to_string(offset) + " of the " +
                                       std::to_string(program.thread_bytes) + " that a thread has for itself");
    return nullptr;
  }
  return x.warp.thread_memory.data() + lane * program.thread_bytes + offset;
}

namespace {

/// `[to], [from], bytes`.
Step copy(Execution &x, const Op &op) {
  const uint32_t bytes = op.operands[4];
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    uint8_t *to = failed ? nullptr : thread_memory(x, address_in_lane(x, op, 0, i), bytes);
    const uint8_t *from = to ? thread_memory(x, address_in_lane(x, op, 2, i), bytes) : nullptr;
    failed = !from;
    if (!failed) std::memcpy(to, from, bytes);
  });
  return failed ? Step::kFault : Step::kNext;
}

Step enter(Execution &x, const Op &op) {
  auto *back = x.lanes<uint32_t>(op.operands[0]);
  x.each_lane([&](uint32_t i) { back[i] = x.group.pc + 1; });
  return jump(x, op.operands[1]);
}

/// Lanes that came from one place go back together.
Step leave(Execution &x, const Op &op) {
  const auto *back = x.lanes<uint32_t>(op.operands[0]);
  std::array<Group, 32> returned;
  uint32_t count = 0;
  for (uint32_t left = x.mask; left;) {
    const uint32_t target = back[__builtin_ctz(left)];
    Group &group = returned[count++] = x.group;
    group.mask = 0;
    group.pc = target;
    for (uint32_t each = left; each; each &= each - 1)
      if (back[__builtin_ctz(each)] == target) group.mask |= each & (0u - each);
    left &= ~group.mask;
  }
  // Lanes whose guard does not hold stay behind; else the first group takes their place.
  uint32_t first = 0;
  x.group.mask &= ~x.mask;
  if (x.group.mask) ++x.group.pc;
  else x.group = returned[first++];
  x.warp.groups.insert(x.warp.groups.end(), returned.begin() + first, returned.begin() + count);
  return Step::kJump;
}

const Form kForms[] = {
    {".call.copy", "a a i", copy},
    {".call.enter", ">w @", enter},
    {".call.return", "w", leave},
};

}  // namespace

std::span<const Form> call_forms() { return kForms; }

}  // namespace warpwright::emulator
