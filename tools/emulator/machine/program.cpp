// SPDX-License-Identifier: Apache-2.0
// Decoding: from names and forms to places and functions.
#include "tools/emulator/machine/program.h"

#include "tools/emulator/machine/forms.h"
#include "tools/emulator/machine/signature.h"
#include "tools/emulator/machine/special_registers.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace warpwright::emulator {

namespace {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

class Decoder {
 public:
  Decoder(const ptx::Kernel &kernel, Program &program, std::span<const uint64_t> module_addresses)
      : kernel_(kernel), program_(program), module_addresses_(module_addresses) {}
  DecodeError run();

 private:
  bool fail(std::string slug, std::string text);
  void place_registers();
  bool place_variables();
  bool place_thread_variables();
  bool variable(const Operand &operand, bool is_wide);
  bool is_wide_base(const Operand &base) const;
  bool decode_instruction(uint32_t index);
  void track_wgmma_registers();
  bool decode_operands(const ptx::Instruction &instruction, const Form &form);
  bool operand(const Operand &operand, char width);
  bool scalar(const Operand &operand, char width);
  bool address(const Operand &operand, char width);
  bool reg(uint32_t index, char width);
  uint32_t constant(uint64_t value, bool is_wide);
  uint32_t allot(uint32_t words);
  void push(uint32_t word) { program_.pool.push_back(word); }

