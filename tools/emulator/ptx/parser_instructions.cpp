// SPDX-License-Identifier: Apache-2.0
// Statements of a body: blocks, labels, directives, instructions.
#include "tools/emulator/ptx/parser_state.h"

namespace warpwright::emulator::ptx {

void Parser::read_statement() {
  if (token_.kind == Token::Kind::kDirective) return read_body_directive();
  if (token_.is('{')) {
    if (scopes_.depth() >= Limits::kDepth) fail("ptx.too-large", "blocks nested too deeply", token_);
    advance();
    return scopes_.open();
  }
  if (token_.is('}')) {
    advance();
    return close_scope();
  }
  if (token_.is('@')) return read_instruction();
  const Token name = token_;
  take_word("a statement");
  if (!token_.is(':')) {
    opcode_ = name.text;
    return read_instruction();
  }
  advance();
  if (token_.is_directive(".branchtargets")) return read_label_list(name);
  if (token_.is_directive(".callprototype")) return read_call_prototype(name);
  declare(name, {Symbol::Kind::kLabel, static_cast<uint32_t>(body_->instructions.size())});
}

void Parser::read_body_directive() {
  const std::string_view name = token_.text;
  if (name == ".reg") return read_registers();
  if (name == ".loc") return read_location();
  if (name == ".pragma") return read_pragma();
  const bool is_extern = name == ".extern";
  if (is_extern) advance();
  read_variables(is_extern);
}

/// name: .branchtargets label, … ;
void Parser::read_label_list(const Token &name) {
  const auto list = static_cast<uint32_t>(body_->label_lists.size());
  declare(name, {Symbol::Kind::kLabelList, list});
  body_->label_lists.emplace_back();
  do {
    advance();
    const Token label = token_;
    take_word("a label");
    scopes_.use_label({label.text, static_cast<uint32_t>(lexer_.offset_of(label)), list,
                       static_cast<uint32_t>(body_->label_lists[list].size()), true});
    body_->label_lists[list].push_back(0);
  } while (token_.is(','));
  expect(';');
}

/// name: .callprototype (returns) _ (parameters) [.noreturn] ;
void Parser::read_call_prototype(const Token &name) {
  declare(name, {Symbol::Kind::kPrototype, 0});
  advance();
  std::vector<Variable> returns, parameters;
  if (token_.is('(')) read_parameters(returns, Symbol::Kind::kReturn, false);
  take_word("'_'");
  if (token_.is('(')) read_parameters(parameters, Symbol::Kind::kParameter, false);
  Kernel unused;
  read_tuning(unused);
  expect(';');
}

/// Ends a block: what used its labels is told where they stand.
void Parser::close_scope() {
  for (const ResolvedUse &resolved : scopes_.close()) {
    const LabelUse &use = resolved.use;
    if (resolved.symbol.kind != Symbol::Kind::kLabel)
      throw Failure{"ptx.unknown-name", "'" + std::string(use.name) + "' is no label", use.offset};
    if (use.is_in_list) body_->label_lists[use.instruction][use.position] = resolved.symbol.index;
    else body_->instructions[use.instruction].operands[use.position].index = resolved.symbol.index;
  }
}

/// [@[!]p] opcode [operand {, operand}] ;   The opcode's first word is in `opcode_` where no guard stands.
void Parser::read_instruction() {
  Instruction &instruction = body_->instructions.emplace_back();
  instruction.place = place_;
  instruction.place.line = token_.line;
  if (token_.is('@')) read_guard(instruction);
  while (token_.kind == Token::Kind::kDirective) {
    opcode_ += token_.text;
    advance();
  }
  const bool is_call = opcode_ == "call" || opcode_ == "call.uni";
  const bool is_branch = opcode_ == "bra" || opcode_ == "bra.uni";
  if (!token_.is(';')) {
    do {
      const bool is_list = is_call && token_.is('(');
      instruction.operands.push_back(is_list ? read_list('(', ')') : is_branch ? read_label_use() : read_operand());
    } while (take(','));
  }
  expect(';');
  instruction.opcode = opcode_;
}

void Parser::read_guard(Instruction &instruction) {
  advance();
  instruction.guard_is_negated = take('!');
  const Token name = token_;
  take_word("a predicate");
  const auto symbol = scopes_.find(name.text);
  if (!symbol || symbol->kind != Symbol::Kind::kRegister || symbol->components != 1)
    fail("ptx.unknown-name", "no register '" + std::string(name.text) + "' can be seen here", name);
  if (body_->registers[symbol->index].width != Width::kPredicate)
    fail("ptx.syntax", "'" + std::string(name.text) + "' is no predicate", name);
  instruction.guard = symbol->index;
  instruction.place.line = token_.line;
  opcode_ = take_word("an opcode");
}

}  // namespace warpwright::emulator::ptx
