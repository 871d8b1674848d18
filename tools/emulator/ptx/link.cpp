// SPDX-License-Identifier: Apache-2.0
// Bodies one after another, and calls as copies and jumps.
#include "tools/emulator/ptx/link.h"

#include <algorithm>
#include <map>

namespace warpwright::emulator::ptx {

namespace {

using Kind = Operand::Kind;

/// Functions that call each other in a row; so that no text takes all of the stack.
constexpr size_t kMostDepth = 256;

bool is_call(const Instruction &instruction) { return instruction.opcode == "call" || instruction.opcode == "call.uni"; }
bool is_return(const Instruction &instruction) { return instruction.opcode == "ret" || instruction.opcode == "ret.uni"; }

/// call [(results),] function [, (arguments)]
struct Call {
  const Operand *function = nullptr;
  std::vector<Operand> results, arguments;
};

/// One body and where its things are in the whole.
struct Body {
  const Kernel *source = nullptr;
  bool is_function = false;
  uint32_t first_register = 0, return_register = 0, first_list = 0;
  std::vector<uint32_t> variables;  ///< of the whole: the body's, then its parameters, then its results
  std::vector<uint32_t> specials;
  std::vector<uint32_t> places;     ///< of instructions, and of the end
};

class Linker {
 public:
  Linker(const Module &module, const Kernel &kernel) : module_(module), kernel_(kernel) {}
  Linked run();

 private:
  bool fail(const char *slug, std::string text, const Place &place) {
    error_ = {slug, std::move(text), place};
    return false;
  }
  bool visit(const Kernel &body, size_t depth);
  bool parse(const Instruction &instruction, Call *call);
  bool check_blocks(const Kernel &body);
  void add_body(const Kernel &source, bool is_function);
  bool emit(const Body &body);
  bool emit_call(const Body &body, const Instruction &instruction);
  bool emit_copies(const Body &body, const Instruction &call, const std::vector<Operand> &given, const Body &callee, size_t first, size_t count,
                   bool is_in);
  Operand moved(Operand operand, const Body &body) const;
  Instruction moved(const Instruction &instruction, const Body &body) const;

