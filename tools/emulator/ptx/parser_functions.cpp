// SPDX-License-Identifier: Apache-2.0
// Entries and functions: signatures, tuning directives, and what is settled at the end of a body.
#include "tools/emulator/ptx/parser_state.h"

namespace warpwright::emulator::ptx {

/// Declarations may come before the definition, and again.
void Parser::declare_callable(std::vector<Kernel> &list, Symbol::Kind kind, const Token &name) {
  const auto known = scopes_.find(name.text);
  if (known && known->kind != kind) fail("ptx.duplicate-name", "'" + std::string(name.text) + "' is declared already", name);
  if (known) return;
  const auto index = static_cast<uint32_t>(list.size());
  scopes_.declare_outermost(name.text, {kind, index});
  list.emplace_back();
  list.back().name = name.text;
  list.back().is_declaration = true;
}

/// What follows the name: [(parameters)] {tuning} ( ; | body ). The scope that `kernel.returns` stand in is open.
void Parser::read_callable(std::vector<Kernel> &list, Kernel kernel, const Token &name) {
  kernel.name = name.text;
  if (token_.is('(')) read_parameters(kernel.parameters, Symbol::Kind::kParameter, true);
  for (Variable &parameter : kernel.parameters) {
    parameter.offset = (kernel.parameter_bytes + parameter.align - 1) / parameter.align * parameter.align;
    kernel.parameter_bytes = parameter.offset + parameter.bytes;
  }
  read_tuning(kernel);
  kernel.is_declaration = take(';');
  const Token begin = token_;
  if (!kernel.is_declaration) read_body(kernel);
  scopes_.close();
  const uint32_t index = scopes_.find(name.text)->index;
  if (!list[index].is_declaration) {
    if (kernel.is_declaration) return;
    fail("ptx.duplicate-name", "'" + kernel.name + "' has a body already", begin);
  }
  list[index] = std::move(kernel);
}

void Parser::read_entry() {
  advance();
  const Token name = token_;
  take_word("the name of an entry");
  declare_callable(module_.kernels, Symbol::Kind::kKernel, name);
  scopes_.open();
  read_callable(module_.kernels, Kernel{}, name);
}

/// .func [.attribute(…)] [(returns)] name …
void Parser::read_function() {
  advance();
  Kernel kernel;
  scopes_.open();
  if (token_.is('(')) read_parameters(kernel.returns, Symbol::Kind::kReturn, true);
  const Token name = token_;
  take_word("the name of a function");
  declare_callable(module_.functions, Symbol::Kind::kFunction, name);
  read_callable(module_.functions, std::move(kernel), name);
}

/// ( .param …, … ); with `declares`, their names enter the scope.
void Parser::read_parameters(std::vector<Variable> &into, Symbol::Kind kind, bool declares) {
  expect('(');
  while (!token_.is(')')) {
    if (!into.empty()) expect(',');
    if (!token_.is_directive(".param")) fail("ptx.unsupported-directive", "parameters are .param here", token_);
    Token name;
    into.push_back(read_declarator(read_head(false), &name));
    if (declares) declare(name, {kind, static_cast<uint32_t>(into.size() - 1)});
  }
  advance();
}

/// Directives between a signature and its body, most with up to three numbers.
void Parser::read_tuning(Kernel &kernel) {
  while (token_.kind == Token::Kind::kDirective) {
    const Token directive = token_;
    if (directive.text == ".pragma") {
      read_pragma();
      continue;
    }
    advance();
    if (directive.text == ".maxntid") kernel.max_threads = read_dimensions();
    else if (directive.text == ".reqntid") kernel.required_threads = read_dimensions();
    else if (directive.text == ".reqnctapercluster") kernel.cluster = read_dimensions();
    else if (directive.text == ".explicitcluster") kernel.has_explicit_cluster = true;
    else if (directive.text == ".minnctapersm") kernel.min_ctas_per_sm = read_dimensions().x;
    else if (directive.text == ".maxnreg") kernel.max_registers = read_dimensions().x;
    else if (directive.text == ".maxclusterrank") kernel.max_cluster_rank = read_dimensions().x;
    else if (directive.text == ".abi_preserve" || directive.text == ".abi_preserve_control") read_dimensions();
    else if (directive.text != ".noreturn")
      fail("ptx.unknown-directive", "'" + std::string(directive.text) + "' does not stand here", directive);
  }
}

Dim3 Parser::read_dimensions() {
  Dim3 dims;
  dims.x = static_cast<uint32_t>(take_integer(UINT32_MAX, "a number"));
  if (take(',')) dims.y = static_cast<uint32_t>(take_integer(UINT32_MAX, "a number"));
  if (take(',')) dims.z = static_cast<uint32_t>(take_integer(UINT32_MAX, "a number"));
  return dims;
}

void Parser::read_body(Kernel &kernel) {
  body_ = &kernel;
  place_ = {};
  used_variables_.clear();
  const size_t outside = scopes_.depth();
  expect('{');
  scopes_.open();
  while (scopes_.depth() > outside) read_statement();
  if (!scopes_.open_uses().empty()) {
    const LabelUse &use = scopes_.open_uses().front();
    throw Failure{"ptx.unknown-name", "no label '" + std::string(use.name) + "' can be seen here", use.offset};
  }
  finish_body(kernel);
  body_ = nullptr;
}

/// Puts the module's variables before the body's own.
void Parser::finish_body(Kernel &kernel) {
  std::vector<Variable> variables;
  for (auto &[module_index, place] : used_variables_) {
    place = static_cast<uint32_t>(variables.size());
    Variable copy = module_.variables[module_index];
    copy.initial.clear();
    copy.relocations.clear();
    copy.module_index = module_index;
    variables.push_back(std::move(copy));
  }
  const auto num_own = static_cast<uint32_t>(kernel.variables.size());
  std::move(kernel.variables.begin(), kernel.variables.end(), std::back_inserter(variables));
  kernel.variables = std::move(variables);
  for (Instruction &instruction : kernel.instructions)
    for (Operand &operand : instruction.operands) finish_operand(operand, num_own);
}

void Parser::finish_operand(Operand &operand, uint32_t num_own_variables) const {
  for (Operand &part : operand.parts) finish_operand(part, num_own_variables);
  if (operand.kind != Operand::Kind::kVariable) return;
  const auto num_module_variables = static_cast<uint32_t>(used_variables_.size());
  const uint32_t num_variables = num_module_variables + num_own_variables;
  const uint32_t index = operand.index & ~kReturnTable;
  switch (operand.index & kReturnTable) {
    case kModuleTable: operand.index = used_variables_.at(index); break;
    case kBodyTable: operand.index = num_module_variables + index; break;
    case kParameterTable: operand.index = num_variables + index; break;
    default: operand.index = num_variables + static_cast<uint32_t>(body_->parameters.size()) + index; break;
  }
}

}  // namespace warpwright::emulator::ptx