  const ptx::Kernel &kernel_;
  Program &program_;
  std::span<const uint64_t> module_addresses_;
  DecodeError error_;
  ptx::Place place_;
  std::vector<uint32_t> register_places_;
  std::map<std::pair<uint64_t, bool>, uint32_t> constants_;
  std::map<std::string, uint32_t> specials_;
  std::map<std::pair<uint32_t, bool>, uint32_t> shared_;
  std::vector<uint32_t> shared_offsets_;  ///< of each variable
  std::vector<uint32_t> thread_offsets_;
  std::map<uint32_t, uint32_t> own_;      ///< places of addresses of a thread's variables
  uint32_t sink_ = kAbsent;
  std::vector<uint32_t> used_;             ///< registers of the instruction at hand, by index
  std::vector<std::vector<uint32_t>> uses_;  ///< of all instructions
};

bool Decoder::fail(std::string slug, std::string text) {
  error_ = {std::move(slug), std::move(text), place_};
  return false;
}

uint32_t Decoder::allot(uint32_t words) {
  // Whole cache lines of 64 bytes: 32 lanes of 32 bits take two.
  const uint32_t place = program_.register_words;
  program_.register_words += (words + 15) / 16 * 16;
  return place;
}

uint32_t Decoder::constant(uint64_t value, bool is_wide) {
  if (!is_wide) value &= 0xFFFFFFFF;
  const auto [found, is_new] = constants_.try_emplace({value, is_wide}, 0);
  if (is_new) {
    found->second = allot(is_wide ? 64 : 32);
    program_.constants.push_back({found->second, is_wide, value});
  }
  return found->second;
}

void Decoder::place_registers() {
  uint32_t predicates = 0;
  for (const ptx::Register &r : kernel_.registers) predicates += r.width == ptx::Width::kPredicate;
  uint32_t next_predicate = allot(predicates);
  for (const ptx::Register &r : kernel_.registers)
    switch (r.width) {
      case ptx::Width::kPredicate: register_places_.push_back(next_predicate++); break;
      case ptx::Width::k8:
      case ptx::Width::k16:
      case ptx::Width::k32: register_places_.push_back(allot(32)); break;
      case ptx::Width::k64: register_places_.push_back(allot(64)); break;
      case ptx::Width::k128: register_places_.push_back(allot(128)); break;
    }
  sink_ = allot(128);
}

bool Decoder::place_variables() {
  uint64_t offset = kReservedSharedBytes;
  for (const ptx::Variable &variable : kernel_.variables) {
    shared_offsets_.push_back(0);
    if (variable.space != ptx::Space::kShared) continue;
    if (variable.is_extern) {
      program_.dynamic_shared_align = std::max(program_.dynamic_shared_align, variable.align);
      continue;
    }
    offset = (offset + variable.align - 1) / variable.align * variable.align;
    shared_offsets_.back() = static_cast<uint32_t>(offset);
    offset += variable.bytes;
    // Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": 228 KB an SM at most.
    if (offset > 228 * 1024) return fail("ptx.shared-size", "static shared memory exceeds 228 KB");
  }
  const uint32_t align = program_.dynamic_shared_align;
  program_.static_shared_bytes = (static_cast<uint32_t>(offset) + align - 1) / align * align;
  for (size_t i = 0; i < kernel_.variables.size(); ++i)
    if (kernel_.variables[i].space == ptx::Space::kShared && kernel_.variables[i].is_extern)
      shared_offsets_[i] = program_.static_shared_bytes;
  return true;
}

bool Decoder::place_thread_variables() {
  uint64_t offset = 0;
  for (const ptx::Variable &variable : kernel_.variables) {
    const bool is_own = variable.space == ptx::Space::kLocal || variable.space == ptx::Space::kParam;
    if (is_own) offset = (offset + variable.align - 1) / variable.align * variable.align;
    thread_offsets_.push_back(static_cast<uint32_t>(offset));
    if (is_own) offset += variable.bytes;
    // Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": local memory per thread.
    if (offset > 512 * 1024) return fail("ptx.local-size", "the variables of a thread exceed 512 KB");
  }
  program_.thread_bytes = static_cast<uint32_t>((offset + 15) / 16 * 16);
  return true;
}

/// The address of a variable. Those of global memory and of the thread itself have 64 bits.
bool Decoder::variable(const Operand &operand, bool is_wide) {
  const ptx::Variable &variable = kernel_.variables[operand.index];
  const bool is_global = variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst;
  if (is_global) {
    const uint64_t base = variable.module_index && *variable.module_index < module_addresses_.size() ? module_addresses_[*variable.module_index] : 0;
    if (!base) return fail("ptx.unsupported-variable", "nothing defines variable " + variable.name);
    if (!is_wide) return fail("ptx.operand-width", "the address of " + variable.name + " has 64 bits");
    push(constant(base + static_cast<uint64_t>(operand.value), true));
    return true;
  }
  if (variable.space != ptx::Space::kShared) {
    if (!is_wide) return fail("ptx.operand-width", "the address of " + variable.name + " has 64 bits");
    if (variable.module_index) return fail("ptx.unsupported-variable", "a .local variable of the module: " + variable.name);
    const uint32_t offset = thread_offsets_[operand.index] + static_cast<uint32_t>(operand.value);
    const auto [found, is_new] = own_.try_emplace(offset, 0);
    if (is_new) {
      found->second = allot(64);
      program_.thread_addresses.push_back({found->second, offset});
    }
    push(found->second);
    return true;
  }
  const uint32_t offset = shared_offsets_[operand.index] + static_cast<uint32_t>(operand.value);
  const auto [found, is_new] = shared_.try_emplace({offset, is_wide}, 0);
  if (is_new) {
    found->second = allot(is_wide ? 64 : 32);
    program_.shared_addresses.push_back({found->second, is_wide, offset});
  }
  push(found->second);
  return true;
}

bool Decoder::reg(uint32_t index, char width) {
  const ptx::Register &r = kernel_.registers[index];
  const bool is_narrow = r.width == ptx::Width::k8 || r.width == ptx::Width::k16 || r.width == ptx::Width::k32;
  const bool fits = width == 'p'   ? r.width == ptx::Width::kPredicate
                    : width == 'l' ? r.width == ptx::Width::k64
                    : width == 'q' ? r.width == ptx::Width::k128
                    : width == 'w' ? is_narrow
                                   : r.width == ptx::Width::k16 || r.width == ptx::Width::k8;
  if (!fits) return fail("ptx.operand-width", "register " + r.name + " has another width than the instruction takes");
  push(register_places_[index]);
  used_.push_back(index);
  return true;
}

bool Decoder::scalar(const Operand &operand, char width) {
  const bool is_wide = width == 'l';
  if (width == 'q' && operand.kind != Kind::kRegister && operand.kind != Kind::kSink)
    return fail("ptx.operand", "a register of 128 bits stands here");
  switch (operand.kind) {
    case Kind::kRegister:
      if (!reg(operand.index, width)) return false;
      // A negated predicate is a flag in the word above its place.
      if (operand.is_negated) program_.pool.back() |= kNegated;
      return true;
    case Kind::kImmediate:
      if (width == 'p') {
        push(constant(operand.value ? ~0u : 0u, false));
        return true;
      }
      push(constant(static_cast<uint64_t>(operand.value), is_wide));
      return true;
    case Kind::kSpecial: {
      const std::string &name = kernel_.specials[operand.index];
      bool special_is_wide = false;
      if (!has_special_register(name, &special_is_wide))
        return fail("ptx.unknown-register", "the machine has no special register " + name);
      const auto [found, is_new] = specials_.try_emplace(name + (is_wide ? " wide" : ""), 0);
      if (is_new) {
        found->second = allot(is_wide ? 64 : 32);
        program_.specials.push_back({name, found->second, is_wide});
      }
      push(found->second);
      return true;
    }
    case Kind::kVariable: {
      if (operand.index >= kernel_.variables.size()) {
        push(constant(kernel_.parameters[operand.index - kernel_.variables.size()].offset +
                          static_cast<uint64_t>(operand.value), is_wide));
        return true;
      }
      return variable(operand, is_wide);
    }
    case Kind::kSink: push(sink_); return true;
    default: return fail("ptx.operand", "an operand of this kind does not stand here");
  }
}

bool Decoder::is_wide_base(const Operand &base) const {
  if (base.kind == Kind::kRegister) return kernel_.registers[base.index].width == ptx::Width::k64;
  return base.kind == Kind::kVariable && base.index < kernel_.variables.size() && kernel_.variables[base.index].space != ptx::Space::kShared;
}

bool Decoder::address(const Operand &operand, char width) {
  if (operand.kind != Kind::kAddress || operand.parts.empty()) return fail("ptx.operand", "an address in brackets is missing");
  const Operand &base = operand.parts[0];
  const bool is_wide = is_wide_base(base);
  if (!scalar(base, is_wide ? 'l' : 'w')) return false;
  if (is_wide) program_.pool.back() |= kWide;
  push(static_cast<uint32_t>(static_cast<int32_t>(operand.value)));
  if (width == 'a') return operand.parts.size() == 1 || fail("ptx.operand", "an address without coordinates stands here");
  // The coordinates of a tensor.
  if (operand.parts.size() != 2) return fail("ptx.operand", "the coordinates of the tensor are missing");
  const std::vector<Operand> single{operand.parts[1]};
  const auto &coordinates = operand.parts[1].kind == Kind::kVector ? operand.parts[1].parts : single;
  for (const Operand &coordinate : coordinates)
    if (!scalar(coordinate, 'w')) return false;
  return true;
}

bool Decoder::operand(const Operand &operand, char width) {
  switch (width) {
    case 'a':
    case 'b': return address(operand, width);
    case 'i':
      if (operand.kind != Kind::kImmediate) return fail("ptx.operand", "an immediate stands here");
      push(static_cast<uint32_t>(operand.value));
      return true;
    case '@':
      if (operand.kind != Kind::kLabel) return fail("ptx.operand", "a label stands here");
      push(operand.index);
      return true;
    default: return scalar(operand, width);
  }
}

bool Decoder::decode_operands(const ptx::Instruction &instruction, const Form &form) {
  size_t next = 0;
  for (const Slot &slot : parse_signature(form.signature)) {
    if (next == instruction.operands.size()) {
      if (!slot.is_optional) return fail("ptx.operand", "operands are missing");
      push(kAbsent);
      if (slot.is_pair) push(kAbsent);
      continue;
    }
    const Operand &given = instruction.operands[next++];
    if (slot.is_pair) {
      const bool is_pair = given.kind == Kind::kPair;
      if (!operand(is_pair ? given.parts[0] : given, slot.width)) return false;
      if (!is_pair) push(kAbsent);
      else if (!operand(given.parts[1], 'p')) return false;
    } else if (slot.count) {
      const std::vector<Operand> single{given};
      const auto &parts = given.kind == Kind::kVector ? given.parts : single;
      if (parts.size() != slot.count)
        return fail("ptx.operand", "a vector of " + std::to_string(slot.count) + " stands here, not of " +
                                       std::to_string(parts.size()));
      for (const Operand &part : parts)
        if (!operand(part, slot.width)) return false;
    } else if (!operand(given, slot.width)) {
      return false;
    }
  }
  return next == instruction.operands.size() || fail("ptx.operand", "there are too many operands");
}

bool Decoder::decode_instruction(uint32_t index) {
  const ptx::Instruction &instruction = kernel_.instructions[index];
  place_ = instruction.place;
  const auto &forms = find_forms(instruction.opcode);
  if (forms.empty()) return fail("ptx.unknown-instruction", "the machine has no instruction " + instruction.opcode);
  const size_t first = program_.pool.size();
  const Form *form = nullptr;
  for (const Form *candidate : forms) {
    if (decode_operands(instruction, *candidate)) {
      form = candidate;
      break;
    }
    program_.pool.resize(first);
    used_.clear();
  }
  if (!form) {
    error_.text = instruction.opcode + ": " + error_.text;
    return false;
  }
  error_ = {};
  Op op;
  op.handler = form->handler;
  op.flags = form->flags;
  op.index = index;
  op.num_operands = static_cast<uint16_t>(program_.pool.size() - first);
  if (instruction.guard) op.guard = register_places_[*instruction.guard];
  op.guard_is_negated = instruction.guard_is_negated;
  program_.ops.push_back(op);
  uses_.push_back(std::exchange(used_, {}));
  return true;
}

/// Finds the registers that wgmma.mma_async reads and writes after its issue, and the other instructions that use them.
void Decoder::track_wgmma_registers() {
  for (const Op &op : program_.ops) {
    if (!(op.flags & kWgmma)) continue;
    for (const Operand &operand : kernel_.instructions[op.index].operands)
      for (const Operand &part : operand.parts)
        if (part.kind == Kind::kRegister) program_.wgmma_registers.emplace(register_places_[part.index], kernel_.registers[part.index].name);
  }
  if (program_.wgmma_registers.empty()) return;
  for (size_t i = 0; i < uses_.size(); ++i) {
    Op &op = program_.ops[i];
    if (op.flags & kWgmma) continue;
    const size_t first = program_.tracked.size();
    for (const uint32_t index : uses_[i])
      if (program_.wgmma_registers.count(register_places_[index])) program_.tracked.push_back(register_places_[index]);
    op.num_tracked = static_cast<uint16_t>(program_.tracked.size() - first);
  }
  const uint32_t *tracked = program_.tracked.data();
  for (Op &op : program_.ops) {
    op.tracked = tracked;
    tracked += op.num_tracked;
  }
}

DecodeError Decoder::run() {
  program_ = {};
  program_.kernel = &kernel_;
  place_registers();
  if (!place_variables() || !place_thread_variables()) return error_;
  for (uint32_t i = 0; i < kernel_.instructions.size(); ++i)
    if (!decode_instruction(i)) return error_;
  track_wgmma_registers();
  // A kernel that runs off its end ends there.
  Op end;
  end.handler = find_forms("exit").front()->handler;
  end.index = static_cast<uint32_t>(kernel_.instructions.size()) - (kernel_.instructions.empty() ? 0 : 1);
  program_.ops.push_back(end);
  const uint32_t *operands = program_.pool.data();
  for (Op &op : program_.ops) {
    op.operands = operands;
    operands += op.num_operands;
  }
  return {};
}

}  // namespace

DecodeError decode(const ptx::Kernel &kernel, Program &program, std::span<const uint64_t> module_addresses) {
  return Decoder(kernel, program, module_addresses).run();
}

}  // namespace warpwright::emulator