  const Module &module_;
  const Kernel &kernel_;
  LinkError error_;
  Kernel out_;
  enum class State { kOpen, kDone };
  std::map<uint32_t, State> states_;        ///< of functions
  std::vector<uint32_t> order_;             ///< functions, callees first
  std::vector<Body> bodies_;                ///< in that order, then the kernel
  std::map<uint32_t, size_t> body_of_;      ///< of a function
  std::map<uint32_t, uint32_t> shared_by_;  ///< module variables that are in the whole already
};

Operand register_operand(uint32_t index) {
  Operand operand;
  operand.kind = Kind::kRegister;
  operand.index = index;
  return operand;
}

Operand address_of(uint32_t variable) {
  Operand base, address;
  base.kind = Kind::kVariable;
  base.index = variable;
  address.kind = Kind::kAddress;
  address.parts.push_back(base);
  return address;
}

bool Linker::parse(const Instruction &instruction, Call *call) {
  for (const Operand &operand : instruction.operands) {
    if (operand.kind == Kind::kFunction && !call->function) call->function = &operand;
    else if (operand.kind == Kind::kVector) (call->function ? call->arguments : call->results) = operand.parts;
    else return fail("ptx.unsupported-call", "an indirect call", instruction.place);
  }
  if (!call->function) return fail("ptx.unsupported-call", "an indirect call", instruction.place);
  const Kernel &callee = module_.functions[call->function->index];
  if (callee.is_declaration) return fail("ptx.unsupported-call", "function " + callee.name + " has no body in this module", instruction.place);
  return true;
}

/// Calls `use(variable)` for each of a body's own .param variables that an operand names.
template <class Use> void each_param(const Kernel &body, const Operand &operand, Use use) {
  for (const Operand &part : operand.parts) each_param(body, part, use);
  if (operand.kind == Kind::kVariable && operand.index < body.variables.size() && body.variables[operand.index].space == Space::kParam)
    use(operand.index);
}

/// The number of each instruction's basic block.
std::vector<uint32_t> find_blocks(const Kernel &body) {
  std::vector<uint32_t> begins(body.instructions.size() + 1, 0), blocks;
  for (size_t i = 0; i < body.instructions.size(); ++i) {
    const std::string &opcode = body.instructions[i].opcode;
    if (opcode.starts_with("bra") || opcode.starts_with("brx") || is_return(body.instructions[i]) || opcode == "exit") begins[i + 1] = 1;
    for (const Operand &operand : body.instructions[i].operands)
      if (operand.kind == Kind::kLabel) begins[operand.index] = 1;
  }
  for (const auto &list : body.label_lists)
    for (const uint32_t label : list) begins[label] = 1;
  uint32_t block = 0;
  for (size_t i = 0; i < body.instructions.size(); ++i) blocks.push_back(block += begins[i]);
  return blocks;
}

// Source: PTX ISA 9.0, "Parameter State Space": a caller's st.param and ld.param stand in the basic block of the call. Otherwise
// ptxas loses the values.
bool Linker::check_blocks(const Kernel &body) {
  const std::vector<uint32_t> blocks = find_blocks(body);
  std::map<uint32_t, size_t> first;
  for (size_t i = 0; i < body.instructions.size(); ++i)
    for (const Operand &operand : body.instructions[i].operands) {
      bool is_one_block = true;
      each_param(body, operand, [&](uint32_t variable) { is_one_block &= blocks[first.try_emplace(variable, i).first->second] == blocks[i]; });
      if (!is_one_block)
        return fail("ptx.unsupported-call", "a .param variable is used outside of the basic block of its call", body.instructions[i].place);
    }
  return true;
}

/// Callees before their callers.
bool Linker::visit(const Kernel &body, size_t depth) {
  if (!check_blocks(body)) return false;
  for (const Instruction &instruction : body.instructions) {
    if (!is_call(instruction)) continue;
    Call call;
    if (!parse(instruction, &call)) return false;
    const uint32_t function = call.function->index;
    const auto [state, is_new] = states_.try_emplace(function, State::kOpen);
    if (!is_new && state->second == State::kOpen)
      return fail("ptx.unsupported-call", "function " + module_.functions[function].name + " calls itself", instruction.place);
    if (!is_new) continue;
    if (depth == kMostDepth) return fail("ptx.unsupported-call", "calls are nested too deeply", instruction.place);
    if (!visit(module_.functions[function], depth + 1)) return false;
    states_[function] = State::kDone;
    order_.push_back(function);
  }
  return true;
}

void Linker::add_body(const Kernel &source, bool is_function) {
  Body body;
  body.source = &source;
  body.is_function = is_function;
  body.first_register = static_cast<uint32_t>(out_.registers.size());
  out_.registers.insert(out_.registers.end(), source.registers.begin(), source.registers.end());
  if (is_function) {
    body.return_register = static_cast<uint32_t>(out_.registers.size());
    out_.registers.push_back({"return of " + source.name, Width::k32});
  }
  for (const Variable &variable : source.variables) {
    const auto next = static_cast<uint32_t>(out_.variables.size());
    uint32_t place = next;
    if (variable.module_index) place = shared_by_.try_emplace(*variable.module_index, next).first->second;
    if (place == next) out_.variables.push_back(variable);
    body.variables.push_back(place);
  }
  if (is_function)
    for (const auto *list : {&source.parameters, &source.returns})
      for (const Variable &variable : *list) {
        body.variables.push_back(static_cast<uint32_t>(out_.variables.size()));
        out_.variables.push_back(variable);
      }
  for (const std::string &special : source.specials) {
    const auto known = std::find(out_.specials.begin(), out_.specials.end(), special);
    body.specials.push_back(static_cast<uint32_t>(known - out_.specials.begin()));
    if (known == out_.specials.end()) out_.specials.push_back(special);
  }
  body.first_list = static_cast<uint32_t>(out_.label_lists.size());
  out_.label_lists.insert(out_.label_lists.end(), source.label_lists.begin(), source.label_lists.end());
  bodies_.push_back(std::move(body));
}

Operand Linker::moved(Operand operand, const Body &body) const {
  for (Operand &part : operand.parts) part = moved(std::move(part), body);
  switch (operand.kind) {
    case Kind::kRegister: operand.index += body.first_register; break;
    case Kind::kSpecial: operand.index = body.specials[operand.index]; break;
    case Kind::kLabel: operand.index = body.places[operand.index]; break;
    case Kind::kLabelList: operand.index += body.first_list; break;
    case Kind::kVariable:
      // The kernel's own parameters stay parameters, behind the variables of all.
      if (operand.index < body.variables.size()) operand.index = body.variables[operand.index];
      else operand.index += static_cast<uint32_t>(out_.variables.size() - body.variables.size());
      break;
    default: break;
  }
  return operand;
}

Instruction Linker::moved(const Instruction &instruction, const Body &body) const {
  Instruction result = instruction;
  if (result.guard) *result.guard += body.first_register;
  for (Operand &operand : result.operands) operand = moved(std::move(operand), body);
  return result;
}

bool Linker::emit_copies(const Body &body, const Instruction &call, const std::vector<Operand> &given, const Body &callee, size_t first,
                         size_t count, bool is_in) {
  const std::string what = (is_in ? "arguments of " : "results of ") + callee.source->name;
  if (given.size() != count) return fail("ptx.operand", what + ": " + std::to_string(count) + " stand here, not " + std::to_string(given.size()), call.place);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t formal = callee.variables[first + i];
    if (given[i].kind != Kind::kVariable || given[i].index >= body.variables.size() || given[i].value != 0)
      return fail("ptx.unsupported-call", what + " that are no .param variables", call.place);
    const uint32_t actual = body.variables[given[i].index];
    if (out_.variables[actual].space != Space::kParam || out_.variables[actual].bytes != out_.variables[formal].bytes)
      return fail("ptx.operand", what + ": " + out_.variables[actual].name + " does not fit " + out_.variables[formal].name, call.place);
    Instruction copy = moved(call, body);
    copy.opcode = ".call.copy";
    Operand bytes;
    bytes.kind = Kind::kImmediate;
    bytes.value = static_cast<int64_t>(out_.variables[formal].bytes);
    copy.operands = {address_of(is_in ? formal : actual), address_of(is_in ? actual : formal), bytes};
    out_.instructions.push_back(std::move(copy));
  }
  return true;
}

bool Linker::emit_call(const Body &body, const Instruction &instruction) {
  Call call;
  if (!parse(instruction, &call)) return false;
  const Body &callee = bodies_[body_of_.at(call.function->index)];
  const size_t parameters = callee.source->parameters.size(), first = callee.source->variables.size();
  if (!emit_copies(body, instruction, call.arguments, callee, first, parameters, true)) return false;
  Instruction enter = moved(instruction, body);
  enter.opcode = ".call.enter";
  Operand label;
  label.kind = Kind::kLabel;
  label.index = callee.places.front();
  enter.operands = {register_operand(callee.return_register), label};
  out_.instructions.push_back(std::move(enter));
  return emit_copies(body, instruction, call.results, callee, first + parameters, callee.source->returns.size(), false);
}

bool Linker::emit(const Body &body) {
  const auto leave = [&](Instruction from) {
    from.opcode = ".call.return";
    from.operands = {register_operand(body.return_register)};
    out_.instructions.push_back(std::move(from));
  };
  for (const Instruction &instruction : body.source->instructions) {
    if (is_call(instruction)) {
      if (!emit_call(body, instruction)) return false;
    } else if (body.is_function && is_return(instruction)) {
      leave(moved(instruction, body));
    } else {
      out_.instructions.push_back(moved(instruction, body));
    }
  }
  if (body.is_function) {
    Instruction end;
    if (!body.source->instructions.empty()) end.place = body.source->instructions.back().place;
    leave(std::move(end));
  }
  return true;
}

Linked Linker::run() {
  if (std::none_of(kernel_.instructions.begin(), kernel_.instructions.end(), is_call)) return {};
  if (!visit(kernel_, 0)) return {std::nullopt, error_};
  out_ = kernel_;
  out_.registers.clear(), out_.specials.clear(), out_.variables.clear(), out_.instructions.clear(), out_.label_lists.clear();
  for (const uint32_t function : order_) {
    body_of_[function] = bodies_.size();
    add_body(module_.functions[function], true);
  }
  add_body(kernel_, false);
  uint32_t next = 0;
  for (Body &body : bodies_) {
    if (!body.is_function) out_.entry = next;
    for (const Instruction &instruction : body.source->instructions) {
      body.places.push_back(next);
      Call call;
      if (!is_call(instruction)) ++next;
      else if (parse(instruction, &call)) next += static_cast<uint32_t>(call.results.size() + call.arguments.size()) + 1;
    }
    body.places.push_back(next);
    next += body.is_function;
    for (size_t i = body.first_list; i < body.first_list + body.source->label_lists.size(); ++i)
      for (uint32_t &label : out_.label_lists[i]) label = body.places[label];
  }
  for (const Body &body : bodies_)
    if (!emit(body)) return {std::nullopt, error_};
  return {std::move(out_), {}};
}

}  // namespace

Linked link(const Module &module, const Kernel &kernel) { return Linker(module, kernel).run(); }

}  // namespace warpwright::emulator::ptx
