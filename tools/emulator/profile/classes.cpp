// SPDX-License-Identifier: Apache-2.0
// Classes from opcodes; causes of branches from the registers that lead to them.
#include "tools/emulator/profile/classes.h"

#include <algorithm>

namespace warpwright::emulator::profile {

namespace {

using ptx::Instruction;
using ptx::Operand;

struct Prefix {
  std::string_view text;
  Class what;
};

/// The first that fits; they end where a word does, so that "bar" is not "barrier".
constexpr Prefix kPrefixes[] = {
    {"bra", Class::kControl}, {"brx", Class::kControl}, {"call", Class::kControl}, {"ret", Class::kControl},
    {"exit", Class::kControl}, {"trap", Class::kControl}, {"brkpt", Class::kControl}, {"nanosleep", Class::kControl},
    {"bar.warp", Class::kWarp}, {"shfl", Class::kWarp}, {"vote", Class::kWarp}, {"match", Class::kWarp}, {"redux", Class::kWarp},
    {"elect", Class::kWarp}, {"activemask", Class::kWarp},
    {"mbarrier", Class::kBarrier}, {"bar", Class::kBarrier}, {"barrier", Class::kBarrier},
    {"cp.async.mbarrier", Class::kBarrier}, {"griddepcontrol", Class::kBarrier},
    {"cp.async.bulk", Class::kTma}, {"cp.reduce.async.bulk", Class::kTma}, {"prefetch.tensormap", Class::kTma},
    {"prefetch.param.tensormap", Class::kTma}, {"st.async", Class::kTma}, {"red.async", Class::kTma},
    {"cp.async", Class::kCopy},
    {"fence", Class::kFence}, {"membar", Class::kFence}, {"tcgen05.fence", Class::kFence}, {"wgmma.fence", Class::kFence},
    {"tcgen05", Class::kTensor}, {"wgmma", Class::kTensor}, {"mma", Class::kTensor},
    {"ldmatrix", Class::kShared}, {"stmatrix", Class::kShared}, {"prefetch", Class::kGlobal},
};

/// A word ends at a dot, at what qualifies it, or with the opcode.
bool ends_at(std::string_view opcode, size_t end) {
  return end == opcode.size() || opcode[end] == '.' || opcode.substr(end).starts_with("::");
}

bool begins_with_words(std::string_view opcode, std::string_view words) {
  return opcode.starts_with(words) && ends_at(opcode, words.size());
}

bool has_word(std::string_view opcode, std::string_view word) {
  for (size_t at = opcode.find(word); at != std::string_view::npos; at = opcode.find(word, at + 1))
    if (ends_at(opcode, at + word.size()) && at > 0 && opcode[at - 1] == '.') return true;
  return false;
}

/// How much a value of a register may depend on; the greater one wins.
constexpr uint8_t kNothing = 0, kOnWait = 1, kOnData = 2;

/// What an instruction makes of its operands besides what they depend on themselves.
uint8_t source_of(const Instruction &instruction) {
  const std::string_view opcode = instruction.opcode;
  const bool waits = opcode.starts_with("mbarrier.try_wait") || opcode.starts_with("mbarrier.test_wait");
  if (waits) return kOnWait;
  switch (class_of(opcode)) {
    case Class::kShared:
    case Class::kGlobal:
    case Class::kGeneric: return kOnData;
    case Class::kTensor: return begins_with_words(opcode, "tcgen05.ld") ? kOnData : kNothing;
    default: return kNothing;
  }
}

/// Whether its first operand is written. What begins with an address has no result; of the others, these.
bool has_result(const Instruction &instruction) {
  if (instruction.operands.empty() || instruction.operands[0].kind == Operand::Kind::kAddress) return false;
  for (const std::string_view word : {"bar", "barrier", "bra", "brx", "call", "setmaxnreg", "nanosleep", "tcgen05.dealloc"})
    if (begins_with_words(instruction.opcode, word)) return false;
  return true;
}

template <class Function> void each_register(const Operand &operand, const Function &function) {
  if (operand.kind == Operand::Kind::kRegister) function(operand.index);
  for (const Operand &part : operand.parts) each_register(part, function);
}

/// True: some register depends on more than before.
bool follow(const Instruction &instruction, std::vector<uint8_t> &depends) {
  if (!has_result(instruction)) return false;
  uint8_t most = source_of(instruction);
  const auto add = [&](uint32_t index) { most = std::max(most, depends[index]); };
  for (size_t i = 1; i < instruction.operands.size(); ++i) each_register(instruction.operands[i], add);
  if (instruction.guard) add(*instruction.guard);
  bool grew = false;
  each_register(instruction.operands[0], [&](uint32_t index) {
    grew |= depends[index] < most;
    depends[index] = std::max(depends[index], most);
  });
  return grew;
}

}  // namespace

Class class_of(std::string_view opcode) {
  for (const Prefix &prefix : kPrefixes)
    if (begins_with_words(opcode, prefix.text)) return prefix.what;
  for (const std::string_view verb : {"ld", "st", "atom", "red", "ldu"}) {
    if (!begins_with_words(opcode, verb)) continue;
    if (has_word(opcode, "param") || has_word(opcode, "const")) return Class::kParameter;
    if (has_word(opcode, "shared")) return Class::kShared;
    return has_word(opcode, "global") ? Class::kGlobal : Class::kGeneric;
  }
  return Class::kAlu;
}

std::vector<Cause> find_causes(const ptx::Kernel &kernel) {
  std::vector<uint8_t> depends(kernel.registers.size(), kNothing);
  for (bool grew = true; grew;) {
    grew = false;
    for (const Instruction &instruction : kernel.instructions) grew |= follow(instruction, depends);
  }
  std::vector<Cause> causes;
  for (const Instruction &instruction : kernel.instructions) {
    const bool is_branch = instruction.guard && begins_with_words(instruction.opcode, "bra");
    const uint8_t on = is_branch ? depends[*instruction.guard] : kNothing;
    causes.push_back(!is_branch ? Cause::kNone : on == kOnData ? Cause::kData : on == kOnWait ? Cause::kWait : Cause::kUniform);
  }
  return causes;
}

}  // namespace warpwright::emulator::profile
