// SPDX-License-Identifier: Apache-2.0
// Operands of instructions.
#include "tools/emulator/ptx/parser_state.h"

#include <algorithm>
#include <array>

namespace warpwright::emulator::ptx {
namespace {

/// Source: PTX ISA 9.0, "Special Registers".
constexpr std::array<std::string_view, 37> kSpecials = {
    "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "%is_explicit_cluster", "%cluster_ctarank",
    "%cluster_nctarank", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock",
    "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi", "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end", "%reserved_smem_offset_cap", "%reserved_smem_offset_0", "%reserved_smem_offset_1",
    "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size", "%current_graph_exec",
    "%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
constexpr size_t kFirstVector = 29;  ///< from here on they have .x, .y, .z and .w

/// %envreg0 … 31, %pm0 … 7, %pm0_64 … 7_64
bool is_numbered_special(std::string_view name) {
  const bool is_environment = name.rfind("%envreg", 0) == 0;
  if (!is_environment && name.rfind("%pm", 0) != 0) return false;
  std::string_view digits = name.substr(is_environment ? 7 : 3);
  if (!is_environment && digits.size() == 4 && digits.substr(1) == "_64") digits = digits.substr(0, 1);
  if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] == '0')) return false;
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return value < (is_environment ? 32 : 8);
}

int component_of(std::string_view directive) {
  static constexpr std::array<std::string_view, 8> kNames = {".x", ".y", ".z", ".w", ".r", ".g", ".b", ".a"};
  const auto found = std::find(kNames.begin(), kNames.end(), directive);
  return found == kNames.end() ? -1 : static_cast<int>((found - kNames.begin()) % 4);
}

Operand make(Operand::Kind kind, uint32_t index = 0) {
  Operand out;
  out.kind = kind;
  out.index = index;
  return out;
}

}  // namespace

/// The directive that touches the word before it, as in %tid.x; empty when none does.
std::string_view Parser::adjacent_directive(const Token &before) {
  const bool touches = token_.kind == Token::Kind::kDirective && token_.text.data() == before.text.data() + before.text.size();
  return touches ? token_.text : std::string_view();
}

Operand Parser::immediate(Constant constant) {
  Operand out = make(Operand::Kind::kImmediate);
  out.value = static_cast<int64_t>(constant.bits);
  out.is_float = constant.float_bits != 0;
  out.float_bits = constant.float_bits;
  return out;
}

Operand Parser::read_operand() {
  if (token_.is('[')) return read_address();
  if (token_.is('{')) return read_list('{', '}');
  Operand first = read_element();
  if (first.kind != Operand::Kind::kRegister && first.kind != Operand::Kind::kSink) return first;
  if (!take('|')) return first;
  Operand pair = make(Operand::Kind::kPair);
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(read_element());
  return pair;
}

/// An operand without brackets.
Operand Parser::read_element() {
  if (token_.kind == Token::Kind::kWord && token_.text != "WARP_SZ") return read_named();
  if (!token_.is('!')) return immediate(read_constant());
  const Token mark = token_;
  advance();
  if (token_.kind != Token::Kind::kWord || token_.text == "WARP_SZ") {
    const Constant inner = read_unary();
    if (inner.float_bits != 0) fail("ptx.number", "this operator takes an integer", mark);
    return immediate(Constant{uint64_t{inner.bits == 0}});
  }
  Operand negated = read_named();
  if (negated.kind != Operand::Kind::kRegister) fail("ptx.syntax", "only predicates are negated", mark);
  negated.is_negated = true;
  return negated;
}

Operand Parser::read_named() {
  const Token name = token_;
  advance();
  if (name.text == "_") return make(Operand::Kind::kSink);
  const auto symbol = scopes_.find(name.text);
  if (!symbol) return read_special(name);
  Operand out = make(Operand::Kind::kVariable);
  switch (symbol->kind) {
    case Symbol::Kind::kRegister:
      if (symbol->components > 1) return read_component(name, *symbol);
      return make(Operand::Kind::kRegister, symbol->index);
    case Symbol::Kind::kModuleVariable:
      used_variables_.emplace(symbol->index, 0);
      out.index = kModuleTable | symbol->index;
      break;
    case Symbol::Kind::kBodyVariable: out.index = kBodyTable | symbol->index; break;
    case Symbol::Kind::kParameter: out.index = kParameterTable | symbol->index; break;
    case Symbol::Kind::kReturn: out.index = kReturnTable | symbol->index; break;
    case Symbol::Kind::kFunction: return make(Operand::Kind::kFunction, symbol->index);
    case Symbol::Kind::kLabelList: return make(Operand::Kind::kLabelList, symbol->index);
    case Symbol::Kind::kPrototype: return make(Operand::Kind::kPrototype);
    default: fail("ptx.unknown-name", "'" + std::string(name.text) + "' is no operand of this instruction", name);
  }
  if (take('+')) out.value = static_cast<int64_t>(read_integer_constant("an offset").bits);
  return out;
}

/// The vector, or one component of it.
Operand Parser::read_component(const Token &name, Symbol symbol) {
  const std::string_view suffix = adjacent_directive(name);
  if (!suffix.empty()) {
    const int component = component_of(suffix);
    if (component < 0 || component >= symbol.components)
      fail("ptx.unknown-name", "'" + std::string(name.text) + "' has no component '" + std::string(suffix) + "'", token_);
    advance();
    return make(Operand::Kind::kRegister, symbol.index + static_cast<uint32_t>(component));
  }
  Operand out = make(Operand::Kind::kVector);
  for (uint32_t i = 0; i < symbol.components; ++i)
    out.parts.push_back(make(Operand::Kind::kRegister, symbol.index + i));
  return out;
}

Operand Parser::read_special(const Token &name) {
  const auto found = std::find(kSpecials.begin(), kSpecials.end(), name.text);
  if (found == kSpecials.end() && !is_numbered_special(name.text))
    fail("ptx.unknown-name", "'" + std::string(name.text) + "' is not declared where this can see it", name);
  std::string full(name.text);
  const std::string_view suffix = adjacent_directive(name);
  if (!suffix.empty()) {
    const bool is_vector = found >= kSpecials.begin() + kFirstVector && found != kSpecials.end();
    if (!is_vector || component_of(suffix) < 0)
      fail("ptx.unknown-name", "'" + full + "' has no component '" + std::string(suffix) + "'", token_);
    full += suffix;
    advance();
  }
  std::vector<std::string> &specials = body_->specials;
  const auto known = std::find(specials.begin(), specials.end(), full);
  const auto index = static_cast<uint32_t>(known - specials.begin());
  if (known == specials.end()) specials.push_back(std::move(full));
  return make(Operand::Kind::kSpecial, index);
}

/// [ base [+ constant] {, part} ]
Operand Parser::read_address() {
  Operand out = make(Operand::Kind::kAddress);
  expect('[');
  Operand base = read_element();
  if (base.kind == Operand::Kind::kVariable) std::swap(out.value, base.value);
  else if (take('+')) out.value = static_cast<int64_t>(read_integer_constant("an offset").bits);
  out.parts.push_back(std::move(base));
  while (take(',')) out.parts.push_back(token_.is('{') ? read_list('{', '}') : read_element());
  expect(']');
  return out;
}

/// Elements between brackets; none may be a list itself.
Operand Parser::read_list(char open, char close) {
  Operand out = make(Operand::Kind::kVector);
  expect(open);
  if (take(close)) return out;
  do out.parts.push_back(read_element());
  while (take(','));
  expect(close);
  return out;
}

/// A label, which may stand further down, or in a block around this one.
Operand Parser::read_label_use() {
  const Token name = token_;
  take_word("a label");
  scopes_.use_label({name.text, static_cast<uint32_t>(lexer_.offset_of(name)),
                     static_cast<uint32_t>(body_->instructions.size() - 1),
                     static_cast<uint32_t>(body_->instructions.back().operands.size()), false});
  return make(Operand::Kind::kLabel);
}

}  // namespace warpwright::emulator::ptx
